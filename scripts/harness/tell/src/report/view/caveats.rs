//! What cannot be trusted, and what failed, each stated once for all apps concerned.

use std::borrow::Borrow;
use std::collections::BTreeMap;

use record::{Metric, Record, Verdict};

use super::{BTreeSet, NAME, Table, clean, labels, shown_reasons, subjects};

/// Why figures of a table are marked.
#[derive(Debug)]
pub struct Note {
    /// The verdict on the cells.
    pub verdict: Verdict,
    /// Why, cleaned.
    pub reason: String,
    /// The untrusted metrics; empty if the verdict invalidates none.
    pub metrics: Vec<Metric>,
    /// The apps: names where they are few, otherwise a number.
    pub who: String,
    /// Number of apps, `20 of 21`.
    pub count: String,
}

impl Note {
    fn new(verdict: Verdict, reason: String, metrics: Vec<Metric>, labels: &[String], all: &[String]) -> Self {
        Self {
            verdict,
            reason,
            metrics,
            count: format!("{} of {}", labels.len(), all.len()),
            who: who(labels, all),
        }
    }
}

/// Most names in a note; for more apps it gives their number.
const MOST_NAMED: usize = 3;

/// Names some of all apps: by name where they are few, otherwise by number, with the exceptions where those are few.
pub(super) fn who(some: &[String], all: &[String]) -> String {
    let others: Vec<&str> = all
        .iter()
        .filter(|label| !some.contains(label))
        .map(String::as_str)
        .collect();
    match (some.len(), others.as_slice()) {
        (number, []) if number > 1 => format!("all {number}"),
        (number, _) if number <= MOST_NAMED => some.join(", "),
        (number, few) if few.len() <= MOST_NAMED => {
            format!("{number} of {}, all but {}", all.len(), labels::list(few))
        }
        (number, _) => format!("{number} of {}", all.len()),
    }
}

/// Which of `metrics` are not trusted and why, in words, the mildest verdict first: one note for each verdict.
pub fn caveats(table: &Table, metrics: &[Metric]) -> Vec<Note> {
    let mut grouped: BTreeMap<(Verdict, Vec<Metric>), Vec<String>> = BTreeMap::new();
    for row in table.rows() {
        let untrusted = row.untrusted();
        let shown: Vec<Metric> = metrics
            .iter()
            .copied()
            .filter(|metric| untrusted.contains(metric))
            .collect();
        if !shown.is_empty() {
            grouped
                .entry((row.cell.verdict, shown))
                .or_default()
                .push(row.subject.label());
        }
    }
    let all = table.labels();
    let note = |((verdict, metrics), labels): (_, Vec<String>)| {
        Note::new(verdict, labels::meaning(verdict).to_owned(), metrics, &labels, &all)
    };
    grouped.into_iter().map(note).collect()
}

/// The reasons of a table, without repetition, the mildest verdict first.
pub fn notes(table: &Table) -> Vec<Note> {
    let mut grouped: BTreeMap<(Verdict, String, BTreeSet<Metric>), Vec<String>> = BTreeMap::new();
    for row in table.rows() {
        let (verdict, untrusted) = (row.cell.verdict, row.untrusted());
        if verdict == Verdict::Valid && untrusted.is_empty() {
            continue;
        }
        let mut reasons = shown_reasons(&row.cell.reasons);
        if reasons.is_empty() {
            reasons.push(labels::meaning(verdict).to_owned());
        }
        for reason in reasons {
            grouped
                .entry((verdict, reason, untrusted.clone()))
                .or_default()
                .push(row.subject.label());
        }
    }
    let all = table.labels();
    let note = |((verdict, reason, metrics), labels): ((_, _, BTreeSet<_>), Vec<String>)| {
        Note::new(verdict, reason, metrics.into_iter().collect(), &labels, &all)
    };
    grouped.into_iter().map(note).collect()
}

/// One app that failed, and where; or several that failed because of the machine.
#[derive(Debug)]
pub struct AppFailure {
    /// The app, or the apps.
    pub label: String,
    /// How it failed.
    pub verdict: Verdict,
    /// Why, cleaned.
    pub reasons: Vec<String>,
    /// The scenarios; empty for all of them.
    pub scenarios: Vec<String>,
}

