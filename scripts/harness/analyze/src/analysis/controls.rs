//! What a run finds of its controls, whose true cost is known: the same program twice, and the same with known extra work.

use std::collections::{BTreeMap, BTreeSet};

use model::{AppRecord, Control, Interval, Metric, Record, Role, Trial};
use stats::Field;

use super::{Sessions, by_round, usable};

/// How far the same program in another order of sections may be from itself, in logarithms. By the committed layouts
/// (`bench-results/local/layout`) the standard deviation is 1.14 % at most.
const LAYOUT: f64 = 0.02;

/// What was found of a control.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Found {
    /// What it is: 1 for the reference in another order of sections, relative to the reference; for one with extra work, which is the same
    /// program, relative to that.
    pub truth: f64,
    /// What was measured, with its 95 % interval within the session.
    pub estimate: f64,
    /// That interval.
    pub interval: Interval,
    /// The same with 99 %, because several controls are tested.
    wide: Interval,
}

impl Found {
    /// The smallest difference that it could have seen, as a share of the reference's time: half its interval.
    pub fn sees(&self) -> f64 {
        0.5 * self.interval.width()
    }

    /// Whether it was found as it is. Several sessions see what one cannot: where an instrument shows half of every difference, a control of
    /// 3 % passes in most single ones.
    pub fn holds(&self) -> bool {
        let room = if self.truth > 1.0 { 0.0 } else { LAYOUT };
        (self.wide.low * (-room).exp()..=self.wide.high * room.exp()).contains(&self.truth)
    }

    /// Several sessions' findings of one control, each with the weight that its interval gives it.
    fn pooled(all: &[&Self]) -> Self {
        let weight = |interval: Interval| (0.5 * (interval.high / interval.low).ln().max(1e-9)).powi(-2);
        let weights: Vec<f64> = all.iter().map(|found| weight(found.interval)).collect();
        let whole: f64 = weights.iter().sum();
        let mean = |of: fn(&Self) -> f64| {
            let weighted = all.iter().zip(&weights).map(|(found, weight)| weight * of(found).ln());
            weighted.sum::<f64>() / whole
        };
        let estimate = mean(|found| found.estimate);
        let around = |of: fn(&Self) -> Interval| {
            let whole: f64 = all.iter().map(|found| weight(of(found))).sum();
            Interval::around(estimate, whole.powf(-0.5)).map(f64::exp)
        };
        Self {
            truth: mean(|found| found.truth).exp(),
            estimate: estimate.exp(),
            interval: around(|found| found.interval),
            wide: around(|found| found.wide),
        }
    }
}

/// The controls of a run, each over this session and the `others`, and the number of sessions.
pub fn pooled(record: &Record, others: &Sessions) -> (Vec<Found>, usize) {
    let own = found(record);
    let all: Vec<&[Found]> = others
        .controls()
        .filter(|other| other.len() == own.len())
        .chain([&*own])
        .collect();
    let of = |place: usize| Found::pooled(&all.iter().map(|controls| &controls[place]).collect::<Vec<_>>());
    ((0..own.len()).map(of).collect(), all.len())
}

/// Every control of a run that has an interval, the one with the least work first.
pub fn found(record: &Record) -> Vec<Found> {
    let mut controls: Vec<&Control> = record.controls.iter().collect();
    controls.sort_by_key(|control| control.app.added_work);
    compare(record, &controls).unwrap_or_default()
}

/// Whether all of them were found as they are. Where they were not, a run's other figures are worth nothing.
pub fn hold(record: &Record) -> bool {
    found(record).iter().all(Found::holds)
}

