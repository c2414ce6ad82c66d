//! The real apps: all of them are found, and all of them keep the contract.

#![allow(clippy::unwrap_used)] // in a test, an unwrap is an assertion

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::Bench;
use measure::build::{Request, build};
use measure::catalog::Catalog;
use memchr::memmem;

/// Those of all apps, in the order of their names, which are the ids.
fn folders(root: &Path) -> Vec<(String, PathBuf)> {
    let below = |folder: &str| fs::read_dir(root.join(folder)).unwrap().flatten();
    let mut found: Vec<_> = below("apps")
        .chain(below("apps/legacy"))
        .filter(|entry| entry.path().join("src/main.rs").is_file())
        .map(|entry| (entry.file_name().into_string().unwrap(), entry.path()))
        .collect();
    found.sort();
    found
}

/// That of the workspace which a folder belongs to.
fn lockfile(folder: &Path) -> String {
    let mut candidates = folder.ancestors().map(|folder| folder.join("Cargo.lock"));
    fs::read_to_string(candidates.find(|path| path.is_file()).unwrap()).unwrap()
}

#[test]
fn every_app_keeps_the_contract() {
    let bench = Bench::on_the_apps();
    let told = bench
        .call(&["check", "--cargo-profile", "dev", "--format", "json"])
        .fine();
    let found = told.json();
    let found = found.as_array().unwrap();
    let catalog = Catalog::of(bench.root()).unwrap();
    // Every variant in every protocol that its app says it speaks, and nothing else.
    let claimed = catalog.apps.iter().flat_map(|app| {
        let variants = app.variants.iter().map(|variant| variant.name.as_str());
        variants.flat_map(move |variant| {
            let spoken = app.protocols.iter().map(|protocol| protocol.id());
            spoken.map(move |protocol| (app.id.as_str(), variant, protocol))
        })
    });
    let checked = found.iter().map(|found| {
        let text = |key: &str| found[key].as_str().unwrap();
        (text("app"), text("variant"), text("protocol"))
    });
    assert!(checked.eq(claimed), "{found:?}");
    let folders = folders(bench.root());
    assert!(
        catalog
            .apps
            .iter()
            .map(|app| &app.id)
            .eq(folders.iter().map(|(id, _)| id))
    );
}

/// A program tells where the code that may panic in it comes from: `axum-0.8.9/src/…`. So it is seen in each program, and not
/// only in a manifest, that the framework of this version is what serves.
#[test]
fn what_is_measured_is_the_named_framework_at_the_reported_version() {
    let bench = Bench::on_the_apps();
    let catalog = Catalog::of(bench.root()).unwrap();
    for app in &catalog.apps {
        for variant in &app.variants {
            let built = build(Request::of_app(app, variant, "dev"), |_| {}).unwrap();
            let program = fs::read(&built.path).unwrap();
            let sign = format!("-{}/src/", app.framework_version);
            let mut places = memmem::find_iter(&program, &sign);
            // Salvo itself only names what salvo_core is, which has the same version.
            let found = places.any(|at| {
                let name = program[..at].rsplit(|byte| *byte == b'/').next();
                name.is_some_and(|name| name.starts_with(app.framework.as_bytes()))
            });
            assert!(
                found,
                "{} holds nothing of {}{sign}",
                built.path.display(),
                app.framework
            );
        }
    }
}

#[test]
fn every_folder_is_listed_with_the_version_of_its_lockfile() {
    let bench = Bench::on_the_apps();
    let listed = bench.call(&["list", "--format", "json"]).fine().json();
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
    for name in [
        "plaintext",
        "hello",
        "heavy",
        "cpu",
        "ram",
        "simple",
        "timed",
        "bcrypt",
        "bcrypt-inline",
    ] {
        assert!(
            listed["scenarios"]
                .as_array()
                .unwrap()
                .iter()
                .any(|scenario| scenario["id"] == name),
            "{name}"
        );
    }
}

/// A workspace of its own has a copy of the profile; a difference would be measured.
#[test]
fn who_has_a_workspace_of_its_own_is_built_like_the_others() {
    let manifest = |path: &str| -> toml::Table {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..").join(path);
        fs::read_to_string(path).unwrap().parse().unwrap()
    };
    let (root, legacy) = (manifest("Cargo.toml"), manifest("apps/legacy/Cargo.toml"));
    for other in [&legacy, &manifest("apps/reference/Cargo.toml")] {
        assert_eq!(root["profile"]["release"], other["profile"]["release"]);
    }
    for copied in ["lints", "package"] {
        assert_eq!(root["workspace"][copied], legacy["workspace"][copied]);
    }
}
