//! What cannot be trusted, and what failed, each stated once for all apps concerned.

use std::collections::BTreeMap;

use model::{Metric, Record, Verdict};

use super::{NAME, Row, Table, apps, clean, label, labels, shown_reasons};
use crate::document::{Text, joined, name, text};

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
}

/// Most names in a note; for more apps it gives their number.
const MOST_NAMED: usize = 3;

/// Names some of all apps: by name where they are few, otherwise by number, with the exceptions where those are few.
pub(super) fn who(some: &[String], all: &[String]) -> String {
    let others: Vec<&String> = all.iter().filter(|label| !some.contains(label)).collect();
    match (some.len(), others.as_slice()) {
        (number, []) if number > 1 => format!("all {number}"),
        (number, _) if number <= MOST_NAMED => some.join(", "),
        (number, few) if few.len() <= MOST_NAMED => {
            format!("{number} of {}, all but {}", all.len(), labels::list(few))
        }
        (number, _) => format!("{number} of {}", all.len()),
    }
}

/// Notes on the rows of a table, one for each group of rows with the same verdict, reason and untrusted metrics, the mildest verdict
/// first.
fn grouped<R: IntoIterator<Item = String>>(table: &Table, reasons: impl Fn(&Row, &[Metric]) -> R) -> Vec<Note> {
    let mut grouped: BTreeMap<(Verdict, String, Vec<Metric>), Vec<String>> = BTreeMap::new();
    for row in table.rows() {
        let untrusted = table.untrusted(row);
        for reason in reasons(row, &untrusted) {
            let apps = grouped.entry((row.cell.verdict, reason, untrusted.clone()));
            apps.or_default().push(label(row.app));
        }
    }
    let all: Vec<String> = table.rows().map(|row| label(row.app)).collect();
    let note = |((verdict, reason, metrics), apps): (_, Vec<String>)| Note {
        verdict,
        reason,
        metrics,
        who: who(&apps, &all),
    };
    grouped.into_iter().map(note).collect()
}

/// Which figures of a table are not trusted and why, in words: one note for each verdict and set of them.
pub fn caveats(table: &Table) -> Vec<Note> {
    let verdict = |row: &Row| row.cell.verdict.what_happened().to_owned();
    grouped(table, |row, untrusted| (!untrusted.is_empty()).then(|| verdict(row)))
}

/// The reasons of a table, without repetition.
pub fn notes(table: &Table) -> Vec<Note> {
    grouped(table, |row, untrusted| {
        let verdict = row.cell.verdict;
        let is_marked = verdict != Verdict::Valid || !untrusted.is_empty();
        let mut reasons = shown_reasons(&row.cell.reasons);
        if reasons.is_empty() {
            reasons.push(verdict.what_happened().to_owned());
        }
        reasons.into_iter().filter(move |_| is_marked)
    })
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

impl AppFailure {
    /// `**axum**: crashed in plaintext, simple: the server died`
    pub fn line(&self) -> Text {
        let place = match self.scenarios.as_slice() {
            [] => "every scenario".into(),
            some => joined(some.iter().map(|id| name(id).code()), ", "),
        };
        let label = Text::from(self.label.clone()).bold();
        let reasons = joined(self.reasons.iter().cloned(), "; ");
        let colon = (!reasons.is_empty()).then_some(": ");
        text![label, ": ", self.verdict.name(), " in ", place, colon, reasons]
    }
}

/// All failures of a run by name; what an app failed with in several scenarios is one. Failures of the machine come last, one for all
/// apps that it failed in the same scenarios, because no app caused them.
pub fn failures<'t, 'r: 't>(record: &Record, tables: impl IntoIterator<Item = &'t Table<'r>>) -> Vec<AppFailure> {
    let tables: Vec<&Table> = tables.into_iter().collect();
    let (mut own, mut of_machine) = (Vec::new(), Vec::<AppFailure>::new());
    for app in apps(record) {
        let failed = tables.iter().filter_map(|table| {
            let missing = table.missing(app)?;
            let failure = (clean(&table.scenario.id, NAME), missing.reasons.clone());
            Some((missing.verdict?, failure))
        });
        let mut failed = labels::grouped(failed);
        failed.sort_by_key(|(verdict, _)| *verdict);
        for (verdict, failed) in failed {
            let reasons = over_scenarios(&failed);
            let partly = failed.len() < tables.len();
            let scenarios = failed.into_iter().filter(|_| partly).map(|(scenario, _)| scenario);
            let failure = AppFailure {
                label: label(app),
                verdict,
                reasons,
                scenarios: scenarios.collect(),
            };
            let mut known = of_machine.iter_mut();
            if verdict != Verdict::EnvironmentFailed {
                own.push(failure);
            } else if let Some(known) = known.find(|known| known.scenarios == failure.scenarios) {
                known.label = format!("{}, {}", known.label, failure.label);
                known.reasons.truncate(1);
                known.reasons.push("similarly for the others".to_owned());
            } else {
                of_machine.push(failure);
            }
        }
    }
    own.extend(of_machine);
    own
}

/// A scenario, and why an app failed in it.
type ScenarioFailure = (String, Vec<String>);

/// The reasons of several scenarios, once where they are the same; otherwise each first reason once, with the scenarios that have it and what
/// else is said of them.
fn over_scenarios(failed: &[ScenarioFailure]) -> Vec<String> {
    if failed.iter().all(|(_, reasons)| *reasons == failed[0].1) {
        return failed[0].1.clone();
    }
    let grouped = labels::grouped(failed.iter().filter_map(|(scenario, reasons)| {
        let (first, further) = reasons.split_first()?;
        let further = (!further.is_empty()).then(|| format!(" ({})", further.join(", ")));
        Some((first, format!("{scenario}{}", further.unwrap_or_default())))
    }));
    let grouped = grouped.into_iter();
    grouped
        .map(|(reason, places)| format!("{}: {reason}", labels::list(&places)))
        .collect()
}