fn compare(record: &Record, controls: &[&Control]) -> Option<Vec<Found>> {
    let scenario = &controls.first()?.trials.first()?.scenario;
    let reference = record.apps.iter().position(|app| app.role == Role::Reference)?;
    let levels = |app: &AppRecord, trials: &[&Trial]| {
        let mut levels = by_round(&usable(app, trials), Metric::ServerCpuUsPerRequest);
        levels.retain(|_, cpu| *cpu > 0.0);
        levels
    };
    let of_scenario = record.trials_of(scenario);
    let of_apps = record.apps.iter().map(|app| levels(app, &of_scenario));
    let of_controls = controls
        .iter()
        .map(|control| levels(&control.app, &control.trials.iter().collect::<Vec<_>>()));
    let rows: Vec<BTreeMap<u32, f64>> = of_apps.chain(of_controls).collect();
    let rounds: BTreeSet<u32> = rows.iter().flat_map(|row| row.keys().copied()).collect();
    let row = |row: &BTreeMap<u32, f64>| rounds.iter().map(|round| row.get(round).map(|cpu| cpu.ln())).collect();
    let field = Field::new(rows.iter().map(row).collect());
    let null = record.apps.len();
    let of = |(place, control): (usize, &&Control)| {
        let base = if place == 0 { reference } else { null };
        let trials = control.trials.iter();
        let shares: Vec<f64> = trials
            .filter_map(|trial| Some(trial.injected_ns? / 1000.0 / rows[base].get(&trial.round)?))
            .collect();
        let difference = field.difference(null + place, base)?;
        Some(Found {
            truth: 1.0 + stats::median(&shares).unwrap_or_default(),
            estimate: difference.estimate.exp(),
            interval: difference.interval()?.map(f64::exp),
            wide: difference.covering(0.99)?.map(f64::exp),
        })
    };
    Some(controls.iter().enumerate().filter_map(of).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis;
    use crate::caveat::Caveat;

    /// A run with two controls: in another order of sections, which takes `layout` of the reference's time more, and the same with extra work
    /// that is `injected` of its time and takes `measured` of it.
    fn with_controls(layout: f64, injected: f64, measured: f64) -> Record {
        let mut record = samples::sensible();
        let reference = record.app("reference", "default").unwrap().clone();
        let mut of_reference = record.trials.clone();
        of_reference.retain(|trial| trial.is_of(&reference) && trial.scenario == "plaintext");
        let control = |variant: &str, steps: u32, injected: f64, factor: f64| {
            let trials = of_reference.iter().map(|trial| {
                let cpu = trial.server_cpu_us_per_request.unwrap();
                // A little noise that is the same in no two rounds.
                let noise = 1.0 + 0.002 * f64::from((trial.round * trial.round + steps) % 5) - 0.004;
                Trial {
                    app: "control".into(),
                    variant: variant.into(),
                    injected_ns: Some(1000.0 * cpu * injected),
                    server_cpu_us_per_request: Some(cpu * factor * noise),
                    ..trial.clone()
                }
            });
            let app = AppRecord {
                id: "control".into(),
                variant: variant.into(),
                role: Role::Control,
                added_work: Some(steps),
                ..reference.clone()
            };
            Control {
                app,
                trials: trials.collect(),
            }
        };
        let null = 1.0 + layout;
        record.controls = vec![
            control("more", 7, null * injected, null * (1.0 + measured)),
            control("default", 0, 0.0, null),
        ];
        record
    }

    #[test]
    fn layout_and_injected_work_are_found_apart() {
        let [null, more] = *found(&with_controls(0.015, 0.02, 0.021)) else {
            panic!("two controls")
        };
        assert!(
            null.truth < 1.000_001 && (null.estimate - 1.015).abs() < 0.004,
            "{null:?}"
        );
        assert!(
            (more.truth - 1.02).abs() < 0.001 && (more.estimate - 1.021).abs() < 0.004,
            "{more:?}"
        );
        assert!(more.interval.low < 1.02 && more.interval.high > 1.02 && more.wide.high > more.interval.high);
        assert!(found(&samples::sensible()).is_empty() && hold(&samples::sensible()));
    }

    /// An instrument that shows half of every difference passes a control that one session cannot see; over several it is seen. Far off is far
    /// off in one, too.
    #[test]
    fn what_one_session_cannot_see_several_can() {
        let noisy = |seed: u32, measured: f64| {
            let mut record = with_controls(0.0, 0.03, measured);
            for trial in record.controls.iter_mut().flat_map(|control| &mut control.trials) {
                let noise = 1.0 + 0.02 * (f64::from((trial.round * 37 + seed * 11 + trial.order) % 7) / 3.0 - 1.0);
                trial.server_cpu_us_per_request = trial.server_cpu_us_per_request.map(|cpu| cpu * noise);
            }
            record
        };
        let half = noisy(0, 0.015);
        let [_, alone] = *found(&half) else {
            panic!("two controls")
        };
        assert!(alone.sees() > 0.015 && alone.holds(), "{alone:?}");
        assert!(found(&noisy(0, 0.12)).iter().any(|found| !found.holds()));
        let others: Vec<_> = (1..9)
            .map(|seed| std::rc::Rc::new(super::super::Session::of(&noisy(seed, 0.015))))
            .collect();
        let (all, sessions) = pooled(&half, &others.into_iter().collect());
        assert!(sessions == 9 && all[1].sees() < alone.sees() / 2.0, "{all:?}");
        assert!(!all[1].holds(), "{all:?}");
    }

    #[test]
    fn a_run_that_finds_no_truth_ranks_nobody() {
        let ranks = |record: &Record| {
            let cells = analysis::summary_among(record, &crate::analysis::Sessions::default());
            let summaries = cells.iter().flat_map(|cell| cell.metrics.values());
            summaries.filter(|summary| summary.rank.is_some()).count()
        };
        assert!(ranks(&with_controls(0.02, 0.05, 0.048)) > 0);
        for (layout, measured) in [(0.08, 0.05), (0.0, 0.0), (0.0, 0.1)] {
            let wrong = with_controls(layout, 0.05, measured);
            assert_eq!(ranks(&wrong), 0, "{layout} {measured}");
            assert_eq!(analysis::unsteady(&wrong), Some(Caveat::ControlMissed));
        }
    }
}
