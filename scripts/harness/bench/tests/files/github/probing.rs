//! What a comment says of the quick cases on both sides, and when they decide.

use analyze::compare::outcome::Decision;
use model::probe::ProbeOutcome;

use super::world::{FIRST, World, comparison, probes};

/// A comparison in which nothing moved but this case.
fn world(case: &str, base: ProbeOutcome, head: ProbeOutcome, expected: Decision) -> World {
    let mut comparison = comparison(FIRST, 0.001);
    comparison.probes = Some(probes(&[(case, base, head)]));
    let comparison = comparison.decided();
    assert_eq!(comparison.decision, expected, "{case} {base:?} {head:?}");
    World::with(&comparison)
}

#[test]
fn a_broken_case_is_a_regression_and_shown_with_its_source() {
    let world = world(
        "host-twice",
        ProbeOutcome::Passed,
        ProbeOutcome::Failed,
        Decision::Regression,
    );
    world.comment(FIRST, "");
    let (_, body) = world.only_comment();
    for part in [
        "<!-- told: regression -->\n# Regression: 1 case that must pass fails\n",
        "## Broken\n\n- good · host-twice · RFC 9112, section 3.2: ",
        " Base: 400 closed. Head: 200 open. Show it: `./scripts/bench probe --app good --case host-twice`\n",
    ] {
        assert!(body.contains(part), "{part}: {body}");
    }
}

mod slow {
    use super::*;

    #[test]
    fn what_flickers_or_fails_already_or_is_only_recommended_begins_no_comment() {
        use ProbeOutcome::{Failed, Flaky, NotApplicable, Passed};
        for (case, base, head) in [
            ("host-twice", Failed, Failed),
            ("host-twice", Passed, Flaky),
            ("host-twice", Flaky, Failed),
            ("host-twice", NotApplicable, Failed),
            ("host-twice", Failed, Passed),
            ("line-without-colon", Passed, Failed),
        ] {
            let world = world(case, base, head, Decision::NoChange);
            let answer = world.comment(FIRST, "");
            assert_eq!(answer, "pull request 7: nothing to say\n");
        }
    }
}
