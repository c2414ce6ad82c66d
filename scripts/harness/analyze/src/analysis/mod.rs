//! From trials to the summary: a pure function of what was recorded, which can be recomputed at any time.

use std::collections::BTreeMap;

use model::scenario::Scenario;
use model::{AppRecord, Cell, Metric, NEAR_CEILING, Record, Role, Summary, TOO_WIDE, Trial, Verdict};
use stats::MIN_FOR_INTERVAL;

pub mod controls;
mod disturbed;
pub mod own_work;
mod sessions;
mod standing;
mod steadiness;

pub use disturbed::in_spite_of_others;
#[cfg(test)]
pub(crate) use sessions::tests as tests_of_sessions;
pub use sessions::{MOST_SESSIONS, Session, Sessions, is_same_kind, is_same_work, nearest};
pub(crate) use sessions::{is_same_version, place};
pub use standing::Standing;
pub use steadiness::unsteady;

/// A record with what follows from it, for programs that read JSON. It is read as a record, too.
#[derive(Debug, serde::Serialize)]
pub struct Analyzed<'a> {
    #[serde(flatten)]
    record: &'a Record,
    /// What the trials say together.
    summary: &'a [Cell],
}

impl<'a> Analyzed<'a> {
    /// What `record` says.
    pub fn of(record: &'a Record) -> Self {
        let summary = &record.summary;
        Self { record, summary }
    }
}

/// Every cell: app and variant in the order of `apps`, scenario in the order of `scenarios`.
pub fn summary(apps: &[AppRecord], scenarios: &[Scenario], trials: &[Trial]) -> Vec<Cell> {
    summarize(apps, scenarios, trials, &Sessions::default())
}

/// The same of a record, with what other sessions of its kind say. Nothing is ranked if a control was not found as it is.
pub fn summary_among(record: &Record, others: &Sessions) -> Vec<Cell> {
    let mut cells = summarize(&record.apps, &record.scenarios, &record.trials, others);
    if !controls::hold(record) {
        for summary in cells.iter_mut().flat_map(|cell| cell.metrics.values_mut()) {
            (summary.rank, summary.behind) = (None, Vec::new());
        }
    }
    cells
}

fn summarize(apps: &[AppRecord], scenarios: &[Scenario], trials: &[Trial], others: &Sessions) -> Vec<Cell> {
    if trials.is_empty() && apps.iter().any(|app| app.costs.is_some()) {
        return Vec::new(); // a run of costs drove no load: there is nothing to judge
    }
    let mut cells: Vec<Measured> = Vec::new();
    let unranked = steadiness::unranked(apps, scenarios, trials);
    for scenario in scenarios {
        let may_rank = unranked.iter().all(|unsteady| unsteady.scenario.id != scenario.id);
        let trials: Vec<&Trial> = trials.iter().filter(|trial| trial.scenario == scenario.id).collect();
        let measured = apps
            .iter()
            .enumerate()
            .filter(|(_, app)| was_measured(app, scenario, &trials));
        let mut of_scenario: Vec<Measured> = measured
            .map(|(place, app)| (cell(app, scenario, &trials), place))
            .collect();
        near_ceiling(&mut of_scenario, apps);
        trust(&mut of_scenario);
        // A session that claims no ranks says nothing about another one.
        let others = if may_rank { others } else { &Sessions::default() };
        standing::fill_in(&mut of_scenario, &trials, apps, scenario, others, may_rank);
        disturbed::show(&mut of_scenario, &trials, apps, scenario);
        cells.extend(of_scenario);
    }
    cells.sort_by_key(|(_, app)| *app); // stable: the scenarios keep their order
    cells.into_iter().map(|(cell, _)| cell).collect()
}

/// A cell, and the place of its app among all.
type Measured = (Cell, usize);

/// How the apps of a run compare in one of its scenarios; `None` if it has no such scenario, or claims no ranks in it.
pub fn standing(record: &Record, scenario: &str, metric: Metric, others: &Sessions) -> Option<Standing> {
    let unranked = steadiness::unranked(&record.apps, &record.scenarios, &record.trials);
    if unranked.iter().any(|unsteady| unsteady.scenario.id == scenario) {
        return None;
    }
    let trials = usable_by_app(&record.apps, &record.trials_of(scenario));
    let scenario = record.scenario(scenario)?;
    Some(Standing::new(&record.apps, &trials, scenario, metric, others))
}

