//! What can go wrong between here and GitHub: told in one line, tried again only where nothing can happen twice.

use super::world::{BASE_OF_FIRST, BASE_OF_SECOND, COMMENT, COMMENTS, FIRST, PULLS, SECOND, World, comparison, failed};
use crate::common::CommandOutput;

#[test]
fn an_answer_that_does_not_come_is_not_waited_for_forever() {
    let world = World::with(&comparison(FIRST, 0.05));
    world.fail(&["POST comments late"]);
    let mut command = world.comment_command("gate", FIRST);
    command.env("API_TIMEOUT", "2");
    failed(&CommandOutput::run(command), "no answer within 2 s");
}

mod slow {
    use super::*;

    #[test]
    fn what_cannot_be_done_is_one_line_and_nothing_is_half_done() {
        let world = World::with(&comparison(FIRST, 0.05));
        let with = |name: &str, value: &str| {
            let mut command = world.comment_command("gate", FIRST);
            command.env(name, value);
            CommandOutput::run(command)
        };
        failed(
            &with("GH_TOKEN", "wrong"),
            "error: GET repos/owner/name/pulls: gh: Bad credentials (HTTP 401); the token needs the permission pull-requests: write",
        );
        assert_eq!(world.asked(), [PULLS], "not tried again");
        let without = with("GH_TOKEN", "");
        assert!(
            without.status == Some(1) && without.stderr.contains("GH_TOKEN: a token with"),
            "{without:#?}"
        );
        assert_eq!(world.asked(), Vec::<String>::new());

        for (failure, reason, asked) in [
            (
                "POST comments gh: Resource not accessible by integration (HTTP 403)",
                "(HTTP 403); the token needs the permission pull-requests: write",
                &[PULLS, BASE_OF_FIRST, COMMENTS, COMMENT][..],
            ),
            (
                "POST comments \u{1b}[31mgh: ::error::x (HTTP 502)",
                "POST repos/owner/name/issues/7/comments: [31mgh: ::error::x (HTTP 502)",
                &[PULLS, BASE_OF_FIRST, COMMENTS, COMMENT], // not tried again: it may have happened
            ),
            // Where nothing came, nothing may be written.
            (
                "GET comments empty\nGET comments empty\nGET comments empty",
                "GET repos/owner/name/issues/7/comments: the answer is no JSON",
                &[PULLS, BASE_OF_FIRST, COMMENTS, COMMENTS, COMMENTS],
            ),
            (
                "GET comments gh: Not Found (HTTP 404)",
                "GET repos/owner/name/issues/7/comments: gh: Not Found (HTTP 404)",
                &[PULLS, BASE_OF_FIRST, COMMENTS],
            ),
        ] {
            world.fail(&[failure]);
            failed(&world.comment(FIRST), reason);
            assert_eq!(world.asked(), asked, "{failure}");
            assert!(world.get("comments").is_empty(), "{failure}");
        }

        world.fail(&["POST comments lost"]);
        failed(&world.comment(FIRST), "error connecting to api.github.com");
        world.only_comment();
        world.comment(FIRST).fine();
        world.only_comment(); // it happened, and is not made twice
    }

    #[test]
    fn what_passes_is_tried_again_three_times() {
        let world = World::with(&comparison(FIRST, 0.05));
        let fault = "GET pulls gh: Server Error (HTTP 502)";
        world.fail(&[fault, fault, "GET comments lost"]);
        world.comment(FIRST).fine();
        assert_eq!(
            world.asked(),
            [PULLS, PULLS, PULLS, BASE_OF_FIRST, COMMENTS, COMMENTS, COMMENT]
        );
        let (id, _) = world.only_comment();

        // A change may be made twice.
        world.push(SECOND);
        world.unpack(&comparison(SECOND, 0.0));
        world.fail(&["PATCH comments lost"]);
        world.comment(SECOND).fine();
        let change = format!("PATCH repos/owner/name/issues/comments/{id}");
        assert_eq!(world.asked(), [PULLS, BASE_OF_SECOND, COMMENTS, &change, &change]);
        world.only_comment();

        world.fail(&[fault; 4]);
        failed(&world.comment(SECOND), "gh: Server Error (HTTP 502)");
        assert_eq!(world.asked(), [PULLS, PULLS, PULLS]);
    }
}
