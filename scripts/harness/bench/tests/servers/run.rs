//! `bench run` and its machine: its limit of open files, its cpus, its programs, and what the command itself takes from it.

use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::common::{Bench, CommandOutput, PATIENCE, after, cell, oha, send, wait};
use model::Verdict;
use nix::sys::signal::Signal;

#[test]
fn a_soft_limit_of_open_files_is_raised_and_a_hard_one_is_the_machines_fault() {
    let line = "--app good --scenario plaintext --duration 100ms --connections 100 --rounds 1";
    let bench = Bench::on_fixtures();
    after("ulimit -Sn 256", &bench.run_command(line)).fine();
    let record = bench.record();
    let reasons = record.trials.iter().flat_map(|trial| &trial.reasons);
    assert!(
        reasons.clone().all(|reason| !reason.contains("open files")),
        "{:?}",
        reasons.collect::<Vec<_>>()
    );
    drop(bench);

    let bench = Bench::on_fixtures();
    let output = after("ulimit -n 256", &bench.run_command(line));
    // Nothing at all could be measured.
    assert_eq!(output.status, Some(1), "{output:#?}");
    assert!(
        output
            .error()
            .starts_with("error: nothing could be measured: 464 open files are needed, the hard limit is 256"),
        "{output:#?}"
    );
    let record = bench.record();
    let cell = cell(&record, "good", "plaintext");
    assert_eq!(cell.verdict, Verdict::EnvironmentFailed);
    assert!(
        cell.reasons[0].contains("464 open files are needed, the hard limit is 256"),
        "{cell:?}"
    );
    assert!(!record.harness.whole);
    // It was tried again, and both attempts are kept.
    let attempts: Vec<u32> = record
        .trials
        .iter()
        .filter(|t| t.app == "good")
        .map(|t| t.attempt)
        .collect();
    assert_eq!(attempts, [1, 2]);
}

#[test]
fn who_serves_is_tried_where_there_is_a_choice() {
    let bench = Bench::on_fixtures();
    let mut command = bench.command("run --app good --scenario plaintext --rounds 1 --duration 100ms");
    command.arg("--out").arg(bench.results()).arg("--oha").arg(oha());
    CommandOutput::run(command).fine();
    let environment = bench.record().environment;
    let splits = &environment.splits;
    if environment.logical_cpus == 2 {
        assert_eq!(splits.len(), 0);
    } else {
        assert!(splits.len() > 1, "{splits:?}");
        let chosen = (&splits[0].server_cpus, &splits[0].generator_cpus);
        assert_eq!(chosen, (&environment.server_cpus, &environment.generator_cpus));
        assert!(
            splits
                .iter()
                .all(|tried| tried.goodput_rps > 0.0 && tried.server_cpu_share > 0.0)
        );
    }
}

#[test]
fn the_harness_takes_next_to_nothing_while_a_trial_runs() {
    let bench = Bench::on_fixtures();
    // One load of its own, and not slices: those begin and end all the time.
    let mut child = bench
        .run_command("--app good --scenario classic-c16 --duration 4s --rounds 1")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let loads = || bench.children().contains(oha());
    let files = || {
        bench
            .files()
            .iter()
            .any(|path| fs::read_to_string(path).unwrap().lines().count() > 1)
    };
    wait(PATIENCE, "the first trial is made", files);
    wait(PATIENCE, "a load begins", loads);
    std::thread::sleep(Duration::from_millis(700)); // beyond the warm-up, into the measured load
    let (from, began) = ((wakes(child.id()), cpu_seconds(child.id())), Instant::now());
    std::thread::sleep(Duration::from_millis(2500));
    let seconds = began.elapsed().as_secs_f64();
    let per_second = (wakes(child.id()) - from.0) as f64 / seconds;
    let share = (cpu_seconds(child.id()) - from.1) / seconds;
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(loads(), "the load was still going on");
    send(&child, Signal::SIGINT);
    child.wait().unwrap();
    // It sleeps between a look each 50 ms and an answer of the witness now and then.
    assert!(per_second < 60.0, "woken {per_second:.0} times a second");
    assert!(share < 0.3, "{:.1} % of a cpu: it does not sleep", share * 100.0);
    assert!(peak < 50 * 1024, "{peak} KiB");
}

/// CPU time of a process, in ticks of 10 ms.
fn cpu_seconds(pid: u32) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    (fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap()) / 100.0
}

/// How often the threads of a process went to sleep. What a wake costs depends on the machine; how many there are does not.
fn wakes(pid: u32) -> u64 {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    let statuses = tasks.map(|task| fs::read_to_string(task.unwrap().path().join("status")).unwrap());
    statuses
        .map(|status| {
            let line = status
                .lines()
                .find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
            line.unwrap().trim().parse::<u64>().unwrap()
        })
        .sum()
}
