//! The life of a comment: which pull request, which comment, what is written when.

use serde_json::{Value, json};

use super::world::{
    BASE, BASE_OF_FIRST, BASE_OF_SECOND, BOT, COMMENT, COMMENTS, FIRST, MAIN, PULLS, SECOND, World, comparison, pull,
};

#[test]
fn a_regression_is_told_once_and_the_same_comment_says_that_it_is_gone() {
    let world = World::with(&comparison(FIRST, 0.05));
    world.comment(FIRST).fine();
    assert_eq!(world.asked(), [PULLS, BASE_OF_FIRST, COMMENTS, COMMENT]);
    let (id, body) = world.only_comment();
    assert!(
        body.starts_with("<!-- bench compare -->\n<!-- told: regression -->\n# Regression in 1 of 1 series\n"),
        "{body}"
    );
    assert!(
        body.contains("- good · plaintext · +5.0 % CPU per request [4.9, 5.1], 106 → 111 µs, 13 pairs\n"),
        "{body}"
    );
    assert!(
        body.contains("\nThis pull request (`111111111111`) against its base (`000000000000`)"),
        "{body}"
    );
    assert!(body.ends_with(&format!("\nMeasured at commit `{FIRST}`.\n")), "{body}");

    // The same once more: nothing is written, whatever GitHub made of the line ends.
    let mut comments = world.get("comments");
    comments[0]["body"] = body.replace('\n', "\r\n").into();
    world.set("comments", &comments);
    let told = world.comment(FIRST).fine();
    assert_eq!(told.stdout, "pull request 7: comment is up to date\n");
    assert_eq!(world.asked(), [PULLS, BASE_OF_FIRST, COMMENTS]);

    world.push(SECOND);
    world.unpack(&comparison(SECOND, 0.0));
    let told = world.comment(SECOND).fine();
    assert_eq!(told.stdout, "pull request 7: comment brought up to date\n");
    let change = format!("PATCH repos/owner/name/issues/comments/{id}");
    assert_eq!(world.asked(), [PULLS, BASE_OF_SECOND, COMMENTS, change.as_str()]);
    let (same, body) = world.only_comment();
    assert_eq!(same, id);
    assert!(
        body.contains("# No change in 1 series\n\n**Resolved:** what an earlier push"),
        "{body}"
    );
    assert!(body.contains(SECOND) && !body.contains(FIRST), "{body}");
}

#[test]
fn no_news_begin_no_comment() {
    let world = World::with(&comparison(FIRST, 0.001));
    let told = world.comment(FIRST).fine();
    assert!(told.stdout.contains("nothing is worse or better"), "{told:#?}");
    assert_eq!(world.asked(), [PULLS, BASE_OF_FIRST, COMMENTS]);
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

    world.comment(FIRST).fine();
    assert_eq!(world.asked(), [PULLS, BASE_OF_FIRST, COMMENTS, COMMENT]);
    world.comment(FIRST).fine();
    assert_eq!(
        world.asked(),
        [PULLS, BASE_OF_FIRST, COMMENTS],
        "found on the last page"
    );
    let mut comments = world.get("comments");
    let ours = comments.pop().unwrap();
    assert_eq!(comments, others);
    assert_eq!((&ours["user"]["login"], &ours["issue"]), (&json!(BOT), &json!(7)));
}

#[test]
fn without_an_open_pull_request_of_this_head_nothing_is_written() {
    let world = World::with(&comparison(FIRST, 0.05));
    for pulls in [
        vec![pull(7, FIRST, "closed", "stranger")],
        vec![pull(7, SECOND, "open", "stranger")], // pushed to since
        Vec::new(),
    ] {
        world.set("pulls", &pulls);
        let told = world.comment(FIRST).fine();
        assert!(
            told.stdout
                .starts_with("no open pull request of stranger/name has the head 1111"),
            "{told:#?}"
        );
        assert_eq!(world.asked(), [PULLS]);
    }
}

#[test]
fn the_pull_request_is_found_among_many_and_by_the_repository_of_its_head() {
    let world = World::with(&comparison(FIRST, 0.05));
    let mut pulls: Vec<Value> = (1000..1150)
        .map(|number| pull(number, SECOND, "open", "somebody"))
        .collect();
    pulls.extend([pull(7, FIRST, "open", "stranger"), pull(8, FIRST, "open", "copycat")]);
    pulls[0]["head"]["repo"] = Value::Null;
    // Two of one branch, into two others.
    pulls.push(pull(9, FIRST, "open", "Stranger"));
    world.set("pulls", &pulls);
    let told = world.comment(FIRST).fine();
    assert_eq!(
        told.stdout,
        "pull request 7: comment written\npull request 9: comment written\n"
    );
    let on: Vec<Value> = world
        .get("comments")
        .iter()
        .map(|comment| comment["issue"].clone())
        .collect();
    assert_eq!(on, [7, 9]);
}

#[test]
fn people_are_shown_the_comment_as_markdown() {
    let world = World::with(&comparison(FIRST, 0.05));
    let told = world.read(FIRST, &[]).fine();
    assert!(told.stdout.starts_with("<!-- bench compare -->\n"), "{told:#?}");
    world.comment(FIRST).fine();
    assert_eq!(world.only_comment().1, told.stdout);
}

#[test]
fn of_one_branch_that_is_to_go_into_two_each_is_judged_by_its_own_base() {
    let world = World::with(&comparison(FIRST, 0.05));
    let release = "00000000000000000000000000000000000000cc";
    let mut other = pull(9, FIRST, "open", "stranger");
    other["base"]["sha"] = release.into();
    world.set("pulls", &[pull(7, FIRST, "open", "stranger"), other]);
    world.bases(&[(MAIN, FIRST, BASE), (release, FIRST, release)]);
    let told = world.comment(FIRST).fine();
    assert_eq!(
        told.stdout,
        format!(
            "pull request 7: comment written\npull request 9: the comparison is stale: it is with {BASE}, and the base is \
             {release}\n"
        )
    );
}

mod slow {
    use super::*;

    #[test]
    fn a_comparison_with_another_base_is_stale_and_no_verdict() {
        let other = "00000000000000000000000000000000000000bb";
        let world = World::with(&comparison(FIRST, 0.05));
        let stale = format!("pull request 7: the comparison is stale: it is with {BASE}, and the base is {other}\n");

        // The base was changed after the comparison: it begins no comment,
        world.left_main_at(other);
        assert_eq!(world.comment(FIRST).fine().stdout, stale);
        assert_eq!(world.asked(), [PULLS, BASE_OF_FIRST, COMMENTS]);

        // and of one that is there it leaves a line, in which neither verdict nor figure is.
        world.left_main_at(BASE);
        world.comment(FIRST).fine();
        world.left_main_at(other);
        let told = world.comment(FIRST).fine();
        assert_eq!(
            told.stdout,
            format!("{stale}pull request 7: comment brought up to date\n")
        );
        let body = world.only_comment().1;
        assert_eq!(
            body,
            format!(
                "<!-- bench compare -->\n<!-- told: regression -->\n**Stale:** `{FIRST}` was compared with `{BASE}`, which is no \
                 longer the base of this pull request. Run *Pull request benchmark* again.\n"
            )
        );
        // What an earlier push had done is not forgotten.
        let mut next = comparison(FIRST, 0.0);
        next.base.commit = other.into();
        world.unpack(&next);
        world.comment(FIRST).fine();
        assert!(world.only_comment().1.contains("**Resolved:** what an earlier push"));
    }
}
