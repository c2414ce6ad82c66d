//! What can go wrong between here and GitHub: told in one line, tried again only where nothing can happen twice.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tell::github::wait::Patience;
use tell::github::{Client, GithubError, Settings};

use super::world::{COMMENT, COMMENTS, FIRST, PULLS, SECOND, TOKEN, World, comparison, failed};
use crate::common::Told;
use crate::fake_api::{Answer, Failure, How};

#[test]
fn what_cannot_be_done_is_one_line_that_says_what_to_do() {
    let world = World::with(&comparison(FIRST, 0.05));
    let with = |name: &str, value: &str| {
        let mut command = world.comment_command(FIRST, &[]);
        command.env(name, value);
        Told::of(command)
    };
    failed(
        &with("GITHUB_TOKEN", ""),
        "GITHUB_TOKEN is not set; give the step `env: GITHUB_TOKEN: ${{ github.token }}`",
    );
    failed(
        &with("GITHUB_API_URL", "http://api.github.com"),
        "GITHUB_API_URL is no https address",
    );
    failed(
        &with("GITHUB_TOKEN", "wrong"),
        "GET /repos/owner/name/pulls: GitHub answered 401 (Bad credentials); GITHUB_TOKEN",
    );
    world.api.asked();

    let fail = |method, path, answer| {
        world.api.fail(Failure {
            method,
            path,
            times: 1,
            how: How::Answer(answer),
        });
        let told = world.comment(FIRST);
        (told, world.api.asked())
    };
    let integration = "Resource not accessible by integration";
    let (told, asked) = fail("POST", "/comments", Answer::error(403, integration));
    failed(
        &told,
        "POST /repos/owner/name/issues/7/comments: GitHub answered 403 (Resource not accessible by integration); the token \
         needs the permission `pull-requests: write`",
    );
    assert_eq!(asked, [PULLS, COMMENTS, COMMENT], "not tried again");
    let (told, asked) = fail("POST", "/comments", Answer::error(502, "\u{1b}[31m::error::two\nlines"));
    failed(
        &told,
        "GitHub answered 502 ([31m::error::two lines); that is GitHub's fault",
    );
    assert_eq!(asked, [PULLS, COMMENTS, COMMENT], "it may have happened");
    let moved = Answer::error(301, "Moved Permanently").with("location", "https://example.org/");
    let (told, asked) = fail("GET", "/pulls", moved);
    failed(&told, "301 (Moved Permanently); the repository has another name");
    assert_eq!(asked, [PULLS]);
    let nonsense = |body: Vec<u8>| Answer {
        status: 200,
        headers: Vec::new(),
        body,
    };
    let (told, _) = fail("GET", "/pulls", nonsense(b"<html>".to_vec()));
    failed(&told, "the answer cannot be used: expected value");
    let (told, asked) = fail("GET", "/pulls", nonsense(vec![b' '; 33 << 20]));
    failed(&told, "the answer cannot be used: it has more than 32 MiB");
    assert_eq!(asked, [PULLS], "not tried again");
    let limited = Answer::error(403, "API rate limit exceeded").with("x-ratelimit-remaining", "0");
    let (told, asked) = fail("GET", "/pulls", limited.with("x-ratelimit-reset", "99999999999"));
    failed(&told, "its limit of requests is reached");
    assert_eq!(asked, [PULLS], "it would be too long a wait");
    world.api.fail(Failure {
        method: "POST",
        path: "/comments",
        times: 1,
        how: How::HangUp,
    });
    failed(
        &world.comment(FIRST),
        "POST /repos/owner/name/issues/7/comments: no answer",
    );
    assert_eq!(world.comments().len(), 1, "it happened, and was not made twice");
    world.comment(FIRST).fine();
    assert_eq!(world.comments().len(), 1);
    drop(fs::remove_file(world.artifact.path().join("comparison.json")));
    fs::remove_dir(world.artifact.path()).unwrap();
    failed(&world.comment(FIRST), "cannot read ");
}

