//! A run that is ended by the user, or by force, loses at most the round under way.

use std::fs;
use std::path::PathBuf;
use std::process::Child;
use std::time::{Duration, Instant};

use model::{Trial, count};
use nix::sys::signal::Signal;

use crate::common::{Bench, CommandOutput, PATIENCE, planned, send, spawn, wait};

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
fn in_the_middle(bench: &Bench, line: &str, rounds: usize) -> Child {
    let child = spawn(bench.run_command(line));
    wait(PATIENCE, "rounds are made", || kept(bench).len() >= rounds * SERVERS);
    wait(PATIENCE, "the next is under way", || !bench.children().is_empty());
    child
}

fn finish(bench: &Bench, before: &[Trial]) {
    bench.run("--resume").fine();
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
    for (line, rounds, signal) in [(RUN, 1, Signal::SIGINT), ("--resume", 2, Signal::SIGTERM)] {
        let child = in_the_middle(&bench, line, rounds);
        let sent = Instant::now();
        send(&child, signal);
        let output = CommandOutput::await_end(child);
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
    let reason = "it was begun with another --rounds, and repeats its options: leave --rounds away, or start a new run";
    let refused = bench.run("--resume --rounds 9");
    assert!(
        refused.status == Some(2) && refused.error().ends_with(reason),
        "{refused:#?}"
    );
    finish(&bench, &before);
}

#[test]
fn a_run_that_is_killed_leaves_no_server_and_no_other_runs_at_the_same_time() {
    let bench = Bench::on_fixtures();
    let mut child = in_the_middle(&bench, RUN, 1);
    for line in [RUN, "--resume"] {
        let refused = bench.run(line);
        refused.refused("`bench run`");
        refused.refused(&format!("process {} of ", child.id()));
    }

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
