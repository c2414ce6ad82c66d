//! `bench run --isolation` where there is no engine: one clear line, before anything is built.

use std::path::PathBuf;

use crate::common::{Bench, CommandOutput, words};

#[test]
fn without_an_engine_nothing_is_built_and_one_line_says_what_to_do() {
    let bench = Bench::on_fixtures_beside_others();
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("docker");
    let told = bench.run(&[
        "--app",
        "good",
        "--isolation",
        "docker",
        "--container-engine",
        missing.to_str().unwrap(),
    ]);
    assert_eq!(told.status, Some(2));
    assert!(told.error().contains("cannot start the container engine"), "{told:#?}");
    assert_eq!(told.stderr.lines().count(), 1, "{told:#?}");

    let mut command = bench.run_command(&["--app", "good", "--isolation", "docker-bridge"]);
    // Rust's own programs are there, and no others are.
    let cargo = PathBuf::from(std::env::var_os("CARGO").unwrap());
    command.env("PATH", cargo.parent().unwrap());
    let told = CommandOutput::run(command);
    assert_eq!(told.status, Some(2));
    assert!(
        told.error()
            .contains("neither docker nor podman is installed; install one"),
        "{told:#?}"
    );
    assert!(bench.files().is_empty(), "nothing was begun");
}

#[test]
fn native_alone_needs_no_engine() {
    let bench = Bench::on_fixtures();
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("docker");
    let arguments = words("--app good --scenario plaintext --duration 100ms --connections 2 --rounds 1");
    let isolation = ["--isolation", "native", "--container-engine", missing.to_str().unwrap()];
    bench.run(&[&arguments[..], &isolation].concat()).fine();
    assert_eq!(bench.record().scenarios.len(), 1);
}
