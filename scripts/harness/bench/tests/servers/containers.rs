//! `bench run --isolation`, with a real engine, which `./scripts/test servers` starts where none runs.

use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Stdio};

use crate::common::{Bench, CommandOutput, PATIENCE, has_engine, send, wait, words};
use model::{Record, Trial, Verdict};
use nix::sys::signal::Signal;

const IN_DOCKER: &str = "--scenario plaintext --isolation docker";

/// What the engine lists under our label.
fn listed(what: &str) -> BTreeSet<String> {
    let listed = docker(words(what).chain(words("--quiet --no-trunc --filter label=bench.owner")));
    listed.lines().map(str::to_owned).collect()
}

pub fn containers() -> BTreeSet<String> {
    listed("ps --all")
}

pub fn images() -> BTreeSet<String> {
    listed("images")
}

fn measured<'a>(record: &'a Record, app: &'a str, scenario: &'a str) -> impl Iterator<Item = &'a Trial> {
    let of = move |trial: &&Trial| trial.app == app && trial.scenario == scenario;
    record
        .trials
        .iter()
        .filter(of)
        .filter(|trial| trial.verdict != Verdict::EnvironmentFailed || trial.attempt == 2)
}

#[test]
fn what_fails_in_a_container_is_reported_as_natively() {
    if !has_engine() {
        return;
    }
    let bench = Bench::on_fixtures();
    let apps = "good,dies-at-once,dies-under-load,silent";
    let short = "--duration 300ms --connections 4 --rounds 1";
    bench.run(&format!("--app {apps} {IN_DOCKER} {short}")).fine();
    let record = bench.record();
    for (app, verdict, expected) in [
        (
            "dies-at-once",
            Verdict::Crashed,
            "exit status 7; it said: no luck today",
        ),
        (
            "dies-under-load",
            Verdict::Crashed,
            "exit status 9; it said: out of luck after",
        ),
        ("silent", Verdict::ContractFailed, "no answer within 10 s"),
    ] {
        for scenario in ["plaintext", "plaintext-docker"] {
            let trial = measured(&record, app, scenario).last().unwrap();
            assert_eq!(trial.verdict, verdict, "{trial:?}");
            assert!(
                trial.reasons.iter().any(|reason| reason.contains(expected)),
                "{trial:?}"
            );
        }
    }
    assert!(containers().is_empty() && images().is_empty(), "nothing is left behind");
}

/// Starts the engine's command with these arguments; what it prints.
fn docker<'a>(arguments: impl IntoIterator<Item = &'a str>) -> String {
    let mut docker = Command::new("docker");
    docker.args(arguments).stdin(Stdio::null());
    CommandOutput::run(docker).fine().stdout.trim().to_owned()
}

/// An image and a container that belong to this process, as if it was a run: they go with this value.
struct Own {
    image: String,
    container: String,
}

impl Own {
    fn make() -> Self {
        let pid = std::process::id();
        let stat = fs::read_to_string("/proc/self/stat").unwrap();
        // Field 22 of proc_pid_stat(5): when it started.
        let started = stat.rsplit_once(')').unwrap().1.split_whitespace().nth(19).unwrap();
        let owner = format!("bench.owner={pid}-{started}");
        let folder = tempfile::tempdir().unwrap();
        let archive = folder.path().join("nothing.tar");
        let mut empty = tar::Builder::new(fs::File::create(&archive).unwrap());
        empty.append_dir("nothing", folder.path()).unwrap();
        empty.finish().unwrap();
        let label = format!("LABEL {owner}");
        let archive = archive.to_str().unwrap();
        let image = docker(["import", "--change", &label, archive, "bench-own:test"]);
        let container = docker(["create", "--label", &owner, &image, "/nothing"]);
        Self { image, container }
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        for arguments in [["rm", "--force", &self.container], ["rmi", "--force", &self.image]] {
            let _ = Command::new("docker").args(arguments).stdout(Stdio::null()).status();
        }
    }
}

#[test]
fn an_interrupt_leaves_nothing_and_what_sigkill_leaves_the_next_run_removes() {
    if !has_engine() {
        return;
    }
    let bench = Bench::on_fixtures();
    for signal in [Signal::SIGINT, Signal::SIGKILL] {
        let mut command = bench.run_command(&format!("--app good {IN_DOCKER} --duration 2s --rounds 50"));
        let mut run = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        wait(PATIENCE, "a container runs", || !listed("ps").is_empty());
        send(&run, signal);
        run.wait().unwrap();
        if signal == Signal::SIGINT {
            assert!(
                containers().is_empty() && images().is_empty(),
                "an interrupt removes all"
            );
        } else {
            assert!(!images().is_empty(), "nobody was left to remove them");
        }
        // A run that is still going on keeps what is its own.
        for journal in bench.files() {
            fs::remove_file(journal).unwrap();
        }
    }
    let own = Own::make();
    let short = "--duration 100ms --connections 2 --rounds 1";
    bench.run(&format!("--app good {IN_DOCKER} {short}")).fine();
    // What the engine removes by itself, because its server has ended, may take a moment.
    wait(PATIENCE, "nothing of the dead is left", || {
        containers().len() == 1 && images().len() == 1
    });
    assert_eq!(
        (containers(), images()),
        ([own.container.clone()].into(), [own.image.clone()].into()),
        "who lives keeps what is his"
    );
}
