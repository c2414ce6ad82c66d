//! Load generators that the user installs, and how their figures compare with oha's: the real wrk and the real h2load, which
//! `./scripts/test` installs, on real servers.

use std::fs;
use std::path::Path;

use crate::common::{Bench, CommandOutput, PATIENCE, cell, oha, planned, script, send, spawn, wait};
use crate::smoke::alone::generators::assert_driven_for_a_second;
use model::Verdict;
use model::scenario::{Dimension, GeneratorKind};
use nix::sys::signal::Signal;

#[test]
fn both_drive_the_same_scenarios_and_see_what_fails() {
    let bench = Bench::on_fixtures();
    let line = "--app good,fails-under-load,dies-under-load --scenario plaintext,simple --load-generator wrk,h2load";
    let short = "--duration 300ms --connections 4 --rounds 1";
    bench.run(&format!("{line} {short}")).fine();
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

#[test]
fn a_run_goes_on_with_the_same_generator_only() {
    let bench = Bench::on_fixtures();
    let line = "--app good --scenario plaintext --duration 1s --connections 2 --rounds 2 --load-generator wrk";
    let child = spawn(bench.run_command(line));
    let lines = || {
        let journal = bench
            .files()
            .into_iter()
            .find(|path| path.to_string_lossy().ends_with(".journal.jsonl"));
        journal.map_or(0, |path| fs::read_to_string(path).unwrap().lines().count())
    };
    wait(PATIENCE, "a trial is made", || lines() >= 2);
    send(&child, Signal::SIGINT);
    CommandOutput::await_end(child).refused("interrupted");
    bench.wait_for_no_children(PATIENCE);

    let folder = tempfile::tempdir().unwrap();
    script(&folder.path().join("wrk"), "echo wrk 9.9 [epoll]\nexit 1");
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
    let mut command = bench.run_command("--resume");
    command.env("PATH", path);
    let refused = CommandOutput::run(command);
    refused.refused("it was begun with wrk ");
    refused.refused("this is 9.9");

    bench.run("--resume").fine();
    assert_eq!(planned(&bench.record()).count(), 6, "three apps, two rounds");
}

#[test]
fn a_cross_check_is_a_run_of_both_with_a_verdict_for_each_app() {
    let bench = Bench::on_fixtures();
    let cross_check = |line: &str| {
        let mut command = bench.command(&format!("cross-check {line}"));
        command.arg("--out").arg(bench.results()).arg("--oha").arg(oha());
        CommandOutput::run(command)
    };
    let line = "--with h2load --app good,fails-under-load --scenario plaintext --format json";
    let output = cross_check(&format!("{line} --duration 200ms --connections 4 --rounds 5"));
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
    let again = cross_check("--record latest --format json");
    assert_eq!((again.status, again.json()), (output.status, found));
    let table = cross_check("--record latest");
    assert!(table.stdout.contains("| `good`"), "{table:#?}");
}
