//! Which change counts: `gates.toml`, read.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use model::Metric;

/// The file, as it was when this program was built.
const FILE: &str = include_str!("gates.toml");

/// The metrics that two revisions are compared by, with the names that an option gives them.
pub const COMPARED: [(&str, Metric); 3] = [
    ("instructions", Metric::InstructionsPerRequest),
    ("cpu", Metric::ServerCpuUsPerRequest),
    ("goodput", Metric::GoodputRps),
];

/// When a change of one metric counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Gate {
    /// Name for people.
    pub title: String,
    /// Unit of the metric.
    pub unit: String,
    /// Whether more is better.
    pub more_is_better: bool,
    /// Smallest estimated change that is named, as a share: 0.02 is 2 %. The test is whether the change differs from zero.
    pub minimum_effect: f64,
    /// What the metric shows, for people.
    pub why: String,
}

/// All gates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Gates {
    /// Probability that a comparison without any change names one, over all series and all looks.
    pub false_alarms: f64,
    /// One for each metric.
    pub gate: BTreeMap<Metric, Gate>,
}

impl Gates {
    /// The gates that are built into this program.
    ///
    /// # Panics
    /// Never in a program that passed its tests: the file is compiled in, and a test reads it.
    pub fn built_in() -> Self {
        toml::from_str(FILE).expect("gates.toml is checked by a test")
    }

    /// The gates of a shard: it may spend `share` of the false alarms, so that all shards together spend no more than one machine
    /// would.
    #[must_use]
    pub fn shared(&self, share: f64) -> Self {
        Self {
            false_alarms: self.false_alarms * share,
            ..self.clone()
        }
    }

    /// The gate of a metric.
    ///
    /// # Panics
    /// Never for the metrics of [`COMPARED`], for which the built-in gates have one.
    pub fn gate(&self, metric: Metric) -> &Gate {
        &self.gate[&metric]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_metric_has_a_gate_that_makes_sense() {
        let gates = Gates::built_in();
        assert!(gates.false_alarms > 0.0 && gates.false_alarms <= 0.01);
        for (_, metric) in COMPARED {
            let effect = gates.gate(metric).minimum_effect;
            assert!((0.001..0.1).contains(&effect), "{metric:?}");
        }
    }
}
