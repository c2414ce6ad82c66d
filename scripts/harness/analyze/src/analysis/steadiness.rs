//! Whether the machine was in one state, and in a good one.
//!
//! What the machine does to a whole round cancels in the ratios only as far as it slows all servers by the same share. Where it slows
//! some more than others, nothing within the run shows it; how slow it was, compared with its best, does.

use super::{controls, usable};
use crate::caveat::Caveat;
use model::scenario::{LoadModel, Scenario};
use model::{AppRecord, Metric, Record, Role, Trial};
use stats::MIN_FOR_INTERVAL;

/// How much more CPU time the sub-rounds that count took than the best ones, up to which ranks are claimed. Two sessions of one machine kind
/// with 1.01 to 1.04 agreed, one with 1.15 did not (docs/rounds.md).
pub const MOST_SLOWED: f64 = 1.1;
/// The same for a run in which no sub-rounds were chosen: largest ÷ smallest CPU time per request of the reference in a round. One round
/// in six that is 15 to 20 % dearer is usual on shared machines.
pub const MOST_MOVED: f64 = 1.3;

/// How far from one good state the machine was in a scenario.
#[derive(Debug, Clone, Copy)]
pub(super) struct Steadiness<'a> {
    pub scenario: &'a Scenario,
    by: f64,
    /// Whether that is too far.
    is_far: bool,
}

/// The scenarios in which no rank is claimed: those in which the machine was too far from one good state, or all if these are half of them
/// or more. At a fixed rate a server is mostly idle, and its cost moves by itself.
pub(super) fn unranked<'a>(apps: &[AppRecord], scenarios: &'a [Scenario], trials: &[Trial]) -> Vec<Steadiness<'a>> {
    let at_full_load = scenarios.iter().filter(|scenario| scenario.load == LoadModel::Closed);
    let (far, near): (Vec<_>, Vec<_>) = at_full_load
        .filter_map(|scenario| unsteadiness(apps, scenario, trials))
        .partition(|unsteady| unsteady.is_far);
    if far.is_empty() || far.len() < near.len() {
        return far;
    }
    far.into_iter().chain(near).collect()
}

fn unsteadiness<'a>(apps: &[AppRecord], scenario: &'a Scenario, trials: &[Trial]) -> Option<Steadiness<'a>> {
    let of_scenario: Vec<&Trial> = trials.iter().filter(|trial| trial.scenario == scenario.id).collect();
    let unsteady = |by, most| Steadiness {
        scenario,
        by,
        is_far: by > most,
    };
    if let Some(state) = of_scenario.iter().find_map(|trial| trial.state) {
        return Some(unsteady(state.slowness, MOST_SLOWED));
    }
    let references = apps.iter().filter(|app| app.role == Role::Reference);
    let costs = references.map(|app| {
        let own = usable(app, &of_scenario);
        let costs = own
            .iter()
            .filter_map(|trial| Metric::ServerCpuUsPerRequest.value(trial));
        costs.filter(|cost| *cost > 0.0).collect::<Vec<f64>>()
    });
    let costs = costs
        .max_by_key(Vec::len)
        .filter(|costs| costs.len() >= MIN_FOR_INTERVAL)?;
    let largest = costs.iter().copied().fold(0.0, f64::max);
    Some(unsteady(
        largest / costs.into_iter().fold(largest, f64::min),
        MOST_MOVED,
    ))
}

/// Why a run claims no ranks: the machine was too far from one good state, or a control was not found as it is.
pub fn unsteady(record: &Record) -> Option<Caveat> {
    if !controls::hold(record) {
        return Some(Caveat::ControlMissed);
    }
    let unranked = unranked(&record.apps, &record.scenarios, &record.trials);
    let far = unranked.iter().filter(|unsteady| unsteady.is_far);
    let far: Vec<(String, f64)> = far.map(|far| (far.scenario.id.clone(), far.by)).collect();
    let is_slow = record.trials.iter().any(|trial| trial.state.is_some());
    (!far.is_empty()).then_some(Caveat::Unsteady {
        is_slow,
        usual: if is_slow { MOST_SLOWED } else { MOST_MOVED },
        everywhere: unranked.len() > far.len(),
        far,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis;

    /// A run of three scenarios in whose first round the reference cost less in some of them.
    fn run(cheap: &[&str]) -> Record {
        let mut record = samples::sensible();
        let mut third = record.scenarios[0].clone();
        third.id = "third".to_owned();
        let of_first = record.trials.iter().filter(|trial| trial.scenario == "plaintext");
        let of_third = of_first.cloned().map(|trial| Trial {
            scenario: "third".to_owned(),
            ..trial
        });
        record.trials.extend(of_third.collect::<Vec<_>>());
        record.scenarios.push(third);
        for trial in &mut record.trials {
            if trial.round == 1 && trial.app == "reference" && cheap.contains(&trial.scenario.as_str()) {
                trial.server_cpu_us_per_request = trial.server_cpu_us_per_request.map(|cost| cost / 1.2);
            }
        }
        record.summary = analysis::summary(&record.apps, &record.scenarios, &record.trials);
        record
    }

    fn ranked(record: &Record) -> Vec<&str> {
        let has_rank = |scenario: &&Scenario| {
            let cell = record.cell("axum", "default", &scenario.id).unwrap();
            cell.metrics[&Metric::ServerCpuUsPerRequest].rank.is_some()
        };
        let ranked = record.scenarios.iter().filter(has_rank);
        ranked.map(|scenario| scenario.id.as_str()).collect()
    }

    #[test]
    fn a_run_that_never_was_in_a_good_state_says_so() {
        let mut record = run(&[]);
        for trial in &mut record.trials {
            let slowness = if trial.scenario == "json" { 1.15 } else { 1.04 };
            trial.state = Some(model::MachineState {
                counted: 8,
                of: 16,
                slowness,
            });
        }
        record.summary = analysis::summary(&record.apps, &record.scenarios, &record.trials);
        let line = unsteady(&record).unwrap().to_string();
        assert!(line.contains("by 15 % in json (up to 10 % is usual)"), "{line}");
        assert_eq!(ranked(&record), ["plaintext", "third"]);
    }

    #[test]
    fn a_run_whose_reference_moved_says_so_and_claims_no_rank() {
        let steady = run(&[]);
        assert_eq!((unsteady(&steady), ranked(&steady).len()), (None, 3));
        let in_one = run(&["json"]);
        assert_eq!(
            unsteady(&in_one).unwrap().to_string(),
            "the state of the machine changed: the reference's CPU time per request moved between rounds by 43 % in json (up to \
             30 % is usual), so no ranks are claimed there"
        );
        assert_eq!(ranked(&in_one), ["plaintext", "third"]);
        let in_most = run(&["json", "third"]);
        let line = unsteady(&in_most).unwrap().to_string();
        assert!(line.ends_with("so no ranks are claimed in this run"), "{line}");
        assert!(ranked(&in_most).is_empty());
    }
}
