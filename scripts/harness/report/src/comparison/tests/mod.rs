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
    let measured = || {
        let mut comparison = comparison();
        comparison.apps.retain(|app| app.status == Status::Measured);
        comparison
    };
    let decided = |decision| headline(&Comparison { decision, ..measured() });
    let nothing_of = |apps| {
        let decision = Decision::NothingToMeasure;
        headline(&Comparison {
            decision,
            apps,
            ..measured()
        })
    };
    let mut same = measured().apps;
    same[0].status = Status::SameBinary;
    insta::assert_debug_snapshot!(BTreeMap::from([
        ("1", headline(&measured())),
        ("2", decided(Decision::NoChange)),
        ("3", decided(Decision::Improvement)),
        ("4", decided(Decision::Inconclusive)),
        ("5", nothing_of(Vec::new())),
        ("6", nothing_of(same)),
    ]));
}
