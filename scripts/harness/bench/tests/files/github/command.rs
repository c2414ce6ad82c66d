//! `command.sh`: who is heard, what is understood, and that nothing else of a comment means anything.

use std::fs;

use analyze::compare::decide::MOST_PAIRS;
use serde_json::{Value, json};

use super::world::{BOT, COMMENT, COMMENTS, FIRST, World, comparison};
use crate::command::{bench, root};
use crate::common::CommandOutput;

const PULL: &str = "GET repos/owner/name/pulls/7";
const RUNS: &str = "GET repos/owner/name/actions/workflows/pr-command.yml/runs";
const RERUN: &str = "POST repos/owner/name/actions/runs/31/rerun";
const REACTION: &str = "POST repos/owner/name/issues/comments/5/reactions";
const MAY: &str = "GET repos/owner/name/collaborators/maintainer/permission";

/// Where `maintainer` may write, and this head has these runs: number and status.
fn world(runs: &[(u64, &str)]) -> World {
    let world = World::new();
    fs::write(world.github().join("writers"), "maintainer\n").unwrap();
    let runs = runs.iter();
    let runs: Vec<_> = runs
        .map(|(id, status)| json!({"id": id, "status": status, "head_sha": FIRST}))
        .collect();
    world.set("runs", &[json!({"workflow_runs": runs})]);
    world
}

fn hear(world: &World, login: &str, body: &str) -> CommandOutput {
    let event = world.github().join("event.json");
    let content = json!({"issue": {"number": 7}, "comment": {"id": 5, "body": body, "user": {"login": login}}});
    fs::write(&event, content.to_string()).unwrap();
    CommandOutput::run(world.script("command.sh", &["hear", "owner/name", event.to_str().unwrap()]))
}

/// What was sent to reactions.
fn reactions(world: &World) -> Vec<String> {
    let sent = fs::read_to_string(world.github().join("sent")).unwrap_or_default();
    let sent = sent.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    sent.filter_map(|sent| Some(sent["sent"]["content"].as_str()?.to_owned()))
        .collect()
}

#[test]
fn a_maintainer_is_heard_and_the_newest_run_of_the_head_is_repeated() {
    let world = world(&[(30, "completed"), (31, "completed")]);
    let told = hear(
        &world,
        "maintainer",
        "/bench app=axum scenario=heavy rounds=20\r\n\r\nThanks!",
    )
    .fine();
    assert_eq!(told.stdout, "heard: run 31 is repeated\n");
    assert_eq!(world.asked(), [MAY, PULL, RUNS, RERUN, REACTION]);
    assert_eq!(reactions(&world), ["eyes"]);
}

#[test]
fn nobody_else_is_heard_and_nothing_else_is_a_command() {
    let world = world(&[(31, "completed")]);
    let told = hear(&world, "stranger", "/bench").fine();
    assert_eq!(told.stdout, "stranger may not write to owner/name: not heard\n");
    assert_eq!(
        world.asked(),
        ["GET repos/owner/name/collaborators/stranger/permission"]
    );
    for (login, body) in [
        (BOT, "/bench"),
        ("../../pulls", "/bench"),
        ("maintainer", "/benchmark everything"),
        ("maintainer", "I would say:\n/bench"),
        ("maintainer", ""),
    ] {
        hear(&world, login, body).fine();
        assert_eq!(world.asked(), Vec::<String>::new(), "{login}: {body}");
    }
    assert!(reactions(&world).is_empty());
}

#[test]
fn a_head_without_a_run_and_one_that_is_measured_are_answered() {
    for (runs, told) in [
        (vec![], "no run of *Pull request command* belongs to this head"),
        (vec![(31, "in_progress")], "is still being measured"),
    ] {
        let world = world(&runs);
        hear(&world, "maintainer", "/bench").fine();
        assert_eq!(world.asked(), [MAY, PULL, RUNS, REACTION, COMMENTS, COMMENT]);
        let (_, body) = world.only_comment();
        assert!(body.contains(told), "{body}");
        assert_eq!(reactions(&world), ["confused"]);
    }
}

