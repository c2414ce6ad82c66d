//! Servers of services: what is proven of them, and what is shown of those that do not offer something.

use crate::common::{Bench, planned};
use record::scenario::Scenario;
use record::{Record, Service, Verdict};
use serde_json::Value;

#[test]
fn each_way_to_cheat_is_found_and_an_honest_server_is_not() {
    let bench = Bench::on_fixtures();
    let cheats = [
        ("good-services", "valid", ""),
        ("guesses-routes", "contract_failed", "/more: expected status 404"),
        ("takes-unsigned", "contract_failed", "expected status 401 with a body"),
        ("takes-ended", "contract_failed", "expected status 401 with a body"),
        ("echoes-documents", "contract_failed", "POST /json with 65 kB: expected"),
        (
            "skips-layers",
            "contract_failed",
            "GET /middleware: expected `5`, got `4`",
        ),
        (
            "names-first-field",
            "contract_failed",
            "expected `{\"fields\":[\"customer.email\",\"customer.name\"]}`",
        ),
        (
            "gathers-events",
            "contract_failed",
            "expected an event every 10 ms, got all of them at once",
        ),
        // It is honest as long as nobody else asks.
        ("keeps-service-answers", "valid", ""),
    ];
    let ids: Vec<&str> = cheats.iter().map(|(id, ..)| *id).collect();
    let ids = ids.join(",");
    let told = bench.call(&["check", "--app", &ids, "--cargo-profile", "dev", "--format", "json"]);
    assert_eq!(told.status, Some(1), "{told:#?}");
    let found = told.json();
    let found = found.as_array().unwrap();
    for (id, verdict, reason) in cheats {
        let checked = found.iter().find(|checked| checked["app"] == id).unwrap();
        assert_eq!(checked["verdict"], verdict, "{checked}");
        let reasons = checked["reasons"].as_array().unwrap();
        let told = |told: &Value| told.as_str().is_some_and(|told| told.contains(reason));
        assert!(reason.is_empty() || reasons.iter().any(told), "{checked}");
    }
}

#[test]
fn each_kind_of_work_that_is_done_carelessly_is_named() {
    let bench = Bench::on_fixtures();
    let arguments = [
        "check",
        "--app",
        "careless-services",
        "--cargo-profile",
        "dev",
        "--format",
        "json",
    ];
    let told = bench.call(&arguments);
    assert_eq!(told.status, Some(1), "{told:#?}");
    let found = told.json();
    let reasons = found[0]["reasons"].as_array().unwrap();
    for reason in [
        "POST /upload with 104",
        "GET /static/../secret.txt: expected a status 4xx for a path out of the folder, got status 200",
        "GET /static/4k.bin, if-modified-since: `Wed, 25 Nov 2026 00:00:00 GMT`: expected status 304, got status 200",
        "GET /static/4k.bin, range: `bytes=",
        "expected a body in gzip",
        "expected 100 chunks, got",
        " ms, got it after ",
        "a WebSocket at /websocket: expected every message to come back, got the echo is another message than was sent",
    ] {
        let told = |told: &Value| told.as_str().is_some_and(|told| told.contains(reason));
        assert!(reasons.iter().any(told), "{reason}: {reasons:#?}");
    }
}

#[test]
fn every_kind_of_work_is_driven_and_what_is_not_offered_is_shown_as_that() {
    let bench = Bench::on_fixtures();
    let arguments = ["--profile", "services", "--app", "good-services,keeps-service-answers"];
    let more = ["--rounds", "1", "--duration", "200ms", "--connections", "8"];
    let run = bench
        .run(&[&arguments[..], &more, &["--cargo-profile", "dev"]].concat())
        .fine();
    let record = bench.record();
    assert_eq!(record.scenarios.len(), 21);
    let good = record.apps.iter().find(|app| app.id == "good-services").unwrap();
    let services = good.services.as_ref().unwrap();
    assert_eq!(services.not_offered[&Service::Middleware], "none is written down");
    for trial in planned(&record).filter(|trial| trial.app != "keeps-service-answers") {
        assert!(trial.verdict < Verdict::ContractFailed, "{trial:?}");
    }
    let asked = |app: &str| planned(&record).filter(|trial| trial.app == app).count();
    assert_eq!((asked("good-services"), asked("reference-services")), (16, 19));
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
    for (scenario, reason) in [
        ("validate", "POST /validate"),
        ("upload", "POST /upload"),
        ("compress-gzip", "GET /listing/"),
        ("websocket-64", "the echo is another message than was sent"),
    ] {
        let mut cheats = planned(&record).filter(|trial| trial.app == "keeps-service-answers");
        let cheat = cheats.find(|trial| trial.scenario == scenario).unwrap();
        assert_eq!(cheat.verdict, Verdict::ContractFailed, "{cheat:?}");
        assert!(cheat.reasons[0].contains(reason), "{cheat:?}");
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
fn who_is_asked_for_something_else_is_told_what_it_does() {
    let bench = Bench::on_fixtures_beside_others();
    for (arguments, told) in [
        (
            ["run", "--scenario", "plaintext", "--app", "good-services"],
            "`good-services` offers service features, and is asked only for that, as by `bench run --scenario auth`",
        ),
        (
            ["run", "--scenario", "auth", "--app", "good"],
            "`good` has none of the services that these scenarios ask; did you mean `good-services`?",
        ),
        (
            ["run", "--scenario", "auth", "--app", "good-postgres"],
            "`good-postgres` has none of the services that these scenarios ask; did you mean `good-services`?",
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
            "only oha can ask for `auth-wrk`",
        ),
    ] {
        let refused = bench.call(&arguments);
        assert_eq!(refused.status, Some(2), "{refused:#?}");
        assert!(refused.error().contains(told), "{refused:#?}");
    }
}
