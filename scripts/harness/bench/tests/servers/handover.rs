//! `bench build` on one machine, `bench run --binaries` on another that has no compiler.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use machine::confine;
use model::Confinement;

use crate::common::{Bench, CommandOutput, elsewhere, oha};

/// The programs of these apps, and of reference and ceiling.
fn built_of(bench: &Bench, apps: &str) -> (PathBuf, CommandOutput) {
    let out = bench.results().join("handover");
    let apps = ["--app", apps, "--cargo-profile", "dev"];
    let generator = ["--oha", oha().to_str().unwrap(), "--out", out.to_str().unwrap()];
    let output = bench.call(&[&["build"], &apps[..], &generator[..]].concat()).fine();
    (out, output)
}

/// The programs of three apps, one of which cannot be built.
fn built(bench: &Bench) -> PathBuf {
    let (out, output) = built_of(bench, "good,unbuildable");
    assert!(output.stdout.contains("3 of 4 programs"), "{output:#?}"); // reference and ceiling belong to every run
    assert!(output.stderr.contains("unbuildable could not be built"), "{output:#?}");
    out
}

#[test]
fn what_was_built_here_is_measured_where_there_is_no_compiler() {
    let bench = Bench::on_fixtures();
    let handover = built(&bench);
    let before = fs::read_dir(&handover).unwrap().count();
    let output = elsewhere(&handover, &["check", "--app", "good,unbuildable", "--format", "json"]);
    assert_eq!(output.status, Some(1), "{output:#?}");
    let verdicts: Vec<_> = output
        .json()
        .as_array()
        .unwrap()
        .iter()
        .map(|found| format!("{} {}", found["app"], found["verdict"]))
        .collect();
    assert_eq!(verdicts, ["\"good\" \"valid\"", "\"unbuildable\" \"build_failed\""]);

    let plan = "run --scenario plaintext --duration 100ms --connections 4 --rounds 1 --lane self-hosted --out results";
    let arguments: Vec<&str> = plan.split(' ').chain(["--app", "good,unbuildable"]).collect();
    elsewhere(&handover, &arguments).fine();
    let folder = bench.results().join("results/self-hosted");
    let records: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    let [record] = records.as_slice() else {
        panic!("one record: {records:?}")
    };
    let record = analyze::reading::read(record).unwrap();
    assert_eq!(record.harness.cargo_profile, "dev");
    let mut warnings = record.environment.warnings.iter();
    assert!(
        warnings.any(|warning| warning.contains("cargo profile `dev`")),
        "{:?}",
        record.environment
    );
    assert!(
        record.environment.rustc.starts_with("rustc "),
        "of the machine that built"
    );
    assert_eq!(record.apps.len(), 4);
    assert!(
        record
            .apps
            .iter()
            .all(|app| app.binary_bytes.is_some() != app.build_error.is_some())
    );
    assert_eq!(fs::read_dir(&handover).unwrap().count(), before, "it is only read");
}

#[test]
fn who_replaces_a_rival_and_the_load_generator_is_refused_or_nobody_runs_them() {
    let bench = Bench::on_fixtures();
    // The server can find its rivals, whatever user it runs as.
    fs::set_permissions(bench.results(), fs::Permissions::from_mode(0o755)).unwrap();
    let (handover, _) = built_of(&bench, "good,replaces-rival");
    let contents = || ["good-app", "oha"].map(|name| fs::read(handover.join(name)).unwrap());
    let before = contents();
    let plan = "run --scenario plaintext --duration 200ms --connections 16 --rounds 1 --split 1:1 --out results";
    let arguments: Vec<&str> = plan.split(' ').chain(["--app", "good,replaces-rival"]).collect();
    let output = elsewhere(&handover, &arguments);
    let kept = [Confinement::OwnUser, Confinement::NoWrites];
    if kept.iter().any(|kind| confine::available().contains(kind)) {
        output.fine();
        assert!(contents() == before, "something was replaced");
    } else {
        assert!(contents() != before, "nothing keeps it from that: {output:#?}");
        let folder = bench.results().join("results/local");
        let record = fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
        let record = analyze::reading::read(&record).unwrap();
        let mut reasons = record.trials.iter().flat_map(|trial| &trial.reasons);
        let refused = "is no longer the program that this command began with";
        assert!(reasons.any(|reason| reason.contains(refused)), "{output:#?}");
    }
}

#[test]
fn what_is_not_as_it_was_built_is_refused_in_one_line() {
    let bench = Bench::on_fixtures();
    let handover = built(&bench);
    let run = || elsewhere(&handover, &["check", "--app", "good"]);
    let refused = |what: &str| {
        let output = run();
        assert_eq!(output.status, Some(2), "{output:#?}");
        assert!(output.error().contains(what), "{output:#?}");
    };
    let program = handover.join("good-app");

    fs::set_permissions(&program, fs::Permissions::from_mode(0o644)).unwrap();
    refused("unpack the handover with tar");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();

    let whole = fs::read(&program).unwrap();
    fs::write(&program, &whole[..whole.len() - 1]).unwrap();
    refused("good-app is not the program that was built");
    fs::write(&program, &whole).unwrap();

    let description = handover.join("handover.json");
    let text = fs::read_to_string(&description).unwrap();
    let here = format!("\"architecture\": \"{}\"", std::env::consts::ARCH);
    for (from, to, expected) in [
        (here.as_str(), "\"architecture\": \"riscv64\"", "programs for riscv64"),
        ("\"version\": 1", "\"version\": 9", "its version is 9"),
        ("\"dirty\"", "\"filthy\"", "unknown field `filthy`"),
    ] {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{from}");
        fs::write(&description, changed).unwrap();
        refused(expected);
    }
    fs::write(&description, &text).unwrap();
    assert_eq!(run().status, Some(0), "and as it was it is taken");

    let lacking = elsewhere(&handover, &["check", "--app", "good-two"]);
    assert_eq!(lacking.status, Some(2));
    assert!(lacking.error().contains("did you mean `good`"), "{lacking:#?}");

    let again = bench.call(&["build", "--app", "good", "--out", handover.to_str().unwrap()]);
    assert_eq!(again.status, Some(2));
    assert!(again.error().contains("is not empty"), "{again:#?}");
    fs::remove_file(&description).unwrap();
    refused("handover.json");
}
