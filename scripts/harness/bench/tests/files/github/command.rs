//! `hear.sh`: who is not heard, and what means nothing. That a maintainer is heard, `./scripts/rehearse bench` shows.

use serde_json::json;

use super::world::{BOT, World};
use crate::common::words;

fn world() -> World {
    let world = World::new();
    world.write("writers", "maintainer\n");
    world
}

fn hear(world: &World, login: &str, body: &str) -> String {
    let event = json!({"issue": {"number": 7}, "comment": {"id": 5, "body": body, "user": {"login": login}}});
    let file = world.artifact.path().join("event.json");
    std::fs::write(&file, event.to_string()).unwrap();
    world.script("hear.sh", &["owner/name", file.to_str().unwrap()]).stdout
}

#[test]
fn nobody_else_is_heard_and_nothing_else_is_a_command() {
    let world = world();
    assert_eq!(
        hear(&world, "stranger", "/bench"),
        "stranger may not write to owner/name: not heard\n"
    );
    for (login, body) in [
        (BOT, "/bench"),
        ("../../pulls", "/bench"),
        ("maintainer", "/benchmark everything"),
        ("maintainer", "I would say:\n/bench"),
        ("maintainer", ""),
    ] {
        hear(&world, login, body);
    }
    assert_eq!(
        (world.text("reactions"), world.text("dispatched")),
        (String::new(), String::new())
    );
}

#[test]
fn what_is_not_understood_is_answered_and_starts_nothing() {
    let world = world();
    let lines: Vec<&str> =
        words("please apps=axum app app=axum=viz app= app=$(reboot) app=axum;reboot app=--out base=main `@org/team`")
            .collect();
    for line in &lines {
        assert_eq!(
            hear(&world, "maintainer", &format!("/bench {line}")),
            "not understood\n",
            "{line}"
        );
    }
    let comments = world.get("comments");
    assert_eq!((comments.len(), world.text("dispatched")), (lines.len(), String::new()));
    assert!(
        comments.iter().all(|comment| comment["body"] == comments[0]["body"]),
        "nothing of theirs is said"
    );
    assert!(world.text("reactions").lines().all(|reaction| reaction == "confused"));
}
