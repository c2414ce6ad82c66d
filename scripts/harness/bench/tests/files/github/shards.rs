//! `bench compare --merge`, and what `bench comment` makes of its result. Each shard comes from a machine that ran code of the pull
//! request.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use analyze::compare::outcome::{Comparison, Decision, Status};
use analyze::compare::sharding::merge;
use serde_json::Value;

use super::world::{FIRST, SECOND, World, comparison_of, shards, shards_of};
use crate::common::CommandOutput;

fn merged(folder: &Path, files: &[&str]) -> CommandOutput {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bench"));
    command
        .args(["compare", "--out", "merged.json", "--merge"])
        .args(files)
        .current_dir(folder)
        .env_remove("GITHUB_ACTIONS")
        .stdin(Stdio::null());
    CommandOutput::run(command)
}

fn write(folder: &Path, name: &str, content: &impl serde::Serialize) {
    fs::write(folder.join(name), serde_json::to_string(content).unwrap()).unwrap();
}

fn written(folder: &Path) -> Comparison {
    serde_json::from_str(&fs::read_to_string(folder.join("merged.json")).unwrap()).unwrap()
}

#[test]
fn shards_are_merged_in_any_order_and_a_comment_is_made_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let [one, two] = shards(FIRST, 0.05);
    write(folder.path(), "one.json", &one);
    write(folder.path(), "two.json", &two);
    let output = merged(folder.path(), &["two.json", "one.json"]);
    assert_eq!(output.status, Some(1), "a regression: {output:#?}");
    let turned = written(folder.path());
    assert_eq!(merged(folder.path(), &["one.json", "two.json"]).status, Some(1));
    let comparison = written(folder.path());
    assert_eq!(comparison, turned);
    assert_eq!(comparison.decision, Decision::Regression);
    let decided: Vec<_> = comparison
        .series
        .iter()
        .map(|series| (series.app.as_str(), series.decision))
        .collect();
    assert_eq!(
        decided,
        [("good", Decision::Regression), ("good-two", Decision::NoChange)]
    );
    assert_eq!(comparison.probes.as_ref().unwrap().apps.len(), 2);

    let comment = World::with(&comparison).read(FIRST, &[]).fine();
    for text in [
        "# Regression in 1 of 2 series",
        "Shards 1, 2: AMD EPYC 7763",
        "at most 1 in 100 comparisons without a change name one, over all 2 shards together",
        "300 s on 2 machines",
    ] {
        assert!(comment.stdout.contains(text), "{text}: {comment:#?}");
    }
    // One of them alone is no verdict on the pull request.
    let answer = World::with(&one).read(FIRST, &[]);
    assert_eq!(answer.status, Some(1));
    assert!(answer.error().contains("one shard of a comparison"), "{answer:#?}");
}

#[test]
fn a_lost_shard_is_named_by_its_apps_and_the_others_stand() {
    let folder = tempfile::tempdir().unwrap();
    let [one, two] = shards(FIRST, 0.05);
    write(folder.path(), "one.json", &one);
    write(folder.path(), "two.json", &two);
    let output = merged(folder.path(), &["two.json"]);
    assert_eq!(output.status, Some(2), "{output:#?}");
    assert_eq!(
        output.error(),
        "error: could not be measured: good (shard 1 sent no result)"
    );
    assert!(
        output.stdout.contains("# Incomplete: 1 app could not be measured"),
        "{output:#?}"
    );
    let comparison = written(folder.path());
    let apps: Vec<_> = comparison
        .apps
        .iter()
        .map(|app| (app.id.as_str(), app.status))
        .collect();
    assert_eq!(apps, [("good", Status::NotMeasured), ("good-two", Status::Measured)]);
    let comment = World::with(&comparison).read(FIRST, &[]).fine();
    assert!(
        comment
            .stdout
            .contains("good · **could not be measured**: shard 1 sent no result"),
        "{comment:#?}"
    );
    // What is proven stays proven, wherever a download has put it, and whatever has become of the other.
    let at = |path: &str, content: &str| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    };
    let text = serde_json::to_string(&one).unwrap();
    at("alone/comparison.json", &text);
    at("of-several/shard-1/comparison.json", &text);
    at("broken/shard-1/comparison.json", &text);
    at("broken/shard-2/comparison.json", &text[..text.len() / 2]);
    for layout in ["one.json", "alone", "of-several", "broken"] {
        fs::remove_file(folder.path().join("merged.json")).unwrap();
        let output = merged(folder.path(), &[layout]);
        assert_eq!(output.status, Some(2), "{layout}: {output:#?}");
        assert_eq!(
            output.error(),
            "error: could not be measured: good-two (shard 2 sent no result)"
        );
        assert_eq!(
            output.stderr.contains("warning: broken/shard-2/comparison.json: EOF"),
            layout == "broken"
        );
        assert_eq!(written(folder.path()).decision, Decision::Regression, "{layout}");
    }
    let _ = fs::remove_file(folder.path().join("merged.json"));
    for nothing in ["nowhere", "nowhere/*/comparison.json"] {
        let output = merged(folder.path(), &[nothing]);
        assert_eq!(output.status, Some(2), "{output:#?}");
        let expected = format!("error: there is no shard to merge: {nothing}: No such file or directory (os error 2)");
        assert_eq!(output.error(), expected);
    }
}

