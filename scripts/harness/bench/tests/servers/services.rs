//! Servers of services: what is proven of them, and what is shown of those that do not offer something.

use crate::common::{Bench, planned};
use model::scenario::Scenario;
use model::{Record, Service, Verdict};

#[test]
fn every_kind_of_work_is_driven_and_what_is_not_offered_is_shown_as_that() {
    let bench = Bench::on_fixtures();
    let arguments = ["--verbose", "--profile", "services", "--app", "good-services"];
    let more = ["--rounds", "1", "--duration", "200ms", "--connections", "8"];
    let run = bench
        .run(&[&arguments[..], &more, &["--cargo-profile", "dev"]].concat())
        .fine();
    let record = bench.record();
    assert_eq!(record.scenarios.len(), 21);
    let good = record.apps.iter().find(|app| app.id == "good-services").unwrap();
    let services = good.services.as_ref().unwrap();
    assert_eq!(services.not_offered[&Service::Middleware], "none is written down");
    for trial in planned(&record) {
        assert!(trial.verdict < Verdict::ContractFailed, "{trial:?}");
    }
    let driven = |app: &str| planned(&record).filter(|trial| trial.app == app).count();
    assert_eq!((driven("good-services"), driven("reference-services")), (16, 19));
    let counted = |scenario: &str| counted(&record, "reference-services", scenario);
    // Its reference packs by gzip alone.
    let is_packed = |scenario: &&Scenario| {
        !matches!(
            &*scenario.id,
            "compress-brotli" | "compress-zstd" | "stream-r500" | "websocket-c1000"
        )
    };
    for scenario in record.scenarios.iter().filter(is_packed) {
        assert!(
            counted(&scenario.id).is_some_and(|count| count > 0.0),
            "{}",
            scenario.id
        );
    }
    assert!(run.stdout.contains("good-services (not offered)"), "{}", run.stdout);
}

/// Instructions for one request of this scenario, if they were counted.
fn counted(record: &Record, app: &str, scenario: &str) -> Option<f64> {
    let mut trials = planned(record).filter(|trial| trial.app == app && trial.scenario == scenario);
    trials.next().unwrap().instructions_per_request
}

#[test]
fn what_cannot_be_counted_costs_no_other_process_its_count() {
    let bench = Bench::on_fixtures();
    let arguments = [
        "--profile",
        "services",
        "--scenario",
        "routes-1,websocket-64,routes-100",
    ];
    let more = [
        "--app=ends-sockets",
        "--rounds=1",
        "--duration=200ms",
        "--connections=8",
    ];
    bench.run(&[&arguments[..], &more, &["--cargo-profile", "dev"]].concat());
    let record = bench.record();
    let counted = |scenario: &str| counted(&record, "ends-sockets", scenario);
    // One after the other: a process gets the first two, and another one, whose routes are others, the third.
    assert!(counted("routes-1").is_some(), "{record:#?}");
    assert_eq!(counted("websocket-64"), None);
    assert!(counted("routes-100").is_some(), "{record:#?}");
}

#[test]
fn a_scenario_that_does_not_fit_is_refused_with_the_reason() {
    let bench = Bench::on_fixtures();
    for (arguments, expected) in [
        (
            ["run", "--scenario", "plaintext", "--app", "good-services"],
            "`good-services` offers service features, and is measured only for that, as by `bench run --scenario auth`",
        ),
        (
            ["run", "--scenario", "auth", "--app", "good"],
            "`good` has none of the services that these scenarios need; did you mean `good-services`?",
        ),
        (
            ["run", "--scenario", "auth", "--app", "good-postgres"],
            "`good-postgres` has none of the services that these scenarios need; did you mean `good-services`?",
        ),
        (
            ["run", "--scenario", "middleware-5", "--app", "good-services"],
            "`good-services` does not offer this: none is written down; `bench list` shows those that do",
        ),
        (
            [
                "run",
                "--scenario=auth",
                "--load-generator",
                "wrk",
                "--app=good-services",
            ],
            "only oha can drive `auth-wrk`",
        ),
    ] {
        let refused = bench.call(&arguments);
        assert_eq!(refused.status, Some(2), "{refused:#?}");
        assert!(refused.error().contains(expected), "{refused:#?}");
    }
}
