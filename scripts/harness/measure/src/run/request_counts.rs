//! Counts the instructions for one request of every app, before each planned round or the first, and adds them to its trials. Nothing is
//! timed, so all cpus count at once, and what else the machine does hardly matters.

use std::collections::BTreeMap;

use crate::plan::Plan;
use crate::request_counts;
use crate::request_counts::Counted as RequestCounted;
use crate::request_counts::instructions::{Counts, count_in_parallel};
use apps::build::BuiltApp;
use apps::profile::Profiles;
use machine::cpus::Split;
use machine::interrupt::Interrupted;
use model::scenario::Scenario;
use model::{Role, SubjectId};
use model::{Trial, Verdict};

/// Counts instructions for the rounds of a plan.
#[derive(Debug)]
pub struct RoundCounts<'a> {
    plan: &'a Plan,
    /// Scenarios, in the order of their requests.
    scenarios: Vec<&'a Scenario>,
    subjects: Vec<(SubjectId, RequestCounted<'a>)>,
    cpus: Vec<u32>,
    /// Rounds before which they are counted: all that are planned, or the first.
    rounds: u32,
    /// The round of the last counts.
    round: u32,
    found: BTreeMap<SubjectId, Counts>,
    /// Why a subject was not counted completely, from the first round in which that happened.
    pub reasons: BTreeMap<SubjectId, String>,
}

/// Scenarios of `plan` whose instructions are counted, in the order of the profile. Empty if the profile counts none.
pub fn counted(plan: &Plan) -> Vec<&Scenario> {
    let profiles = Profiles::built_in();
    let order = profiles.profile(&plan.profile).map(|profile| &profile.counted);
    let place = |scenario: &Scenario| order.and_then(|names| names.iter().position(|name| *name == scenario.id));
    let can = |scenario: &&Scenario| scenario.counted.is_some() && request_counts::reason_against(scenario).is_none();
    let mut scenarios: Vec<&Scenario> = plan.scenarios.iter().filter(can).collect();
    scenarios.sort_by_key(|scenario| place(scenario));
    scenarios
}

