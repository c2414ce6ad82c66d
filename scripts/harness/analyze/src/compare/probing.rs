//! The quick cases of `bench probe` on both sides: what was seen, and which of it a change has broken.

use model::probe::{Level, ProbeCase, ProbeOutcome};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The quick cases on both sides of each app that could be started.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Probing {
    /// How many cases were put to both sides of each app.
    pub made: u32,
    /// Those that did not pass everywhere, or not in the same way.
    pub cases: Vec<ProbeCase>,
    /// The apps, in the order of the comparison.
    pub apps: Vec<ProbedPair>,
}

/// An app on both sides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProbedPair {
    /// Name of the app's folder.
    pub app: String,
    /// `default` or the variant's name.
    pub variant: String,
    /// Why a side could not be probed, if so. Nothing follows from that.
    pub not_probed: Option<String>,
    /// Each case that did not pass on both sides, or not in the same way, in the order of the cases.
    pub results: Vec<ProbedSides>,
}

/// A case on both sides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProbedSides {
    /// Id of the case.
    pub case: String,
    /// What base did.
    pub base: ProbedSide,
    /// What head did.
    pub head: ProbedSide,
}

/// What one side made of a case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProbedSide {
    /// What came of it.
    pub outcome: ProbeOutcome,
    /// What the server did: `400 closed`.
    pub got: String,
    /// The first bytes that came, escaped. Only where head fails and base passes.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub received: String,
}

/// What a change has done to a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// It breaks what must hold: a regression.
    Breaks,
    /// It breaks what should hold, or what nothing demands.
    Weakens,
    /// It repairs it.
    Repairs,
    /// Both sides fail.
    FailsStill,
    /// Both sides do what is allowed, and not the same: clients may notice.
    Differs,
    /// A side flickers or the case cannot be put to it, so nothing is proven.
    Unproven,
}

/// A result, and what the change has done.
#[derive(Debug, Clone, Copy)]
pub struct Affected<'a> {
    /// The app.
    pub pair: &'a ProbedPair,
    /// The case.
    pub case: &'a ProbeCase,
    /// What both sides did.
    pub sides: &'a ProbedSides,
    /// What follows.
    pub effect: Effect,
}

/// What a change has done to a case of this level. Only a pass that turns into a failure is broken by the change: a base that flickers
/// fails, too, and one that the case could not be put to has shown nothing.
pub fn effect(level: Level, base: ProbeOutcome, head: ProbeOutcome) -> Effect {
    use ProbeOutcome::{Failed, Passed};
    match (base, head) {
        (Passed, Failed) if level == Level::Must => Effect::Breaks,
        (Passed, Failed) => Effect::Weakens,
        (Failed, Passed) => Effect::Repairs,
        (Failed, Failed) => Effect::FailsStill,
        (Passed, Passed) => Effect::Differs,
        _ => Effect::Unproven,
    }
}

impl Probing {
    /// Adds what was seen of other apps.
    pub fn add(&mut self, more: Self) {
        for case in more.cases {
            if !self.cases.iter().any(|known| known.id == case.id) {
                self.cases.push(case);
            }
        }
        self.apps.extend(more.apps);
    }

    /// What the change has done to each case that did not pass on both sides, or not in the same way.
    pub fn affected(&self) -> impl Iterator<Item = Affected<'_>> {
        let results = self
            .apps
            .iter()
            .flat_map(|pair| pair.results.iter().map(move |sides| (pair, sides)));
        results.filter_map(|(pair, sides)| {
            let case = self.cases.iter().find(|case| case.id == sides.case)?;
            Some(Affected {
                pair,
                case,
                sides,
                effect: effect(case.level, sides.base.outcome, sides.head.outcome),
            })
        })
    }

    /// The cases with this effect.
    pub fn with(&self, effect: Effect) -> impl Iterator<Item = Affected<'_>> {
        self.affected().filter(move |one| one.effect == effect)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_pass_that_turns_into_a_failure_of_what_must_hold_is_a_regression() {
        use ProbeOutcome::{Failed, Flaky, NotApplicable, Passed};
        let all = [Passed, Failed, Flaky, NotApplicable];
        for level in [Level::Must, Level::Should, Level::May] {
            for (base, head) in all.into_iter().flat_map(|base| all.map(|head| (base, head))) {
                let expected = match (base, head) {
                    (Passed, Passed) => Effect::Differs,
                    (Passed, Failed) if level == Level::Must => Effect::Breaks,
                    (Passed, Failed) => Effect::Weakens,
                    (Failed, Passed) => Effect::Repairs,
                    (Failed, Failed) => Effect::FailsStill,
                    _ => Effect::Unproven,
                };
                assert_eq!(effect(level, base, head), expected, "{level:?} {base:?} {head:?}");
            }
        }
    }
}
