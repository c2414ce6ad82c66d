//! A run that is ended by the user, or by force, loses at most the round under way.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use model::{Trial, count};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::common::{Bench, CommandOutput, PATIENCE, planned, wait, words};

const RUN: &str = "--app good --scenario plaintext --duration 200ms --connections 2 --rounds 3";
const SERVERS: usize = 3; // with reference and ceiling

/// The promise is two seconds; a busy machine gets three more.
const AT_ONCE: Duration = Duration::from_secs(5);

fn journal(bench: &Bench) -> Option<PathBuf> {
    let mut files = bench.files().into_iter();
    files.find(|path| path.to_string_lossy().ends_with(".journal.jsonl"))
}

/// Trials that the journal holds.
fn kept(bench: &Bench) -> Vec<Trial> {
    let text = journal(bench)
        .map(|path| fs::read_to_string(path).unwrap())
        .unwrap_or_default();
    let whole = &text[..text.rfind('\n').map_or(0, |at| at + 1)];
    let lines = whole.lines().skip(1);
    let trial = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["trial"].clone();
    lines.map(|line| serde_json::from_value(trial(line)).unwrap()).collect()
}

/// A run that has made so many rounds and is in the middle of the next.
fn in_the_middle(bench: &Bench, arguments: &[&str], rounds: usize) -> Child {
    let mut command = bench.run_command(arguments);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait(PATIENCE, "rounds are made", || kept(bench).len() >= rounds * SERVERS);
    wait(PATIENCE, "the next is under way", || !bench.children().is_empty());
    child
}

fn send(child: &Child, signal: Signal) {
    kill(Pid::from_raw(i32::try_from(child.id()).unwrap()), signal).unwrap();
}

fn finish(bench: &Bench, before: &[Trial]) {
    bench.run(&["--resume"]).fine();
    let record = bench.record();
    assert_eq!(planned(&record).count(), 3 * SERVERS);
    assert_eq!(
        &record.trials[..before.len()],
        before,
        "what was made is kept as it was"
    );
}

#[test]
fn an_interrupted_run_leaves_no_child_and_goes_on_where_it_was() {
    let bench = Bench::on_fixtures();
    let mut before = Vec::new();
    for (arguments, rounds, signal) in [(RUN, 1, Signal::SIGINT), ("--resume", 2, Signal::SIGTERM)] {
        let child = in_the_middle(&bench, &words(arguments), rounds);
        let sent = Instant::now();
        send(&child, signal);
        let output = CommandOutput::from(child.wait_with_output().unwrap());
        assert!(sent.elapsed() < AT_ONCE, "{:?}", sent.elapsed());
        assert!(bench.children().is_empty(), "{:?}", bench.children());
        assert_eq!(output.status, Some(2));
        let file = journal(&bench).unwrap();
        let id = file
            .file_name()
            .unwrap()
            .to_str()
            .unwrap()
            .trim_end_matches(".journal.jsonl");
        before = kept(&bench);
        let trials = count(before.len(), "trial");
        assert_eq!(
            output.error(),
            format!(
                "error: interrupted; {trials} kept, resume with: bench run --resume={id} --out {}",
                bench.results().display()
            )
        );
    }
    let refused = bench.run(&["--resume", "--rounds", "9"]);
    let reason = "it was begun with another --rounds, and repeats its options: leave --rounds away, or start a new run";
    assert_eq!(refused.status, Some(2));
    assert!(refused.error().ends_with(reason), "{refused:#?}");
    finish(&bench, &before);
}

#[test]
fn a_run_that_is_killed_leaves_no_server_and_no_other_runs_at_the_same_time() {
    let bench = Bench::on_fixtures();
    let mut child = in_the_middle(&bench, &words(RUN), 1);
    let refused = bench.run(&words(RUN));
    assert_eq!(refused.status, Some(2));
    let who = ["`bench run`".to_owned(), format!("process {} of ", child.id())];
    assert!(who.iter().all(|who| refused.error().contains(who)), "{refused:#?}");
    let refused = bench.run(&["--resume"]);
    assert!(who.iter().all(|who| refused.error().contains(who)), "{refused:#?}");

    send(&child, Signal::SIGKILL);
    child.wait().unwrap();
    bench.wait_for_no_children(AT_ONCE);
    let before = kept(&bench);
    // As if the kill had come in the middle of a line.
    let path = journal(&bench).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{text}{{\"app\":\"go")).unwrap();
    finish(&bench, &before);
}
