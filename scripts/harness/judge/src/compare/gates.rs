//! Which change counts: `gates.toml`, read.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The file, as it was when this program was built.
const FILE: &str = include_str!("gates.toml");

/// A metric that two revisions are compared by.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema, clap::ValueEnum,
)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "kebab-case")]
pub enum Gauge {
    /// Instructions in user space for one request, counted under callgrind.
    #[value(name = "instructions")]
    InstructionsPerRequest,
    /// CPU time of the server for one expected answer, in µs.
    #[value(name = "cpu")]
    ServerCpuUsPerRequest,
    /// Expected answers per second.
    #[value(name = "goodput")]
    GoodputRps,
}

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
    pub gate: BTreeMap<Gauge, Gate>,
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
    /// Never for the built-in gates, which have one for each metric.
    pub fn gate(&self, gauge: Gauge) -> &Gate {
        &self.gate[&gauge]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_metric_has_a_gate_that_makes_sense() {
        let gates = Gates::built_in();
        assert!(gates.false_alarms > 0.0 && gates.false_alarms <= 0.01);
        for gauge in [
            Gauge::InstructionsPerRequest,
            Gauge::ServerCpuUsPerRequest,
            Gauge::GoodputRps,
        ] {
            let effect = gates.gate(gauge).minimum_effect;
            assert!((0.001..0.1).contains(&effect), "{gauge:?}");
        }
    }
}
