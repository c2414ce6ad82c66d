//! Badges: what shields.io draws for a framework that shows its figure in its own README.

use std::collections::BTreeMap;

use serde::Serialize;

use super::json;
use super::series::Figures;
use crate::report::figure;
use record::escape::{NAME, clean};
use record::{Lane, Metric, Rank, Verdict};

/// The scenario of badges: it measures the framework alone.
pub const SCENARIO: &str = "plaintext";

/// An endpoint badge (<https://shields.io/badges/endpoint-badge>).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Badge {
    schema_version: u32,
    label: String,
    message: String,
    color: &'static str,
}

/// Where the badge of an app lies.
pub fn path_of(lane: Lane, app: &str) -> String {
    format!("data/{}/badges/{app}.json", lane.name())
}

/// The badges of a lane by app, from the figures of its months, the newest first; each is of the newest run that has it.
pub fn badges<'f>(months: impl Iterator<Item = &'f Figures>) -> BTreeMap<String, Badge> {
    let mut badges = BTreeMap::new();
    for month in months {
        for (row, app) in month
            .subjects
            .iter()
            .enumerate()
            .filter(|(_, subject)| !subject.contains(':'))
        {
            let mut newest = month.verdicts[row].iter().enumerate().rev();
            let newest = newest.find_map(|(place, verdict)| Some((place, (*verdict)?)));
            if let (Some((place, verdict)), false) = (newest, badges.contains_key(app)) {
                badges.insert(app.clone(), Badge::from_figures(app, month, (row, place), verdict));
            }
        }
    }
    badges
}

impl Badge {
    fn from_figures(app: &str, figures: &Figures, (row, place): (usize, usize), verdict: Verdict) -> Self {
        let metric = Metric::ServerCpuUsPerRequest;
        let cpu = || {
            let matrix = figures.metrics.get(&metric)?;
            let trusted = super::series::value_at(&matrix.trusted, row, place)? == 1;
            let median = super::series::value_at(&matrix.median, row, place).filter(|_| trusted)?;
            let cost = match super::series::value_at(&matrix.ratio, row, place) {
                Some(ratio) => format!("CPU {} × reference", figure::ratio(ratio.0)),
                None => format!("{} CPU/request", figure::value(metric, median.0)),
            };
            let best = super::series::value_at(&matrix.rank_best, row, place);
            let worst = super::series::value_at(&matrix.rank_worst, row, place);
            Some((cost, best.zip(worst).map(|(best, worst)| Rank { best, worst })))
        };
        let (message, color) = match cpu() {
            Some((cost, Some(rank))) => {
                let color = if rank.best == 1 { "brightgreen" } else { "green" };
                (format!("rank {rank} · {cost}"), color)
            }
            Some((cost, None)) => (cost, "blue"),
            None if verdict.is_failure() => (verdict.name().to_owned(), "red"),
            None => (verdict.name().to_owned(), "lightgrey"),
        };
        Self {
            schema_version: 1,
            label: clean(app, NAME),
            message,
            color,
        }
    }

    /// Its text.
    pub fn text(&self) -> String {
        json::text(self)
    }
}

#[cfg(test)]
mod tests {
    use super::super::period::Month;
    use super::super::series::Series;
    use super::*;
    use judge::sample;

    #[test]
    fn a_badge_says_rank_and_cost_or_why_not() {
        let record = sample::record();
        let month = Month::from_run_id(&record.id).unwrap();
        let series = Series::from_records(record.lane, month, &[record]);
        let badges = badges([&series.figures[SCENARIO]].into_iter());
        let text = |app: &str| badges[app].text();
        assert_eq!(
            text("axum"),
            "{\"schemaVersion\":1,\"label\":\"axum\",\"message\":\"rank 2 · CPU 0.904 × reference\",\"color\":\"green\"}\n"
        );
        assert!(
            text("zz-hostile").contains("\"build failed\",\"color\":\"red\""),
            "{}",
            text("zz-hostile")
        );
        assert!(!badges.contains_key("axum:tuned"));
    }
}
