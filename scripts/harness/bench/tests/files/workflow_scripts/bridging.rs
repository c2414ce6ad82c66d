//! What a change of a lane's runner starts: `bridge.sh` and `start-bridges.sh`, on a real branch of results.

use std::fs;
use std::path::Path;
use std::process::Command;

use record::Lane;
use record::run_id;
use serde_json::{Value, json};
use tell::publish::{Fact, add};

use super::publishing::hosted;
use super::{CommandOutput, Repository, git, json_output};
use crate::github::world::World;

/// One published run: lane, profile, when it began, and its labels.
type Run<'a> = (&'a str, &'a str, &'a str, &'a [&'a str]);

const OLD: &[&str] = &["ubuntu-24.04"];
const NEW: &[&str] = &["ubuntu-26.04"];

/// A remote with these runs on gh-pages, as `bench publish` writes them, and a checkout of main.
fn published(runs: &[Run]) -> (tempfile::TempDir, Repository) {
    let (bare, clone) = hosted();
    let pages = Repository::new();
    pages.git(&["switch", "--quiet", "--orphan", "gh-pages"]);
    for (seed, (lane, profile, at, labels)) in (1..).zip(runs) {
        let mut record = judge::sample::record();
        (record.profile, record.started_at) = ((*profile).to_owned(), at.parse().unwrap());
        record.id = run_id(record.started_at, seed);
        record.lane = Lane::ALL.into_iter().find(|known| known.name() == *lane).unwrap();
        record.environment.runner = labels.iter().map(|label| (*label).to_owned()).collect();
        let runs = pages.root().join("runs");
        add(&runs, &[Fact::of_record(&runs, record)]).unwrap();
    }
    pages.commit(&[("note", "")]);
    git(
        pages.root(),
        &["push", "--quiet", bare.path().to_str().unwrap(), "gh-pages"],
    );
    (bare, clone)
}

