//! A run that is ended by the user, or by force, loses at most the trials under way: one of a load of its own, those of all servers
//! of a round of slices.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::common::{Bench, CommandOutput, PATIENCE, wait, words};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use record::Trial;

const RUN: [&str; 10] = [
    "--app",
    "good",
    "--scenario",
    "plaintext",
    "--duration",
    "400ms",
    "--connections",
    "2",
    "--rounds",
    "3",
];

/// The promise is two seconds; a busy machine gets three more.
const AT_ONCE: Duration = Duration::from_secs(5);

fn journal(bench: &Bench) -> Option<PathBuf> {
    bench
        .files()
        .into_iter()
        .find(|path| path.to_string_lossy().ends_with(".journal.jsonl"))
}

/// Trials that the journal holds.
fn kept(bench: &Bench) -> Vec<Trial> {
    let text = journal(bench)
        .map(|path| fs::read_to_string(path).unwrap())
        .unwrap_or_default();
    let whole = &text[..text.rfind('\n').map_or(0, |at| at + 1)];
    whole
        .lines()
        .skip(1)
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .map(|line| serde_json::from_value(line["trial"].clone()).unwrap())
        .collect()
}

/// A run that has made its first round and is in the middle of the second.
fn started(bench: &Bench) -> Child {
    let mut command = bench.run_command(&RUN);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait(PATIENCE, "a round is made", || kept(bench).len() >= 3);
    wait(PATIENCE, "the second is under way", || !bench.children().is_empty());
    child
}

fn send(child: &Child, signal: Signal) {
    kill(Pid::from_raw(i32::try_from(child.id()).unwrap()), signal).unwrap();
}

fn finish(bench: &Bench, before: &[Trial]) {
    bench.run(&["--resume"]).fine();
    let record = bench.record();
    assert_eq!(crate::common::planned(&record).count(), 9, "three apps, three rounds");
    assert_eq!(
        &record.trials[..before.len()],
        before,
        "what was made is kept as it was"
    );
}

#[test]
fn ctrl_c_leaves_no_child_and_a_whole_journal_and_says_how_to_go_on() {
    for signal in [Signal::SIGINT, Signal::SIGTERM] {
        let bench = Bench::on_fixtures();
        let child = started(&bench);
        let before = kept(&bench);
        let asked = Instant::now();
        send(&child, signal);
        let told = CommandOutput::from(child.wait_with_output().unwrap());
        let took = asked.elapsed();
        assert!(took < AT_ONCE, "{took:?}");
        assert!(bench.children().is_empty(), "{:?}", bench.children());
        assert_eq!(told.status, Some(2));
        let id = journal(&bench)
            .unwrap()
            .file_name()
            .unwrap()
            .to_string_lossy()
            .replace(".journal.jsonl", "");
        assert_eq!(
            told.error(),
            format!(
                "error: interrupted; {} kept, resume with: bench run --resume={id}",
                record::count(before.len(), "trial")
            )
        );
        finish(&bench, &before);
    }
}

#[test]
fn a_second_run_is_refused_with_who_measures_and_a_second_resume_too() {
    let bench = Bench::on_fixtures();
    let mut child = started(&bench);
    let told = bench.run(&RUN);
    assert_eq!(told.status, Some(2));
    let error = told.error();
    let who = format!("`bench run --split 1:1 {}", RUN.join(" "));
    assert!(
        error.contains(&who) && error.contains(&format!("process {} of ", child.id())),
        "{error}"
    );
    let told = bench.run(&["--resume"]);
    assert!(
        told.error().contains("another bench goes on with this run"),
        "{told:#?}"
    );
    send(&child, Signal::SIGKILL);
    child.wait().unwrap();
    let before = kept(&bench);
    finish(&bench, &before);
}

#[test]
fn no_server_survives_a_harness_that_is_killed_and_the_run_can_be_finished() {
    let bench = Bench::on_fixtures();
    let mut child = started(&bench);
    let before = kept(&bench);
    send(&child, Signal::SIGKILL);
    child.wait().unwrap();
    bench.wait_for_no_children(AT_ONCE);
    // As if the kill had come in the middle of a line.
    let path = journal(&bench).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{text}{{\"app\":\"go")).unwrap();
    finish(&bench, &before);
}

#[test]
fn the_harness_takes_next_to_nothing_while_a_trial_runs() {
    let bench = Bench::on_fixtures();
    // One load of its own, and not slices: those begin and end all the time.
    let arguments = words("--app good --scenario classic-c16 --duration 4s --rounds 1");
    let mut child = bench
        .run_command(&arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let oha = crate::common::oha();
    let loads = || bench.children().iter().filter(|program| *program == oha).count() > 0;
    wait(PATIENCE, "the first trial is made", || !kept(&bench).is_empty());
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
