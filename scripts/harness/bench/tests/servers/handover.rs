//! Programs that `bench build` made, and what was changed in them.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use machine::confine;
use model::Confinement;

use crate::common::{Bench, CommandOutput, elsewhere, oha};

/// The programs of these apps, and of reference and ceiling.
fn built(bench: &Bench, apps: &str) -> PathBuf {
    let out = bench.results().join("handover");
    let mut build = bench.command(&format!("build --app {apps} --cargo-profile dev"));
    build.arg("--oha").arg(oha()).arg("--out").arg(&out);
    CommandOutput::run(build).fine();
    out
}

#[test]
fn who_replaces_a_rival_and_the_load_generator_is_refused_or_nobody_runs_them() {
    let bench = Bench::on_fixtures();
    // The server can find its rivals, whatever user it runs as.
    fs::set_permissions(bench.results(), fs::Permissions::from_mode(0o755)).unwrap();
    let handover = built(&bench, "good,replaces-rival");
    let contents = || ["good-app", "oha"].map(|name| fs::read(handover.join(name)).unwrap());
    let before = contents();
    let plan = "run --scenario plaintext --duration 200ms --connections 16 --rounds 1 --split 1:1 --out results";
    let output = elsewhere(&handover, &format!("{plan} --app good,replaces-rival"));
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
    let handover = built(&bench, "good");
    let run = || elsewhere(&handover, "check --app good");
    let refused = |what: &str| run().refused(what);
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

    elsewhere(&handover, "check --app good-two").refused("did you mean `good`");
    let again = bench.call(&format!("build --app good --out {}", handover.display()));
    again.refused("is not empty");
    fs::remove_file(&description).unwrap();
    refused("handover.json");
}
