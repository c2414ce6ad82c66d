//! `bench run --isolation`, with a real engine, which `./scripts/test servers` starts where none runs.

use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Stdio};

use crate::common::{Bench, CommandOutput, PATIENCE, has_engine, wait, words};
use model::scenario::Isolation;
use model::{Metric, Record, Trial, Verdict};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// A real app that speaks every protocol.
const APP: &str = "poem";

const LABEL: &str = "label=bench.owner";

/// What the engine lists under our label.
fn listed(what: &[&str]) -> BTreeSet<String> {
    let output = Command::new("docker")
        .args(what)
        .args(["--quiet", "--no-trunc", "--filter", LABEL])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.success(), "an engine must run: {output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(str::to_owned).collect()
}

fn containers() -> BTreeSet<String> {
    listed(&["ps", "--all"])
}

fn images() -> BTreeSet<String> {
    listed(&["images"])
}

/// Trials that the machine did not spoil: of each, all that is measured natively must be there.
fn complete(trial: &Trial) {
    assert!(
        !matches!(
            trial.verdict,
            Verdict::ContractFailed | Verdict::Crashed | Verdict::BuildFailed
        ),
        "{trial:?}"
    );
    let answered = trial.requests["200"];
    assert!(answered > 0 && trial.goodput_rps.unwrap() > 0.0, "{trial:?}");
    assert!(trial.server_cpu_us_per_request.unwrap() > 0.0, "{trial:?}");
    let rss = trial.rss_bytes.unwrap();
    assert!(rss.idle > 100_000 && rss.peak >= rss.after, "{trial:?}");
    assert!(trial.startup_ms.unwrap() > 0.0, "{trial:?}");
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
fn a_real_app_is_measured_natively_and_in_both_containers_in_one_run() {
    if !has_engine() {
        return;
    }
    let bench = Bench::on_the_apps();
    let scenarios = "plaintext,plaintext-http2-tls";
    let arguments = [
        "--verbose",
        "--app",
        APP,
        "--scenario",
        scenarios,
        "--isolation",
        "docker,docker-bridge",
    ];
    let short = words("--duration 200ms --connections 4 --rounds 1 --cargo-profile dev");
    let temporary = tempfile::tempdir().unwrap();
    let mut command = bench.run_command(&[&arguments[..], &short].concat());
    command.env("TMPDIR", temporary.path());
    let output = CommandOutput::run(command).fine();
    let left: Vec<_> = fs::read_dir(temporary.path()).unwrap().flatten().collect();
    assert!(left.is_empty(), "a key is gone with the process that made it: {left:?}");
    let record = bench.record();
    let isolations: Vec<_> = record
        .scenarios
        .iter()
        .map(|scenario| (scenario.id.as_str(), scenario.isolation))
        .collect();
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
    for scenario in &record.scenarios {
        let trials: Vec<_> = measured(&record, APP, &scenario.id).collect();
        assert!(!trials.is_empty(), "{} was not measured", scenario.id);
        // A machine that is busy with other things may spoil one; it does not invent one.
        for trial in trials
            .into_iter()
            .filter(|trial| trial.verdict != Verdict::EnvironmentFailed)
        {
            complete(trial);
        }
    }
    let contained = record.summary.iter().filter(|cell| cell.scenario.contains("-docker"));
    for cell in contained.filter(|cell| cell.verdict != Verdict::EnvironmentFailed) {
        assert!(cell.metrics.contains_key(&Metric::ServerCpuUsPerRequest), "{cell:?}");
    }
    for trial in &record.trials {
        let machine = ["the machine refused", "no image", "engine", "cannot start"];
        assert!(
            !trial
                .reasons
                .iter()
                .any(|reason| machine.iter().any(|word| reason.contains(word))),
            "{trial:?}"
        );
    }
    assert!(record.environment.container_engine.is_some());
    assert!(output.stdout.contains("plaintext by isolation"), "{output:#?}");
    assert!(containers().is_empty() && images().is_empty(), "nothing is left behind");
}

#[test]
fn what_fails_in_a_container_is_reported_as_natively() {
    if !has_engine() {
        return;
    }
    let bench = Bench::on_fixtures();
    let apps = "good,dies-at-once,dies-under-load,silent";
    let arguments = ["--app", apps, "--scenario", "plaintext", "--isolation", "docker"];
    bench
        .run(
            &[
                &arguments[..],
                &["--duration", "300ms", "--connections", "4", "--rounds", "1"],
            ]
            .concat(),
        )
        .fine();
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
fn docker(arguments: &[&str]) -> String {
    let output = Command::new("docker").args(arguments).stdin(Stdio::null()).output();
    let output = output.unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
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
        let image = docker(&["import", "--change", &label, archive, "bench-own:test"]);
        let container = docker(&["create", "--label", &owner, &image, "/nothing"]);
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
    let arguments = ["--app", "good", "--scenario", "plaintext", "--isolation", "docker"];
    let long = [&arguments[..], &["--duration", "2s", "--rounds", "50"]].concat();
    for signal in [Signal::SIGINT, Signal::SIGKILL] {
        let mut command = bench.run_command(&long);
        let mut run = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        wait(PATIENCE, "a container runs", || !listed(&["ps"]).is_empty());
        kill(Pid::from_raw(i32::try_from(run.id()).unwrap()), signal).unwrap();
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
    let short = ["--duration", "100ms", "--connections", "2", "--rounds", "1"];
    bench.run(&[&arguments[..], &short].concat()).fine();
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
