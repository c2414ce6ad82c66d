//! What a run finds of its controls, whose true cost is known: the same program twice, and the same with known extra work.

use std::collections::{BTreeMap, BTreeSet};

use model::{Control, Interval, Metric, Record, Role, Trial};
use stats::Field;

use crate::analysis;

/// How far a control's figure may be from its true cost besides its interval, in logarithms: its sections are in another order.
const LAYOUT: f64 = 0.01;

/// What was found of a control, as CPU time per request ÷ that of the reference.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Found {
    /// What it is: 1 for the same program, more for one with extra work.
    pub truth: f64,
    /// What was measured.
    pub estimate: f64,
    /// Its 95 % interval within the session.
    pub interval: Interval,
}

impl Found {
    /// Whether the interval, and what another order of sections may do, cover the truth.
    fn holds(&self) -> bool {
        (self.interval.low * (-LAYOUT).exp()..=self.interval.high * LAYOUT.exp()).contains(&self.truth)
    }
}

/// Every control of a run that has an interval, the one with the least work first.
pub fn found(record: &Record) -> Vec<Found> {
    let mut found: Vec<Found> = record
        .controls
        .iter()
        .filter_map(|control| compare(record, control))
        .collect();
    found.sort_by(|one, other| one.truth.total_cmp(&other.truth));
    found
}

/// Whether all of them were found as they are. Where they were not, a run's other figures are worth nothing.
pub fn hold(record: &Record) -> bool {
    found(record).iter().all(Found::holds)
}

fn compare(record: &Record, control: &Control) -> Option<Found> {
    let scenario = &control.trials.first()?.scenario;
    let reference = record.apps.iter().position(|app| app.role == Role::Reference)?;
    let level = |trial: &Trial| Metric::ServerCpuUsPerRequest.value(trial).filter(|cpu| *cpu > 0.0);
    let of_control: Vec<&Trial> = control.trials.iter().collect();
    let mut rows: Vec<BTreeMap<u32, f64>> = record
        .apps
        .iter()
        .map(|app| levels(&analysis::usable_in(record, app, scenario), level))
        .collect();
    rows.push(levels(&analysis::usable(&control.app, &of_control), level));
    let rounds: Vec<u32> = rows
        .iter()
        .flat_map(|row| row.keys().copied())
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    let row = |row: &BTreeMap<u32, f64>| rounds.iter().map(|round| row.get(round).map(|cpu| cpu.ln())).collect();
    let difference = Field::new(rows.iter().map(row).collect()).difference(rows.len() - 1, reference)?;
    let shares: Vec<f64> = control
        .injected_ns()
        .filter_map(|(round, ns)| Some(ns / 1000.0 / rows[reference].get(&round)?))
        .collect();
    let interval = difference.interval()?;
    Some(Found {
        truth: 1.0 + stats::median(&shares).unwrap_or_default(),
        estimate: difference.estimate.exp(),
        interval: Interval {
            low: interval.low.exp(),
            high: interval.high.exp(),
        },
    })
}

fn levels(trials: &[&Trial], level: impl Fn(&Trial) -> Option<f64>) -> BTreeMap<u32, f64> {
    trials
        .iter()
        .filter_map(|trial| Some((trial.round, level(trial)?)))
        .collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A run with a control that does `injected` of the reference's work more and takes `measured` more.
    pub fn with_control(injected: f64, measured: f64) -> Record {
        let mut record = samples::sensible();
        let reference = record
            .apps
            .iter()
            .find(|app| app.role == Role::Reference)
            .unwrap()
            .clone();
        let of_reference = record
            .trials
            .iter()
            .filter(|trial| trial.app == reference.id && trial.scenario == "plaintext");
        let trials = of_reference.map(|trial| {
            let cpu = trial.server_cpu_us_per_request.unwrap();
            // A little noise that is the same in no two rounds.
            let noise = 1.0 + 0.002 * f64::from(trial.round * trial.round % 5) - 0.004;
            Trial {
                app: "control".into(),
                injected_ns: Some(1000.0 * cpu * injected),
                server_cpu_us_per_request: Some(cpu * (1.0 + measured) * noise),
                ..trial.clone()
            }
        });
        let trials = trials.collect();
        let app = model::AppRecord {
            id: "control".into(),
            role: Role::Control,
            ..reference
        };
        record.controls = vec![Control { app, trials }];
        record
    }

    #[test]
    fn what_was_injected_is_found() {
        let [found] = *found(&with_control(0.02, 0.021)) else {
            panic!("one control")
        };
        assert!(
            (found.truth - 1.02).abs() < 1e-9 && (found.estimate - 1.021).abs() < 0.003,
            "{found:?}"
        );
        assert!(found.interval.low < 1.02 && found.interval.high > 1.02);
        assert!(super::found(&samples::sensible()).is_empty() && hold(&samples::sensible()));
    }

    #[test]
    fn a_run_that_finds_no_truth_ranks_nobody() {
        let ranks = |record: &Record| {
            let cells = analysis::summary_among(record, &crate::analysis::Sessions::default());
            cells
                .iter()
                .flat_map(|cell| cell.metrics.values())
                .filter(|summary| summary.rank.is_some())
                .count()
        };
        let right = ranks(&with_control(0.05, 0.045));
        assert!(right > 0);
        for (injected, measured) in [(0.0, 0.06), (0.05, 0.0)] {
            let wrong = with_control(injected, measured);
            assert_eq!(ranks(&wrong), 0, "{injected} {measured}");
            let line = analysis::unsteady(&wrong).unwrap();
            assert!(line.contains("a control"), "{line}");
        }
    }
}
