//! `bench run --isolation` with a real engine, which `./scripts/test` starts where none runs.

use std::fs;

use model::scenario::Isolation;
use model::{Metric, Verdict};

use crate::common::{Bench, CommandOutput, cell, has_engine};
use crate::servers::containers::{containers, images};

#[test]
fn a_server_is_measured_natively_and_in_containers_which_needs_an_engine() {
    if !has_engine() {
        return;
    }
    let bench = Bench::on_the_apps();
    let line = "--verbose --app axum --scenario plaintext,plaintext-http2-tls --isolation docker,docker-bridge";
    let short = "--duration 200ms --connections 4 --rounds 1";
    let temporary = tempfile::tempdir().unwrap();
    let mut command = bench.run_command(&format!("{line} {short}"));
    command.env("TMPDIR", temporary.path());
    let output = CommandOutput::run(command).fine();
    let left = fs::read_dir(temporary.path()).unwrap().count();
    assert_eq!(left, 0, "a key is gone with the process that made it");
    assert!(output.stdout.contains("plaintext by isolation"), "{output:#?}");
    let record = bench.record();
    let scenarios = record.scenarios.iter();
    let isolations: Vec<_> = scenarios.map(|scenario| (&*scenario.id, scenario.isolation)).collect();
    assert_eq!(
        isolations,
        [
            ("plaintext", Isolation::Native),
            ("plaintext-docker", Isolation::Docker),
            ("plaintext-docker-bridge", Isolation::DockerBridge),
            ("plaintext-http2-tls", Isolation::Native),
            ("plaintext-http2-tls-docker", Isolation::Docker),
            ("plaintext-http2-tls-docker-bridge", Isolation::DockerBridge),
        ]
    );
    for (scenario, _) in isolations {
        let cell = cell(&record, "axum", scenario);
        // At worst the machine disturbed it.
        if cell.verdict != Verdict::EnvironmentFailed {
            assert!(cell.verdict < Verdict::EnvironmentFailed, "{cell:?}");
            for metric in [
                Metric::GoodputRps,
                Metric::ServerCpuUsPerRequest,
                Metric::RssPeakBytes,
                Metric::StartupMs,
            ] {
                assert!(cell.metrics.contains_key(&metric), "{metric:?}: {cell:?}");
            }
        }
    }
    for trial in &record.trials {
        let machine = ["the machine refused", "no image", "engine", "cannot start"];
        let mut reasons = trial.reasons.iter();
        assert!(
            !reasons.any(|reason| machine.iter().any(|word| reason.contains(word))),
            "{trial:?}"
        );
    }
    assert!(record.environment.container_engine.is_some());
    assert!(containers().is_empty() && images().is_empty(), "nothing is left behind");
}
