//! What is shown of cells that the machine disturbed, though it counts nowhere: CPU time per request by all slices, which spreads much less
//! beside other programs than rates and latencies do. Instructions are counted and not timed, so they count all the same.

use model::scenario::Scenario;
use model::{AppRecord, Cell, Metric, Record, Role, Trial, Verdict};

use super::{Measured, Sessions, Standing, figure, usable_by_app};
use crate::machine_state::by_all_slices;

/// Fills in what such cells of a scenario show. Nothing of it is ranked.
pub(super) fn show(cells: &mut [Measured], of_scenario: &[&Trial], apps: &[AppRecord], scenario: &Scenario) {
    let is_disturbed = |cell: &Cell| cell.verdict == Verdict::EnvironmentFailed;
    if !cells.iter().any(|(cell, _)| is_disturbed(cell)) {
        return;
    }
    let trials = by_all_slices(scenario, of_scenario);
    let trials: Vec<&Trial> = trials.iter().collect();
    let of_apps = usable_by_app(apps, &trials);
    let reference = apps.iter().position(|app| app.role == Role::Reference);
    for metric in [Metric::ServerCpuUsPerRequest, Metric::InstructionsPerRequest] {
        let standing = Standing::new(apps, &of_apps, scenario, metric, &Sessions::default());
        for (cell, app) in cells.iter_mut().filter(|(cell, _)| is_disturbed(cell)) {
            if let Some(mut summary) = figure(metric, &of_apps[*app]) {
                summary.trusted = metric.stands_under(cell.verdict);
                summary.ratio = reference.and_then(|reference| standing.ratio(*app, reference));
                cell.metrics.insert(metric, summary);
            }
        }
    }
}

/// How the apps of a run compare by CPU time in one of its scenarios, by all slices: to be shown, not to be claimed.
pub fn in_spite_of_others(record: &Record, scenario: &Scenario) -> Standing {
    let trials = by_all_slices(scenario, &record.trials_of(&scenario.id));
    let trials: Vec<&Trial> = trials.iter().collect();
    let (apps, metric) = (&record.apps, Metric::ServerCpuUsPerRequest);
    let of_apps = usable_by_app(apps, &trials);
    Standing::new(apps, &of_apps, scenario, metric, &Sessions::default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis;
    use model::Summary;

    const CPU: Metric = Metric::ServerCpuUsPerRequest;

    fn of<'a>(record: &'a Record, app: &str, metric: Metric) -> &'a Summary {
        &record.cell(app, "default", "plaintext").unwrap().metrics[&metric]
    }

    #[test]
    fn cpu_time_beside_others_is_shown_with_its_interval_and_never_ranked() {
        for valid in [0, 1, 4] {
            let record = samples::disturbed(valid);
            let cell = record.cell("axum", "default", "plaintext").unwrap();
            assert_eq!(cell.verdict, Verdict::EnvironmentFailed, "{valid}");
            assert_eq!(
                cell.metrics.keys().copied().collect::<Vec<_>>(),
                [CPU, Metric::InstructionsPerRequest],
                "{valid}: no rate"
            );
            let found = of(&record, "axum", CPU);
            assert_eq!((found.trusted, found.rank), (false, None));
            let interval = found.interval.unwrap();
            assert!(interval.high / interval.low > 1.05, "{valid}: {interval:?}");
            // What the machine did to all servers alike is not in the ratio.
            let ratio = found.ratio.as_ref().unwrap();
            let truth = samples::sensible().trials;
            let cost = |app: &str| {
                let first = truth
                    .iter()
                    .find(|trial| trial.app == app && trial.variant == "default");
                first.unwrap().server_cpu_us_per_request.unwrap()
            };
            let truth = cost("axum") / cost("reference");
            assert!(
                (ratio.estimate / truth - 1.0).abs() < 0.01,
                "{valid}: {ratio:?} {truth}"
            );
            assert!(ratio.interval.unwrap().contains(ratio.estimate));
        }
    }

    #[test]
    fn what_is_counted_counts_beside_others() {
        let record = samples::disturbed(0);
        let [axum, actix] = ["axum", "actix-web"].map(|app| of(&record, app, Metric::InstructionsPerRequest));
        assert!(axum.trusted && actix.trusted && axum.median > actix.median);
        assert!(axum.ratio.is_some());
    }

    #[test]
    fn what_counts_in_most_rounds_is_as_it_was() {
        let record = samples::disturbed(5);
        let found = of(&record, "axum", CPU);
        assert!(found.trusted && found.trials == 5, "{found:?}");
    }

    /// Records older than the field.
    #[test]
    fn without_slices_that_were_disturbed_there_is_nothing_to_show() {
        let mut record = samples::disturbed(0);
        record.trials.iter_mut().for_each(|trial| trial.disturbed_slices = None);
        record.summary = analysis::summary(&record.apps, &record.scenarios, &record.trials);
        let cell = record.cell("axum", "default", "plaintext").unwrap();
        assert!(!cell.metrics.contains_key(&CPU), "{cell:?}");
    }
}
