//! How the apps of one scenario compare: ratios to the reference, and ranks.

use std::collections::BTreeSet;

use super::{Measured, Sessions, by_round, own_work, usable_by_app};
use model::scenario::Scenario;
use model::{AppRecord, Metric, Ratio, Role, Tier, Trial};
use stats::{Difference, Field, Pairs, Repeats};

/// The largest difference, in logarithms, that no statement about another build is made of: the order of a program's sections alone moves
/// its CPU time by as much (docs/ranking.md).
const LEAST: f64 = 0.01;

/// The apps of a run in one scenario by one metric, from one model of all of them. An app is named by its place in the record's `apps`.
#[derive(Debug)]
pub struct Standing {
    field: Field,
    /// What several sessions say, and on how many days they were.
    repeats: Option<(Repeats, u32)>,
}

impl Standing {
    /// From each app's trials of the scenario that count, and from `others`, sessions that have it.
    pub(super) fn new(
        apps: &[AppRecord],
        trials: &[Vec<&Trial>],
        scenario: &Scenario,
        metric: Metric,
        others: &Sessions,
    ) -> Self {
        let field = field(trials, metric);
        let began = trials.iter().flatten().map(|trial| trial.started_at).min();
        let repeats = began.and_then(|at| others.repeats(scenario, metric, apps, own_levels(&field, apps.len()), at));
        Self { field, repeats }
    }

    /// How far `one` is above `other`, in logarithms: by all sessions, as a statement about another one, where it is known how much sessions
    /// differ, and otherwise by this one and about it.
    pub fn difference(&self, one: usize, other: usize) -> Option<Difference> {
        let within = self.field.difference(one, other)?;
        let repeats = self.known(one, other);
        repeats.map_or(Some(within), |(repeats, _)| repeats.difference(one, other))
    }

    /// The same as a ratio, with what its interval covers.
    pub fn ratio(&self, one: usize, other: usize) -> Option<Ratio> {
        let difference = self.difference(one, other)?;
        let known = self.known(one, other);
        let sessions = |(repeats, _): &(Repeats, u32)| u32::try_from(repeats.sessions(one, other)).unwrap_or(u32::MAX);
        Some(Ratio {
            estimate: difference.estimate.exp(),
            interval: difference.interval().map(|interval| interval.map(f64::exp)),
            sessions: known.map(sessions),
            days: known.map(|(_, days)| *days),
        })
    }

    /// What several sessions say of two apps. One that has no interval in this session has none.
    fn known(&self, one: usize, other: usize) -> Option<&(Repeats, u32)> {
        let has_interval = |app| self.field.has_interval(app);
        self.repeats
            .as_ref()
            .filter(|_| one != other && has_interval(one) && has_interval(other))
    }

    /// Whether several sessions are behind what is said.
    pub fn is_of_sessions(&self) -> bool {
        self.repeats.is_some()
    }

    /// The smallest difference that a statement is made of, in logarithms.
    pub fn least(&self) -> f64 {
        if self.repeats.is_some() { LEAST } else { 0.0 }
    }

    /// All pairs of `members` that can be distinguished.
    pub fn pairs(&self, members: &[usize]) -> Pairs {
        let members = members.iter().copied().filter(|app| self.field.has_interval(*app));
        Pairs::new(members.collect(), self.least(), |one, other| {
            self.difference(one, other)
        })
    }
}

/// Fills in ratios and ranks of a scenario. Ratios are printed relative to the reference; the machine's effect is estimated from all
/// apps. With enough other sessions, both hold in another one. Without `may_rank`, there are no ranks.
pub(super) fn fill_in(
    cells: &mut [Measured],
    of_scenario: &[&Trial],
    apps: &[AppRecord],
    scenario: &Scenario,
    others: &Sessions,
    may_rank: bool,
) {
    let mut measured = cells.iter().map(|(_, app)| *app);
    let reference = measured.find(|app| apps[*app].role == Role::Reference);
    let trials = usable_by_app(apps, of_scenario);
    for metric in Metric::ALL {
        if !cells.iter().any(|(cell, _)| cell.metrics.contains_key(&metric)) {
            continue;
        }
        let standing = Standing::new(apps, &trials, scenario, metric, others);
        let ends = own_work::Ends::of(apps, metric, scenario);
        for (cell, app) in cells.iter_mut() {
            if let Some(summary) = cell.metrics.get_mut(&metric) {
                summary.ratio = reference.and_then(|reference| standing.ratio(*app, reference));
                summary.own_work = ends.as_ref().and_then(|ends| ends.own_work(&standing, *app));
            }
        }
        if !may_rank || !metric.is_ranked(scenario.load) {
            continue;
        }
        // An engine does less than a framework, and microseconds do not decide between a maintained framework and one that is not, or
        // between a framework and a driver.
        for &tier in Tier::ALL {
            let is_of_tier = |app: &AppRecord| app.role == Role::Framework && app.tier == tier;
            let is_member = |(cell, app): &&Measured| is_of_tier(&apps[*app]) && cell.trusted(metric).is_some();
            let members: Vec<usize> = cells.iter().filter(is_member).map(|(_, app)| *app).collect();
            let pairs = standing.pairs(&members);
            let rank = |app: usize| pairs.rank(app, metric.more_is_better());
            for (cell, app) in cells.iter_mut().filter(|(_, app)| members.contains(app)) {
                let own = rank(*app);
                let overlaps = |other: &usize| {
                    rank(*other)
                        .zip(own)
                        .is_some_and(|(other, own)| other.worst >= own.best)
                };
                if let Some(summary) = cell.metrics.get_mut(&metric) {
                    let better = pairs.better(*app, metric.more_is_better());
                    summary.behind = better.filter(overlaps).collect();
                    summary.rank = own;
                }
            }
        }
    }
}

/// Each app's level in a session, `None` without enough rounds for an interval; `None` if no trial has the metric.
pub(super) fn levels(trials: &[Vec<&Trial>], metric: Metric) -> Option<Vec<Option<f64>>> {
    let mut values = trials.iter().flatten().filter_map(|trial| metric.value(trial));
    values.next()?;
    Some(own_levels(&field(trials, metric), trials.len()))
}

fn own_levels(field: &Field, apps: usize) -> Vec<Option<f64>> {
    let level = |app: usize| field.level(app).filter(|_| field.has_interval(app));
    (0..apps).map(level).collect()
}

/// The model of one metric: a row for each app, a column for each round.
fn field(trials: &[Vec<&Trial>], metric: Metric) -> Field {
    let rounds: BTreeSet<u32> = trials.iter().flatten().map(|trial| trial.round).collect();
    let rows = trials.iter().map(|own| {
        let by_round = by_round(own, metric);
        let value = |round| by_round.get(round).filter(|value| value.is_finite() && **value > 0.0);
        rounds.iter().map(|round| Some(value(round)?.ln())).collect()
    });
    Field::new(rows.collect())
}
