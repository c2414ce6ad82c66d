//! Latency figures from the count of each latency.

use std::collections::BTreeMap;

use model::Latency;

/// Numbers of requests by latency in microseconds.
pub type Counts = BTreeMap<u64, u64>;

/// The figures; `None` without requests. A percentile is the smallest latency that at least this share of requests did not
/// exceed.
pub fn summary(seen: &Counts) -> Option<Latency> {
    let milliseconds = |microseconds: u64| microseconds as f64 / 1e3;
    let count: u64 = seen.values().sum();
    let sum: f64 = seen.iter().map(|(value, count)| *value as f64 * *count as f64).sum();
    let percentile = |share: f64| {
        let rank = share * count as f64;
        let mut below = 0;
        let found = seen.iter().find(|(_, count)| {
            below += **count;
            below as f64 >= rank
        });
        found.map(|(value, _)| milliseconds(*value))
    };
    Some(Latency {
        min: milliseconds(*seen.keys().next()?),
        mean: sum / count as f64 / 1e3,
        p50: percentile(0.5)?,
        p90: percentile(0.9)?,
        p95: percentile(0.95)?,
        p99: percentile(0.99)?,
        p99_9: percentile(0.999)?,
        max: milliseconds(*seen.keys().next_back()?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_of_what_was_seen() {
        assert_eq!(summary(&Counts::new()), None);
        let latency = summary(&(1..=1000).map(|value| (value * 1000, 1)).collect()).unwrap();
        assert_eq!((latency.min, latency.p50, latency.p90), (1.0, 500.0, 900.0));
        assert_eq!(
            (latency.p95, latency.p99, latency.p99_9, latency.max),
            (950.0, 990.0, 999.0, 1000.0)
        );
        assert!((latency.mean - 500.5).abs() < 1e-9);
        let one = summary(&Counts::from([(7, 1)])).unwrap();
        assert_eq!((one.min, one.p99_9, one.max), (0.007, 0.007, 0.007));
    }
}
