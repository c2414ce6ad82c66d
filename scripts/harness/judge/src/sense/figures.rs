//! Figures that cannot be: intervals whose ends are the wrong way round, ranks of nobody.

use record::{Cell, Interval, LatencyFigures, Record, label};

use super::course;

pub(super) fn findings(record: &Record) -> Vec<String> {
    let cells = record.summary.iter();
    let mut found: Vec<String> = course::twice(cells.map(|cell| (&cell.app, &cell.variant, &cell.scenario)))
        .map(|(app, variant, scenario)| format!("the summary has {} in {scenario} twice", label(app, variant)))
        .collect();
    found.extend(course::completeness(record));
    found.extend(record.summary.iter().flat_map(cell));
    for trial in &record.trials {
        // The mean is of all answers, the others are medians over the slices: a few slow ones are in the mean alone.
        let [min, _mean, rest @ ..] = trial.latency_ms.map_or([0.0; 8], LatencyFigures::from);
        if !rest.is_sorted() || min > rest[0] {
            found.push(format!("the latencies of trial {} are not in order", trial.order));
        }
    }
    found
}

fn cell(cell: &Cell) -> Vec<String> {
    let mut found = Vec::new();
    for (metric, summary) in &cell.metrics {
        let of = || {
            format!(
                "`{}` of {} in {}",
                metric.id(),
                label(&cell.app, &cell.variant),
                cell.scenario
            )
        };
        let around = |value: f64, interval: Interval| interval.low <= value && value <= interval.high;
        if let Some(interval) = summary.interval.filter(|interval| !around(summary.median, *interval)) {
            let (low, median, high) = (interval.low, summary.median, interval.high);
            found.push(format!(
                "{} is {median}, outside of its interval from {low} to {high}",
                of()
            ));
        }
        let ratio = summary.ratio.as_ref();
        if let Some((value, Interval { low, high })) = ratio
            .and_then(|ratio| Some((ratio.estimate, ratio.interval?)))
            .filter(|(value, interval)| !around(*value, *interval))
        {
            found.push(format!(
                "{} has the ratio {value}, outside of its interval from {low} to {high}",
                of()
            ));
        }
        if let Some(rank) = summary.rank.filter(|rank| rank.best == 0 || rank.worst < rank.best) {
            found.push(format!("{} has the ranks from {} to {}", of(), rank.best, rank.worst));
        }
    }
    found
}
