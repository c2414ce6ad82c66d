//! How much figures spread that an app has for itself, as real records tell it.

use serde::{Deserialize, Serialize};

use super::common_mode::fit;
use super::past::Past;
use super::tell::{SETTINGS, logarithms, machines};
use crate::record::Metric;
use crate::stats::median;

/// A normal distribution's standard deviation ÷ the median distance of two of its values.
const OF_NEIGHBOURS: f64 = 1.0484;

/// Noise of each app's own in real records.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnNoise {
    /// Runs that were looked at.
    pub runs: usize,
    /// Distances between two runs of one app that follow each other.
    pub pairs: usize,
    /// Standard deviation that half of them suggest, on the log scale.
    pub sd: f64,
}

/// Of CPU time per request, once what all servers of a run share is taken away; of several series together. `None` where no two
/// runs can be compared.
pub fn own_noise(pasts: &[Past]) -> Option<OwnNoise> {
    let mut distances = Vec::new();
    for past in pasts {
        let of_cpu = past
            .series
            .iter()
            .filter(|series| series.metric == Metric::ServerCpuUsPerRequest.id());
        for series in of_cpu {
            let rows = series.rows.values().chain([&series.reference]);
            let rows: Vec<Vec<Option<f64>>> = rows.map(|row| logarithms(row)).collect();
            let left = fit(&rows, &machines(past), SETTINGS).rows;
            distances.extend(
                left.iter()
                    .flat_map(|row| row.values.windows(2))
                    .map(|pair| (pair[1] - pair[0]).abs()),
            );
        }
    }
    Some(OwnNoise {
        runs: pasts.iter().map(|past| past.runs.len()).sum(),
        pairs: distances.len(),
        sd: OF_NEIGHBOURS * median(&distances)?,
    })
}
