//! All trials of a plan, one after the other, and when to stop.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use super::generator::Generators;
use super::server::Servant;
use super::spoilt;
use super::trial::{self, Made, Place, Setup};
use crate::analysis;
use crate::build::Binary;
use crate::container::{Images, Network};
use crate::interrupt::Interrupted;
use crate::machine::cpus::Split;
use crate::plan::{Plan, SubjectId};
use crate::record::{AppRecord, Stopped, Trial, Verdict};
use crate::scenario::{Isolation, Protocol, Scenario};

/// How often a trial is made that the machine, not the server, spoilt.
const ATTEMPTS: u32 = 2;

/// An app in a variant, built or not.
#[derive(Debug, Clone, PartialEq)]
pub struct Subject {
    /// What the record says of it.
    pub app: AppRecord,
    /// Its program; `None` if it could not be built.
    pub binary: Option<Binary>,
}

/// Who hears of a campaign while it goes on.
pub trait Events {
    /// A round begins that was not planned, with this many trials.
    fn more(&mut self, trials: usize);
    /// A trial begins.
    fn begins(&mut self, subject: &SubjectId, scenario: &str, round: u32);
    /// A trial is over. What is not kept here is lost if the process dies.
    fn made(&mut self, trial: &Trial) -> std::io::Result<()>;
    /// A round is over.
    fn round_done(&mut self, round: u32);
}

/// Why a campaign did not come to its end.
#[derive(Debug, thiserror::Error)]
pub enum CampaignError {
    /// The user stopped it.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    /// A trial could not be kept.
    #[error("cannot write the journal: {0}")]
    Journal(#[from] std::io::Error),
}

/// What the whole contract said of each subject and protocol: nothing, or why it is broken.
type Proven = BTreeMap<(SubjectId, Protocol, Isolation), Option<(Verdict, String)>>;

/// Everything that trials are made with.
#[derive(Debug)]
pub struct Campaign<'a> {
    /// What is to be done.
    pub plan: &'a Plan,
    /// Who is measured.
    pub subjects: &'a [Subject],
    /// What asks.
    pub generators: &'a Generators,
    /// Images of the subjects, where a scenario asks for containers.
    pub images: Option<&'a Images>,
    /// Cpus of both.
    pub split: &'a Split,
    /// After the planned rounds: go on until the intervals are narrow or this time is up.
    pub time_budget: Option<Duration>,
}

