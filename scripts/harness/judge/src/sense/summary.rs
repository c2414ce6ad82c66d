//! Whether the summary follows from the trials: it is made once more, by the function that made it.

use std::collections::HashMap;

use record::{Cell, Interval, Metric, Rank, Record, Summary, label};

use crate::analysis;
use crate::rounding::rounded;

/// How far a figure with all its digits may be from the one that is made here, as a share: more than the mathematics of two kinds of
/// cpu differ by (an arm64 record is published on x86-64), and less than a digit that is shown.
const EXACT: f64 = 1e-6;
/// The same of a record that was published before. Its trials have three digits or four, so a ratio of two of them can be one
/// hundredth off. Verdicts stay; their reasons may quote another percent, and ranks that were just proven may touch.
const ROUNDED: f64 = 1e-2;

/// App, variant and scenario.
type Key<'a> = (&'a str, &'a str, &'a str);

fn key(cell: &Cell) -> Key<'_> {
    (&cell.app, &cell.variant, &cell.scenario)
}

pub(super) fn findings(record: &Record) -> Vec<String> {
    let was_rounded = rounded(record.clone()) == *record;
    let made = analysis::summary(&record.apps, &record.scenarios, &record.trials);
    let name = |cell: &Cell| format!("{} in {}", label(&cell.app, &cell.variant), cell.scenario);
    let said: HashMap<Key<'_>, &Cell> = record.summary.iter().map(|cell| (key(cell), cell)).collect();
    let by_key: HashMap<Key<'_>, &Cell> = made.iter().map(|cell| (key(cell), cell)).collect();
    if let Some(missing) = made.iter().find(|made| !said.contains_key(&key(made))) {
        return vec![format!("its summary lacks {}", name(missing))];
    }
    if let Some(more) = record.summary.iter().find(|cell| !by_key.contains_key(&key(cell))) {
        return vec![format!("its summary has {}, which was not measured", name(more))];
    }
    let pairs = record.summary.iter();
    let pairs: Vec<(&Cell, &Cell)> = pairs.map(|cell| (cell, by_key[&key(cell)])).collect();
    // A verdict decides which figures count, so a wrong one is the first to be named.
    let verdicts = pairs
        .iter()
        .filter(|(cell, made)| cell.verdict != made.verdict || (!was_rounded && cell.reasons != made.reasons));
    let verdicts = verdicts.map(|(cell, made)| {
        let (said, made) = (standing(cell), standing(made));
        format!("{} is {said} in the summary, and {made} by its trials", name(cell))
    });
    let figures = pairs.iter().flat_map(|(cell, made)| {
        Metric::ALL.into_iter().filter_map(|metric| {
            let difference = match (cell.metrics.get(&metric), made.metrics.get(&metric)) {
                (Some(said), Some(made)) => difference(said, made, was_rounded)?,
                (None, None) => return None,
                (Some(_), None) => "is in the summary, and was not measured".to_owned(),
                (None, Some(_)) => "was measured, and is not in the summary".to_owned(),
            };
            Some(format!("`{}` of {} {difference}", metric.id(), name(cell)))
        })
    });
    verdicts.chain(figures).collect()
}

/// Verdict and reasons of a cell, `crashed (it died)`.
fn standing(cell: &Cell) -> String {
    let verdict = serde_json::to_value(cell.verdict).unwrap_or_default();
    let verdict = verdict.as_str().unwrap_or_default().to_owned();
    if cell.reasons.is_empty() {
        return verdict;
    }
    format!("{verdict} ({})", cell.reasons.join("; "))
}

/// The first part of a figure that does not follow from its trials.
fn difference(said: &Summary, made: &Summary, was_rounded: bool) -> Option<String> {
    let tolerance = if was_rounded { ROUNDED } else { EXACT };
    let ratio = |summary: &Summary| summary.ratio.as_ref().map(|ratio| ratio.estimate);
    let of_ratio = |summary: &Summary| summary.ratio.as_ref().and_then(|ratio| ratio.interval);
    let low = |interval: Option<Interval>| interval.map(|interval| interval.low);
    let high = |interval: Option<Interval>| interval.map(|interval| interval.high);
    let figures = [
        ("median", Some(said.median), Some(made.median)),
        ("interval.low", low(said.interval), low(made.interval)),
        ("interval.high", high(said.interval), high(made.interval)),
        ("ratio.estimate", ratio(said), ratio(made)),
        ("ratio.interval.low", low(of_ratio(said)), low(of_ratio(made))),
        ("ratio.interval.high", high(of_ratio(said)), high(of_ratio(made))),
    ];
    let near = |said: f64, made: f64| (said - made).abs() <= tolerance * made.abs();
    let other = figures.into_iter().find(|(_, said, made)| match (said, made) {
        (Some(said), Some(made)) => !near(*said, *made),
        (said, made) => said.is_some() != made.is_some(),
    });
    let shown = |figure: Option<f64>| figure.map_or("none".to_owned(), |figure| figure.to_string());
    if let Some((part, said, made)) = other {
        return Some(format!(
            "has the {part} {}, and its trials give {}",
            shown(said),
            shown(made)
        ));
    }
    let same_rank = match (said.rank, made.rank) {
        (Some(said), Some(made)) if was_rounded => said.best <= made.worst && made.best <= said.worst,
        (said, made) => said == made,
    };
    let rank = |rank: Option<Rank>| rank.map_or("none".to_owned(), |rank| rank.to_string());
    let rest = [
        (
            "trials",
            said.trials == made.trials,
            said.trials.to_string(),
            made.trials.to_string(),
        ),
        ("rank", same_rank, rank(said.rank), rank(made.rank)),
        (
            "trusted",
            said.trusted == made.trusted,
            said.trusted.to_string(),
            made.trusted.to_string(),
        ),
    ];
    let (part, _, said, made) = rest.into_iter().find(|(_, same, ..)| !same)?;
    Some(format!("has the {part} {said}, and its trials give {made}"))
}