#[test]
fn what_passes_is_waited_for() {
    let world = World::with(&comparison(FIRST, 0.05));
    let fail = |method, path, times, how| {
        world.api.fail(Failure {
            method,
            path,
            times,
            how,
        });
    };
    let soon = || Answer::error(403, "You have exceeded a secondary rate limit").with("retry-after", "1");
    fail("GET", "/pulls", 2, How::Answer(Answer::error(500, "")));
    fail(
        "GET",
        "/comments",
        1,
        How::Answer(Answer::error(429, "").with("retry-after", "0")),
    );
    fail("POST", "/comments", 1, How::Answer(soon()));
    let began = Instant::now();
    world.comment(FIRST).fine();
    assert!(began.elapsed() >= Duration::from_secs(4), "1 s, 2 s, 0 s and 1 s");
    assert_eq!(
        world.api.asked(),
        [PULLS, PULLS, PULLS, COMMENTS, COMMENTS, COMMENT, COMMENT]
    );
    let (id, _) = world.only_comment();

    // A change may be made twice.
    world.push(SECOND);
    world.unpack(&comparison(SECOND, 0.0));
    fail("PATCH", "/comments", 1, How::HangUp);
    world.comment(SECOND).fine();
    let change = format!("PATCH /repos/owner/name/issues/comments/{id}");
    assert_eq!(world.api.asked(), [PULLS, COMMENTS, &change, &change]);
    world.only_comment();
}

/// A client that has little patience.
fn impatient(url: &str) -> Client {
    let mut settings = Settings::new(url, TOKEN).unwrap();
    settings.patience = Patience {
        whole: Duration::from_millis(200),
        pause: Duration::from_millis(1),
        ..Patience::default()
    };
    Client::new(settings)
}

#[test]
fn an_answer_that_does_not_come_is_not_waited_for_forever() {
    let world = World::new();
    let slow = || How::Slow(Duration::from_secs(2));
    world.api.fail(Failure {
        method: "GET",
        path: "/pulls",
        times: 2,
        how: slow(),
    });
    let client = impatient(&world.api.url());
    let pulls = client.list("/repos/owner/name/pulls", "", "x", |pull: Value| {
        pull["number"].as_u64()
    });
    assert_eq!(pulls.unwrap(), [7], "the third time it came");
    world.api.fail(Failure {
        method: "POST",
        path: "/issues",
        times: 1,
        how: slow(),
    });
    let issue: Result<Value, _> = client.post("/repos/owner/name/issues", &json!({ "title": "x" }), "x");
    assert!(matches!(issue, Err(GithubError::NoAnswer { .. })), "{issue:?}");
    assert_eq!(world.api.state().issues.len(), 1);

    // Where nobody listens, nothing can have happened, and that is tried again until patience ends.
    let nobody = impatient("http://127.0.0.1:1");
    let issue: Result<Value, _> = nobody.post("/repos/owner/name/issues", &json!({}), "x");
    assert!(matches!(issue, Err(GithubError::NoAnswer { .. })), "{issue:?}");
}

#[test]
fn a_list_without_end_is_not_read_to_its_end() {
    let world = World::new();
    let page = Answer::json(200, &json!([])).with("link", "<https://example.org/>; rel=\"next\"");
    world.api.fail(Failure {
        method: "GET",
        path: "/pulls",
        times: 1000,
        how: How::Answer(page),
    });
    let client = impatient(&world.api.url());
    let endless = client.list("/repos/owner/name/pulls", "", "x", |pull: Value| Some(pull));
    assert!(matches!(endless, Err(GithubError::TooMany(_))), "{endless:?}");
    assert_eq!(world.api.asked().len(), 50);
}

#[test]
fn arguments_that_cannot_be_meant_are_refused() {
    let world = World::with(&comparison(FIRST, 0.05));
    for arguments in [
        &[
            "comment",
            "--head-sha",
            "1111111",
            "--repository",
            "owner/name",
            "--artifact",
            "x",
        ][..],
        &[
            "comment",
            "--head-sha",
            FIRST,
            "--repository",
            "owner",
            "--artifact",
            "x",
        ],
        &["issue", "--matter", "a-->b", "--resolved", "--repository", "owner/name"],
        &[
            "issue",
            "--matter",
            "audit",
            "--title",
            "two\nlines",
            "--body",
            "x",
            "--repository",
            "owner/name",
        ],
        &[
            "issue",
            "--matter",
            "audit",
            "--title",
            "x",
            "--repository",
            "owner/name",
        ],
        &[
            "issue",
            "--matter",
            "audit",
            "--resolved",
            "--body",
            "x",
            "--repository",
            "owner/name",
        ],
    ] {
        let told = Told::of(world.command(arguments));
        assert_eq!(told.status, Some(2), "{arguments:?}: {told:#?}");
    }
    assert_eq!(world.api.asked(), Vec::<String>::new());
}
