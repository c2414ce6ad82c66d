//! The course of a run: which trials there are, and when.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::Hash;

use jiff::SignedDuration;
use record::{Record, Stopped, label};

/// Times are published in whole seconds.
const SECOND: SignedDuration = SignedDuration::from_secs(1);

pub(super) fn findings(record: &Record) -> Vec<String> {
    let mut found = Vec::new();
    let apps = record.apps.iter().map(|app| (&app.id, &app.variant));
    found.extend(twice(apps).map(|(app, variant)| format!("{} is there twice", label(app, variant))));
    let scenarios = record.scenarios.iter().map(|scenario| &scenario.id);
    found.extend(twice(scenarios).map(|id| format!("scenario {id} is there twice")));
    for scenario in &record.scenarios {
        let wrong = scenario.check().err();
        found.extend(wrong.map(|reason| format!("scenario {}: {reason}", scenario.id)));
    }
    found.extend(times(record));
    found.extend(rounds(record));
    found
}

/// The first trial in another place than it says, and the first that is not within the run.
fn times(record: &Record) -> Vec<String> {
    let earliest = record.started_at.saturating_sub(SECOND).unwrap_or(record.started_at);
    let within = earliest..=record.finished_at;
    let trials = || (1..).zip(&record.trials);
    let order = trials().find(|(order, trial)| trial.order != *order);
    let order = order.map(|(order, trial)| format!("trial {order} says that it is trial {}", trial.order));
    let time = trials().find(|(_, trial)| !within.contains(&trial.started_at));
    let time = time.map(|(order, trial)| {
        let at = trial.started_at;
        format!("trial {order} was started at {at}, which is not within the run")
    });
    order.into_iter().chain(time).collect()
}

/// A run makes round after round, and repeats a trial that was spoilt.
fn rounds(record: &Record) -> Vec<String> {
    let mut found = Vec::new();
    let mut cells: BTreeMap<_, BTreeMap<u32, BTreeSet<u32>>> = BTreeMap::new();
    // A kill can leave out the first attempt of some servers, never that of all.
    let mut attempts: BTreeMap<(&str, u32), BTreeSet<u32>> = BTreeMap::new();
    for trial in &record.trials {
        let (round, of) = (trial.round, label(&trial.app, &trial.variant));
        let cell = cells.entry((&trial.app, &trial.variant, &trial.scenario)).or_default();
        if !cell.entry(round).or_default().insert(trial.attempt) {
            found.push(format!("round {round} of {of} in {} is there twice", trial.scenario));
        }
        attempts
            .entry((&trial.scenario, round))
            .or_default()
            .insert(trial.attempt);
    }
    for ((app, variant, scenario), rounds) in cells {
        let of = format!("{} in {scenario}", label(app, variant));
        let gap = (1..).zip(rounds.keys()).find(|(expected, round)| expected != *round);
        found.extend(gap.map(|(expected, round)| format!("{of} has round {round} where round {expected} is missing")));
    }
    for ((scenario, round), attempts) in attempts {
        let gap = (1..).zip(&attempts).find(|(expected, attempt)| expected != *attempt);
        found.extend(gap.map(|(expected, attempt)| {
            format!("round {round} of {scenario} has attempt {attempt} where attempt {expected} is missing")
        }));
    }
    found
}

/// A run that says it made all its rounds has them: of every app and scenario that it measured.
pub(super) fn completeness(record: &Record) -> Vec<String> {
    let planned = record.harness.rounds;
    if record.harness.stopped != Stopped::RoundsDone {
        return Vec::new();
    }
    let mut last: BTreeMap<_, u32> = BTreeMap::new();
    for trial in &record.trials {
        let cell = last.entry((&trial.app, &trial.variant, &trial.scenario)).or_default();
        *cell = trial.round.max(*cell);
    }
    let short = last.into_iter().filter(|(_, rounds)| *rounds < planned);
    short
        .map(|((app, variant, scenario), rounds)| {
            let of = label(app, variant);
            format!("{of} in {scenario} has {rounds} of {planned} rounds, and the run says that all are done")
        })
        .collect()
}

/// What is there more than once.
pub(super) fn twice<T: Eq + Hash + Copy>(items: impl Iterator<Item = T>) -> impl Iterator<Item = T> {
    let mut seen = HashSet::new();
    items.filter(move |item| !seen.insert(*item))
}
