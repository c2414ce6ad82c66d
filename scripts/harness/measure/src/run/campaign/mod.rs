//! Makes all trials of a plan, and decides when to stop.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::disturbed;
use super::driver::{Clock, Drivers};
use super::observer::RunObserver;
use super::request_counts::RoundCounts;
use super::round::{Entry, Round};
use super::sliced;
use super::trial;
use crate::plan::Plan;
use analyze::machine_state;
use apps::build::BuiltApp;
use machine::clock;
use machine::cpus::{Split, Topology};
use machine::interrupt::Interrupted;
use machine::known_work;
use machine::program::Program;
use model::SubjectId;
use model::scenario::{Isolation, Protocol, Scenario};
use model::{Part, Role, Services, Stopped, Trial, Verdict, count};
use servers::container::{Images, Network};
use servers::contract::Scope;
use servers::database::Database;
use servers::failure::{Failure, Lack};
use servers::server::{Launch, Needs};

/// Attempts at a trial that the machine, not the server, disturbed.
const ATTEMPTS: u32 = 2;

/// What is known about the servers after their first round.
#[derive(Debug, Default)]
struct KnownServers {
    /// What each subject lacks of the contract in a protocol. A server that is known to break a rule which a scenario touches is not started
    /// for it again; one that broke one under a load may bear another load.
    lacks: BTreeMap<Key, Vec<Lack>>,
    /// Servers that use the cpu while idle, and so are driven apart from the others.
    restless: BTreeSet<Key>,
}

type Key = (SubjectId, Protocol, Isolation);

impl KnownServers {
    /// Why a server has no figures in this scenario, if that is known.
    fn reason_against(&self, subject: &SubjectId, scenario: &Scenario) -> Option<(Verdict, String)> {
        let mut lacks = self.lacks.get(&key(subject, scenario))?.iter();
        let lack = lacks.find(|lack| lack.scope.touches(scenario))?;
        Some((lack.verdict, format!("before the load, {}", lack.reason)))
    }

    /// Learns what a server lacks, unless that is known, from a `proof` by a server of its own: one that has answered all of the contract has
    /// another memory than one under load. The inner error says why it has no figures in this scenario.
    fn prove(
        &mut self,
        subject: &SubjectId,
        scenario: &Scenario,
        proof: impl FnOnce() -> Result<Vec<Lack>, Failure>,
    ) -> Result<Result<(), (Verdict, String)>, Interrupted> {
        let key = key(subject, scenario);
        if self.lacks.contains_key(&key) {
            return Ok(Ok(()));
        }
        let lacks = match proof() {
            Ok(lacks) => lacks,
            Err(failure) => vec![Lack::new(Scope::Server, failure)?],
        };
        // What the machine did is not known of the server.
        if let Some(lack) = lacks.iter().find(|lack| lack.verdict == Verdict::EnvironmentFailed) {
            return Ok(Err((lack.verdict, lack.reason.clone())));
        }
        self.lacks.insert(key, lacks);
        Ok(self.reason_against(subject, scenario).map_or(Ok(()), Err))
    }

    /// Marks the trial of a server that lacks what its scenario does not touch.
    fn mark(&self, trial: &mut Trial, scenario: &Scenario) {
        let subject = SubjectId::new(&trial.app, &trial.variant);
        let lacks = self.lacks.get(&key(&subject, scenario)).map_or(&[][..], Vec::as_slice);
        let Some(lack) = lacks.first().filter(|_| trial.verdict.keeps_costs()) else {
            return;
        };
        let more = match lacks.len() - 1 {
            0 => String::new(),
            more => format!(", and {}", count(more, "other rule")),
        };
        trial.verdict = Verdict::Incomplete;
        trial.reasons.insert(0, format!("it fails {}{more}", lack.reason));
    }
}

