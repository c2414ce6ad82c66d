//! The life of a comment: which pull request, which comment, what is written when.

use serde_json::{Value, json};

use super::world::{BASE, BOT, FIRST, SECOND, World, comparison, pull};

#[test]
fn a_regression_is_reported_once_and_the_same_comment_says_that_it_is_gone() {
    let world = World::with(&comparison(FIRST, 0.05));
    assert_eq!(world.comment(FIRST, ""), "pull request 7: comment written\n");
    let (id, body) = world.only_comment();
    assert!(
        body.starts_with("<!-- bench compare -->\n<!-- told: regression -->\n# Regression in 1 of 1 series\n"),
        "{body}"
    );
    assert!(body.ends_with(&format!("\nMeasured at commit `{FIRST}`.")), "{body}");

    // Whatever GitHub made of the line ends.
    let mut comments = world.get("comments");
    comments[0]["body"] = body.replace('\n', "\r\n").into();
    world.set("comments", &comments);
    world.push(SECOND);
    world.unpack(&comparison(SECOND, 0.0));
    assert_eq!(
        world.comment(SECOND, ""),
        "pull request 7: comment brought up to date\n"
    );
    let (same, body) = world.only_comment();
    assert_eq!(same, id);
    assert!(
        body.contains("# No change in 1 series\n\n**Resolved:** what an earlier push"),
        "{body}"
    );
    assert!(body.contains(SECOND) && !body.contains(FIRST), "{body}");

    // The next push touches no app.
    world.comment_without(SECOND, "", "untouched");
    let (_, body) = world.only_comment();
    assert!(
        body.contains("Nothing that is measured is touched any more") && body.contains(SECOND),
        "{body}"
    );
}

#[test]
fn no_news_begin_no_comment() {
    let world = World::with(&comparison(FIRST, 0.001));
    assert_eq!(world.comment(FIRST, ""), "pull request 7: nothing to say\n");
    for nothing in ["untouched", "nothing"] {
        assert_eq!(
            world.comment_without(FIRST, "", nothing),
            "pull request 7: nothing to say\n"
        );
    }
}

/// A comparison by a schema that main no longer reads is reported where its author looks.
#[test]
fn what_main_cannot_read_is_reported() {
    let world = World::new();
    world.comment_without(FIRST, "", "unreadable");
    let (_, body) = world.only_comment();
    assert!(
        body.contains("(https://github.example/owner/name/actions/runs/9)") && body.ends_with("Update the branch."),
        "{body}"
    );
}

#[test]
fn what_others_have_written_is_not_touched_however_much_it_is() {
    let world = World::with(&comparison(FIRST, 0.05));
    let foreign = |id: u64| {
        let login = if id.is_multiple_of(2) { "stranger" } else { "other[bot]" };
        json!({ "id": id, "issue": 7, "body": "<!-- bench compare -->\nmine", "user": { "login": login } })
    };
    let deleted = json!({ "id": 900, "issue": 7, "body": "<!-- bench compare -->", "user": null });
    let quoting = json!({ "id": 901, "issue": 7, "body": "> <!-- bench compare -->", "user": { "login": BOT } });
    let elsewhere = json!({ "id": 902, "issue": 8, "body": "<!-- bench compare -->", "user": { "login": BOT } });
    let mut others: Vec<Value> = (200..450).map(foreign).collect();
    others.extend([deleted, quoting, elsewhere]);
    world.set("comments", &others);
    assert_eq!(world.comment(FIRST, ""), "pull request 7: comment written\n");
    assert_eq!(
        world.comment(FIRST, ""),
        "pull request 7: comment brought up to date\n",
        "found on the last page"
    );
    assert_eq!(world.get("comments")[..others.len()], others);
}

#[test]
fn the_pull_request_is_found_among_many_and_by_the_repository_of_its_head() {
    let world = World::with(&comparison(FIRST, 0.05));
    let mut pulls: Vec<Value> = (1000..1150)
        .map(|number| pull(number, SECOND, "open", "somebody"))
        .collect();
    pulls.extend([pull(7, FIRST, "open", "stranger"), pull(8, FIRST, "open", "copycat")]);
    // The repository of a head that was deleted.
    pulls.push(pull(10, FIRST, "open", "gone"));
    pulls[152]["head"]["repo"] = Value::Null;
    // Two of one branch, into two others; the second has another base.
    pulls.push(pull(9, FIRST, "open", "Stranger"));
    pulls[153]["base"]["sha"] = SECOND.into();
    world.set("pulls", &pulls);
    world.write(
        "bases",
        &format!("{}...{FIRST} {BASE}\n{SECOND}...{FIRST} {SECOND}\n", super::world::MAIN),
    );
    assert_eq!(
        world.comment(FIRST, ""),
        "pull request 7: comment written\npull request 9: nothing to say\n"
    );
    world.set(
        "pulls",
        &[
            pull(7, SECOND, "open", "stranger"),
            pull(8, FIRST, "closed", "stranger"),
        ],
    );
    assert!(
        world
            .comment(FIRST, "")
            .starts_with("no open pull request has the head 1111")
    );
}

#[test]
fn a_comparison_with_another_base_is_stale_and_no_verdict() {
    let other = "00000000000000000000000000000000000000bb";
    let world = World::with(&comparison(FIRST, 0.05));
    world.comment(FIRST, "");
    world.left_main_at(other);
    world.comment(FIRST, "");
    assert_eq!(
        world.only_comment().1,
        format!(
            "<!-- bench compare -->\n<!-- told: regression -->\n**Stale:** `{FIRST}` was compared with `{BASE}`, which is no \
             longer the base of this pull request. Run *Pull request benchmark* again."
        )
    );
    // What an earlier push had done is not forgotten.
    let mut next = comparison(FIRST, 0.0);
    next.base.commit = other.into();
    world.unpack(&next);
    world.comment(FIRST, "");
    assert!(world.only_comment().1.contains("**Resolved:** what an earlier push"));
}

/// In the pull request where it was requested, whatever the head is now.
#[test]
fn an_answer_has_a_comment_of_its_own_and_comes_in_any_case() {
    let world = World::with(&comparison(FIRST, 0.05));
    world.comment(FIRST, "");
    world.unpack(&comparison(FIRST, 0.0));
    world.comment(FIRST, "7");
    let body = |of: usize| world.get("comments")[of]["body"].as_str().unwrap().to_owned();
    assert!(body(0).contains("# Regression in 1 of 1 series"));
    let answer = "<!-- bench command -->\n# No change in 1 series\n\nRequested by a maintainer with `/bench`.";
    assert!(body(1).starts_with(answer), "{}", body(1));
    world.push(SECOND);
    world.comment_without(FIRST, "7", "nothing");
    assert_eq!(world.get("comments").len(), 2);
    assert!(
        body(1).contains("`/bench` could not be answered: [the run]("),
        "{}",
        body(1)
    );
}
