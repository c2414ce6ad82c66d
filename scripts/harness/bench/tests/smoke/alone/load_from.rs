//! Load from another machine: a network namespace with a real sshd.

use std::process::Command;

use model::Verdict;

use crate::common::{Bench, planned, skip, words};
use crate::servers::load_from::world::World;

/// Whether commands may be run as root.
fn is_root() -> bool {
    let sudo = || Command::new("sudo").args(["-n", "true"]).output();
    nix::unistd::getuid().is_root() || sudo().is_ok_and(|output| output.status.success())
}

#[test]
fn another_machine_makes_the_load_which_needs_root() {
    if !is_root() {
        return skip("it needs root, or sudo without a password, for network namespaces");
    }
    let bench = Bench::on_fixtures();
    let world = World::new(&[None]);
    let line = "--app good --scenario plaintext --rounds 1 --duration 300ms --connections 8 --load-from load-1";
    let output = world.call(&bench, &words(line)).fine();
    assert!(output.stderr.contains("load machine"), "{output:#?}");
    let record = bench.record();
    let [machine] = record.environment.load_machines.as_slice() else {
        panic!("{:?}", record.environment.load_machines)
    };
    assert!(machine.is_this_one && machine.generator_hash.len() == 64, "{machine:?}");
    assert!(machine.rtt_us > 0.0 && machine.rtt_us < 1e5, "{machine:?}");
    assert!(machine.to_mbit > 1.0 && machine.from_mbit > 1.0, "{machine:?}");
    assert_eq!(machine.mtu, Some(1500));
    assert!(machine.clock_apart_seconds < 0.5, "{machine:?}");
    for trial in planned(&record).filter(|trial| trial.verdict != Verdict::EnvironmentFailed) {
        assert!(
            trial.verdict < Verdict::EnvironmentFailed && trial.errors.is_empty(),
            "{trial:?}"
        );
        assert!(trial.requests.keys().eq(["200"]), "{trial:?}");
        // Each connection always waits for one answer (Little's law), on whatever machine it is held.
        let (answered, seconds) = (trial.requests["200"] as f64, trial.seconds.unwrap());
        let in_use = answered * trial.latency_ms.unwrap().mean / 1e3 / seconds;
        assert!((4.0..8.5).contains(&in_use), "{in_use} of 8 connections: {trial:?}");
        assert!(trial.link_share.is_some_and(|share| share > 0.0), "{trial:?}");
        assert!(trial.generator_cpu_share.unwrap() > 0.0, "{trial:?}");
    }
    world.wait_for_nothing_left(&bench);
}