fn key(subject: &SubjectId, scenario: &Scenario) -> Key {
    (subject.clone(), scenario.protocol, scenario.isolation)
}

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
                        for mut trial in self.attempt(part, attempt, trials.len(), &mut known, observer)? {
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

    /// Drives all servers of a group in one round, and returns their trials.
    fn attempt(
        &self,
        part: ScenarioRound<'_>,
        attempt: u32,
        before: usize,
        known: &mut KnownServers,
        observer: &mut RunObserver<'_>,
    ) -> Result<Vec<Trial>, Interrupted> {
        let ScenarioRound { scenario, round, .. } = part;
        let injected = self.injected_ns(part.subjects);
        let new = |index: usize| part.trial((part.subjects[index], injected[index]), before + index, attempt);
        let mut made: Vec<Option<Trial>> = Vec::new();
        let mut entries: Vec<(usize, Entry<'_>)> = Vec::new();
        let load = self.drivers.get(&scenario.generator).copied();
        let split = self.split.narrowed(scenario.workers, self.machine);
        for (index, subject) in part.subjects.iter().enumerate() {
            let seed = self.plan.seed.wrapping_add((before + index + 1) as u64);
            let launch = self.launch_of(subject, scenario, known);
            let launch = match (launch, load) {
                // The whole contract once for each app, protocol and run, but for controls.
                (Ok(launch), Some(load)) if self.added_work(subject).is_none() => {
                    let begin = || load.start(launch, scenario, &split);
                    known
                        .prove(subject, scenario, || begin()?.lacks(seed))?
                        .map(|()| launch)
                }
                (launch, _) => launch,
            };
            made.push(match launch {
                Ok(launch) => {
                    entries.push((index, Entry { launch, seed }));
                    None
                }
                Err((verdict, reason)) => Some(Trial {
                    verdict,
                    reasons: vec![reason],
                    ..new(index)
                }),
            });
        }
        let Some(load) = load else {
            return Ok(made.into_iter().flatten().collect()); // each of them says that there is none
        };
        let round_of = Round {
            scenario,
            slices: scenario.slices().unwrap_or(1),
            driver: load,
            clock: self.clock,
            split: &split,
            seek_restless: true,
        };
        if scenario.slice_seconds.is_none() {
            for (index, entry) in entries {
                let subject = part.subjects[index];
                observer.doing(&format!("round {round} · {} · {}", scenario.id, subject.app));
                made[index] = Some(trial::run(&round_of, &entry, new(index))?);
            }
            return Ok(made.into_iter().flatten().collect());
        }
        self.refill(scenario);
        let id = &scenario.id;
        let mut rng = self.rng(part, attempt);
        let (mut apart, together): (Vec<_>, Vec<_>) = entries
            .into_iter()
            .partition(|(index, _)| known.restless.contains(&key(part.subjects[*index], scenario)));
        let with_all: Vec<Entry<'_>> = together.iter().map(|(_, entry)| *entry).collect();
        let driven = round_of.drive(&with_all, &mut rng, |turn, of| {
            observer.doing(&format!("round {round} · {id} · slice {turn} of {of} of each"));
        })?;
        let mut of_reference = None;
        for (((index, entry), driven), levels) in together.into_iter().zip(&driven).zip(sliced::levels(&driven)) {
            let subject = part.subjects[index];
            if driven.restless {
                known.restless.insert(key(subject, scenario));
                apart.push((index, entry));
                continue;
            }
            let trial = sliced::trial(&round_of, new(index), driven, levels);
            if self
                .subject(subject)
                .is_some_and(|subject| subject.app.role == Role::Reference)
            {
                of_reference = Some((entry, levels));
            }
            made[index] = Some(trial);
        }
        // Each with another start of the reference, whose level in the common round makes it comparable.
        let round_of = Round {
            seek_restless: false,
            ..round_of
        };
        for (index, entry) in apart {
            let reference = of_reference.map(|(entry, _)| entry);
            let two: Vec<Entry<'_>> = [Some(entry), reference].into_iter().flatten().collect();
            let driven = round_of.drive(&two, &mut rng, |turn, of| {
                let app = &part.subjects[index].app;
                observer.doing(&format!("round {round} · {id} · {app} apart, slice {turn} of {of}"));
            })?;
            let levels = sliced::levels(&driven);
            let level = match (of_reference, levels.get(1)) {
                (Some((_, in_round)), Some(alongside)) => levels[0].relative_to(*alongside, in_round),
                _ => levels[0],
            };
            let mut trial = sliced::trial(&round_of, new(index), &driven[0], level);
            trial.apart = true;
            made[index] = Some(trial);
        }
        Ok(made.into_iter().flatten().collect())
    }

    /// What to start for a subject, or why nothing is started: it was not built, it breaks the contract, or the machine lacks
    /// something.
    fn launch_of(
        &self,
        id: &SubjectId,
        scenario: &Scenario,
        known: &KnownServers,
    ) -> Result<Launch<'_>, (Verdict, String)> {
        let subject = self.subject(id);
        let Some(binary) = subject.and_then(|subject| subject.binary.as_ref()) else {
            let reason = subject.and_then(|subject| subject.app.why_not_built());
            return Err((Verdict::BuildFailed, reason.unwrap_or("it was not built").to_owned()));
        };
        if let Some(refuted) = known.reason_against(id, scenario) {
            return Err(refuted);
        }
        if !self.drivers.contains_key(&scenario.generator) {
            let reason = format!("there is no {} here", scenario.generator.program());
            return Err((Verdict::EnvironmentFailed, reason));
        }
        let services = subject.and_then(|subject| subject.app.services.as_ref());
        if let Some(steps) = self.added_work(id) {
            return Ok(Launch::Program(&binary.program, Needs::Work(steps)));
        }
        self.launch(&binary.program, services, scenario)
            .map_err(|reason| (Verdict::EnvironmentFailed, reason))
    }

    /// The steps of known work that a control does in each request; `None` of any other server.
    fn added_work(&self, id: &SubjectId) -> Option<u32> {
        self.subject(id)?.app.added_work
    }

    /// What these steps take in nanoseconds, for each subject. It is measured before the servers are there, which would take the cpus.
    fn injected_ns(&self, subjects: &[&SubjectId]) -> Vec<Option<f64>> {
        let steps = subjects.iter().map(|id| self.added_work(id));
        let injected = steps.map(|steps| known_work::nanoseconds(steps?, &self.split.server));
        injected.collect()
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

    /// The generator of the order of turns. It depends on the seed, and not on other scenarios or rounds.
    fn rng(&self, part: ScenarioRound<'_>, attempt: u32) -> ChaCha8Rng {
        let place = self
            .plan
            .scenarios
            .iter()
            .position(|scenario| scenario.id == part.scenario.id);
        let mut rng = ChaCha8Rng::seed_from_u64(self.plan.seed.wrapping_add(place.unwrap_or(0) as u64 + 1));
        rng.set_stream(u64::from(part.round) << 8 | u64::from(attempt));
        rng
    }

    /// How to start the program, or why it cannot be started.
    fn launch<'a>(
        &'a self,
        program: &'a Program,
        services: Option<&'a Services>,
        scenario: &Scenario,
    ) -> Result<Launch<'a>, String> {
        let needs = Needs::wanted_by(scenario, services, self.database).ok_or("there is no PostgreSQL here")?;
        let network = match scenario.isolation {
            _ if scenario.part() != Part::Plain => return Ok(Launch::Program(program, needs)),
            Isolation::Native => return Ok(Launch::Program(program, needs)),
            Isolation::Docker => Network::Host,
            Isolation::DockerBridge => Network::Bridge,
        };
        let image = self.images.map(|images| images.image(program.path()));
        let image = image.unwrap_or_else(|| Err("there is no container engine here".into()))?;
        Ok(Launch::Contained(image, network))
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

/// One scenario of one round.
#[derive(Debug, Clone, Copy)]
struct ScenarioRound<'a> {
    scenario: &'a Scenario,
    subjects: &'a [&'a SubjectId],
    round: u32,
}

