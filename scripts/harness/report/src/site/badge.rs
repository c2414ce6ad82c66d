//! Badges: what shields.io draws for a framework that shows its figure in its own README.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::figure;
use model::escape::{NAME, clean};
use model::{Cell, DEFAULT_VARIANT, Metric, Record};

/// The scenario of badges: it measures the framework alone.
const SCENARIO: &str = "plaintext";

/// An endpoint badge (<https://shields.io/badges/endpoint-badge>).
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Badge {
    schema_version: u32,
    label: String,
    message: String,
    color: &'static str,
}

/// The badges of a series by app, from its records, the oldest first; each from the newest run that has it.
pub fn badges(records: &[Record]) -> BTreeMap<&str, Badge> {
    let cells = records.iter().flat_map(|record| &record.summary);
    let cells = cells.filter(|cell| cell.scenario == SCENARIO && cell.variant == DEFAULT_VARIANT);
    cells.map(|cell| (cell.app.as_str(), Badge::of(cell))).collect()
}

impl Badge {
    fn of(cell: &Cell) -> Self {
        let metric = Metric::ServerCpuUsPerRequest;
        let cpu = cell.metrics.get(&metric).filter(|summary| summary.trusted);
        let cost = cpu.map(|summary| match summary.own_work {
            Some(work) => format!("own work {} (Rocket = 100)", figure::own_work(work)),
            None => format!("{} CPU/request", figure::value(metric, summary.median)),
        });
        let (message, color) = match (cost, cpu.and_then(|summary| summary.rank)) {
            (Some(cost), Some(rank)) => {
                let color = if rank.best == 1 { "brightgreen" } else { "green" };
                (format!("rank {rank} · {cost}"), color)
            }
            (Some(cost), None) => (cost, "blue"),
            (None, _) if cell.verdict.is_failure() => (cell.verdict.name().to_owned(), "red"),
            (None, _) => (cell.verdict.name().to_owned(), "lightgrey"),
        };
        Self {
            schema_version: 1,
            label: clean(&cell.app, NAME),
            message,
            color,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_badge_says_rank_and_cost_or_why_not() {
        let records = [samples::record()];
        let badges = badges(&records);
        let text = |app: &str| super::super::text(&badges[app]);
        assert_eq!(
            text("axum"),
            "{\"schemaVersion\":1,\"label\":\"axum\",\"message\":\"rank 2 · 7.61 µs CPU/request\",\"color\":\"green\"}\n"
        );
        assert!(
            text("zz-hostile").contains("\"build failed\",\"color\":\"red\""),
            "{}",
            text("zz-hostile")
        );
        assert!(!badges.contains_key("axum:tuned"));
    }
}
