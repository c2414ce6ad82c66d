use std::collections::BTreeMap;

use super::sample::comparison;
use super::*;

#[test]
fn a_comparison_is_told_with_the_decision_first() {
    insta::assert_snapshot!(comparison_markdown(&comparison()));
}

#[test]
fn a_word_like_a_commit_is_code_and_leads_nowhere() {
    assert_eq!(
        text("see 59807616e, (DEADBEEF) `0123456` and deadbeefs"),
        r"see `59807616e`, (`DEADBEEF`) \``0123456`\` and deadbeefs"
    );
    assert_eq!(text("30000 µs é1234567"), "30000 µs é1234567");
}

#[test]
fn every_decision_has_its_headline() {
    let told = |change: fn(&mut Comparison)| {
        let mut comparison = comparison();
        comparison.apps.retain(|app| app.status == Status::Measured);
        change(&mut comparison);
        headline(&comparison)
    };
    let headlines = BTreeMap::from([
        ("1", told(|_| {})),
        ("2", told(|comparison| comparison.decision = Decision::NoChange)),
        ("3", told(|comparison| comparison.decision = Decision::Improvement)),
        ("4", told(|comparison| comparison.decision = Decision::Inconclusive)),
        (
            "5",
            told(|comparison| {
                comparison.decision = Decision::NothingToMeasure;
                comparison.apps.clear();
            }),
        ),
        (
            "6",
            told(|comparison| {
                comparison.decision = Decision::NothingToMeasure;
                comparison.apps[0].status = Status::SameBinary;
            }),
        ),
    ]);
    insta::assert_debug_snapshot!(headlines);
}
