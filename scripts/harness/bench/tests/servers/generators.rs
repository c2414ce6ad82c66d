//! Load generators that the user installs, and how their figures compare with oha's: the real wrk and the real h2load, which
//! `./scripts/test` installs, on real servers.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::{Bench, CommandOutput, PATIENCE, wait, words};
use crate::smoke::alone::generators::assert_driven_for_a_second;
use model::scenario::{Dimension, GeneratorKind};
use model::{Cell, Record, Verdict};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

fn cell<'a>(record: &'a Record, app: &str, scenario: &str) -> &'a Cell {
    let of = |cell: &&Cell| cell.app == app && cell.scenario == scenario;
    record.summary.iter().find(of).unwrap()
}

#[test]
fn both_drive_the_same_scenarios_and_see_what_fails() {
    let bench = Bench::on_fixtures();
    let apps = "good,fails-under-load,dies-under-load";
    let arguments = ["--app", apps, "--scenario", "plaintext,simple", "--duration", "300ms"];
    let more = ["--connections", "4", "--rounds", "1", "--load-generator", "wrk,h2load"];
    bench.run(&[&arguments[..], &more].concat()).fine();
    let record = bench.record();

    let ids: Vec<&str> = record.scenarios.iter().map(|scenario| scenario.id.as_str()).collect();
    assert_eq!(
        ids,
        ["plaintext-wrk", "plaintext-h2load", "simple-wrk", "simple-h2load"]
    );
    for scenario in &record.scenarios {
        let varies = scenario.varies.as_ref().unwrap();
        assert_eq!(varies.by, Dimension::Generator);
        assert!(scenario.id.starts_with(&varies.like));
        // wrk takes whole seconds, and what it is compared with has as many.
        assert_eq!((scenario.seconds, scenario.warmup_seconds), (1.0, 1.0));
    }
    let versions = &record.environment.generators;
    for kind in [GeneratorKind::Wrk, GeneratorKind::H2load] {
        assert!(versions[&kind].contains('.'), "{versions:?}");
    }
    assert_eq!(record.environment.oha, "1.16.0");

    let judged = |app: &'static str| {
        let trials = record.trials.iter().filter(move |trial| trial.app == app);
        trials.filter(|trial| trial.verdict != Verdict::EnvironmentFailed)
    };
    let good = ["good", "reference", "ceiling"].into_iter().flat_map(judged);
    for trial in good {
        assert_driven_for_a_second(trial);
        let per_second = trial.requests["200"] as f64 / trial.seconds.unwrap();
        assert!((trial.goodput_rps.unwrap() - per_second).abs() < 1e-6, "{trial:?}");
    }
    for (scenario, expected) in [
        ("plaintext-wrk", "status 4xx or 5xx"),
        ("plaintext-h2load", "status 500"),
    ] {
        let fails = cell(&record, "fails-under-load", scenario);
        assert_eq!(fails.verdict, Verdict::ContractFailed, "{fails:?}");
        // The prover, which sends requests while the load goes on, may see it first.
        let is_named = |text: &str| fails.reasons[0].contains(text);
        assert!(
            is_named(expected) || is_named("under load, GET /: expected status 200, got status 500"),
            "{fails:?}"
        );
        assert!(fails.metrics.is_empty(), "{fails:?}");
        let dead = cell(&record, "dies-under-load", scenario);
        assert_eq!(dead.verdict, Verdict::Crashed, "{dead:?}");
        assert!(
            dead.reasons[0].contains("out of luck") && dead.metrics.is_empty(),
            "{dead:?}"
        );
    }
    // Each of them has seen it for itself: a crash under the one's load is no reason to leave the other's out.
    for trial in judged("dies-under-load") {
        assert!(trial.startup_ms.is_some(), "{trial:?}");
    }
    assert!(bench.children().is_empty());
}

/// `PATH` with cargo and nothing else: as on a machine where neither is installed.
fn without_generators(folder: &Path) {
    let cargo = Path::new(env!("CARGO"));
    symlink(cargo, folder.join("cargo")).unwrap();
}

#[test]
fn what_cannot_be_is_one_clear_line_before_anything_is_built() {
    let bench = Bench::on_fixtures();
    let path = tempfile::tempdir().unwrap();
    without_generators(path.path());
    for (arguments, expected) in [
        (
            &["--load-generator", "wrk"][..],
            "wrk is not installed; `apt-get install wrk` does that on Debian and Ubuntu, or name the program with --wrk PATH",
        ),
        (&["--with", "h2load"], "`apt-get install nghttp2-client`"),
        (
            &["--with", "wrk", "--wrk", "/no/such/wrk"],
            "/no/such/wrk is not a working load generator",
        ),
        (&["--with", "wrk", "--wrk", "/bin/true"], "not the version of wrk"),
        (
            &["--with", "h2load", "--h2load", "/bin/echo"],
            "not the version of h2load",
        ),
        (
            &["--with", "wrk", "--scenario", "capacity"],
            "wrk cannot make the load of `capacity-wrk`; name scenarios with a closed loop, HTTP/1.1",
        ),
        (
            &["--with", "wrk", "--scenario", "plaintext-http2"],
            "wrk cannot make the load of",
        ),
        (
            &["--with", "h2load", "--scenario", "plaintext-close"],
            "h2load cannot make the load of",
        ),
        (&["--with", "ab"], "invalid value 'ab'"),
    ] {
        for command in ["run", "cross-check"] {
            let usual = ["--app", "good", "--cargo-profile", "dev", "--out"];
            let mut command = bench.command(&[&[command][..], &usual].concat());
            command.arg(bench.results()).args(arguments).env("PATH", path.path());
            let answer = CommandOutput::run(command);
            assert_eq!(answer.status, Some(2), "{arguments:?}: {answer:#?}");
            assert!(answer.stderr.contains(expected), "{arguments:?}: {answer:#?}");
            assert!(!answer.stderr.contains("building"), "{answer:#?}");
            assert!(bench.files().is_empty());
        }
    }
}

