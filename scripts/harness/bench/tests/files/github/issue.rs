//! The life of an issue.

use std::fs;

use serde_json::json;

use super::world::{BOT, World};

#[test]
fn a_matter_has_one_issue_until_it_is_gone() {
    let world = World::new();
    let body = world.artifact.path().join("body.md");
    let body = body.to_str().unwrap();
    let open = |matter: &str, text: &str| {
        fs::write(body, text).unwrap();
        let arguments = ["open", "owner/name", matter, "The audit fails", body, "security"];
        world.script("issue.sh", &arguments).stdout
    };
    let close = |matter: &str| world.script("issue.sh", &["close", "owner/name", matter]).stdout;
    // The same mark by somebody else, of another matter, closed, and in a pull request.
    let issue = |number: u64, login: &str, state: &str, matter: &str| {
        json!({
            "number": number, "state": state, "title": "x", "user": { "login": login },
            "body": format!("<!-- bench issue: {matter} -->\n"),
        })
    };
    let mut pull = issue(4, BOT, "open", "audit");
    pull["pull_request"] = json!({ "url": "x" });
    let others = [
        issue(1, "stranger", "open", "audit"),
        issue(2, BOT, "open", "audit-2"),
        issue(3, BOT, "closed", "audit"),
        pull,
    ];
    world.set("issues", &others);
    assert_eq!(close("audit"), "");
    assert_eq!(open("audit", "one\n"), "audit: issue opened\n");
    let ours = |field: &str| world.get("issues")[4][field].clone();
    assert_eq!(
        (ours("title"), ours("labels")),
        (json!("The audit fails"), json!(["security"]))
    );
    assert_eq!(ours("body"), "<!-- bench issue: audit -->\none\n");
    assert_eq!(
        open("audit", &"ä line\n".repeat(20_000)),
        "audit: issue 101 brought up to date\n"
    );
    assert!(ours("body").as_str().unwrap().chars().count() <= 65_536);

    // What does well on Tuesday says nothing of Monday.
    assert_eq!(close("audit-database"), "");
    assert_eq!(ours("state"), "open");
    assert_eq!(close("audit"), "audit: issue 101 closed\n");
    assert_eq!(ours("state"), "closed");
    assert!(
        world.get("comments")[0]["body"]
            .as_str()
            .unwrap()
            .starts_with("Resolved")
    );
    assert_eq!(close("audit"), "");
    assert_eq!(world.get("issues")[..4], others);
}
