//! Servers of services: each kind of work is driven and counted. What is shown of those that do not offer one is in `smoke/alone/services.rs`.

use apps::profile::Profiles;

use crate::common::{Bench, planned};
use model::scenario::Scenario;
use model::{Record, Verdict};

const SHORT: &str = "--profile services --rounds 1 --duration 200ms --connections 8";

#[test]
fn every_kind_of_work_is_driven_and_counted() {
    let bench = Bench::on_fixtures();
    bench.run(&format!("{SHORT} --app good-services")).fine();
    let record = bench.record();
    let all = Profiles::built_in().profile("services").unwrap().scenarios.len();
    assert_eq!(record.scenarios.len(), all);
    for trial in planned(&record) {
        assert!(trial.verdict < Verdict::ContractFailed, "{trial:?}");
    }
    let driven = |app: &str| planned(&record).filter(|trial| trial.app == app).count();
    assert_eq!(
        (driven("good-services"), driven("reference-services")),
        (all - 5, all - 2)
    );
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
}

/// Instructions for one request of this scenario, if they were counted.
fn counted(record: &Record, app: &str, scenario: &str) -> Option<f64> {
    let mut trials = planned(record).filter(|trial| trial.app == app && trial.scenario == scenario);
    trials.next().unwrap().instructions_per_request
}

#[test]
fn what_cannot_be_counted_costs_no_other_process_its_count() {
    let bench = Bench::on_fixtures();
    let scenarios = "routes-1,websocket-64,routes-100";
    bench.run(&format!("{SHORT} --app ends-sockets --scenario {scenarios}"));
    let record = bench.record();
    let counted = |scenario: &str| counted(&record, "ends-sockets", scenario);
    // One after the other: a process gets the first two, and another one, whose routes are others, the third.
    assert!(counted("routes-1").is_some(), "{record:#?}");
    assert_eq!(counted("websocket-64"), None);
    assert!(counted("routes-100").is_some(), "{record:#?}");
}