#[test]
fn the_run_takes_the_newest_command_of_somebody_who_may() {
    let world = world(&[]);
    let comment =
        |id: u64, login: &str, body: &str| json!({"id": id, "issue": 7, "body": body, "user": {"login": login}});
    let asked = || CommandOutput::run(world.script("command.sh", &["asked", "owner/name", "7"]));
    let told = asked();
    assert_eq!(told.status, Some(1));
    assert_eq!(told.error(), "error: nobody who may write has asked with /bench");
    world.set(
        "comments",
        &[
            comment(1, "maintainer", "/bench app=axum"),
            comment(
                2,
                "maintainer",
                "/bench app=axum,viz scenario=simple metric=cpu,goodput pairs=30 time-budget=45m\nNow.",
            ),
            comment(3, "maintainer", "/bench nonsense"),
            comment(4, "maintainer", "Well done"),
            comment(5, "stranger", "/bench app=rocket"),
        ],
    );
    let words =
        r#"["--app","axum,viz","--scenario","simple","--metric","cpu,goodput","--pairs","30","--time-budget","45m"]"#;
    assert_eq!(asked().fine().stdout, format!("arguments={words}\n"));
    world.set("comments", &[comment(1, "maintainer", "/bench")]);
    assert_eq!(asked().fine().stdout, "arguments=[]\n");
}

#[test]
fn a_comment_and_the_command_take_as_many_pairs_as_an_artifact_may_hold() {
    let world = world(&[]);
    let asked = |pairs: u32| {
        let body = format!("/bench pairs={pairs}");
        world.set(
            "comments",
            &[json!({"id": 1, "issue": 7, "body": body, "user": {"login": "maintainer"}})],
        );
        CommandOutput::run(world.script("command.sh", &["asked", "owner/name", "7"]))
    };
    let refused = |pairs: u32| {
        let arguments = ["compare", "--base", "none", "--pairs", &pairs.to_string()];
        bench(&root(), &arguments).error().to_owned()
    };
    for pairs in [1, 9, 10, MOST_PAIRS] {
        let words = format!("arguments=[\"--pairs\",\"{pairs}\"]\n");
        assert_eq!(asked(pairs).fine().stdout, words);
        assert!(refused(pairs).contains("`none`"), "{}", refused(pairs));
    }
    let more = MOST_PAIRS + 1;
    assert_eq!(asked(more).status, Some(1));
    let refused = refused(more);
    assert!(
        refused.contains(&format!("{more} is not in 1..={MOST_PAIRS}")),
        "{refused}"
    );
}

mod slow {
    use super::*;

    #[test]
    fn what_is_not_understood_is_answered_in_one_comment_and_starts_nothing() {
        let world = world(&[(31, "completed")]);
        for (body, told) in [
            ("/bench please", "no other words"),
            ("/bench apps=axum", "no other words"),
            ("/bench app", "no other words"),
            ("/bench app=axum=viz", "no other words"),
            ("/bench app=", "app= has no value"),
            ("/bench app=$(reboot)", "app= has no value"),
            ("/bench app=axum;reboot", "app= has no value"),
            ("/bench app=--out", "app= has no value"),
            ("/bench app=axum,", "app= has no value"),
            ("/bench pairs=0", "pairs= has no value that it could have: 1 to 100"),
            ("/bench pairs=5 rounds=6", "rounds= is there twice"),
            ("/bench app=axum app=viz", "app= is there twice"),
            ("/bench time-budget=1d", "time-budget= has no value"),
            ("/bench base=main", "no other words"),
            ("/bench `@org/team`", "no other words"),
        ] {
            let answer = hear(&world, "maintainer", body).fine();
            assert!(answer.stdout.contains(told), "{body}: {answer:#?}");
            let asked = world.asked();
            assert!(!asked.iter().any(|asked| asked.contains("rerun")), "{body}: {asked:?}");
            let comments = world.get("comments");
            assert_eq!(comments.len(), 1, "{body}");
            let text = comments[0]["body"].as_str().unwrap();
            assert!(text.starts_with("<!-- bench command -->\n`/bench` was not understood: ") && text.contains(told));
            assert!(!text.contains("reboot") && !text.contains("@org"), "{text}");
        }
        assert!(reactions(&world).iter().all(|reaction| reaction == "confused"));
    }

    #[test]
    fn an_answer_has_a_comment_of_its_own_and_takes_nothing_back() {
        let world = World::with(&comparison(FIRST, 0.05));
        world.comment(FIRST).fine();
        world.unpack(&comparison(FIRST, 0.0));
        world.comment_for("command", FIRST).fine();
        let bodies: Vec<String> = world
            .get("comments")
            .iter()
            .map(|comment| comment["body"].as_str().unwrap().to_owned())
            .collect();
        let [gate, answer] = bodies.as_slice() else {
            panic!("{bodies:?}")
        };
        assert!(gate.contains("# Regression in 1 of 1 series"), "{gate}");
        assert!(
            answer.starts_with(
                "<!-- bench command -->\n# No change in 1 series\n\nWhat a maintainer asked for with `/bench`."
            ),
            "{answer}"
        );
        // Asked once more, it is brought up to date.
        world.unpack(&comparison(FIRST, 0.05));
        world.comment_for("command", FIRST).fine();
        assert_eq!(world.get("comments").len(), 2);
    }
}
