//! The life of an issue.

use std::fs;

use serde_json::json;

use super::world::{BOT, ISSUES, World, failed};
use crate::common::CommandOutput;

#[test]
fn a_matter_has_one_issue_until_it_is_gone() {
    let world = World::new();
    let folder = tempfile::tempdir().unwrap();
    let body = folder.path().join("audit.md");
    let body = body.to_str().unwrap();
    let report = |text: &str, state: &str| {
        fs::write(body, text).unwrap();
        world
            .issue("open", &["The audit fails", body, state, "security"])
            .fine()
            .stdout
    };
    let resolve = || world.issue("resolve", &[]).fine().stdout;
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

    assert_eq!(resolve(), "audit: no issue is open\n");
    assert_eq!(world.asked(), [ISSUES]);
    assert_eq!(report("one\n", "1 advisory"), "audit: issue 101 opened\n");
    assert_eq!(world.asked(), [ISSUES, "POST repos/owner/name/issues"]);
    let ours = |field: &str| world.get("issues")[4][field].clone();
    assert_eq!(
        (ours("title"), ours("labels")),
        (json!("The audit fails"), json!(["security"]))
    );
    assert_eq!(
        ours("body"),
        "<!-- bench issue: audit -->\n<!-- state: 1 advisory -->\none\n"
    );

    assert_eq!(report("one\n", "1 advisory"), "audit: issue 101 is up to date\n");
    assert_eq!(world.asked(), [ISSUES]);
    let updated = "audit: issue 101 brought up to date\n";
    assert_eq!(report("one, again\n", "1 advisory"), updated);
    let [patch, say] = [
        "PATCH repos/owner/name/issues/101",
        "POST repos/owner/name/issues/101/comments",
    ];
    assert_eq!(world.asked(), [ISSUES, patch], "no comment: it stands as it stood");
    assert_eq!(report("two\n", "2 --> `@org`"), updated);
    assert_eq!(world.asked(), [ISSUES, patch, say]);
    assert_eq!(world.get("comments")[0]["body"], "Now: `2 -- @org`");
    assert!(
        ours("body")
            .as_str()
            .unwrap()
            .contains("\n<!-- state: 2 -- @org -->\ntwo\n")
    );

    assert_eq!(resolve(), "audit: issue 101 closed\n");
    assert_eq!(world.asked(), [ISSUES, patch, say]);
    assert_eq!(
        (ours("state"), ours("state_reason")),
        (json!("closed"), json!("completed"))
    );
    assert!(
        world.get("comments")[1]["body"]
            .as_str()
            .unwrap()
            .starts_with("Resolved")
    );
    assert_eq!(resolve(), "audit: no issue is open\n");
    assert_eq!(
        report("three\n", ""),
        "audit: issue 104 opened\n",
        "a closed one stays closed"
    );
    assert_eq!(world.get("issues")[..4], others);
}

#[test]
fn a_body_that_is_too_long_is_cut_at_a_line() {
    let world = World::new();
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), "ä line\n".repeat(20_000)).unwrap();
    world.issue("open", &["x", file.path().to_str().unwrap()]).fine();
    let body = world.get("issues")[0]["body"].as_str().unwrap().to_owned();
    assert!(body.chars().count() <= 65_536, "{}", body.len());
    assert!(
        body.starts_with("<!-- bench issue: audit -->\n<!-- state: x -->\nä line\n"),
        "{body}"
    );
    assert!(body.ends_with("ä line\n\n(The rest is left out: it is too long for an issue.)\n"));
}

#[test]
fn what_cannot_be_meant_or_done_is_one_line() {
    let world = World::new();
    for (arguments, reason) in [
        (["open", "a-->b"], "the matter 'a-->b' is not made of"),
        (["shut", "audit"], "'shut' is neither open nor resolve"),
    ] {
        let [verb, matter] = arguments;
        let told = CommandOutput::run(world.script("issue.sh", &[verb, "owner/name", matter, "title", "body"]));
        failed(&told, reason);
    }
    assert_eq!(world.asked(), Vec::<String>::new());
    world.fail(&["GET issues gh: Resource not accessible by integration (HTTP 403)"]);
    failed(
        &world.issue("resolve", &[]),
        "(HTTP 403); the token needs the permission issues: write",
    );
    // Closed, but not told: the next run does not say it again.
    let ours = json!({ "number": 5, "state": "open", "title": "x", "user": { "login": BOT }, "body": "<!-- bench issue: audit -->" });
    world.set("issues", &[ours]);
    world.fail(&["POST comments gh: Server Error (HTTP 502)"]);
    failed(&world.issue("resolve", &[]), "(HTTP 502)");
    assert_eq!(world.issue("resolve", &[]).fine().stdout, "audit: no issue is open\n");
}
