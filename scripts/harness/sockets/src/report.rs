//! The report of a load, in the form of oha's reports: what reads one reads the other.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};

/// Percentiles and their names. oha takes the nearest rank as well.
const PERCENTILES: [(&str, f64); 6] = [
    ("p50", 0.5),
    ("p75", 0.75),
    ("p90", 0.9),
    ("p95", 0.95),
    ("p99", 0.99),
    ("p99.9", 0.999),
];

/// The report of a load of `seconds` in which messages of `message_bytes` came back after these times, and in which these errors occurred.
/// Times are in seconds, null where nothing came back.
pub fn report(seconds: f64, message_bytes: usize, mut times: Vec<Duration>, errors: Vec<String>) -> Value {
    let mut counted: BTreeMap<String, u64> = BTreeMap::new();
    for error in errors {
        *counted.entry(error).or_default() += 1;
    }
    times.sort_unstable();
    let count = times.len();
    let at = |share: f64| {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a share of the length
        let rank = (share * count as f64).ceil() as usize;
        times.get(rank.saturating_sub(1)).map(Duration::as_secs_f64)
    };
    let sum: f64 = times.iter().map(Duration::as_secs_f64).sum();
    let percentiles: BTreeMap<_, _> = PERCENTILES.iter().map(|(name, share)| (*name, at(*share))).collect();
    json!({
        "summary": {
            "total": seconds,
            "slowest": at(1.0),
            "fastest": at(0.0),
            "average": (count > 0).then(|| sum / count as f64),
            "totalData": count * message_bytes,
        },
        "latencyPercentiles": percentiles,
        // A message that came back is what an answer with status 200 is elsewhere.
        "statusCodeDistribution": {"200": count},
        "errorDistribution": counted,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_of_the_nearest_rank() {
        let times = (1..=200).rev().map(Duration::from_millis).collect();
        let report = report(2.0, 64, times, Vec::new());
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
        let report = report(1.0, 64, Vec::new(), Vec::new());
        assert!(report["summary"]["slowest"].is_null() && report["latencyPercentiles"]["p50"].is_null());
    }
}
