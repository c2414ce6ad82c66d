//! How the apps of one scenario stand to each other: ratios to the reference, ranks, pairs.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use super::usable;
use crate::stats::{Field, Pairs};
use record::scenario::LoadModel;
use record::{AppRecord, Cell, Interval, Metric, Ratio, Record, Role, Tier, Trial};

/// Groups within which frameworks are ranked: an engine does less than a framework, and nobody chooses between a framework
/// that is cared for and one that is not by microseconds.
const GROUPS: [Tier; 3] = [Tier::Maintained, Tier::Engine, Tier::Legacy];

/// An app in a variant: the app's id and the variant's name.
pub type Entry<'a> = (&'a str, &'a str);

/// Fills in ratios and ranks, for each metric from one model of all apps of the scenario ([`Field`]); the reference is what
/// ratios are printed to, not what the machine is judged by.
pub(super) fn fill_in(cells: &mut [(Cell, &AppRecord)], of_scenario: &[&Trial], load: LoadModel) {
    let apps: Vec<&AppRecord> = cells.iter().map(|(_, app)| *app).collect();
    let reference = apps.iter().position(|app| app.role == Role::Reference);
    let trials = usable_of_each(&apps, of_scenario);
    for metric in Metric::ALL {
        if !cells.iter().any(|(cell, _)| cell.metrics.contains_key(&metric)) {
            continue;
        }
        let field = field(&trials, metric);
        for (row, (cell, _)) in cells.iter_mut().enumerate() {
            if let (Some(summary), Some(reference)) = (cell.metrics.get_mut(&metric), reference) {
                summary.ratio = ratio(&field, row, reference);
            }
        }
        if !metric.is_ranked(load) {
            continue;
        }
        for tier in GROUPS {
            let members = members(cells.iter().map(|(cell, app)| (cell, *app)), metric, tier);
            let pairs = Pairs::new(&field, &members);
            for row in members {
                if let Some(summary) = cells[row].0.metrics.get_mut(&metric) {
                    summary.rank = pairs.rank(row, metric.more_is_better());
                }
            }
        }
    }
}

fn ratio(field: &Field, app: usize, reference: usize) -> Option<Ratio> {
    let difference = field.difference(app, reference)?;
    Some(Ratio {
        estimate: difference.estimate.exp(),
        interval: difference.interval(1).map(exponential),
    })
}

fn exponential(logarithms: Interval) -> Interval {
    Interval {
        low: logarithms.low.exp(),
        high: logarithms.high.exp(),
    }
}

fn usable_of_each<'a>(apps: &[&AppRecord], of_scenario: &[&'a Trial]) -> Vec<Vec<&'a Trial>> {
    apps.iter().map(|app| usable(app, of_scenario)).collect()
}

/// The model of one metric: a row for each app, a column for each round.
fn field(trials: &[Vec<&Trial>], metric: Metric) -> Field {
    let rounds: BTreeSet<u32> = trials.iter().flatten().map(|trial| trial.round).collect();
    let rows = trials.iter().map(|own| {
        let by_round: BTreeMap<u32, f64> = own
            .iter()
            .filter_map(|trial| Some((trial.round, metric.of(trial)?)))
            .filter(|(_, value)| value.is_finite() && *value > 0.0)
            .collect();
        rounds
            .iter()
            .map(|round| by_round.get(round).map(|value| value.ln()))
            .collect()
    });
    Field::new(rows.collect())
}

/// The rows of those that are ranked among themselves.
fn members<'a>(cells: impl Iterator<Item = (&'a Cell, &'a AppRecord)>, metric: Metric, tier: Tier) -> Vec<usize> {
    let trusted = |cell: &Cell| cell.metrics.get(&metric).is_some_and(|summary| summary.trusted);
    cells
        .enumerate()
        .filter(|(_, (cell, app))| app.role == Role::Framework && app.tier == tier && trusted(cell))
        .map(|(row, _)| row)
        .collect()
}

/// All pairs of one scenario and metric that can be stated, within the groups that are ranked.
///
/// With 95 % everything that this says of one group is right, all of it together; the ranks of the record say the same.
#[derive(Debug, Clone)]
pub struct Standing<'a> {
    entries: Vec<Entry<'a>>,
    groups: Vec<Pairs>,
    more_is_better: bool,
}

/// The pairs of a scenario and metric. What is not ranked ([`Metric::is_ranked`]) has none.
pub fn standing<'a>(record: &'a Record, scenario: &str, metric: Metric) -> Standing<'a> {
    let of_scenario: Vec<&Trial> = record
        .trials
        .iter()
        .filter(|trial| trial.scenario == scenario)
        .collect();
    let cells: Vec<(&Cell, &AppRecord)> = record
        .apps
        .iter()
        .filter_map(|app| {
            let of_app = |cell: &&Cell| cell.app == app.id && cell.variant == app.variant && cell.scenario == scenario;
            Some((record.summary.iter().find(of_app)?, app))
        })
        .collect();
    let load = record
        .scenarios
        .iter()
        .find(|other| other.id == scenario)
        .map(|scenario| scenario.load);
    let apps: Vec<&AppRecord> = cells.iter().map(|(_, app)| *app).collect();
    let groups = if load.is_some_and(|load| metric.is_ranked(load)) {
        let field = field(&usable_of_each(&apps, &of_scenario), metric);
        GROUPS
            .iter()
            .map(|tier| Pairs::new(&field, &members(cells.iter().copied(), metric, *tier)))
            .collect()
    } else {
        Vec::new()
    };
    Standing {
        entries: apps.iter().map(|app| (app.id.as_str(), app.variant.as_str())).collect(),
        groups,
        more_is_better: metric.more_is_better(),
    }
}

impl Standing<'_> {
    /// Whether `one` is proven to be better than `other`.
    pub fn is_better(&self, one: Entry<'_>, other: Entry<'_>) -> bool {
        let better = if self.more_is_better {
            Ordering::Greater
        } else {
            Ordering::Less
        };
        self.of(one, other)
            .is_some_and(|(pairs, one, other)| pairs.proven(one, other) == Some(better))
    }

    /// `one ÷ other`, with an interval that holds together with all others of the group and never crosses 1 where one of the
    /// two is proven to be better; `None` where they are not in one group.
    pub fn ratio(&self, one: Entry<'_>, other: Entry<'_>) -> Option<Ratio> {
        let (pairs, one, other) = self.of(one, other)?;
        let (estimate, interval) = pairs.difference(one, other)?;
        Some(Ratio {
            estimate: estimate.exp(),
            interval: Some(exponential(interval)),
        })
    }

    fn of(&self, one: Entry<'_>, other: Entry<'_>) -> Option<(&Pairs, usize, usize)> {
        let row = |entry: Entry<'_>| self.entries.iter().position(|own| *own == entry);
        let (one, other) = (row(one)?, row(other)?);
        let pairs = self.groups.iter().find(|pairs| pairs.has(one) && pairs.has(other))?;
        Some((pairs, one, other))
    }
}
