//! The real apps: all of them are found, and all of them keep the contract.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::{Bench, build_united, words};
use apps::build::{Binary, BuiltApp, describe};
use apps::catalog::{App, Catalog, Variant};
use machine::cpus::Split;
use machine::program::Program;
use measure::probe::{Case, engine, probe, tasks};
use servers::check::{CheckResult, check};
use servers::database::{Database, Programs};

use memchr::memmem;
use model::DEFAULT_VARIANT;
use model::probe::ProbeOutcome;
use model::scenario::Protocol;

/// The folders of all apps, in the order of their names, which are the ids.
fn folders(root: &Path) -> Vec<(String, PathBuf)> {
    let below = |folder: &str| fs::read_dir(root.join(folder)).unwrap().flatten();
    let mut found: Vec<_> = below("apps")
        .chain(below("apps/legacy"))
        .chain(below("apps/postgres"))
        .chain(below("apps/services"))
        .filter(|entry| entry.path().join("src/main.rs").is_file())
        .filter(|entry| entry.file_name() != "control") // no app, but known work in another
        .map(|entry| (entry.file_name().into_string().unwrap(), entry.path()))
        .collect();
    found.sort();
    found
}

/// The lockfile of the folder's workspace.
fn lockfile(folder: &Path) -> String {
    let mut candidates = folder.ancestors().map(|folder| folder.join("Cargo.lock"));
    fs::read_to_string(candidates.find(|path| path.is_file()).unwrap()).unwrap()
}

/// Every app in every variant, as `./scripts/test` has built it. That each builds by itself, from its own features, is shown by
/// continuous integration.
fn programs(catalog: &Catalog) -> Vec<BuiltApp> {
    let workspaces: BTreeSet<&Path> = catalog.apps.iter().map(|app| app.workspace.as_path()).collect();
    for root in workspaces {
        build_united(root, &["--bins"]);
    }
    let variants = |app: &App| {
        app.variants
            .clone()
            .into_iter()
            .map(|variant| (app.clone(), variant))
            .collect::<Vec<_>>()
    };
    let subject = |(app, variant): (App, Variant)| {
        let path = app.target.join("debug").join(&variant.binary);
        let binary = Binary {
            program: Program::at(&path).unwrap(),
            seconds: 0.0,
        };
        BuiltApp {
            app: describe(&app, &variant, Some(&binary), None),
            binary: Some(binary),
            connections: app.connections,
        }
    };
    catalog.apps.iter().flat_map(variants).map(subject).collect()
}

/// Checks each in every protocol that its app says it speaks, two servers at a time, each on a cpu of its own: nothing is timed. Each of
/// the two has a database of its own, because statements are counted, and rows are changed beneath a server.
fn checked(subjects: &[BuiltApp]) -> Vec<CheckResult> {
    let split = Split::of_this_machine().unwrap();
    let other = Split {
        server: split.generator.clone(),
        generator: split.server.clone(),
        ..split.clone()
    };
    let postgres = Programs::find(None).unwrap();
    let next = AtomicUsize::new(0);
    let worker = |split: Split| {
        let split = split.with_database();
        let database = Arc::new(Database::start(&postgres, &split.database).unwrap());
        let mut checked = Vec::new();
        while let Some(subject) = subjects.get(next.fetch_add(1, Ordering::Relaxed)) {
            let behind = subject.app.stack.is_some().then_some(&database);
            let one = |protocol: &Protocol| check(subject, *protocol, &split, behind, 1).unwrap();
            checked.extend(subject.app.protocols.iter().map(one));
        }
        checked
    };
    std::thread::scope(|scope| {
        let workers = [split, other].map(|split| scope.spawn(|| worker(split)));
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    })
}

/// A program names the source of the code in it that may panic: `axum-0.8.9/src/…`. So each program shows by itself, and not only by
/// its manifest, that the framework of this version is what serves.
fn holds(program: &Path, framework: &str, version: &str) -> bool {
    let program = fs::read(program).unwrap();
    let sign = format!("-{version}/src/");
    memmem::find_iter(&program, &sign).any(|at| {
        let name = program[..at].rsplit(|byte| *byte == b'/').next();
        // Salvo itself only names what salvo_core is, which has the same version.
        name.is_some_and(|name| name.starts_with(framework.as_bytes()))
    })
}

