//! What cannot be trusted, and what failed: said once for all apps that it is true of.

use std::borrow::Borrow;
use std::collections::BTreeMap;

use record::{Metric, Record, Verdict};

use super::{BTreeSet, NAME, Table, clean, shown_reasons, subjects, words};

/// Why figures of a table are set apart.
#[derive(Debug)]
pub struct Note {
    /// What the cells are worth.
    pub verdict: Verdict,
    /// Why, cleaned.
    pub reason: String,
    /// What is set apart; empty if the verdict leaves every figure standing.
    pub metrics: Vec<Metric>,
    /// The apps: names where they are few, else a number.
    pub who: String,
    /// How many of how many, `20 of 21`.
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

/// Most names that stand in a note; more of them are a number.
const MOST_NAMED: usize = 3;

/// Some of all, in words: names where they are few, else how many, and who is not among them where those are few.
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
            format!("{number} of {}, all but {}", all.len(), words::list(few))
        }
        (number, _) => format!("{number} of {}", all.len()),
    }
}

/// Which of `metrics` are not trusted and why, in words, the mildest verdict first: one note for each verdict.
pub fn doubts(table: &Table, metrics: &[Metric]) -> Vec<Note> {
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
        Note::new(verdict, words::meaning(verdict).to_owned(), metrics, &labels, &all)
    };
    grouped.into_iter().map(note).collect()
}

/// The reasons of a table, each once, the mildest verdict first.
pub fn notes(table: &Table) -> Vec<Note> {
    let mut grouped: BTreeMap<(Verdict, String, BTreeSet<Metric>), Vec<String>> = BTreeMap::new();
    for row in table.rows() {
        let (verdict, untrusted) = (row.cell.verdict, row.untrusted());
        if verdict == Verdict::Valid && untrusted.is_empty() {
            continue;
        }
        let mut reasons = shown_reasons(&row.cell.reasons);
        if reasons.is_empty() {
            reasons.push(words::meaning(verdict).to_owned());
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

/// One app that failed, and where; or several that the machine failed.
#[derive(Debug)]
pub struct Failure {
    /// Who.
    pub label: String,
    /// How.
    pub verdict: Verdict,
    /// Why, cleaned.
    pub reasons: Vec<String>,
    /// In which scenarios; empty if in every one.
    pub scenarios: Vec<String>,
}

/// All failures of a run by name; the same failure in several scenarios is one. What the machine failed stands at the end,
/// and by scenario: it is of nobody's making.
pub fn failures<'a, T: Borrow<Table<'a>>>(record: &Record, tables: &[T]) -> Vec<Failure> {
    let mut failures = Vec::new();
    for subject in subjects(record) {
        let mut grouped: BTreeMap<(Verdict, Vec<String>), Vec<String>> = BTreeMap::new();
        for table in tables.iter().map(Borrow::borrow) {
            let Some(missing) = table.missing(subject) else {
                continue;
            };
            let Some(verdict) = missing.verdict else { continue };
            let key = (verdict, missing.reasons.clone());
            grouped.entry(key).or_default().push(clean(&table.scenario.id, NAME));
        }
        failures.extend(grouped.into_iter().map(|((verdict, reasons), scenarios)| {
            let everywhere = scenarios.len() == tables.len();
            let scenarios = if everywhere { Vec::new() } else { scenarios };
            Failure {
                label: subject.label(),
                verdict,
                reasons,
                scenarios,
            }
        }));
    }
    let (of_machine, mut own): (Vec<_>, Vec<_>) = failures
        .into_iter()
        .partition(|failure: &Failure| failure.verdict == Verdict::EnvironmentFailed);
    own.extend(together(of_machine));
    own
}

/// Those who failed in the same scenarios as one, with the first one's reason.
fn together(failures: Vec<Failure>) -> Vec<Failure> {
    let mut by_scenarios: BTreeMap<Vec<String>, Vec<Failure>> = BTreeMap::new();
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
                first.reasons = vec![format!("{reason}; of the others the like")];
                first.label = label;
            }
            Some(first)
        })
        .collect()
}
