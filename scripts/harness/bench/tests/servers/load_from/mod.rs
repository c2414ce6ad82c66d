//! Load from other machines: a real OpenSSH, real links, and everything that breaks them. `./scripts/test` installs what it needs.

pub mod world;

use std::process::Child;
use std::thread;
use std::time::Duration;

use analyze::scaling::curves;
use model::{Record, Verdict};

use crate::common::{Bench, CommandOutput, PATIENCE, oha, planned, spawn, wait};
use world::{Oddity, World};

/// A short run of one server.
const SHORT: &str = "--app good --scenario plaintext --rounds 1 --duration 300ms --connections 8";

/// What a run says of so many load machines that are this one, and of the loads that they made.
pub fn assert_driven_by(record: &Record, many: usize) {
    let machines = &record.environment.load_machines;
    assert_eq!(machines.len(), many, "{machines:?}");
    for machine in machines {
        assert!(machine.is_this_one && machine.generator_hash.len() == 64, "{machine:?}");
        assert!(machine.rtt_us > 0.0 && machine.rtt_us < 1e5, "{machine:?}");
        assert!(machine.to_mbit > 1.0 && machine.from_mbit > 1.0, "{machine:?}");
        assert_eq!(machine.mtu, Some(1500));
        assert!(machine.clock_apart_seconds < 0.5, "{machine:?}");
    }
    for trial in planned(record).filter(|trial| trial.verdict != Verdict::EnvironmentFailed) {
        assert!(trial.verdict < Verdict::EnvironmentFailed, "{trial:?}");
        assert!(
            trial.requests.keys().eq(["200"]) && trial.errors.is_empty(),
            "{trial:?}"
        );
        // Each connection always waits for one answer (Little's law), on whatever machine it is held.
        let (answered, seconds) = (trial.requests["200"] as f64, trial.seconds.unwrap());
        let in_use = answered * trial.latency_ms.unwrap().mean / 1e3 / seconds;
        assert!((4.0..8.5).contains(&in_use), "{in_use} of 8 connections: {trial:?}");
        assert!(trial.link_share.is_some_and(|share| share > 0.0), "{trial:?}");
        assert!(trial.generator_cpu_share.unwrap() > 0.0, "{trial:?}");
    }
}

#[test]
fn two_machines_drive_servers_and_leave_nothing() {
    let bench = Bench::on_fixtures();
    let world = World::new(&[None, None]);
    let output = world.call(&bench, &format!("{SHORT} --load-from load-1,load-2")).fine();
    assert!(output.stderr.contains("load machine"), "{output:#?}");
    assert_driven_by(&bench.record(), 2);
    world.wait_for_nothing_left(&bench);
}

/// A run whose split is the command's own.
fn on_all_cpus(world: &World, bench: &Bench, line: &str) -> CommandOutput {
    let mut command = bench.command(&format!("run --load-from load-1 --wait {line}"));
    command.arg("--out").arg(bench.results()).arg("--oha").arg(oha());
    world.reached_by(&mut command);
    let output = CommandOutput::run(command);
    assert!(matches!(output.status, Some(0 | 1)), "{output:#?}");
    output
}

#[test]
fn all_cpus_serve_if_the_load_comes_from_another_machine() {
    let bench = Bench::on_fixtures();
    let world = World::new(&[Some(Oddity::AnotherMachine)]);
    // It says so and is none: each takes the other's cpus, and whatever verdict that has is right.
    on_all_cpus(&world, &bench, SHORT);
    let environment = bench.record().environment;
    assert_eq!(environment.server_cpus.len(), environment.logical_cpus as usize);
    assert!(environment.generator_cpus.is_empty() && environment.splits.is_empty());
    assert!(!environment.load_machines[0].is_this_one);
    world.wait_for_nothing_left(&bench);
}

#[test]
fn widths_of_servers_are_compared_on_all_cpus() {
    let bench = Bench::on_fixtures();
    let world = World::new(&[Some(Oddity::AnotherMachine)]);
    let line = "--profile scaling --app good --scenario plaintext --rounds 1 --duration 300ms --connections 4";
    let output = on_all_cpus(&world, &bench, line);
    assert!(
        output
            .stdout
            .contains("plaintext by workers\nSpeed-up over one worker:\n"),
        "{output:#?}"
    );
    let record = bench.record();
    let (cpus, cores) = (
        record.environment.logical_cpus,
        record.environment.server_cores.unwrap(),
    );
    let widths: Vec<u32> = record
        .scenarios
        .iter()
        .filter_map(|scenario| scenario.workers)
        .collect();
    assert_eq!((widths[0], *widths.last().unwrap()), (1, cpus), "{widths:?}");
    for scenario in &record.scenarios {
        assert_eq!(scenario.connections, 4 * scenario.workers.unwrap(), "{scenario:?}");
    }
    // It is none, and takes the cpus of the servers: what they reach with more workers is whatever that leaves them.
    let trials = planned(&record).filter(|trial| trial.verdict < Verdict::EnvironmentFailed);
    for trial in trials {
        assert!(
            trial.requests["200"] > 0 && trial.server_cpu_share.unwrap() < 1.1,
            "{trial:?}"
        );
    }
    for curve in curves(&record) {
        let points: Vec<u32> = curve.points.iter().map(|point| point.workers).collect();
        assert_eq!((points, curve.like), (widths.clone(), "plaintext"));
        assert!(
            curve
                .points
                .iter()
                .all(|point| point.own_cores == (point.workers <= cores))
        );
    }
    assert_eq!(curves(&record).len(), 3, "good, reference and ceiling");
    world.wait_for_nothing_left(&bench);
}

