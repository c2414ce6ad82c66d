//! What one varied property costs: a scenario compared with those that differ from it only in protocol, connections, rate and so
//! on. Pure functions of a record.
//!
//! Ratios are paired: an app's figure in a variation is divided by its figure, in the same round, in the scenario that is varied.
//! So a machine that drifts during a run does not affect them.

use std::collections::BTreeMap;

use crate::analysis::{self, usable};
use model::scenario::{Dimension, Scenario};
use model::{AppRecord, Metric, Ratio, Record};

/// A scenario and its variations in one dimension.
#[derive(Debug, Clone, PartialEq)]
pub struct Family<'a> {
    /// Name of the scenario that is varied, whether the run has it or not.
    pub like: &'a str,
    /// How they differ.
    pub by: Dimension,
    /// That scenario, if the run has it.
    pub plain: Option<&'a Scenario>,
    /// Its variations, in the order of the record.
    pub variations: Vec<&'a Scenario>,
}

impl<'a> Family<'a> {
    /// All of them, the plain one first.
    pub fn scenarios(&self) -> impl Iterator<Item = &'a Scenario> {
        self.plain.into_iter().chain(self.variations.iter().copied())
    }
}

/// The families of a run, in the order of their first variation.
pub fn families(scenarios: &[Scenario]) -> Vec<Family<'_>> {
    let mut families: Vec<Family<'_>> = Vec::new();
    for scenario in scenarios {
        let Some(varies) = &scenario.varies else { continue };
        let known = families
            .iter_mut()
            .find(|family| family.like == varies.like && family.by == varies.by);
        match known {
            Some(family) => family.variations.push(scenario),
            None => families.push(Family {
                like: &varies.like,
                by: varies.by,
                plain: scenarios.iter().find(|plain| plain.id == varies.like),
                variations: vec![scenario],
            }),
        }
    }
    families
}

/// An app's `metric` in the scenario `varied` ÷ the same in `plain`, paired within the rounds.
///
/// `None` where there is no round in which both are known.
pub fn ratio(record: &Record, app: &AppRecord, metric: Metric, varied: &str, plain: &str) -> Option<Ratio> {
    let found = stats::paired_ratio(&pairs(record, app, metric, varied, plain))?;
    Some(Ratio {
        estimate: found.median,
        interval: found.interval,
        ..Ratio::default()
    })
}

/// An app's `metric` in the scenario `varied` less the same in `plain`, paired within the rounds.
///
/// `None` where there is no round in which both are known.
pub fn difference(
    record: &Record,
    app: &AppRecord,
    metric: Metric,
    varied: &str,
    plain: &str,
) -> Option<stats::Estimate> {
    let pairs = pairs(record, app, metric, varied, plain).into_iter();
    stats::estimate(&pairs.map(|(varied, plain)| varied - plain).collect::<Vec<_>>())
}

/// An app's `metric` in both scenarios, for each round in which both are known.
pub fn pairs(record: &Record, app: &AppRecord, metric: Metric, varied: &str, plain: &str) -> Vec<(f64, f64)> {
    let plain = by_round(record, app, metric, plain);
    let varied = by_round(record, app, metric, varied).into_iter();
    varied
        .filter_map(|(round, value)| Some((value, *plain.get(&round)?)))
        .collect()
}

/// An app's `metric` in a scenario, for each round in which it is known.
pub(crate) fn by_round(record: &Record, app: &AppRecord, metric: Metric, scenario: &str) -> BTreeMap<u32, f64> {
    analysis::by_round(&usable(app, &record.trials_of(scenario)), metric)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Verdict;

    #[test]
    fn a_family_is_a_scenario_and_what_varies_it() {
        let record = samples::varied();
        let found: Vec<_> = families(&record.scenarios)
            .iter()
            .map(|family| {
                let ids: Vec<_> = family.scenarios().map(|scenario| scenario.id.clone()).collect();
                (family.like.to_owned(), family.by, ids.join(" "))
            })
            .collect();
        let expected = [
            (
                "plaintext",
                Dimension::Isolation,
                "plaintext plaintext-docker plaintext-docker-bridge",
            ),
            ("plaintext", Dimension::Protocol, "plaintext plaintext-http2"),
            ("hello", Dimension::Rate, "hello-r1000"),
        ];
        assert_eq!(
            found,
            expected.map(|(like, by, ids)| (like.to_owned(), by, ids.to_owned()))
        );
    }

    #[test]
    fn a_ratio_is_of_the_same_round() {
        let record = samples::varied();
        let app = &record.apps[0];
        // The machine gets slower from round to round; the container costs 10 % in each.
        let cost = |varied| ratio(&record, app, Metric::ServerCpuUsPerRequest, varied, "plaintext");
        let found = cost("plaintext-docker").unwrap();
        let interval = found.interval.unwrap();
        assert!(
            (found.estimate - 1.1).abs() < 1e-9 && (interval.high - interval.low).abs() < 1e-9,
            "{found:?}"
        );
        assert_eq!(cost("hello-r1000"), None, "it was not measured");
    }

    #[test]
    fn what_was_not_usable_is_no_pair() {
        let mut record = samples::varied();
        for trial in &mut record.trials {
            if trial.scenario == "plaintext" && trial.round > 2 {
                trial.verdict = Verdict::EnvironmentFailed;
            }
        }
        let app = &record.apps[0];
        let found = ratio(
            &record,
            app,
            Metric::ServerCpuUsPerRequest,
            "plaintext-docker",
            "plaintext",
        )
        .unwrap();
        assert_eq!(found.interval, None, "two pairs carry none");
    }
}