/// Ten pairs on one side have a p-value of 0.00195: below the 0.0025 of a look of the whole, and above the half of it that one of two
/// shards may spend.
#[test]
fn a_shard_names_nothing_by_the_level_of_the_whole() {
    assert_eq!(comparison_of(FIRST, 0.05, 10).decision, Decision::Regression);
    let both = shards_of(FIRST, 0.05, 10).map(|shard| ("a shard".to_owned(), shard));
    let merged = merge(both.into()).unwrap();
    assert_eq!(merged.series[0].decision, Decision::Inconclusive);
    let comment = World::with(&merged).read(FIRST, &[]).fine();
    assert!(comment.stdout.contains("# Inconclusive"), "{comment:#?}");
}

/// A change of the second shard, and what is said of it.
type Change = (fn(&mut Value), &'static str);

/// A merged comparison that a stranger has changed.
#[test]
fn a_comment_is_made_only_of_what_could_have_been_merged() {
    let table: &[Change] = &[
        (|all| all["sharding"]["measured"][0]["number"] = 9.into(), "`sharding`"),
        (|all| all["sharding"]["number"] = 1.into(), "one shard of a comparison"),
        (
            |all| all["sharding"]["shards"] = vec![all["sharding"]["shards"][0].clone(); 300].into(),
            "`sharding`",
        ),
        (
            |all| all["sharding"]["shards"][0]["variants"] = (-1).into(),
            "invalid value",
        ),
    ];
    let both = shards(FIRST, 0.05).map(|shard| ("a shard".to_owned(), shard));
    let merged = merge(both.into()).unwrap();
    let right = serde_json::to_value(&merged).unwrap();
    let world = World::with(&merged);
    world.read(FIRST, &[]).fine();
    for (change, expected) in table {
        let mut all = right.clone();
        change(&mut all);
        assert_ne!(all, right, "{expected}");
        world.artifact_is(&all.to_string());
        let answer = world.read(FIRST, &[]);
        assert_eq!(answer.status, Some(1), "{expected}: {answer:#?}");
        assert!(answer.error().contains(expected), "{expected}: {answer:#?}");
    }
}

mod slow {
    use super::*;

    #[test]
    fn what_is_no_shard_of_this_comparison_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let [one, two] = shards(FIRST, 0.05);
        write(folder.path(), "one.json", &one);
        let table: &[Change] = &[
            (|all| all["head"]["commit"] = SECOND.into(), "another head"),
            (|all| all["base"]["commit"] = SECOND.into(), "another base"),
            (|all| all["harness"] = "9.9.9".into(), "another version of the harness"),
            (
                |all| all["sharding"]["shards"][0]["variants"] = 7.into(),
                "another plan",
            ),
            (|all| all["sharding"] = Value::Null, "is no shard of a comparison"),
            (
                |all| all["sharding"]["number"] = 9.into(),
                "is no shard of a comparison",
            ),
            (|all| all["gates"]["false_alarms"] = 0.5.into(), "other rules"),
        ];
        let right = serde_json::to_value(&two).unwrap();
        let refused = |expected: &str| {
            let answer = merged(folder.path(), &["one.json", "two.json"]);
            assert_eq!(answer.status, Some(2), "{expected}: {answer:#?}");
            assert!(answer.error().contains(expected), "{expected}: {answer:#?}");
            assert!(answer.error().contains("two.json"), "{expected}: {answer:#?}");
            assert_eq!(answer.stderr.lines().count(), 1, "{answer:#?}");
            assert!(!folder.path().join("merged.json").exists());
        };
        for (change, expected) in table {
            let mut all = right.clone();
            change(&mut all);
            assert_ne!(all, right, "{expected}");
            write(folder.path(), "two.json", &all);
            refused(expected);
        }
        write(folder.path(), "two.json", &one);
        refused("shard 1 is there twice: one.json and two.json");
        write(folder.path(), "two.json", &two);
        assert_eq!(merged(folder.path(), &["one.json", "two.json"]).status, Some(1));
    }
}