fn command(clone: &Repository, profile: &str, now: &str, lanes: &Value) -> Command {
    let mut command = clone.script("bridge.sh", &["origin"]);
    command
        .env("LANES", lanes.to_string())
        .env("BUILDERS", r#"{"x64": "ubuntu-26.04", "arm64": "ubuntu-26.04-arm"}"#)
        .env("PROFILE", profile)
        .env("NOW", now);
    command
}

/// What lanes.sh says of hosted-x64, after its runner was changed.
fn hosted_x64() -> Value {
    json!({
        "hosted-x64": {"architecture": "x64", "runner": NEW, "folder": "hosted-x64"},
        "probes": {"architecture": "x64", "runner": NEW, "folder": "probes"},
    })
}

/// The bridges of a run that is planned `now`, and what is said of it.
fn bridges(runs: &[Run], profile: &str, now: &str, lanes: &Value) -> (Value, String) {
    let (_bare, clone) = published(runs);
    let told = CommandOutput::run(command(&clone, profile, now, lanes)).fine();
    (json_output(&told, "bridges"), told.stderr)
}

fn both() -> Value {
    json!([{"lane": "hosted-x64", "architecture": "x64", "runner": OLD, "builder": "ubuntu-24.04"}])
}

#[test]
fn a_machine_of_ones_own_that_is_replaced_is_measured_as_long_as_it_is_there() {
    let (old, new) = (&["self-hosted", "bench"], ["self-hosted", "bench-2"]);
    let lanes = json!({"self-hosted": {"architecture": "x64", "runner": new, "folder": "self-hosted"}});
    let runs = [("self-hosted", "weekly", "2026-11-23T02:00:00Z", &old[..])];
    let (found, _) = bridges(&runs, "weekly", "2026-11-30T00:24:00Z", &lanes);
    assert_eq!(
        found,
        json!([{"lane": "self-hosted", "architecture": "x64", "runner": old, "builder": "ubuntu-26.04"}])
    );
    let (found, _) = bridges(&runs, "weekly", "2027-01-04T00:24:00Z", &lanes);
    assert_eq!(found, json!([]), "it slept for more than a month");
}

#[test]
fn a_part_of_a_run_has_no_bridge() {
    let runs = [("hosted-x64", "weekly", "2026-11-23T02:00:00Z", OLD)];
    let mut lanes = hosted_x64();
    lanes["hosted-x64"]["folder"] = json!("hosted-x64/partial");
    assert_eq!(bridges(&runs, "weekly", "2026-11-30T00:24:00Z", &lanes).0, json!([]));
}

fn start(world: &World, bridges: &Value) -> CommandOutput {
    let mut command = world.script("start-bridges.sh", &["owner/name"]);
    command
        .env("BRIDGES", bridges.to_string())
        .env("PROFILE", "weekly")
        .env("STARTED", "2026-11-30T00:24:00Z")
        .env("COMMIT", "c0ffee");
    CommandOutput::run(command)
}

/// The names of the inputs of a workflow that is started by hand.
fn inputs(workflow: &Path) -> Vec<String> {
    let text = fs::read_to_string(workflow).unwrap();
    let inputs = text.split_once("    inputs:\n").unwrap().1;
    let lines = inputs.lines().take_while(|line| line.starts_with("      "));
    let names = lines.filter_map(|line| line.strip_prefix("      ")?.strip_suffix(':'));
    let mut names: Vec<String> = names.filter(|name| !name.starts_with(' ')).map(str::to_owned).collect();
    names.sort();
    names
}

#[test]
fn a_bridge_is_started_with_every_input_that_it_has() {
    let world = World::new();
    start(&world, &both()).fine();
    assert_eq!(
        world.asked(),
        ["POST repos/owner/name/actions/workflows/bridge.yml/dispatches"]
    );
    let sent: Value = serde_json::from_str(&fs::read_to_string(world.github().join("sent")).unwrap()).unwrap();
    let sent = &sent["sent"];
    assert_eq!(sent["ref"], json!("main"));
    assert_eq!(
        sent["inputs"],
        json!({"lane": "hosted-x64", "architecture": "x64", "builder": "ubuntu-24.04", "runner": "[\"ubuntu-24.04\"]",
            "profile": "weekly", "started": "2026-11-30T00:24:00Z", "commit": "c0ffee"})
    );
    let mut names: Vec<&String> = sent["inputs"].as_object().unwrap().keys().collect();
    names.sort();
    let of_workflow = inputs(&super::root().join(".github/workflows/bridge.yml"));
    assert_eq!(names, of_workflow.iter().collect::<Vec<_>>());
}

#[test]
fn a_bridge_that_does_not_start_is_told() {
    let world = World::new();
    world.fail(&["POST bridge.yml HTTP 403: Resource not accessible by integration"]);
    let told = start(&world, &both());
    assert_eq!(told.status, Some(2), "{told:#?}");
    assert!(told.stderr.contains("error: bridge.yml was not started"), "{told:#?}");
}

/// The image before may be gone: then its job waits for a day. Nothing else may wait for it, and no fork or pull request may begin it.
#[test]
fn nobody_waits_for_the_runner_before() {
    let workflows = super::root().join(".github/workflows");
    let read = |name: &str| fs::read_to_string(workflows.join(name)).unwrap();
    let weekly = read("weekly-benchmark.yml");
    assert!(!weekly.contains("uses: ./.github/workflows/bridge.yml"));
    let bridge = read("bridge.yml");
    let triggers = bridge
        .split_once("\non:\n")
        .unwrap()
        .1
        .split_once("\npermissions:")
        .unwrap()
        .0;
    let of_top = triggers
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    assert_eq!(of_top.collect::<Vec<_>>(), ["  workflow_dispatch:"]);
    let group = |text: &str| {
        text.lines()
            .find(|line| line.starts_with("  group:"))
            .unwrap()
            .to_owned()
    };
    // A group holds one waiting run, and cancels it for the next: a run by hand would cancel a schedule that waits for a machine.
    assert_eq!(group(&weekly), "  group: weekly-benchmark-${{ github.event_name }}");
    assert_eq!(group(&bridge), "  group: bridge-${{ inputs.lane }}");
    assert_eq!(
        group(&read("lane.yml")),
        "  group: lane-${{ inputs.lane }}${{ inputs.before && '-before' || '' }}"
    );
}

mod slow {
    use super::*;

    /// A label is asked of GitHub next. Those of a hosted lane are GitHub's images, whatever somebody wrote to gh-pages.
    #[test]
    fn a_hosted_lane_never_asks_for_another_machine() {
        for labels in [
            &["self-hosted", "deploy"][..],
            &["deploy"],
            &["ubuntu-24.04", "deploy"],
            &["ubuntu-24.04\n"],
            &["ubuntu-24.04; id"],
            &["macos-15"],
        ] {
            let runs = [("hosted-x64", "weekly", "2026-11-23T02:00:00Z", labels)];
            let (found, told) = bridges(&runs, "weekly", "2026-11-30T00:24:00Z", &hosted_x64());
            assert_eq!(found, json!([]), "{labels:?}");
            assert!(told.contains("no label that may be asked for"), "{told}");
        }
    }

    /// Week by week, from the change on: nothing but what was published says how long.
    #[test]
    fn another_runner_is_measured_beside_the_one_before_for_two_weeks() {
        let mut runs = vec![
            ("hosted-x64", "weekly", "2026-10-26T02:00:00Z", OLD),
            ("hosted-x64", "weekly", "2026-11-02T02:00:00Z", OLD),
        ];
        for (now, began, expected) in [
            ("2026-11-09T00:24:00Z", "2026-11-09T02:01:00Z", both()),
            ("2026-11-16T00:24:00Z", "2026-11-16T02:02:00Z", both()),
            // Later in the day than the first of them: it is still one of two weeks.
            ("2026-11-23T04:24:00Z", "2026-11-23T06:00:00Z", both()),
            ("2026-11-30T00:24:00Z", "2026-11-30T02:00:00Z", json!([])),
            ("2026-12-07T00:24:00Z", "2026-12-07T02:00:00Z", json!([])),
        ] {
            let (found, told) = bridges(&runs, "weekly", now, &hosted_x64());
            assert_eq!(found, expected, "{now}: {told}");
            runs.push(("hosted-x64", "weekly", began, NEW));
            if expected != json!([]) {
                runs.push(("hosted-x64", "weekly", began, OLD));
            }
        }
    }

    /// Each profile has a day of its own, and needs pairs of its own.
    #[test]
    fn each_profile_has_its_own_two_weeks() {
        let runs = [
            ("hosted-x64", "weekly", "2026-11-02T02:00:00Z", OLD),
            ("hosted-x64", "variants", "2026-11-06T02:00:00Z", OLD),
            ("hosted-x64", "weekly", "2026-11-09T02:00:00Z", NEW),
            ("hosted-x64", "weekly", "2026-11-09T02:00:00Z", OLD),
            ("hosted-x64", "variants", "2026-11-27T02:00:00Z", NEW),
            ("hosted-x64", "variants", "2026-11-27T02:00:00Z", OLD),
        ];
        let now = "2026-12-04T00:24:00Z";
        assert_eq!(bridges(&runs, "weekly", now, &hosted_x64()).0, json!([]));
        assert_eq!(bridges(&runs, "variants", now, &hosted_x64()).0, both());
        assert_eq!(
            bridges(&runs, "database", now, &hosted_x64()).0,
            json!([]),
            "never measured before"
        );
    }

    #[test]
    fn runs_older_than_the_labels_are_known_by_their_image() {
        // The image of the sample is `ubuntu24 20261116.1`.
        let runs = |lane| [(lane, "weekly", "2026-11-23T02:00:00Z", &[] as &[&str])];
        let now = "2026-11-30T00:24:00Z";
        assert_eq!(bridges(&runs("hosted-x64"), "weekly", now, &hosted_x64()).0, both());
        let arm = |label: &str| json!({"hosted-arm64": {"architecture": "arm64", "runner": [label], "folder": "hosted-arm64"}});
        let found = bridges(&runs("hosted-arm64"), "weekly", now, &arm("ubuntu-26.04-arm")).0;
        assert_eq!(found[0]["runner"], json!(["ubuntu-24.04-arm"]));
        let same = bridges(&runs("hosted-arm64"), "weekly", now, &arm("ubuntu-24.04-arm")).0;
        assert_eq!(same, json!([]));
    }

    #[test]
    fn a_runner_that_does_not_answer_on_two_days_is_asked_no_more() {
        let mut runs = vec![
            ("hosted-x64", "weekly", "2026-11-02T02:00:00Z", OLD),
            ("hosted-x64", "database", "2026-11-03T02:00:00Z", OLD),
            ("hosted-x64", "drivers", "2026-11-04T02:00:00Z", OLD),
            ("hosted-x64", "weekly", "2026-11-09T02:00:00Z", NEW),
        ];
        let now = "2026-11-11T00:24:00Z";
        assert_eq!(
            bridges(&runs, "drivers", now, &hosted_x64()).0,
            both(),
            "one day may be chance"
        );
        runs.push(("hosted-x64", "database", "2026-11-10T02:00:00Z", NEW));
        let (found, told) = bridges(&runs, "drivers", now, &hosted_x64());
        assert_eq!(found, json!([]));
        assert!(told.contains("it is gone"), "{told}");
        runs.push(("hosted-x64", "weekly", "2026-11-09T05:00:00Z", OLD));
        assert_eq!(bridges(&runs, "drivers", now, &hosted_x64()).0, both(), "it answered");
    }

    #[test]
    fn a_lane_whose_runner_is_that_of_its_runs_has_no_bridge() {
        let (_bare, clone) = hosted();
        let first = CommandOutput::run(command(&clone, "weekly", "2026-11-30T00:24:00Z", &hosted_x64())).fine();
        assert_eq!(json_output(&first, "bridges"), json!([]), "nothing is published");
        let runs = [("hosted-x64", "weekly", "2026-11-23T02:00:00Z", NEW)];
        let (found, told) = bridges(&runs, "weekly", "2026-11-30T00:24:00Z", &hosted_x64());
        assert_eq!(found, json!([]), "{told}");
        let other = [("hosted-arm64", "weekly", "2026-11-23T02:00:00Z", OLD)];
        assert_eq!(
            bridges(&other, "weekly", "2026-11-30T00:24:00Z", &hosted_x64()).0,
            json!([])
        );
    }
}
