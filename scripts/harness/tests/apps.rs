//! The real apps: all of them are found, and all of them keep the contract.

#![allow(clippy::unwrap_used)] // in a test, an unwrap is an assertion

mod common;

use std::fs;
use std::path::Path;

use common::Bench;

#[test]
fn every_app_keeps_the_contract() {
    let bench = Bench::on_the_apps();
    let told = bench
        .call(&["check", "--cargo-profile", "dev", "--format", "json"])
        .fine();
    let found = told.json();
    let apps: Vec<&str> = found
        .as_array()
        .unwrap()
        .iter()
        .map(|found| found["app"].as_str().unwrap())
        .collect();
    assert_eq!(apps, ["actix-web", "axum", "ceiling", "hyper", "reference", "rocket"]);
}

#[test]
fn every_folder_is_listed_with_the_version_of_its_lockfile() {
    let bench = Bench::on_the_apps();
    let listed = bench.call(&["list", "--format", "json"]).fine().json();
    let apps = listed["apps"].as_array().unwrap();
    let folders = fs::read_dir(bench.root().join("apps"))
        .unwrap()
        .flatten()
        .map(|entry| entry.path());
    let mut folders: Vec<String> = folders
        .filter(|path| path.join("src/main.rs").is_file())
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    folders.sort();
    let ids: Vec<&str> = apps.iter().map(|app| app["id"].as_str().unwrap()).collect();
    assert_eq!(ids, folders);
    for app in apps {
        assert!(bench.root().join(app["manifest"].as_str().unwrap()).is_file(), "{app}");
        let lockfile = if app["id"] == "reference" {
            "apps/reference/Cargo.lock"
        } else {
            "Cargo.lock"
        };
        let lock = fs::read_to_string(bench.root().join(lockfile)).unwrap();
        let entry = format!("name = {}\nversion = {}\n", app["framework"], app["framework_version"]);
        assert!(lock.contains(&entry), "{app}");
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

/// The reference is a workspace of its own and so has a copy of the profile; a difference would be measured.
#[test]
fn the_reference_is_built_like_the_others() {
    let manifest = |path: &str| -> toml::Table {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
        fs::read_to_string(path).unwrap().parse().unwrap()
    };
    let (root, reference) = (manifest("Cargo.toml"), manifest("apps/reference/Cargo.toml"));
    assert_eq!(root["profile"]["release"], reference["profile"]["release"]);
}