#[test]
fn what_is_wrong_with_a_machine_is_one_clear_line() {
    let bench = Bench::on_fixtures();
    let from_one = format!("{SHORT} --load-from load-1");
    for (oddity, expected) in [
        (Some(Oddity::WrongKey), "load-1: Host key verification failed."),
        (Some(Oddity::FullDisk), "No space left on device"),
    ] {
        let world = World::new(&[oddity]);
        world.call(&bench, &from_one).refused(expected);
        assert!(bench.files().is_empty());
        world.wait_for_nothing_left(&bench);
    }
    let world = World::new(&[None]);
    for (more, expected) in [
        ("no-such-host.invalid", "no-such-host.invalid: "),
        ("load-1 --listen 192.0.2.1", "servers cannot listen at 192.0.2.1"),
    ] {
        let output = world.call(&bench, &format!("{SHORT} --load-from {more}"));
        output.refused(expected);
        assert!(bench.files().is_empty());
    }
    world.kill(1);
    world.call(&bench, &from_one).refused("Connection refused");
    world.link(1, "down");
    let output = world.call(&bench, &from_one);
    let line = output.error();
    assert!(
        line.contains("timed out") || line.contains("No route to host"),
        "{output:#?}"
    );
}

#[test]
fn a_clock_that_is_ten_minutes_ahead_is_reported_and_moves_nothing() {
    let bench = Bench::on_fixtures();
    let world = World::new(&[Some(Oddity::ClockAhead), None]);
    world.call(&bench, &format!("{SHORT} --load-from load-1,load-2")).fine();
    let record = bench.record();
    let ahead = record.environment.load_machines[0].clock_apart_seconds;
    assert!((599.0..601.0).contains(&ahead), "{ahead}");
    let expected = "the clock of load machine 1 is 600 s ahead of this one's";
    let warnings = &record.environment.warnings;
    assert!(
        warnings.iter().any(|warning| warning.contains(expected)),
        "{warnings:?}"
    );
    let judged = planned(&record).filter(|trial| trial.verdict != Verdict::EnvironmentFailed);
    for trial in judged {
        assert!((0.2..3.0).contains(&trial.seconds.unwrap()), "{trial:?}");
    }
}

#[test]
fn a_thin_link_is_the_limit_and_no_server_is_blamed() {
    let bench = Bench::on_fixtures();
    let world = World::new(&[None]);
    // Some hundred bytes for each request, over a link that carries half a megabyte in a second: no cpu is so busy that it would be slower.
    world.throttle(1, "4mbit");
    let line = "--app good --scenario simple --rounds 1 --connections 64 --duration 1s --load-from load-1";
    world.call(&bench, line).fine();
    let record = bench.record();
    let from = record.environment.load_machines[0].from_mbit;
    assert!((2.0..6.0).contains(&from), "{from} Mbit/s");
    for trial in planned(&record).filter(|trial| trial.verdict != Verdict::EnvironmentFailed) {
        assert_eq!(trial.verdict, Verdict::NetworkBound, "{trial:?}");
        let expected = "the load took more than 85 % of what the network to a load machine was measured to carry";
        assert!(trial.reasons[0].starts_with(expected), "{trial:?}");
    }
}

/// A run of so many rounds, while the first load goes on.
fn begun(world: &World, bench: &Bench, rounds: u32) -> Child {
    let line = "--app good --scenario plaintext --connections 8 --load-from load-1 --rounds";
    let run = spawn(world.command(bench, &format!("{line} {rounds}")));
    wait(PATIENCE, "a load goes on", || {
        let processes = world.processes(1);
        processes.iter().any(|name| name.contains("--worker-threads"))
    });
    run
}

#[test]
fn a_cut_link_spoils_slices_and_not_the_run() {
    let bench = Bench::on_fixtures();
    let world = World::new(&[None]);
    let run = begun(&world, &bench, 2);
    world.link(1, "down");
    thread::sleep(Duration::from_secs(9)); // longer than the silence after which a machine is lost
    world.link(1, "up");
    let output = CommandOutput::await_end(run);
    assert!(matches!(output.status, Some(0 | 1)), "{output:#?}");
    let record = bench.record();
    // After the link was back, servers were driven: measured, or disturbed by other programs of this machine, which decide no test.
    let last = record
        .trials
        .iter()
        .rfind(|trial| trial.round >= 2 && trial.app == "good");
    let is_driven = |trial: &model::Trial| {
        let disturbed = |reason: &String| reason.starts_with("other programs");
        trial.seconds.is_some() || trial.reasons.iter().any(disturbed)
    };
    assert!(last.is_some_and(is_driven), "{:#?}", record.trials);
    world.wait_for_nothing_left(&bench);
}

#[test]
fn a_machine_that_dies_is_named_and_the_servers_are_not_blamed() {
    let bench = Bench::on_fixtures();
    let world = World::new(&[None]);
    let run = begun(&world, &bench, 1);
    world.kill(1);
    let output = CommandOutput::await_end(run);
    assert_eq!(output.status, Some(1), "{output:#?}");
    let record = bench.record();
    for trial in &record.trials {
        assert_eq!(trial.verdict, Verdict::EnvironmentFailed, "{trial:?}");
    }
    let names_machine = |trial: &model::Trial| trial.reasons.iter().any(|reason| reason.contains("load-1"));
    assert!(record.trials.iter().any(names_machine), "{:#?}", record.trials);
    bench.wait_for_no_children(PATIENCE);
}