/// Whether an app was measured in this scenario. One that does not offer what the scenario requires was left
/// out and has not failed.
pub fn was_measured(app: &AppRecord, scenario: &Scenario, of_scenario: &[&Trial]) -> bool {
    app.offers(scenario) && (of_scenario.is_empty() || of_scenario.iter().any(|trial| trial.is_of(app)))
}

/// The trials of one app in a scenario whose figures count, in the order of their rounds: the last attempt of each, unless the machine or the
/// server disturbed it.
pub fn usable<'a>(app: &AppRecord, of_scenario: &[&'a Trial]) -> Vec<&'a Trial> {
    let mut trials = last_attempts(app, of_scenario);
    trials.retain(|trial| !trial.verdict.is_failure());
    trials
}

/// The same of each app.
fn usable_by_app<'a>(apps: &[AppRecord], of_scenario: &[&'a Trial]) -> Vec<Vec<&'a Trial>> {
    apps.iter().map(|app| usable(app, of_scenario)).collect()
}

/// The trials of one app that count: the last attempt of each round.
fn last_attempts<'a>(app: &AppRecord, trials: &[&'a Trial]) -> Vec<&'a Trial> {
    let mut by_round: BTreeMap<u32, &Trial> = BTreeMap::new();
    for trial in trials.iter().filter(|trial| trial.is_of(app)) {
        let latest = by_round.entry(trial.round).or_insert(trial);
        if trial.attempt > latest.attempt {
            *latest = trial;
        }
    }
    by_round.into_values().collect()
}

/// Verdict and figures of one cell, as far as they depend on its own trials.
fn cell(app: &AppRecord, scenario: &Scenario, trials: &[&Trial]) -> Cell {
    let (verdict, reasons) = verdict(app, &last_attempts(app, trials));
    let own = usable(app, trials);
    let mut metrics = BTreeMap::new();
    // A server that answers wrongly, or crashes, has no speed; what the machine disturbed is shown by `disturbed`.
    if !verdict.is_failure() {
        for metric in Metric::ALL {
            metrics.extend(figure(metric, &own).map(|summary| (metric, summary)));
        }
    }
    Cell {
        app: app.id.clone(),
        variant: app.variant.clone(),
        scenario: scenario.id.clone(),
        verdict,
        reasons,
        metrics,
    }
}

/// By round, what a metric is in trials of one app.
pub(crate) fn by_round(own: &[&Trial], metric: Metric) -> BTreeMap<u32, f64> {
    own.iter()
        .filter_map(|trial| Some((trial.round, metric.value(trial)?)))
        .collect()
}

fn figure(metric: Metric, own: &[&Trial]) -> Option<Summary> {
    let values: Vec<f64> = own.iter().filter_map(|trial| metric.value(trial)).collect();
    let found = stats::estimate(&values)?;
    Some(Summary {
        median: found.median,
        interval: found.interval,
        trials: u32::try_from(found.count).unwrap_or(u32::MAX),
        trusted: true,
        ..Summary::default()
    })
}

/// The verdict of a cell, from its trials.
///
/// One wrong answer or one crash is one too many. A request without an answer is, too, unless that is known of the framework: then the other
/// trials are shown, and not ranked. Where at least half of the trials met a limit, whichever, the commonest counts. A trial
/// that the machine disturbed twice is left out, as long as more than half remain.
fn verdict(app: &AppRecord, trials: &[&Trial]) -> (Verdict, Vec<String>) {
    if let Some(reason) = app.why_not_built() {
        return (Verdict::BuildFailed, vec![reason.to_owned()]);
    }
    if let Some(reason) = &app.withdrawn {
        return (Verdict::ContractFailed, vec![reason.clone()]);
    }
    if trials.is_empty() {
        return (Verdict::EnvironmentFailed, vec!["no trial was made".into()]);
    }
    let with = |verdict: Verdict| trials.iter().filter(move |trial| trial.verdict == verdict);
    for failure in [Verdict::BuildFailed, Verdict::Crashed, Verdict::ContractFailed] {
        if let Some(first) = with(failure).next() {
            let failed = with(failure).count();
            if app.known_fault.is_some() && with(failure).all(|trial| trial.is_unanswered()) {
                return known_fault(failed, trials);
            }
            return (failure, reasons_with_count(first, failed, trials.len()));
        }
    }
    let half = |count: usize, of: usize| count > 0 && 2 * count >= of;
    let disturbed = with(Verdict::EnvironmentFailed).count();
    let first = with(Verdict::EnvironmentFailed).next();
    if let Some(first) = first.filter(|_| half(disturbed, trials.len())) {
        let reasons = reasons_with_count(first, disturbed, trials.len());
        return (Verdict::EnvironmentFailed, reasons);
    }
    if let Some(incomplete) = with(Verdict::Incomplete).next() {
        return (Verdict::Incomplete, incomplete.reasons.clone());
    }
    let valid = with(Verdict::Valid).count();
    let limited = trials.len() - disturbed - valid;
    // The limit that most met; of those that are equally common, the one that comes first in the table.
    let limits = Verdict::ALL.iter().copied().filter(|verdict| verdict.is_limit());
    let commonest = limits.rev().max_by_key(|limit| with(*limit).count());
    let Some(limit) = commonest.filter(|_| half(limited, limited + valid)) else {
        return (Verdict::Valid, Vec::new());
    };
    let reasons = with(limit).next().map(|first| first.reasons.clone());
    // Parentheses at the end hold what concerns that one trial alone.
    let general = |reason: String| match reason.rsplit_once(" (") {
        Some((most, _)) => most.to_owned(),
        None => reason,
    };
    (limit, reasons.unwrap_or_default().into_iter().map(general).collect())
}

