//! Badges: what shields.io draws for a framework that shows its figure in its own README.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::{figure, table};
use model::{Cell, DEFAULT_VARIANT, Metric, Record};

/// What badges are about: the small JSON answer that README.md begins with.
const PATH: &str = "/hello";

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
pub fn badges<'a>(records: &'a [Record]) -> BTreeMap<&'a str, Badge> {
    let of_run = |record: &'a Record| {
        let mut scenarios = record.scenarios.iter();
        let about = scenarios.find(|scenario| scenario.varies.is_none() && scenario.path == PATH);
        let cells = record.summary.iter();
        let cells = cells.filter(move |cell| about.is_some_and(|about| about.id == cell.scenario));
        let cells = cells.filter(|cell| cell.variant == DEFAULT_VARIANT);
        cells.filter_map(|cell| Some((cell.app.as_str(), Badge::of(record, cell)?)))
    };
    records.iter().flat_map(of_run).collect()
}

impl Badge {
    fn of(record: &Record, cell: &Cell) -> Option<Self> {
        let metric = Metric::ServerCpuUsPerRequest;
        let cpu = cell.trusted(metric);
        let cost = cpu.map(|summary| match summary.own_work {
            Some(work) => format!("own work {} (Rocket = 100)", figure::own_work(work)),
            None => format!("{} CPU time", figure::value(metric, summary.median)),
        });
        let (found, color) = match (cost, cpu.and_then(|summary| summary.rank)) {
            (Some(cost), Some(rank)) if rank.best == 1 => (cost, "brightgreen"),
            (Some(cost), Some(_)) => (cost, "green"),
            (Some(cost), None) => (cost, "blue"),
            (None, _) if cell.verdict.is_failure() => (cell.verdict.name().to_owned(), "red"),
            (None, _) => (cell.verdict.name().to_owned(), "lightgrey"),
        };
        Some(Self {
            schema_version: 1,
            label: table::label(record.app(&cell.app, &cell.variant)?),
            message: format!("JSON: {found} · {}", record.started_at.strftime("%b %Y")),
            color,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_badge_says_what_the_headline_does_and_when_or_why_not() {
        let records = [samples::record()];
        let badges = badges(&records);
        let text = |app: &str| super::super::text(&badges[app]);
        assert_eq!(
            text("axum"),
            "{\"schemaVersion\":1,\"label\":\"axum\",\"message\":\"JSON: 10.2 µs CPU time · Nov 2026\",\"color\":\"brightgreen\"}\n"
        );
        assert!(
            text("zz-hostile").contains("\"JSON: build failed · Nov 2026\",\"color\":\"red\""),
            "{}",
            text("zz-hostile")
        );
        assert!(!badges.contains_key("axum:tuned"));
    }
}
