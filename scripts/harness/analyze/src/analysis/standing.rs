//! How the apps of one scenario compare: ratios to the reference, and ranks.

use std::collections::{BTreeMap, BTreeSet};

use super::usable;
use model::{AppRecord, Cell, Interval, Metric, Ratio, Role, Tier, Trial};
use stats::{Field, Pairs};

/// Fills in ratios and ranks, for each metric from one model of all apps of the scenario ([`Field`]). Ratios are printed relative
/// to the reference; the machine's effect is estimated from all apps.
pub(super) fn fill_in(
    cells: &mut [(Cell, &AppRecord)],
    of_scenario: &[&Trial],
    apps: &[AppRecord],
    is_ranked: impl Fn(Metric) -> bool,
) {
    let place = |cell: usize| apps.iter().position(|app| std::ptr::eq(app, cells[cell].1));
    let places: Vec<Option<usize>> = (0..cells.len()).map(place).collect();
    let reference = cells.iter().position(|(_, app)| app.role == Role::Reference);
    let trials: Vec<Vec<&Trial>> = cells.iter().map(|(_, app)| usable(app, of_scenario)).collect();
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
        if !is_ranked(metric) {
            continue;
        }
        // An engine does less than a framework, and microseconds do not decide between a maintained framework and one that is not, or
        // between a framework and a driver.
        for tier in Tier::ALL {
            let members = members(cells, metric, tier);
            let pairs = Pairs::new(&field, &members);
            let rank = |row: usize| pairs.rank(row, metric.more_is_better());
            for row in members {
                let better = pairs.better(row, metric.more_is_better());
                let overlap = better.filter(|other| {
                    rank(*other)
                        .zip(rank(row))
                        .is_some_and(|(other, own)| other.worst >= own.best)
                });
                let behind = overlap.filter_map(|other| places[other]).collect();
                if let Some(summary) = cells[row].0.metrics.get_mut(&metric) {
                    summary.rank = rank(row);
                    summary.behind = behind;
                }
            }
        }
    }
}

fn ratio(field: &Field, app: usize, reference: usize) -> Option<Ratio> {
    let difference = field.difference(app, reference)?;
    Some(Ratio {
        estimate: difference.estimate.exp(),
        interval: difference.interval().map(|logarithms| Interval {
            low: logarithms.low.exp(),
            high: logarithms.high.exp(),
        }),
    })
}

/// The model of one metric: a row for each app, a column for each round.
fn field(trials: &[Vec<&Trial>], metric: Metric) -> Field {
    let rounds: BTreeSet<u32> = trials.iter().flatten().map(|trial| trial.round).collect();
    let rows = trials.iter().map(|own| {
        let by_round: BTreeMap<u32, f64> = own
            .iter()
            .filter_map(|trial| Some((trial.round, metric.value(trial)?)))
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
fn members(cells: &[(Cell, &AppRecord)], metric: Metric, tier: Tier) -> Vec<usize> {
    let trusted = |cell: &Cell| cell.metrics.get(&metric).is_some_and(|summary| summary.trusted);
    let rows = cells.iter().enumerate();
    rows.filter(|(_, (cell, app))| app.role == Role::Framework && app.tier == tier && trusted(cell))
        .map(|(row, _)| row)
        .collect()
}
