//! What the manifest of an app may not say.

use std::fs;
use std::path::PathBuf;

use apps::catalog::{App, Catalog};
use model::Part;

use crate::files::command::{catalog, root};
use crate::files::touched::copy;

#[test]
fn flags_are_for_variants_that_there_are() {
    let copy = copy();
    let manifest = copy.path().join("apps/services/axum-services/Cargo.toml");
    let text = fs::read_to_string(&manifest).unwrap();
    let of_newer = "\nnewer-cpu = [";
    assert_eq!(text.matches(of_newer).count(), 1);
    fs::write(&manifest, text.replace(of_newer, "\nold-cpu = [")).unwrap();
    let error = format!("{:#}", Catalog::read(copy.path()).unwrap_err());
    assert!(error.contains("apps/services/axum-services/Cargo.toml"), "{error}");
    let said = "`rustflags` names the variant `old-cpu`, and there is no bin target of it";
    assert!(error.ends_with(said), "{error}");
}

#[test]
fn the_servers_of_a_first_look_are_built_at_once() {
    let at_once = catalog().apps.iter().filter(|app| app.is_default_member);
    let ids: Vec<&str> = at_once.map(|app| app.id.as_str()).collect();
    // The reference has a workspace of its own.
    assert_eq!(ids, ["actix-web", "axum", "ceiling", "rocket"]);
}

/// The machine that builds is seldom the one that measures.
#[test]
fn no_program_is_for_the_very_cpu_that_it_is_built_on() {
    let variants = || catalog().apps.iter().flat_map(|app| &app.variants);
    let flags: Vec<&String> = variants().flat_map(|variant| &variant.rustflags).collect();
    assert!(
        !flags.is_empty() && !flags.iter().any(|flag| flag.contains("native")),
        "{flags:?}"
    );
    // Each is for this architecture.
    assert!(flags.iter().all(|flag| flag.starts_with("-C")), "{flags:?}");
}

/// Else the control would be another program than the reference, and what a run finds of it would say nothing.
#[test]
fn the_control_is_made_of_what_the_reference_is_made_of() {
    let packages = |app: &str| {
        let lock = fs::read_to_string(root().join("apps").join(app).join("Cargo.lock")).unwrap();
        let packages = lock.split("[[package]]").map(|package| package.trim().to_owned());
        let others = packages.filter(|package| !package.starts_with(&format!("name = \"{app}-app\"")));
        others.collect::<Vec<_>>()
    };
    assert_eq!(packages("control"), packages("reference"));
    assert!(packages("control").len() > 20);
}

/// In each workspace, dependabot leaves alone the versions that the pinned compiler cannot build.
#[test]
fn dependabot_ignores_what_waits_for_a_compiler() {
    let root = root();
    let dependabot = fs::read_to_string(root.join(".github/dependabot.yml")).unwrap();
    let apps = &catalog().apps;
    let waiting = apps.iter().filter(|app| app.waiting.is_some());
    assert_eq!(waiting.count(), 3, "ntex, rama and xitca-web");
    let entries: Vec<&str> = dependabot.split("  - package-ecosystem: ").collect();
    for app in apps {
        let mut waiting = apps.iter().filter(|other| other.framework == app.framework);
        let Some(waiting) = waiting.find_map(|other| other.waiting.as_ref()) else {
            continue;
        };
        let workspace = format!("/{}", app.workspace.strip_prefix(&root).unwrap().display());
        let of_workspace = |entry: &&&str| {
            let list = entry
                .lines()
                .find_map(|line| line.trim().strip_prefix("director"))
                .unwrap_or_default();
            let list = list.split_once(": ").map_or("", |(_, list)| list);
            list.trim_matches(['[', ']'])
                .split(", ")
                .any(|directory| directory == workspace)
        };
        let entry = entries.iter().find(of_workspace).unwrap();
        let ignored = [app.framework.clone(), format!("\"{}*\"", app.framework)]
            .map(|name| {
                format!(
                    "- dependency-name: {name}\n        versions: [\">= {}\"]",
                    waiting.version
                )
            })
            .iter()
            .filter(|ignored| entry.contains(*ignored))
            .count();
        assert_eq!(ignored, 1, "{} in {workspace}", app.framework);
    }
}

/// Whether a compiler is at least as new as the one that is waited for.
fn is_there(compiler: &str, waited: &str) -> bool {
    let [compiler, waited] = [compiler, waited].map(|version| {
        let numbers = version.split('.').map(|number| number.parse().unwrap());
        numbers.collect::<Vec<u32>>()
    });
    compiler >= waited
}

#[test]
fn nothing_waits_for_a_compiler_that_is_there() {
    for (compiler, waited, there) in [
        ("1.95.0", "1.96", false),
        ("1.96.0", "1.96", true),
        ("1.97.0", "1.97.1", false),
        ("1.100.0", "1.98", true),
    ] {
        assert_eq!(is_there(compiler, waited), there, "{compiler}, {waited}");
    }
    let file = fs::read_to_string(root().join("rust-toolchain.toml")).unwrap();
    let file: toml::Table = file.parse().unwrap();
    let pinned = file["toolchain"]["channel"].as_str().unwrap();
    for app in &catalog().apps {
        if let Some(waiting) = &app.waiting {
            assert!(
                !is_there(pinned, &waiting.rust),
                "rust-toolchain.toml has {pinned}, which builds {} {}: take it, and remove `waiting` from {} and its lines from \
                 dependabot.yml",
                app.framework,
                waiting.version,
                app.manifest.display()
            );
        }
    }
}

/// What is coming is taken from there.
#[test]
fn a_frameworks_link_is_the_repository_that_its_release_names() {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.unwrap_or_else(|| std::env::home_dir().unwrap().join(".cargo"));
    let registries: Vec<PathBuf> = fs::read_dir(home.join("registry/src"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    let mut checked = 0;
    for app in &catalog().apps {
        let name = format!("{}-{}/Cargo.toml", app.framework, app.framework_version);
        // Only what this machine has built is there.
        let Some(manifest) = registries
            .iter()
            .find_map(|registry| fs::read_to_string(registry.join(&name)).ok())
        else {
            continue;
        };
        let manifest: toml::Table = manifest.parse().unwrap();
        let repository = manifest["package"]["repository"].as_str().unwrap();
        let repository = repository.trim_end_matches('/').trim_end_matches(".git");
        // Its release names the owner before.
        let repository = repository.replace("trezm/thruster", "thruster-rs/Thruster");
        assert_eq!(app.link, repository, "{}", app.id);
        checked += 1;
    }
    assert!(checked > 0, "the harness itself is built from hyper");
}

#[test]
fn every_server_that_needs_no_other_can_be_tried_by_hand() {
    let alone = catalog().apps.iter().filter(|app| app.part() == Part::Plain);
    let entry = |(port, App { id, .. }): (u16, &App)| {
        format!("  {id}:\n    <<: *server\n    command: /servers/{id}-app\n    ports: [\"127.0.0.1:{port}:8080\"]\n")
    };
    let services: String = (8101..).zip(alone).map(entry).collect();
    let file = fs::read_to_string(root().join("apps/compose.yaml")).unwrap();
    let (_, listed) = file.split_once("\nservices:\n").unwrap();
    assert!(
        listed == services,
        "the services of apps/compose.yaml must be:\n{services}"
    );
}
