//! Which pull request and which comment are taken, whatever others have written, and that another base is no verdict. The life of a comment is
//! rehearsed.

use serde_json::{Value, json};

use super::world::{BASE, BOT, FIRST, SECOND, World, comparison, pull};

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
    assert_eq!(world.comment(FIRST), "pull request 7: comment written\n");
    assert_eq!(
        world.comment(FIRST),
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
        world.comment(FIRST),
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
            .comment(FIRST)
            .starts_with("no open pull request has the head 1111")
    );
}

#[test]
fn a_comparison_with_another_base_is_stale_and_no_verdict() {
    let other = "00000000000000000000000000000000000000bb";
    let world = World::with(&comparison(FIRST, 0.05));
    world.comment(FIRST);
    world.left_main_at(other);
    world.comment(FIRST);
    assert_eq!(
        world.only_comment(),
        format!(
            "<!-- bench compare -->\n<!-- told: regression -->\n**Stale:** `{FIRST}` was compared with `{BASE}`, which is no \
             longer the base of this pull request. Run *Pull request benchmark* again."
        )
    );
    // What an earlier push had done is not forgotten.
    let mut next = comparison(FIRST, 0.0);
    next.base.commit = other.into();
    world.unpack(&next);
    world.comment(FIRST);
    assert!(world.only_comment().contains("**Resolved:** what an earlier push"));
}