impl<'a> RoundCounts<'a> {
    /// For `plan`, on the cpus of servers and generator, because nothing is driven meanwhile. Without valgrind nothing is
    /// counted.
    pub fn new(plan: &'a Plan, subjects: &'a [BuiltApp], split: &Split, has_valgrind: bool) -> Self {
        let program = |subject: &'a BuiltApp| {
            let id = subject.app.subject();
            let counted = RequestCounted {
                program: &subject.binary.as_ref()?.program,
                services: subject.app.services.as_ref(),
                database: None,
            };
            Some((id, counted))
        };
        let measured = subjects.iter().filter(|subject| subject.app.role != Role::Control);
        let profiles = Profiles::built_in();
        let is_once = profiles
            .profile(&plan.profile)
            .is_some_and(|profile| profile.counted_once);
        Self {
            plan,
            scenarios: if has_valgrind { counted(plan) } else { Vec::new() },
            subjects: measured.filter_map(program).collect(),
            cpus: split.server.iter().chain(&split.generator).copied().collect(),
            rounds: if is_once { 1 } else { plan.rounds },
            round: 0,
            found: BTreeMap::new(),
            reasons: BTreeMap::new(),
        }
    }

    /// Whether there is something to count before `round`: it is one of those that are counted, and not all of its trials are made.
    pub fn are_due(&self, round: u32, trials: &[Trial]) -> bool {
        let made = trials.iter().filter(|trial| trial.round == round && trial.attempt == 1);
        round <= self.rounds && !self.scenarios.is_empty() && made.count() < self.plan.round(round).len()
    }

    /// Counts for `round` what is due.
    pub fn count(&mut self, round: u32, trials: &[Trial]) -> Result<(), Interrupted> {
        (self.round, self.found) = (round, BTreeMap::new());
        if !self.are_due(round, trials) {
            return Ok(());
        }
        let wanted = |id: &SubjectId| {
            let scenarios = self.scenarios.iter().copied();
            scenarios.filter(|scenario| self.plan.measures(id, scenario)).collect()
        };
        let programs = self.subjects.iter().map(|(id, counted)| (*counted, wanted(id)));
        let counts = count_in_parallel(&programs.collect::<Vec<_>>(), &self.cpus)?;
        for ((id, _), counts) in self.subjects.iter().zip(counts) {
            if let Some(reason) = &counts.reason {
                self.reasons.entry(id.clone()).or_insert_with(|| reason.clone());
            }
            self.found.insert(id.clone(), counts);
        }
        Ok(())
    }

    /// Adds the count to a trial of the last counted round. A server that answers wrongly gets none: it did something else
    /// instead of the request.
    pub fn fill(&self, trial: &mut Trial) {
        if trial.round != self.round || matches!(trial.verdict, Verdict::ContractFailed | Verdict::BuildFailed) {
            return;
        }
        let counts = self.found.get(&SubjectId::new(&trial.app, &trial.variant));
        let mut per_request = counts.into_iter().flat_map(|counts| &counts.per_request);
        trial.instructions_per_request = per_request
            .find(|(scenario, _)| *scenario == trial.scenario)
            .map(|(_, count)| *count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> Plan {
        let profiles = Profiles::built_in();
        let weekly = profiles.profile("weekly").unwrap();
        let scenario = |name: &String| profiles.scenario(name, weekly).unwrap();
        Plan {
            profile: "weekly".into(),
            seed: 1,
            rounds: 6,
            subjects: ["axum", "rocket"].map(|app| SubjectId::new(app, "default")).into(),
            scenarios: weekly.scenarios.iter().map(scenario).collect(),
            asked: BTreeMap::new(),
        }
    }

    fn trial(plan: &Plan, app: &str, scenario: &str, round: u32, verdict: Verdict) -> Trial {
        assert!(plan.scenarios.iter().any(|known| known.id == scenario));
        Trial {
            app: app.into(),
            variant: "default".into(),
            scenario: scenario.into(),
            round,
            verdict,
            ..Trial::default()
        }
    }

    #[test]
    fn a_weekly_run_counts_every_endpoint_and_the_cheap_ones_first() {
        let plan = plan();
        let names: Vec<&str> = counted(&plan).iter().map(|scenario| scenario.id.as_str()).collect();
        assert_eq!(names.len(), 9);
        assert_eq!(names[..3], ["plaintext", "hello", "simple"]);
        let quick = Plan {
            scenarios: plan
                .scenarios
                .iter()
                .filter(|known| known.counted.is_none())
                .cloned()
                .collect(),
            ..plan
        };
        assert!(counted(&quick).is_empty());
    }

    #[test]
    fn a_count_stands_in_the_trial_of_its_app_scenario_and_round() {
        let plan = plan();
        let split = Split {
            server: vec![0],
            generator: vec![1, 2],
            ..Split::default()
        };
        let mut counting = RoundCounts::new(&plan, &[], &split, true);
        assert_eq!(counting.cpus, [0, 1, 2]);
        let counts = Counts {
            per_request: vec![("plaintext".into(), 12_000.0), ("cpu".into(), 36e6)],
            reason: Some("heavy: it is gone".into()),
        };
        counting.round = 2;
        counting.found.insert(SubjectId::new("axum", "default"), counts);
        let filled = |app, scenario, round, verdict| {
            let mut trial = trial(&plan, app, scenario, round, verdict);
            counting.fill(&mut trial);
            trial.instructions_per_request
        };
        assert_eq!(filled("axum", "cpu", 2, Verdict::Valid), Some(36e6));
        // A count needs no load, so it stands even if the generator was the limit.
        assert_eq!(filled("axum", "plaintext", 2, Verdict::ClientBound), Some(12_000.0));
        assert_eq!(filled("axum", "plaintext", 2, Verdict::ContractFailed), None);
        assert_eq!(filled("axum", "plaintext", 3, Verdict::Valid), None);
        assert_eq!(filled("axum", "heavy", 2, Verdict::Valid), None);
        assert_eq!(filled("rocket", "plaintext", 2, Verdict::Valid), None);
    }
}
