//! How much an app's own figures spread in real records, apart from what all apps share.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::common_mode::{Places, fit};
use super::judgement::{SETTINGS, logarithms};
use super::past::Past;
use super::runners::Runners;
use super::timeline::machines;
use crate::stats::median;
use record::Metric;

/// A normal distribution's standard deviation ÷ the median distance of two of its values.
const OF_NEIGHBOURS: f64 = 1.0484;

/// Each app's own noise in real records.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OwnNoise {
    /// Runs that were compared.
    pub runs: usize,
    /// Number of distances between consecutive runs of one app.
    pub pairs: usize,
    /// Standard deviation estimated from their median, on the log scale.
    pub sd: f64,
}

/// Own noise of CPU time per request, without what all servers of a run share, over several series. Only runs on the same machine are
/// compared: on another, a server has another factor, which one run does not reveal. `None` where no two runs can be compared.
pub fn own_noise(pasts: &[Past]) -> Option<OwnNoise> {
    let mut distances = Vec::new();
    let mut compared = BTreeSet::new();
    for (number, past) in pasts.iter().enumerate() {
        let machines = machines(past);
        let runners = Runners::new(past);
        let of_cpu = past
            .series
            .iter()
            .filter(|series| series.metric == Metric::ServerCpuUsPerRequest.id());
        for series in of_cpu {
            let rows = series.rows.values().chain([&series.reference]);
            let rows: Vec<Vec<Option<f64>>> = rows.map(|row| logarithms(row)).collect();
            let successions = series.rows.keys().map(|app| runners.of_app(past, app));
            let places = Places {
                machines: &machines,
                runners: &runners.of,
                successions: successions.chain([runners.successions.clone()]).collect(),
            };
            for row in fit(&rows, &places, SETTINGS).rows {
                for (runs, values) in row.runs.windows(2).zip(row.values.windows(2)) {
                    let on = |run: usize| (machines[run], runners.of[run]);
                    if on(runs[0]) == on(runs[1]) {
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
                ..Script::quiet(20, 17)
            };
            let found = own_noise(&[history(script, 1)]).unwrap();
            assert!((0.85..1.15).contains(&(found.sd / own)), "{found:?}");
        }
        assert_eq!(own_noise(&[history(Script::quiet(1, 17), 1)]), None);
    }
}
