//! What a load says of itself, in the form that oha's reports have: what reads the one reads the other.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

/// The report of a load.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    summary: Summary,
    latency_percentiles: BTreeMap<&'static str, Option<f64>>,
    status_code_distribution: BTreeMap<&'static str, u64>,
    error_distribution: BTreeMap<String, u64>,
}

/// Times in seconds, null where nothing came back.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Summary {
    total: f64,
    slowest: Option<f64>,
    fastest: Option<f64>,
    average: Option<f64>,
    total_data: u64,
}

/// Percentiles and their names. oha takes the nearest rank as well.
const PERCENTILES: [(&str, f64); 6] = [
    ("p50", 0.5),
    ("p75", 0.75),
    ("p90", 0.9),
    ("p95", 0.95),
    ("p99", 0.99),
    ("p99.9", 0.999),
];

impl Report {
    /// Of a load of `seconds` in which messages of `message_bytes` came back after these times, and in which that went wrong.
    pub fn new(seconds: f64, message_bytes: usize, mut times: Vec<Duration>, errors: BTreeMap<String, u64>) -> Self {
        times.sort_unstable();
        let count = times.len() as u64;
        let at = |share: f64| {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a share of the length
            let rank = (share * times.len() as f64).ceil() as usize;
            times.get(rank.saturating_sub(1)).map(Duration::as_secs_f64)
        };
        let sum: f64 = times.iter().map(Duration::as_secs_f64).sum();
        Self {
            summary: Summary {
                total: seconds,
                slowest: at(1.0),
                fastest: times.first().map(Duration::as_secs_f64),
                average: (count > 0).then(|| sum / count as f64),
                total_data: count * message_bytes as u64,
            },
            latency_percentiles: PERCENTILES.iter().map(|(name, share)| (*name, at(*share))).collect(),
            // A message that came back is what an answer with status 200 is elsewhere.
            status_code_distribution: BTreeMap::from([("200", count)]),
            error_distribution: errors,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_of_the_nearest_rank() {
        let times = (1..=200).rev().map(Duration::from_millis).collect();
        let report = serde_json::to_value(Report::new(2.0, 64, times, BTreeMap::new())).unwrap();
        assert_eq!(report["summary"]["totalData"], 12_800);
        assert_eq!(report["statusCodeDistribution"]["200"], 200);
        assert_eq!(report["summary"]["fastest"], 0.001);
        assert_eq!(report["summary"]["average"], 0.1005);
        assert_eq!(report["latencyPercentiles"]["p50"], 0.1);
        assert_eq!(report["latencyPercentiles"]["p99"], 0.198);
        assert_eq!(report["latencyPercentiles"]["p99.9"], 0.2);
    }

    #[test]
    fn nothing_has_no_times() {
        let report = serde_json::to_value(Report::new(1.0, 64, Vec::new(), BTreeMap::new())).unwrap();
        assert!(report["summary"]["slowest"].is_null() && report["latencyPercentiles"]["p50"].is_null());
    }
}