impl ScenarioRound<'_> {
    /// A trial of `subject`, in which so much work is injected, without any other figures yet, after `before` others.
    fn trial(&self, (subject, injected_ns): (&SubjectId, Option<f64>), before: usize, attempt: u32) -> Trial {
        Trial {
            injected_ns,
            app: subject.app.clone(),
            variant: subject.variant.clone(),
            scenario: self.scenario.id.clone(),
            round: self.round,
            order: u32::try_from(before + 1).unwrap_or(u32::MAX),
            attempt,
            started_at: clock::now(),
            ..Trial::default()
        }
    }

    fn has(&self, trial: &Trial) -> bool {
        let is_it = |subject: &&SubjectId| (&subject.app, &subject.variant) == (&trial.app, &trial.variant);
        trial.scenario == self.scenario.id && trial.round == self.round && self.subjects.iter().any(is_it)
    }

    fn trials<'t>(&self, trials: &'t [Trial]) -> impl Iterator<Item = &'t Trial> {
        trials.iter().filter(|trial| self.has(trial))
    }

    /// The number of the last attempt; 0 before the first.
    fn last_attempt(&self, trials: &[Trial]) -> u32 {
        self.trials(trials).map(|trial| trial.attempt).max().unwrap_or(0)
    }

    /// Whether another attempt is made after `last`: because there was none, because a kill cut it short, or because the
    /// machine disturbed at least half of the servers, unless what was made before was lost as well, when the next attempt would be. If it
    /// disturbed fewer, the round is not repeated; [`disturbed`] handles them later.
    fn is_wanted(&self, trials: &[Trial], last: u32) -> bool {
        let attempt = || self.trials(trials).filter(|trial| trial.attempt == last);
        let before = || trials.iter().rev().skip_while(|trial| self.has(trial));
        let of = |trial: &Trial| (trial.scenario.clone(), trial.round, trial.attempt);
        let group = before().next().map(of);
        let was_lost = || disturbed::are_lost(before().take_while(|trial| Some(of(trial)) == group));
        attempt().count() < self.subjects.len() || last < ATTEMPTS && disturbed::are_lost(attempt()) && !was_lost()
    }
}

#[cfg(test)]
mod tests;