#[test]
fn a_run_goes_on_with_the_same_generator_only() {
    let bench = Bench::on_fixtures();
    let arguments = words("--app good --scenario plaintext --duration 1s --connections 2");
    let more = ["--rounds", "2", "--load-generator", "wrk"];
    let mut command = bench.run_command(&[&arguments[..], &more].concat());
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let lines = || {
        let journal = bench
            .files()
            .into_iter()
            .find(|path| path.to_string_lossy().ends_with(".journal.jsonl"));
        journal.map_or(0, |path| fs::read_to_string(path).unwrap().lines().count())
    };
    wait(PATIENCE, "a trial is made", || lines() >= 2);
    kill(Pid::from_raw(i32::try_from(child.id()).unwrap()), Signal::SIGINT).unwrap();
    let output = CommandOutput::from(child.wait_with_output().unwrap());
    assert!(output.error().contains("interrupted"), "{output:#?}");
    bench.wait_for_no_children(PATIENCE);

    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("wrk");
    fs::write(&other, "#!/bin/sh\necho wrk 9.9 [epoll]\nexit 1\n").unwrap();
    fs::set_permissions(&other, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
    let mut command = bench.run_command(&["--resume"]);
    command.env("PATH", path);
    let refused = CommandOutput::run(command);
    assert_eq!(refused.status, Some(2));
    assert!(refused.error().contains("it was begun with wrk "), "{refused:#?}");
    assert!(refused.error().contains("this is 9.9"), "{refused:#?}");

    bench.run(&["--resume"]).fine();
    assert_eq!(
        crate::common::planned(&bench.record()).count(),
        6,
        "three apps, two rounds"
    );
}

fn cross_check(bench: &Bench, arguments: &[&str]) -> Command {
    let mut command = bench.command(&["cross-check"]);
    command.args(arguments).arg("--out").arg(bench.results());
    command
}

#[test]
fn a_cross_check_is_a_run_of_both_with_a_verdict_for_each_app() {
    let bench = Bench::on_fixtures();
    let arguments = words("--app good,fails-under-load --scenario plaintext --duration 200ms");
    let more = words("--connections 4 --rounds 5 --with h2load --format json");
    let mut command = cross_check(&bench, &[&arguments[..], &more].concat());
    command.arg("--oha").arg(crate::common::oha());
    let output = CommandOutput::run(command);
    let found = output.json();
    let record = bench.record();
    assert_eq!(Path::new(found["record"].as_str().unwrap()), bench.files()[0]);
    let ids: Vec<&str> = record.scenarios.iter().map(|scenario| scenario.id.as_str()).collect();
    assert_eq!(ids, ["plaintext", "plaintext-h2load"]);
    assert_eq!((record.profile.as_str(), record.harness.rounds), ("first-look", 5));

    let checks = found["checks"].as_array().unwrap();
    let apps: Vec<&str> = checks.iter().map(|check| check["app"].as_str().unwrap()).collect();
    assert_eq!(apps, ["ceiling", "fails-under-load", "good", "reference"]);
    let mut some_differ = false;
    for check in checks {
        let (agreement, ratio) = (check["agreement"].as_str().unwrap(), &check["ratio"]);
        assert_eq!(
            (&check["scenario"], &check["with"]),
            (&"plaintext".into(), &"h2load".into())
        );
        assert_eq!(
            agreement == "agree",
            check["reason"].as_str().unwrap().is_empty(),
            "{check}"
        );
        if check["app"] == "fails-under-load" {
            assert!(agreement == "cannot_tell" && ratio.is_null(), "{check}");
            assert!(check["reason"].as_str().unwrap().contains("status 500"), "{check}");
        } else if agreement != "cannot_tell" {
            // Which it is, is the machine's affair.
            assert!(ratio["interval"]["low"].as_f64().unwrap() > 0.0, "{check}");
        }
        some_differ |= agreement == "differ";
    }
    assert_eq!(output.status, Some(i32::from(some_differ)), "{output:#?}");

    // The same can be said of the record at any time.
    let again = CommandOutput::run(cross_check(&bench, &["--record", "latest", "--format", "json"]));
    assert_eq!((again.status, again.json()), (output.status, found));
    let table = CommandOutput::run(cross_check(&bench, &["--record", "latest"]));
    assert!(table.stdout.contains("| `good`"), "{table:#?}");
}

#[test]
fn a_record_of_one_generator_cannot_be_checked() {
    let bench = Bench::on_fixtures();
    let arguments = words("--app good --scenario plaintext --duration 50ms --rounds 1");
    bench.run(&arguments).fine();
    let output = CommandOutput::run(cross_check(&bench, &["--record", "latest"]));
    assert_eq!(output.status, Some(2));
    assert!(
        output
            .error()
            .contains("no scenario of this record was driven by two load generators"),
        "{output:#?}"
    );
    let output = CommandOutput::run(cross_check(&bench, &["--record", "nothing"]));
    assert_eq!(output.status, Some(2), "{output:#?}");
}
