//! `job-started.sh`: which jobs it lets through, and how it ends the others.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{installed, program};
use crate::common::CommandOutput;

const WEEKLY: &str = "octo/bench/.github/workflows/benchmark.yml@refs/heads/main";

/// What GitHub says of the scheduled run.
const SCHEDULED: [(&str, &str); 4] = [
    ("GITHUB_EVENT_NAME", "schedule"),
    ("GITHUB_REPOSITORY", "octo/bench"),
    ("GITHUB_REF", "refs/heads/main"),
    ("GITHUB_WORKFLOW_REF", WEEKLY),
];

/// The hook as the runner calls it, with some variables changed; an empty one is missing.
fn guard(folder: &Path, changes: &[(&str, &str)]) -> Command {
    let mut hook = Command::new("bash");
    hook.arg("-e").arg(folder.join("job-started.sh")).env_clear();
    hook.env("PATH", std::env::var_os("PATH").unwrap()).envs(SCHEDULED);
    for (name, value) in changes {
        if value.is_empty() {
            hook.env_remove(name);
        } else {
            hook.env(name, value);
        }
    }
    hook
}

fn refused(folder: &Path, changes: &[(&str, &str)]) -> String {
    let output = CommandOutput::run(guard(folder, changes));
    assert_eq!(
        (output.status, &*output.stderr),
        (Some(1), ""),
        "{changes:?}: {output:#?}"
    );
    assert!(output.stdout.starts_with("refused: "), "{output:#?}");
    assert_eq!(output.stdout.lines().count(), 1, "{output:#?}");
    output.stdout
}

#[test]
fn the_weekly_run_of_main_is_accepted_on_its_schedule_and_by_hand() {
    for config in [
        "BENCH_LABELS=bench\nBENCH_REPOSITORY=octo/bench\n",
        "BENCH_REPOSITORY=octo/bench",
    ] {
        let folder = installed(config);
        for event in ["schedule", "workflow_dispatch"] {
            CommandOutput::run(guard(folder.path(), &[("GITHUB_EVENT_NAME", event)])).fine();
        }
    }
}

#[test]
fn every_other_job_is_refused_with_a_reason() {
    let folder = installed("BENCH_REPOSITORY=octo/bench\n");
    let fork = "stranger/bench/.github/workflows/benchmark.yml@refs/heads/main";
    let on_branch = "octo/bench/.github/workflows/benchmark.yml@refs/heads/next";
    let other = "octo/bench/.github/workflows/evil.yml@refs/heads/main";
    let longer = "octo/bench/.github/workflows/benchmark.yml@refs/heads/main2";
    let nested = "octo/bench/.github/workflows/benchmark.yml.yml@refs/heads/main";
    for (name, value) in [
        ("GITHUB_EVENT_NAME", "pull_request"),
        ("GITHUB_EVENT_NAME", "pull_request_target"),
        ("GITHUB_EVENT_NAME", "push"),
        ("GITHUB_EVENT_NAME", "workflow_run"),
        ("GITHUB_EVENT_NAME", "merge_group"),
        ("GITHUB_EVENT_NAME", "schedule workflow_dispatch"),
        ("GITHUB_REF", "refs/heads/next"),
        ("GITHUB_REF", "refs/heads/main/x"),
        ("GITHUB_REF", "refs/tags/main"),
        ("GITHUB_REF", "refs/pull/1/merge"),
        ("GITHUB_WORKFLOW_REF", on_branch),
        ("GITHUB_WORKFLOW_REF", other),
        ("GITHUB_WORKFLOW_REF", longer),
        ("GITHUB_WORKFLOW_REF", nested),
        ("GITHUB_WORKFLOW_REF", fork),
        ("GITHUB_REPOSITORY", "stranger/bench"),
    ] {
        let message = refused(folder.path(), &[(name, value)]);
        assert!(message.contains(value), "{name}={value}: {message}");
    }
    let of_the_fork = [("GITHUB_REPOSITORY", "stranger/bench"), ("GITHUB_WORKFLOW_REF", fork)];
    assert!(refused(folder.path(), &of_the_fork).contains("stranger/bench"));
    for (name, _) in SCHEDULED {
        let message = refused(folder.path(), &[(name, "")]);
        assert!(message.contains(&format!("{name} is missing")), "{message}");
    }
}

#[test]
fn the_repository_comes_from_the_file_on_the_machine_and_from_nowhere_else() {
    for config in [
        "",
        "BENCH_REPOSITORY=\n",
        "BENCH_REPOSITORY=octo\n",
        "BENCH_REPOSITORY=octo/*\n",
        "# nothing\n",
    ] {
        let folder = installed(config);
        let message = refused(folder.path(), &[("BENCH_REPOSITORY", "octo/bench")]);
        assert!(
            message.contains("BENCH_REPOSITORY=OWNER/NAME is missing"),
            "{config:?}: {message}"
        );
    }
    let folder = installed("BENCH_REPOSITORY=octo/bench\n");
    fs::remove_file(folder.path().join("config")).unwrap();
    refused(folder.path(), &[]);
}

/// The runner goes on to steps with `if: always()` after a failed hook. The stand-in does so too, and has its name (by
/// `env` it would be called bash).
#[test]
fn a_refusal_ends_the_worker_before_it_gets_to_any_step() {
    let folder = installed("BENCH_REPOSITORY=octo/bench\n");
    let worker = folder.path().join("Runner.Worker");
    let step = folder.path().join("step");
    program(
        &worker,
        "#!/bin/bash\nbash -e \"$1/job-started.sh\"\ntouch \"$1/step\"\n",
    );
    let run = |event: &str| {
        let mut runner = Command::new(&worker);
        runner
            .arg(folder.path())
            .envs(SCHEDULED)
            .env("GITHUB_EVENT_NAME", event);
        CommandOutput::run(runner)
    };
    let output = run("pull_request");
    assert_eq!(output.status, None, "killed by a signal");
    assert!(output.stdout.starts_with("refused: "), "{output:#?}");
    assert!(!step.exists());

    run("schedule").fine();
    assert!(step.exists());
}
