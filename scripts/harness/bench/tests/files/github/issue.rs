//! The life of an issue.

use std::fs;

use serde_json::json;

use super::world::{BOT, ISSUES, World, failed};
use crate::fake_api::{Answer, Failure, How};

#[test]
fn a_matter_has_one_issue_until_it_is_gone() {
    let world = World::new();
    let folder = tempfile::tempdir().unwrap();
    let body = folder.path().join("audit.md");
    let body = body.to_str().unwrap();
    let report = |text: &str, arguments: &[&str]| {
        fs::write(body, text).unwrap();
        let all = ["--title", "The audit fails", "--label", "security", "--body", body];
        world.issue(&[&all[..], arguments].concat()).fine().stdout
    };
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
    world.api.state().issues = others.to_vec();

    assert_eq!(world.issue(&["--resolved"]).fine().stdout, "audit: no issue is open\n");
    assert_eq!(world.api.asked(), [ISSUES]);
    assert_eq!(report("one\n", &["--state", "1 advisory"]), "audit: issue 101 opened\n");
    assert_eq!(world.api.asked(), [ISSUES, "POST /repos/owner/name/issues"]);
    let ours = |field: &str| world.api.state().issues[4][field].clone();
    assert_eq!(
        (ours("title"), ours("labels")),
        (json!("The audit fails"), json!([{ "name": "security" }]))
    );
    assert_eq!(
        ours("body"),
        "<!-- bench issue: audit -->\n<!-- state: 1 advisory -->\none\n"
    );

    assert_eq!(
        report("one\n", &["--state", "1 advisory"]),
        "audit: issue 101 is up to date\n"
    );
    assert_eq!(world.api.asked(), [ISSUES]);
    assert_eq!(
        report("one, again\n", &["--state", "1 advisory"]),
        "audit: issue 101 brought up to date\n"
    );
    assert_eq!(
        world.api.asked(),
        [ISSUES, "PATCH /repos/owner/name/issues/101"],
        "no comment: it stands as it stood"
    );
    report("two\n", &["--state", "2 advisories @org"]);
    let [patch, tell] = [
        "PATCH /repos/owner/name/issues/101",
        "POST /repos/owner/name/issues/101/comments",
    ];
    assert_eq!(world.api.asked(), [ISSUES, patch, tell]);
    assert_eq!(world.comments()[0]["body"], "Now: 2 advisories @&#8203;org");

    assert_eq!(world.issue(&["--resolved"]).fine().stdout, "audit: issue 101 closed\n");
    assert_eq!(world.api.asked(), [ISSUES, patch, tell]);
    assert_eq!(
        (ours("state"), ours("state_reason")),
        (json!("closed"), json!("completed"))
    );
    assert!(world.comments()[1]["body"].as_str().unwrap().starts_with("Resolved"));
    assert_eq!(world.issue(&["--resolved"]).fine().stdout, "audit: no issue is open\n");
    assert_eq!(
        report("three\n", &[]),
        "audit: issue 104 opened\n",
        "a closed one stays closed"
    );
    assert_eq!(world.api.state().issues[..4], others);

    let dry = report("x\n", &["--dry-run"]);
    assert!(
        dry.starts_with("# The audit fails\n\n<!-- bench issue: audit -->\n"),
        "{dry}"
    );
    world.api.asked();
    let integration = Answer::error(403, "Resource not accessible by integration");
    world.api.fail(Failure {
        method: "GET",
        path: "/issues",
        times: 1,
        how: How::Answer(integration),
    });
    failed(
        &world.issue(&["--resolved"]),
        "the token needs the permission `issues: write`",
    );
}