/// All failures of a run by name; what an app failed with in several scenarios is one. Failures of the machine come last, grouped by
/// scenario, because no app caused them.
pub fn failures<'a, T: Borrow<Table<'a>>>(record: &Record, tables: &[T]) -> Vec<AppFailure> {
    let mut failures = Vec::new();
    for subject in subjects(record) {
        let mut grouped: BTreeMap<Verdict, Vec<ScenarioFailure>> = BTreeMap::new();
        for table in tables.iter().map(Borrow::borrow) {
            let Some(missing) = table.missing(subject) else {
                continue;
            };
            let Some(verdict) = missing.verdict else { continue };
            let failure = (clean(&table.scenario.id, NAME), missing.reasons.clone());
            grouped.entry(verdict).or_default().push(failure);
        }
        failures.extend(grouped.into_iter().map(|(verdict, failed)| AppFailure {
            label: subject.label(),
            verdict,
            reasons: joined(&failed),
            scenarios: if failed.len() == tables.len() {
                Vec::new()
            } else {
                failed.into_iter().map(|(scenario, _)| scenario).collect()
            },
        }));
    }
    let (of_machine, mut own): (Vec<_>, Vec<_>) = failures
        .into_iter()
        .partition(|failure: &AppFailure| failure.verdict == Verdict::EnvironmentFailed);
    own.extend(merged(of_machine));
    own
}

/// A scenario, and why an app failed in it.
type ScenarioFailure = (String, Vec<String>);

/// The reasons of several scenarios: each first reason once, with the scenarios that have it and what else is said of them; and at the
/// end, once, what is said of all.
fn joined(failed: &[ScenarioFailure]) -> Vec<String> {
    fn further(reasons: &[String]) -> &[String] {
        reasons.get(1..).unwrap_or_default()
    }
    let of_all = |reason: &String| failed.iter().all(|(_, reasons)| further(reasons).contains(reason));
    let mut grouped: Vec<(&String, Vec<String>)> = Vec::new();
    for (scenario, reasons) in failed {
        let Some(first) = reasons.first() else { continue };
        let own = further(reasons).iter().filter(|reason| !of_all(reason));
        let own: Vec<&str> = own.map(String::as_str).collect();
        let place = if own.is_empty() {
            scenario.clone()
        } else {
            format!("{scenario} ({})", own.join(", "))
        };
        match grouped.iter_mut().find(|(reason, _)| *reason == first) {
            Some((_, places)) => places.push(place),
            None => grouped.push((first, vec![place])),
        }
    }
    let names = failed.iter().map(|(scenario, _)| scenario);
    let is_one = matches!(grouped.as_slice(), [(_, places)] if places.iter().eq(names));
    let told = grouped.into_iter().map(|(reason, places)| {
        if is_one {
            return reason.clone();
        }
        let places: Vec<&str> = places.iter().map(String::as_str).collect();
        format!("{}: {reason}", labels::list(&places))
    });
    let shared = failed.iter().take(1).flat_map(|(_, reasons)| further(reasons));
    told.chain(shared.filter(|reason| of_all(reason)).cloned()).collect()
}

/// Merges apps that failed in the same scenarios into one entry with the first reason.
fn merged(failures: Vec<AppFailure>) -> Vec<AppFailure> {
    let mut by_scenarios: BTreeMap<Vec<String>, Vec<AppFailure>> = BTreeMap::new();
    for failure in failures {
        by_scenarios.entry(failure.scenarios.clone()).or_default().push(failure);
    }
    by_scenarios
        .into_values()
        .filter_map(|group| {
            let label = group.iter().map(|failure| failure.label.as_str()).collect::<Vec<_>>();
            let label = label.join(", ");
            let alone = group.len() == 1;
            let mut first = group.into_iter().next()?;
            if !alone {
                let reason = first.reasons.first().cloned().unwrap_or_default();
                first.reasons = vec![format!("{reason}; similarly for the others")];
                first.label = label;
            }
            Some(first)
        })
        .collect()
}
