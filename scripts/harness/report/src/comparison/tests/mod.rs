use std::collections::BTreeMap;

use sample::comparison;

use super::*;

pub mod sample;

#[test]
fn a_comparison_is_told_with_the_decision_first() {
    insta::assert_snapshot!(comparison_markdown(&comparison()));
}

#[test]
fn every_decision_has_its_headline() {
    let headline_after = |change: fn(&mut Comparison)| {
        let mut comparison = comparison();
        comparison.apps.retain(|app| app.status == Status::Measured);
        change(&mut comparison);
        headline(&comparison)
    };
    let headlines = BTreeMap::from([
        ("1", headline_after(|_| {})),
        (
            "2",
            headline_after(|comparison| comparison.decision = Decision::NoChange),
        ),
        (
            "3",
            headline_after(|comparison| comparison.decision = Decision::Improvement),
        ),
        (
            "4",
            headline_after(|comparison| comparison.decision = Decision::Inconclusive),
        ),
        (
            "5",
            headline_after(|comparison| {
                comparison.decision = Decision::NothingToMeasure;
                comparison.apps.clear();
            }),
        ),
        (
            "6",
            headline_after(|comparison| {
                comparison.decision = Decision::NothingToMeasure;
                comparison.apps[0].status = Status::SameBinary;
            }),
        ),
    ]);
    insta::assert_debug_snapshot!(headlines);
}