impl Campaign<'_> {
    /// Makes all trials that are not yet in `trials`, and appends them.
    pub fn run(&self, trials: &mut Vec<Trial>, events: &mut impl Events) -> Result<Stopped, CampaignError> {
        let began = Instant::now();
        // What is known to break the contract is not started again; what breaks it under one load may bear another.
        let mut proven: Proven = BTreeMap::new();
        for round in 1.. {
            if let Some(stopped) = self.stopped(round, trials, began.elapsed()) {
                return Ok(stopped);
            }
            let asked = self.round(round, trials);
            if round > self.plan.rounds {
                events.more(asked.len());
            }
            for (subject, scenario) in asked {
                if made(trials, subject, &scenario.id, round) {
                    continue;
                }
                events.begins(subject, &scenario.id, round);
                // The interrupt may have come between a spoilt trial and its repetition.
                let earlier = of_round(trials, subject, &scenario.id, round).map(|trial| trial.attempt);
                for attempt in earlier.max().unwrap_or(0) + 1..=ATTEMPTS {
                    let order = u32::try_from(trials.len() + 1).unwrap_or(u32::MAX);
                    let place = Place {
                        app: &subject.app,
                        variant: &subject.variant,
                        round,
                        order,
                        attempt,
                    };
                    let trial = self.trial(subject, scenario, place, &mut proven)?;
                    let again = trial.verdict == Verdict::EnvironmentFailed;
                    events.made(&trial)?;
                    trials.push(trial);
                    if !again {
                        break;
                    }
                }
            }
            events.round_done(round);
        }
        unreachable!("u32 has an end, and so have patience and budget")
    }

    fn trial(
        &self,
        id: &SubjectId,
        scenario: &Scenario,
        place: Place<'_>,
        proven: &mut Proven,
    ) -> Result<Trial, Interrupted> {
        let subject = self
            .subjects
            .iter()
            .find(|s| s.app.id == id.app && s.app.variant == id.variant);
        let Some(binary) = subject.and_then(|subject| subject.binary.as_ref()) else {
            let reason = subject.and_then(|subject| subject.app.why_not_built());
            let reason = reason.unwrap_or("it was not built").to_owned();
            return Ok(trial::not_made(place, scenario, Verdict::BuildFailed, reason));
        };
        let key = (id.clone(), scenario.protocol, scenario.isolation);
        if let Some(Some((verdict, reason))) = proven.get(&key) {
            return Ok(trial::not_made(place, scenario, *verdict, reason.clone()));
        }
        let Some(generator) = self.generators.get(&scenario.generator) else {
            let reason = format!("there is no {} here", scenario.generator.program());
            return Ok(trial::not_made(place, scenario, Verdict::EnvironmentFailed, reason));
        };
        let servant = match self.servant(&binary.path, scenario.isolation) {
            Ok(servant) => servant,
            Err(reason) => return Ok(trial::not_made(place, scenario, Verdict::EnvironmentFailed, reason)),
        };
        let setup = Setup {
            servant,
            scenario,
            generator,
            split: self.split,
            seed: self.plan.seed.wrapping_add(u64::from(place.order)),
            // The whole contract once for each app, protocol and run; then each trial's own request.
            prove_all: !proven.contains_key(&key),
        };
        let made = trial::run(setup, place)?;
        if setup.prove_all && made.trial.verdict != Verdict::EnvironmentFailed {
            proven.insert(key, refuted(&made));
        }
        Ok(made.trial)
    }

    /// The program as it is to be started, or why it cannot be.
    fn servant<'a>(&'a self, program: &'a Path, isolation: Isolation) -> Result<Servant<'a>, String> {
        let network = match isolation {
            Isolation::Native => return Ok(Servant::Program(program)),
            Isolation::Docker => Network::Host,
            Isolation::DockerBridge => Network::Bridge,
        };
        let image = self.images.map(|images| images.of(program));
        let image = image.unwrap_or_else(|| Err("there is no container engine here".into()))?;
        Ok(Servant::Contained(image, network))
    }

    /// Whether no more rounds are made, asked before each.
    /// Who is asked what: in a round that makes up for what the machine spoilt, only in the scenarios concerned.
    fn round(&self, round: u32, trials: &[Trial]) -> Vec<(&SubjectId, &Scenario)> {
        let mut asked = self.plan.round(round);
        if round > self.plan.rounds && self.time_budget.is_none() {
            let scenarios = self.plan.scenarios.iter();
            let lacking: Vec<&str> = scenarios
                .filter(|scenario| spoilt::lacks(self.plan, scenario, trials))
                .map(|scenario| scenario.id.as_str())
                .collect();
            asked.retain(|(_, scenario)| lacking.contains(&scenario.id.as_str()));
        }
        asked
    }

    fn stopped(&self, round: u32, trials: &[Trial], elapsed: Duration) -> Option<Stopped> {
        let done = round - 1;
        let Some(budget) = self.time_budget else {
            let enough = self.plan.rounds + spoilt::most_rounds(self.plan);
            let is_done = done >= enough || done >= self.plan.rounds && self.round(round, trials).is_empty();
            return is_done.then_some(Stopped::RoundsDone);
        };
        if done == 0 {
            return None;
        }
        // A round that would end after the budget is not begun.
        if elapsed + elapsed / done > budget {
            return Some(Stopped::TimeBudgetSpent);
        }
        (done >= self.plan.rounds && analysis::narrow_enough(&self.plan.scenarios, self.subjects, trials))
            .then_some(Stopped::IntervalsNarrow)
    }
}

/// Why this server would fail each time; `None` after a load, because what fails under one may bear another.
fn refuted(made: &Made) -> Option<(Verdict, String)> {
    (!made.loaded).then(|| (made.trial.verdict, made.trial.reasons.join("; ")))
}

/// Whether a trial is there already, and is not one that should be made again.
fn made(trials: &[Trial], subject: &SubjectId, scenario: &str, round: u32) -> bool {
    of_round(trials, subject, scenario, round)
        .any(|trial| trial.verdict != Verdict::EnvironmentFailed || trial.attempt >= ATTEMPTS)
}

/// The attempts at one trial.
fn of_round<'a>(
    trials: &'a [Trial],
    subject: &'a SubjectId,
    scenario: &'a str,
    round: u32,
) -> impl Iterator<Item = &'a Trial> {
    trials.iter().filter(move |trial| {
        (trial.app.as_str(), trial.variant.as_str()) == (subject.app.as_str(), subject.variant.as_str())
            && trial.scenario == scenario
            && trial.round == round
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Profiles;

    fn made(verdict: Verdict, loaded: bool) -> Made {
        let profiles = Profiles::built_in();
        let scenario = profiles.scenario("plaintext", profiles.profile("quick").unwrap());
        let place = Place {
            app: "a",
            variant: "default",
            round: 1,
            order: 1,
            attempt: 1,
        };
        let trial = trial::not_made(place, &scenario.unwrap(), verdict, "no luck".into());
        Made { trial, loaded }
    }

    #[test]
    fn a_crash_under_one_load_forbids_no_other() {
        for verdict in [Verdict::Crashed, Verdict::ContractFailed] {
            assert_eq!(refuted(&made(verdict, true)), None);
            assert_eq!(refuted(&made(verdict, false)), Some((verdict, "no luck".into())));
        }
        assert_eq!(refuted(&made(Verdict::Valid, true)), None);
    }
}