#[test]
fn every_app_keeps_the_contract_with_the_framework_that_it_names() {
    let bench = Bench::on_the_apps();
    let catalog = Catalog::read(bench.root()).unwrap();
    let ids: Vec<&String> = catalog.apps.iter().map(|app| &app.id).collect();
    let folders = folders(bench.root());
    assert_eq!(ids, folders.iter().map(|(id, _)| id).collect::<Vec<_>>());
    let subjects = programs(&catalog);
    let wrong: Vec<_> = checked(&subjects)
        .into_iter()
        .filter(|checked| !checked.is_fine())
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    for BuiltApp { app, binary, .. } in &subjects {
        let path = &binary.as_ref().unwrap().program.path();
        assert!(
            holds(path, &app.framework, &app.framework_version),
            "{} holds nothing of {} {}",
            path.display(),
            app.framework,
            app.framework_version
        );
    }
}

#[test]
fn every_folder_is_listed_with_the_version_of_its_lockfile() {
    let bench = Bench::on_the_apps();
    let listed = bench.call("list --format json").fine().json();
    let apps = listed["apps"].as_array().unwrap();
    let folders = folders(bench.root());
    assert!(
        apps.iter().map(|app| &app["id"]).eq(folders.iter().map(|(id, _)| id)),
        "{listed}"
    );
    for (app, (_, folder)) in apps.iter().zip(folders) {
        assert_eq!(
            bench.root().join(app["manifest"].as_str().unwrap()),
            folder.join("Cargo.toml")
        );
        let entry = format!("name = {}\nversion = {}\n", app["framework"], app["framework_version"]);
        assert!(lockfile(&folder).contains(&entry), "{app}");
    }
    let scenarios = listed["scenarios"].as_array().unwrap();
    for name in words("plaintext hello heavy cpu ram simple timed bcrypt bcrypt-inline") {
        assert!(scenarios.iter().any(|scenario| scenario["id"] == name), "{name}");
    }
}

/// A workspace of its own has a copy of the profile; a difference would be measured.
#[test]
fn who_has_a_workspace_of_its_own_is_built_like_the_others() {
    let manifest = |path: &str| -> toml::Table {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..").join(path);
        fs::read_to_string(path).unwrap().parse().unwrap()
    };
    let root = manifest("Cargo.toml");
    let several = ["legacy", "postgres", "services"].map(|folder| manifest(&format!("apps/{folder}/Cargo.toml")));
    let frozen = [
        "reference",
        "postgres/reference-postgres",
        "services/reference-services",
    ]
    .map(|folder| manifest(&format!("apps/{folder}/Cargo.toml")));
    for other in several.iter().chain(&frozen) {
        assert_eq!(root["profile"]["release"], other["profile"]["release"]);
    }
    for other in several {
        for copied in ["lints", "package"] {
            assert_eq!(root["workspace"][copied], other["workspace"][copied]);
        }
    }
}

/// Cases that no framework passes, so that none can show here that they can be passed.
const PASSED_BY_NONE: [&str; 1] = ["host-invalid"];

#[test]
fn every_case_of_the_probe_passes_on_a_real_server() {
    let bench = Bench::on_the_apps();
    let catalog = Catalog::read(bench.root()).unwrap();
    let split = Split::of_this_machine().unwrap();
    let mut cases = Case::built_in();
    cases.retain(Case::is_exchange);
    let mut left: BTreeSet<&str> = cases.iter().map(|case| case.about.id.as_str()).collect();
    // Two engines, which differ in what they pass.
    let mut subjects = programs(&catalog);
    subjects
        .retain(|subject| ["axum", "actix-web"].contains(&&*subject.app.id) && subject.app.variant == DEFAULT_VARIANT);
    let tasks = tasks(&subjects, &cases, &Protocol::ALL, &split, None);
    let report = probe(&subjects, &cases, tasks, &()).unwrap();
    assert!(report.skipped.is_empty(), "{:?}", report.skipped);
    for one in &report.results {
        if one.outcome == ProbeOutcome::Passed {
            left.remove(one.case.as_str());
        }
    }
    assert_eq!(left.into_iter().collect::<Vec<_>>(), PASSED_BY_NONE);
}

#[test]
fn the_engine_of_a_framework_is_an_app_of_its_own() {
    let catalog = Catalog::read(Bench::on_the_apps().root()).unwrap();
    let engine = |id: &str| engine(catalog.app(id).unwrap(), &catalog).map(|engine| engine.app);
    for id in ["axum", "warp", "salvo", "reference"] {
        assert_eq!(engine(id).as_deref(), Some("hyper"), "{id}");
    }
    // With an engine of their own, an older hyper, or none.
    for id in ["actix-web", "ohkami", "ntex", "roa", "hyper", "tokio-minihttp"] {
        assert_eq!(engine(id), None, "{id}");
    }
}
