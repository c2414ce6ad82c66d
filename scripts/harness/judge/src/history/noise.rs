//! How much figures spread that an app has for itself, as real records tell it.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::common_mode::fit;
use super::judgement::{SETTINGS, logarithms};
use super::past::Past;
use super::timeline::machines;
use crate::stats::median;
use record::Metric;

/// A normal distribution's standard deviation ÷ the median distance of two of its values.
const OF_NEIGHBOURS: f64 = 1.0484;

/// Noise of each app's own in real records.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OwnNoise {
    /// Runs that were compared.
    pub runs: usize,
    /// Distances between two runs of one app that follow each other.
    pub pairs: usize,
    /// Standard deviation that half of them suggest, on the log scale.
    pub sd: f64,
}

/// Of CPU time per request, once what all servers of a run share is taken away; of several series together. Only runs on one machine are
/// compared: on another a server has another factor, which nobody knows after one run. `None` where no two can be.
pub fn own_noise(pasts: &[Past]) -> Option<OwnNoise> {
    let mut distances = Vec::new();
    let mut compared = BTreeSet::new();
    for (number, past) in pasts.iter().enumerate() {
        let machines = machines(past);
        let of_cpu = past
            .series
            .iter()
            .filter(|series| series.metric == Metric::ServerCpuUsPerRequest.id());
        for series in of_cpu {
            let rows = series.rows.values().chain([&series.reference]);
            let rows: Vec<Vec<Option<f64>>> = rows.map(|row| logarithms(row)).collect();
            for row in fit(&rows, &machines, SETTINGS).rows {
                for (runs, values) in row.runs.windows(2).zip(row.values.windows(2)) {
                    if machines[runs[0]] == machines[runs[1]] {
                        distances.push((values[1] - values[0]).abs());
                        compared.extend(runs.iter().map(|run| (number, *run)));
                    }
                }
            }
        }
    }
    Some(OwnNoise {
        runs: compared.len(),
        pairs: distances.len(),
        sd: OF_NEIGHBOURS * median(&distances)?,
    })
}

#[cfg(test)]
mod tests {
    use super::super::simulate::{Script, history};
    use super::*;

    #[test]
    fn own_noise_is_what_was_simulated_and_no_machine_is_in_it() {
        for own in [0.02, 0.05] {
            let script = Script {
                own,
                machine_told: true,
                ..Script::of(20, 17)
            };
            let found = own_noise(&[history(script, 1)]).unwrap();
            assert!((0.85..1.15).contains(&(found.sd / own)), "{found:?}");
        }
        assert_eq!(own_noise(&[history(Script::of(1, 17), 1)]), None);
    }
}