/// What ends the reason of a cell in which nothing failed but what is known of the framework.
pub const KNOWN_FAULT: &str = "a known fault";

/// Fewest trials whose median is shown of a server that broke the contract in others: of two, one may be off.
const LEAST_KEPT: usize = 3;

/// The verdict on a server that left requests of `failed` trials without an answer, as is known of its framework.
fn known_fault(failed: usize, trials: &[&Trial]) -> (Verdict, Vec<String>) {
    let kept = trials.iter().filter(|trial| !trial.verdict.is_failure()).count();
    let (verdict, few) = match kept {
        0..LEAST_KEPT => (Verdict::ContractFailed, String::new()),
        LEAST_KEPT..MIN_FOR_INTERVAL => (
            Verdict::Incomplete,
            format!("; the {kept} without it are too few for an interval"),
        ),
        _ => (Verdict::Incomplete, String::new()),
    };
    let of = trials.len();
    let reason = format!("requests were never answered in {failed} of {of} trials, {KNOWN_FAULT}{few}");
    (verdict, vec![reason])
}

/// The reasons of one trial, and how many trials were like it.
fn reasons_with_count(trial: &Trial, count: usize, of: usize) -> Vec<String> {
    let mut reasons = trial.reasons.clone();
    if count < of {
        reasons.push(format!("so in {count} of {of} trials"));
    }
    reasons
}

/// An app that comes near the ceiling was limited by the generator, if the generator limited the ceiling too.
fn near_ceiling(cells: &mut [Measured], apps: &[AppRecord]) {
    let goodput = |cell: &Cell| cell.metrics.get(&Metric::GoodputRps).map(|summary| summary.median);
    let is_ceiling = |app: usize| apps[app].role == Role::Ceiling;
    let mut ceilings = cells.iter().filter(|(_, app)| is_ceiling(*app));
    let ceiling = ceilings.find(|(cell, _)| cell.verdict == Verdict::ClientBound);
    let Some(ceiling) = ceiling.and_then(|(cell, _)| goodput(cell)) else {
        return;
    };
    for (cell, app) in cells {
        let is_above = goodput(cell).is_some_and(|goodput| goodput / ceiling > NEAR_CEILING);
        let may_be_bound = cell.verdict.keeps_costs() && cell.verdict != Verdict::Unstable;
        if may_be_bound && is_above && !is_ceiling(*app) {
            cell.verdict = Verdict::ClientBound;
            cell.reasons.push(format!(
                "it reached more than {:.0} % of what the smallest possible server reached, which the load generator \
                 limits",
                NEAR_CEILING * 100.0
            ));
        }
    }
}

/// Marks the figures that the verdict invalidates. A figure that spreads has a wide interval, which shows it.
fn trust(cells: &mut [Measured]) {
    for (cell, _) in cells {
        let width = |summary: &Summary| {
            summary
                .interval
                .map_or(0.0, |interval| interval.width() / summary.median)
        };
        let spread = cell.metrics.get(&Metric::GoodputRps).map(width).unwrap_or_default();
        if cell.verdict == Verdict::Valid && spread > TOO_WIDE {
            cell.verdict = Verdict::Unstable;
            cell.reasons
                .push(format!("goodput spreads over {:.0} % of its median", spread * 100.0));
        }
        for (metric, summary) in &mut cell.metrics {
            summary.trusted = metric.stands_under(cell.verdict);
        }
    }
}

#[cfg(test)]
mod tests;
