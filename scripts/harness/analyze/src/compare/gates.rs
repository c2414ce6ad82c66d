//! Which change counts: `gates.toml`, read.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use model::Metric;

/// The file, as it was when this program was built.
const FILE: &str = include_str!("gates.toml");

/// The metrics that two revisions are compared by: the name that an option gives them, and what a comparison calls them.
pub const COMPARED: [(&str, Metric, &str); 3] = [
    ("instructions", Metric::InstructionsPerRequest, "instructions"),
    ("cpu", Metric::ServerCpuUsPerRequest, "CPU per request"),
    ("goodput", Metric::GoodputRps, "goodput"),
];

/// What a comparison calls a metric.
pub fn title(metric: Metric) -> &'static str {
    let mut all = COMPARED.into_iter();
    all.find_map(|(_, known, title)| (known == metric).then_some(title))
        .unwrap_or_else(|| metric.name())
}

/// When a change counts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Gates {
    /// Probability that a comparison without any change names one, over all series and all looks.
    pub false_alarms: f64,
    /// For each metric the smallest estimated change that is named, as a share: 0.02 is 2 %. The test is whether the change differs from
    /// zero.
    pub minimum_effect: BTreeMap<Metric, f64>,
    /// Metrics that are counted, not timed, and judged without regard to pairs; none in comparisons older than this field.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counted: Vec<Metric>,
}

impl Gates {
    /// The gates that are built into this program.
    ///
    /// # Panics
    /// Never in a program that passed its tests: the file is compiled in, and a test reads it.
    pub fn built_in() -> Self {
        toml::from_str(FILE).expect("gates.toml is checked by a test")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_metric_has_a_gate_that_makes_sense() {
        let gates = Gates::built_in();
        assert!(gates.false_alarms > 0.0 && gates.false_alarms <= 0.01);
        for (_, metric, _) in COMPARED {
            assert!((0.001..0.1).contains(&gates.minimum_effect[&metric]), "{metric:?}");
        }
        assert_eq!(gates.minimum_effect.len(), COMPARED.len());
    }
}
