//! `bench new-app`, in a copy of this repository, with the real cargo.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::{Bench, CommandOutput, words};
use crate::files::touched::copy;

/// Everything below a folder, with its content.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        if entry.path().is_dir() {
            found.extend(files(&entry.path()));
        } else {
            found.push((entry.path().display().to_string(), fs::read(entry.path()).unwrap()));
        }
    }
    found.sort();
    found
}

/// Kept from test to test, so that what the new app needs is compiled once.
fn target() -> std::path::PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("new-app")
}

fn bench(bench: &Bench, line: &str) -> CommandOutput {
    let mut command = bench.command(line);
    command.env("CARGO_TARGET_DIR", target());
    CommandOutput::run(command)
}

#[test]
fn a_new_folder_builds_is_found_and_fails_until_it_is_written() {
    let copy = copy();
    let on = Bench::with_root(copy.path());
    let before = fs::read_to_string(copy.path().join("Cargo.lock")).unwrap();
    let output = bench(&on, "new-app brand-new").fine();
    assert!(
        output
            .stdout
            .starts_with("made apps/brand-new, and put brand-new-app into Cargo.lock\n"),
        "{output:#?}"
    );
    assert!(output.stdout.contains("check --app brand-new"), "{output:#?}");
    let steps: Vec<&str> = output.stdout.lines().filter(|line| line.starts_with("  ")).collect();
    assert!(
        steps[0].contains("Cargo.toml") && steps[1].contains("cargo update --workspace"),
        "{output:#?}"
    );

    // The lockfile has the new package, and nobody else was moved.
    let after = fs::read_to_string(copy.path().join("Cargo.lock")).unwrap();
    let packages =
        |lock: &str| -> Vec<String> { lock.split("\n\n").map(|package| package.trim().to_owned()).collect() };
    let (before, after) = (packages(&before), packages(&after));
    let new: Vec<&String> = after.iter().filter(|package| !before.contains(package)).collect();
    assert_eq!(new.len(), 1, "{new:?}");
    assert!(new[0].contains("name = \"brand-new-app\"") && after.len() == before.len() + 1);

    let listed = bench(&on, "list --format json").fine().json();
    let apps = listed["apps"].as_array().unwrap();
    let app = apps.iter().find(|app| app["id"] == "brand-new").unwrap();
    assert_eq!(
        (&app["framework"], &app["role"]),
        (&"tokio".into(), &"framework".into())
    );

    let checked = bench(&on, "check --app brand-new --cargo-profile dev --format json");
    assert_eq!(checked.status, Some(1), "{checked:#?}");
    let found = &checked.json()[0];
    assert_eq!(found["verdict"], "contract_failed", "{found}");
    let reason = found["reasons"][0].as_str().unwrap();
    assert!(
        reason.starts_with("GET /: expected") && reason.contains("501"),
        "{reason}"
    );

    for line in [
        "fmt --check --package brand-new-app",
        "clippy --locked --offline --package brand-new-app -- --deny warnings",
    ] {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(words(line)).current_dir(copy.path());
        cargo.env("CARGO_TARGET_DIR", target());
        let output = CommandOutput::run(cargo);
        assert_eq!(output.status, Some(0), "{line}: {output:#?}");
    }

    bench(&on, "new-app brand-new").refused("apps/brand-new is there already");
}

#[test]
fn a_wrong_name_is_refused_and_nothing_is_written() {
    let copy = copy();
    let on = Bench::with_root(copy.path());
    let before = files(copy.path());
    for (name, expected) in [
        ("../brand", "a-z, 0-9 and - only"),
        ("axum", "apps/axum is there already"),
        ("tide", "apps/legacy/tide is an app of this name"),
        ("brand\u{1b}[31m", "a-z, 0-9 and - only"),
    ] {
        let answer = bench(&on, &format!("new-app {name}"));
        answer.refused(expected);
        assert!(!answer.stderr.contains('\u{1b}'), "{name}: {answer:#?}");
    }
    assert!(files(copy.path()) == before);
}
