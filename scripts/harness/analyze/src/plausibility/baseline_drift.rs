//! Whether what never changes is where earlier runs had it: reference and ceiling. Machines differ from day to day, but not by a multiple:
//! a run in which they moved that far did something else, such as opening a connection for each request. Its ratios look
//! sound, because every server did it.

use model::{AppRecord, Metric, Record, Role};

use stats::median;

/// How far they may move, as a factor. docs/history.md has what was seen.
const MOST: f64 = 2.5;
/// Earlier runs that are needed: of two that differ, nobody could say which is broken.
const LEAST: usize = 2;
/// CPU time, and not goodput, which also depends on the load generator.
const METRIC: Metric = Metric::ServerCpuUsPerRequest;

/// What moved by more than can be, one line for each anchor and scenario. Of the runs `before`, those count that measured
/// the same program in the same scenario on the same kind of machine.
pub fn baseline_drift(record: &Record, before: &[Record]) -> Vec<String> {
    let anchors = record
        .apps
        .iter()
        .filter(|app| matches!(app.role, Role::Reference | Role::Ceiling));
    anchors
        .flat_map(|anchor| anchor_drift(record, anchor, before))
        .collect()
}

fn anchor_drift<'a>(record: &'a Record, anchor: &'a AppRecord, before: &'a [Record]) -> impl Iterator<Item = String> {
    let comparable = move |earlier: &&Record| {
        let machine = |record: &Record| (record.environment.cpu_model.clone(), record.environment.logical_cpus);
        let program = |app: &AppRecord| (app.source_hash.clone(), app.lockfile_hash.clone());
        let same = earlier.app(&anchor.id, &anchor.variant);
        machine(earlier) == machine(record) && same.is_some_and(|app| program(app) == program(anchor))
    };
    let before: Vec<&Record> = before.iter().filter(comparable).collect();
    record.scenarios.iter().filter_map(move |scenario| {
        let now = cost(record, anchor, &scenario.id)?;
        let has_scenario = |earlier: &&Record| {
            let other = earlier.scenario(&scenario.id);
            other.is_some_and(|other| other.same_work_as(scenario))
        };
        let alike = before.iter().copied().filter(has_scenario);
        let costs: Vec<f64> = alike.filter_map(|earlier| cost(earlier, anchor, &scenario.id)).collect();
        let usual = median(&costs).filter(|_| costs.len() >= LEAST)?;
        let factor = now / usual;
        (factor > MOST || factor < MOST.recip()).then(|| {
            format!(
                "{} takes {now:.1} µs of CPU time for a request of {}, and {usual:.1} µs in the {} runs before on such a machine: \
                 no machine moves by more than {MOST} times, so this run did something else",
                anchor.name,
                scenario.id,
                costs.len()
            )
        })
    })
}

fn cost(record: &Record, anchor: &AppRecord, scenario: &str) -> Option<f64> {
    let cell = record.cell(&anchor.id, &anchor.variant, scenario)?;
    cell.metrics.get(&METRIC).map(|summary| summary.median)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run in which everything costs this many times as much.
    fn run(factor: f64) -> Record {
        let mut record = samples::sensible();
        for trial in &mut record.trials {
            trial.server_cpu_us_per_request = trial.server_cpu_us_per_request.map(|cpu| cpu * factor);
        }
        record.summary = crate::analysis::summary(&record.apps, &record.scenarios, &record.trials);
        record
    }

    #[test]
    fn a_run_in_which_the_reference_costs_a_multiple_is_broken() {
        let before = [run(1.0), run(1.3), run(0.8)];
        assert_eq!(baseline_drift(&run(2.0), &before), [""; 0]);
        let found = baseline_drift(&run(4.0), &before);
        assert!(!found.is_empty());
        assert!(
            found[0].contains("of CPU time for a request of plaintext, and"),
            "{found:?}"
        );
        assert!(!baseline_drift(&run(0.2), &before).is_empty());
    }

    #[test]
    fn only_the_same_on_such_a_machine_is_compared() {
        let mut elsewhere = [run(1.0), run(1.0)];
        for record in &mut elsewhere {
            record.environment.cpu_model = "another".into();
        }
        assert_eq!(baseline_drift(&run(4.0), &elsewhere), [""; 0]);
        let mut changed = run(4.0);
        for app in &mut changed.apps {
            app.source_hash = "another".into();
        }
        assert_eq!(baseline_drift(&changed, &[run(1.0), run(1.0)]), [""; 0]);
        let mut other_scenario = run(4.0);
        for scenario in &mut other_scenario.scenarios {
            scenario.keep_alive = false;
        }
        assert_eq!(baseline_drift(&other_scenario, &[run(1.0), run(1.0)]), [""; 0]);
        // Of two, nobody could say which is broken.
        assert_eq!(baseline_drift(&run(4.0), &[run(1.0)]), [""; 0]);
    }
}
