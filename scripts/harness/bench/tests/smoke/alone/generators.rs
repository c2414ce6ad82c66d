//! `bench cross-check` with the real wrk.

use std::path::Path;

use model::scenario::{Dimension, GeneratorKind};
use model::{Trial, Verdict};

use crate::common::{Bench, CommandOutput, oha, planned};

/// One second of load on four connections, all of it answered.
pub fn assert_driven_for_a_second(trial: &Trial) {
    assert!(
        trial.verdict < Verdict::EnvironmentFailed && trial.errors.is_empty(),
        "{trial:?}"
    );
    assert!(trial.requests.keys().eq(["200"]), "{trial:?}");
    let (answered, seconds) = (trial.requests["200"] as f64, trial.seconds.unwrap());
    assert!(
        answered > 0.0 && (trial.goodput_rps.unwrap() / (answered / seconds) - 1.0).abs() < 1e-2,
        "{trial:?}"
    );
    // wrk looks at its deadline every tenth of a second.
    assert!((0.99..1.6).contains(&seconds), "{seconds}");
    let latency = trial.latency_ms.unwrap();
    assert!(latency.min <= latency.p50 && latency.p50 <= latency.p99 && latency.p99 <= latency.max);
    // Nobody's connections are used for longer than the load takes (Little's law).
    assert!(answered * latency.mean / 1e3 <= 4.0 * seconds * 1.05, "{trial:?}");
    assert!(trial.generator_cpu_share.unwrap() > 0.0 && trial.server_cpu_us_per_request.unwrap() > 0.0);
}

#[test]
fn wrk_drives_the_same_load_as_oha_and_both_are_compared() {
    let bench = Bench::on_fixtures();
    let line = "cross-check --with wrk --app good --scenario plaintext --connections 4 --duration 200ms --rounds 1 --split 1:1 --cargo-profile dev --format json";
    let mut command = bench.command(line);
    command.arg("--out").arg(bench.results()).arg("--oha").arg(oha());
    let output = CommandOutput::run(command).fine();
    let found = output.json();
    let record = bench.record();
    assert_eq!(Path::new(found["record"].as_str().unwrap()), bench.files()[0]);

    let [by_oha, by_wrk] = record.scenarios.as_slice() else {
        panic!("{:?}", record.scenarios)
    };
    assert_eq!((&*by_oha.id, &*by_wrk.id), ("plaintext", "plaintext-wrk"));
    let varies = by_wrk.varies.as_ref().unwrap();
    assert_eq!((varies.by, &*varies.like), (Dimension::Generator, "plaintext"));
    // wrk takes whole seconds, and what it is compared with has as many.
    for scenario in &record.scenarios {
        assert_eq!((scenario.seconds, scenario.warmup_seconds), (1.0, 1.0));
    }
    assert!(record.environment.generators[&GeneratorKind::Wrk].contains('.'));
    let judged = planned(&record).filter(|trial| trial.verdict != Verdict::EnvironmentFailed);
    judged.for_each(assert_driven_for_a_second);

    let checks = found["checks"].as_array().unwrap();
    let apps: Vec<&str> = checks.iter().map(|check| check["app"].as_str().unwrap()).collect();
    assert_eq!(apps, ["ceiling", "good", "reference"]);
    for check in checks {
        assert_eq!(
            (&check["scenario"], &check["with"]),
            (&"plaintext".into(), &"wrk".into())
        );
        assert_eq!(check["agreement"], "cannot_tell", "one round has no interval: {check}");
        assert!(!check["reason"].as_str().unwrap().is_empty(), "{check}");
    }
    // The same can be said of the record at any time.
    let mut again = bench.command("cross-check --record latest --format json --out");
    again.arg(bench.results());
    assert_eq!(CommandOutput::run(again).fine().json(), found);
    assert!(bench.children().is_empty());
}
