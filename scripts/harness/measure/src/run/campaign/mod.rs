//! Makes all trials of a plan, and decides when to stop.

mod attempt;
mod known;

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;

use super::disturbed;
use super::driver::{Clock, Drivers};
use super::observer::RunObserver;
use super::request_counts::RoundCounts;
use crate::plan::Plan;
use analyze::machine_state;
use apps::build::BuiltApp;
use attempt::{Attempt, ScenarioRound};
use known::KnownServers;
use machine::cpus::{Split, Topology};
use model::scenario::Scenario;
use model::{Stopped, SubjectId, Trial};
use servers::container::Images;
use servers::database::Database;

/// A plan, and everything needed to make its trials.
#[derive(Debug)]
pub struct Campaign<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// Who is measured.
    pub subjects: &'a [BuiltApp],
    /// What starts servers and drives them, by the load generator.
    pub drivers: Drivers<'a>,
    /// What tells the time.
    pub clock: &'a dyn Clock,
    /// Images of the subjects, if a scenario needs containers.
    pub images: Option<&'a Images>,
    /// The database, if a scenario needs one.
    pub database: Option<&'a Arc<Database>>,
    /// Cpus of both.
    pub split: &'a Split,
    /// The cpus by core, as they were before this process kept to the generator's.
    pub machine: &'a Topology,
    /// Make as many rounds as this time allows, instead of the planned number.
    pub time_budget: Option<Duration>,
    /// Part of the budget that was spent before this run was resumed.
    pub spent: Duration,
}

impl Campaign<'_> {
    /// Makes all trials that are not yet in `trials`, and appends them; `counting` counts instructions before each round.
    pub fn run(
        &self,
        trials: &mut Vec<Trial>,
        counting: &mut RoundCounts<'_>,
        observer: &mut RunObserver<'_>,
    ) -> anyhow::Result<Stopped> {
        let began = self.clock.now();
        let mut known = KnownServers::default();
        for round in 1.. {
            let elapsed = self.spent + self.clock.now().saturating_duration_since(began);
            if let Some(stopped) = self.stopped(round, trials, elapsed) {
                return Ok(stopped);
            }
            if counting.are_due(round, trials) {
                observer.doing(&format!("round {round} · counting instructions"));
            }
            counting.count(round, trials)?;
            let planned = self.round(round, trials);
            if round > self.plan.rounds {
                observer.unplanned_round(planned.len());
            }
            for group in planned.chunk_by(|one, next| one.1.id == next.1.id) {
                let scenario = group[0].1;
                let subjects: Vec<&SubjectId> = group.iter().map(|(subject, _)| *subject).collect();
                // Servers that are driven in turns are one group; with whole loads, each is one of its own.
                let together = scenario.slice_seconds.map_or(1, |_| subjects.len());
                if scenario.slice_seconds.is_none() {
                    self.refill(scenario);
                }
                for subjects in subjects.chunks(together) {
                    let part = ScenarioRound {
                        scenario,
                        subjects,
                        round,
                    };
                    let mut attempt = part.last_attempt(trials);
                    while part.is_wanted(trials, attempt) {
                        attempt += 1;
                        let made = Attempt::new(self, part, attempt, trials.len()).make(&mut known, observer)?;
                        for mut trial in made {
                            known.mark(&mut trial, scenario);
                            counting.fill(&mut trial);
                            observer.trial_done(&trial).context("cannot write the journal")?;
                            trials.push(trial);
                        }
                    }
                }
            }
            observer.round_done(round, trials);
        }
        unreachable!("u32 has an end, and so have patience and budget")
    }

    /// The steps of known work that a control does in each request; `None` of any other server.
    fn added_work(&self, id: &SubjectId) -> Option<u32> {
        self.subject(id)?.app.added_work
    }

    fn subject(&self, id: &SubjectId) -> Option<&BuiltApp> {
        self.subjects
            .iter()
            .find(|subject| subject.app.id == id.app && subject.app.variant == id.variant)
    }

    /// Brings the database into its first state: what earlier rounds wrote is neither larger nor older for some servers than for others.
    fn refill(&self, scenario: &Scenario) {
        if let Some(database) = self.database.filter(|_| scenario.database.is_some()) {
            // If it is gone, each trial says so.
            let _ = database.refill();
        }
    }

    /// The subjects and scenarios of a round; in an extra round, only the scenarios in which the machine disturbed trials.
    fn round(&self, round: u32, trials: &[Trial]) -> Vec<(&SubjectId, &Scenario)> {
        let mut planned = self.plan.round(round);
        if round > self.plan.rounds && self.time_budget.is_none() {
            let scenarios = self.plan.scenarios.iter();
            let lacking: Vec<&str> = scenarios
                .filter(|scenario| {
                    disturbed::needs_more_trials(self.plan, scenario, trials)
                        || machine_state::lacks_good_rounds(scenario, self.plan.rounds, trials)
                })
                .map(|scenario| scenario.id.as_str())
                .collect();
            planned.retain(|(_, scenario)| lacking.contains(&scenario.id.as_str()));
        }
        planned
    }

    /// Why no further round is made; `None` to go on.
    fn stopped(&self, round: u32, trials: &[Trial], elapsed: Duration) -> Option<Stopped> {
        let done = round - 1;
        let Some(budget) = self.time_budget else {
            let enough = self.plan.rounds + disturbed::most_extra_rounds(self.plan);
            let is_enough = || self.round(round, trials).is_empty() || disturbed::stays(done, trials);
            let is_done = done >= enough || done >= self.plan.rounds && is_enough();
            return is_done.then_some(Stopped::RoundsDone);
        };
        // A round that would end after the budget is not begun. Only time decides: stopping as soon as the intervals are narrow
        // would mean stopping when they are too narrow by chance.
        (done > 0 && elapsed + elapsed / done > budget).then_some(Stopped::TimeBudgetSpent)
    }
}

#[cfg(test)]
mod tests;
