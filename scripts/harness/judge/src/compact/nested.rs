//! Fields of a trial that are objects: objects of lists.

use serde::{Deserialize, Serialize};

use super::figure::Figure;
use super::trials::{at, same_length};
use record::{Latency, LatencyFigures, Rss, Trial};

/// Latencies; those of one trial are known or not together.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LatencyColumns {
    min: Vec<Option<Figure>>,
    mean: Vec<Option<Figure>>,
    p50: Vec<Option<Figure>>,
    p90: Vec<Option<Figure>>,
    p95: Vec<Option<Figure>>,
    p99: Vec<Option<Figure>>,
    p99_9: Vec<Option<Figure>>,
    max: Vec<Option<Figure>>,
}

/// Memory; that of one trial is known or not together.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RssColumns {
    idle: Vec<Option<u64>>,
    peak: Vec<Option<u64>>,
    after: Vec<Option<u64>>,
}

impl LatencyColumns {
    /// Of these trials; `None` if it is known of none.
    pub fn of(trials: &[Trial]) -> Option<Self> {
        trials.iter().any(|trial| trial.latency_ms.is_some()).then(|| {
            let figures = |of: fn(Latency) -> f64| {
                let figure = |trial: &Trial| trial.latency_ms.map(|latency| Figure(of(latency)));
                trials.iter().map(figure).collect()
            };
            Self {
                min: figures(|latency| latency.min),
                mean: figures(|latency| latency.mean),
                p50: figures(|latency| latency.p50),
                p90: figures(|latency| latency.p90),
                p95: figures(|latency| latency.p95),
                p99: figures(|latency| latency.p99),
                p99_9: figures(|latency| latency.p99_9),
                max: figures(|latency| latency.max),
            }
        })
    }

    /// Refuses columns that have not a place for each trial.
    pub fn fit(&self, rows: usize) -> Result<(), String> {
        self.columns()
            .into_iter()
            .try_for_each(|column| same_length("latency_ms", column.len(), rows))
    }

    fn columns(&self) -> [&[Option<Figure>]; 8] {
        [
            &self.min,
            &self.mean,
            &self.p50,
            &self.p90,
            &self.p95,
            &self.p99,
            &self.p99_9,
            &self.max,
        ]
    }

    /// That of one trial.
    pub fn at(&self, row: usize) -> Result<Option<Latency>, String> {
        let known: Vec<f64> = self.columns().iter().filter_map(|column| at(column, row)).collect();
        if known.is_empty() {
            return Ok(None);
        }
        let all = LatencyFigures::try_from(known);
        all.map(|all| Some(all.into()))
            .map_err(|_| format!("trial {} has only part of its `latency_ms`", row + 1))
    }
}

impl RssColumns {
    /// Of these trials; `None` if it is known of none.
    pub fn of(trials: &[Trial]) -> Option<Self> {
        trials.iter().any(|trial| trial.rss_bytes.is_some()).then(|| {
            let bytes = |of: fn(Rss) -> u64| trials.iter().map(|trial| trial.rss_bytes.map(of)).collect();
            Self {
                idle: bytes(|rss| rss.idle),
                peak: bytes(|rss| rss.peak),
                after: bytes(|rss| rss.after),
            }
        })
    }

    /// Refuses columns that have not a place for each trial.
    pub fn fit(&self, rows: usize) -> Result<(), String> {
        [&self.idle, &self.peak, &self.after]
            .into_iter()
            .try_for_each(|column| same_length("rss_bytes", column.len(), rows))
    }

    /// That of one trial.
    pub fn at(&self, row: usize) -> Result<Option<Rss>, String> {
        match (self.idle[row], self.peak[row], self.after[row]) {
            (None, None, None) => Ok(None),
            (Some(idle), Some(peak), Some(after)) => Ok(Some(Rss { idle, peak, after })),
            _ => Err(format!("trial {} has only part of its `rss_bytes`", row + 1)),
        }
    }
}
