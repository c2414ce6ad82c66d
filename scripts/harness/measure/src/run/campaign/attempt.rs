//! One attempt at a scenario in a round: servers that are driven in turns, or one with a load of its own.

use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;

use super::Campaign;
use super::known::KnownServers;
use crate::run::disturbed;
use crate::run::driver::Driver;
use crate::run::observer::RunObserver;
use crate::run::round::{Entry, Round};
use crate::run::{sliced, trial};
use machine::clock;
use machine::cpus::Split;
use machine::interrupt::Interrupted;
use machine::known_work;
use machine::program::Program;
use model::scenario::{Isolation, Scenario};
use model::{Part, Role, Services, SubjectId, Trial, Verdict};
use servers::container::Network;
use servers::server::{Launch, Needs};

/// Attempts at a trial that the machine, not the server, disturbed.
const ATTEMPTS: u32 = 2;

/// One scenario of one round.
#[derive(Debug, Clone, Copy)]
pub struct ScenarioRound<'a> {
    /// The scenario.
    pub scenario: &'a Scenario,
    /// Who is driven together.
    pub subjects: &'a [&'a SubjectId],
    /// Number of the round, from 1.
    pub round: u32,
}

impl ScenarioRound<'_> {
    fn has(&self, trial: &Trial) -> bool {
        let is_it = |subject: &&SubjectId| (&subject.app, &subject.variant) == (&trial.app, &trial.variant);
        trial.scenario == self.scenario.id && trial.round == self.round && self.subjects.iter().any(is_it)
    }

    fn trials<'t>(&self, trials: &'t [Trial]) -> impl Iterator<Item = &'t Trial> {
        trials.iter().filter(|trial| self.has(trial))
    }

    /// The number of the last attempt; 0 before the first.
    pub fn last_attempt(&self, trials: &[Trial]) -> u32 {
        self.trials(trials).map(|trial| trial.attempt).max().unwrap_or(0)
    }

    /// Whether another attempt is made after `last`: because there was none, because a kill cut it short, or because the
    /// machine disturbed at least half of the servers, unless what was made before was lost as well, when the next attempt would be. If it
    /// disturbed fewer, the round is not repeated; [`disturbed`] handles them later.
    pub fn is_wanted(&self, trials: &[Trial], last: u32) -> bool {
        let attempt = || self.trials(trials).filter(|trial| trial.attempt == last);
        let before = || trials.iter().rev().skip_while(|trial| self.has(trial));
        let of = |trial: &Trial| (trial.scenario.clone(), trial.round, trial.attempt);
        let group = before().next().map(of);
        let was_lost = || disturbed::are_lost(before().take_while(|trial| Some(of(trial)) == group));
        attempt().count() < self.subjects.len() || last < ATTEMPTS && disturbed::are_lost(attempt()) && !was_lost()
    }
}

/// An attempt at it.
pub struct Attempt<'a> {
    campaign: &'a Campaign<'a>,
    part: ScenarioRound<'a>,
    number: u32,
    /// Trials that were made before it.
    before: usize,
    driver: Option<&'a dyn Driver>,
    split: Split,
    /// What the steps of each control take in nanoseconds.
    injected_ns: Vec<Option<f64>>,
}

/// A server that can be driven, or a trial, with the place of its subject.
type Placed<T> = (usize, T);

impl<'a> Attempt<'a> {
    /// The attempt of this number, after so many trials. What controls add is measured before the servers are there, which would take the
    /// cpus.
    pub fn new(campaign: &'a Campaign<'a>, part: ScenarioRound<'a>, number: u32, before: usize) -> Self {
        let steps = part.subjects.iter().map(|id| campaign.added_work(id));
        let injected_ns = steps.map(|steps| known_work::nanoseconds(steps?, &campaign.split.server));
        Self {
            injected_ns: injected_ns.collect(),
            driver: campaign.drivers.get(&part.scenario.generator).copied(),
            split: campaign.split.narrowed(part.scenario.workers, campaign.machine),
            campaign,
            part,
            number,
            before,
        }
    }

    /// Drives all servers, and returns their trials.
    pub fn make(&self, known: &mut KnownServers, observer: &mut RunObserver<'_>) -> Result<Vec<Trial>, Interrupted> {
        let (mut made, mut entries) = (Vec::new(), Vec::new());
        for (index, subject) in self.part.subjects.iter().enumerate() {
            let seed = self.campaign.plan.seed.wrapping_add((self.before + index + 1) as u64);
            match self.proven(subject, seed, known)? {
                Ok(launch) => entries.push((index, Entry { launch, seed })),
                Err((verdict, reason)) => {
                    let trial = Trial {
                        verdict,
                        reasons: vec![reason],
                        ..self.trial(index)
                    };
                    made.push((index, trial));
                }
            }
        }
        // Without a driver, each trial says that there is none.
        if let Some(driver) = self.driver {
            made.extend(self.drive(driver, entries, known, observer)?);
        }
        made.sort_by_key(|(index, _)| *index);
        Ok(made.into_iter().map(|(_, trial)| trial).collect())
    }

    /// How to start a server, after a proof of the whole contract, once for each app, protocol and run, but for controls. The inner error says
    /// why it has no figures.
    fn proven(
        &self,
        subject: &SubjectId,
        seed: u64,
        known: &mut KnownServers,
    ) -> Result<Result<Launch<'a>, (Verdict, String)>, Interrupted> {
        let scenario = self.part.scenario;
        let launch = self.launch_of(subject, known);
        match (launch, self.driver) {
            (Ok(launch), Some(driver)) if self.campaign.added_work(subject).is_none() => {
                let proof = || driver.start(launch, scenario, &self.split)?.lacks(seed);
                Ok(known.prove(subject, scenario, proof)?.map(|()| launch))
            }
            (launch, _) => Ok(launch),
        }
    }

    fn drive(
        &self,
        driver: &dyn Driver,
        entries: Vec<Placed<Entry<'_>>>,
        known: &mut KnownServers,
        observer: &mut RunObserver<'_>,
    ) -> Result<Vec<Placed<Trial>>, Interrupted> {
        let ScenarioRound { scenario, round, .. } = self.part;
        let of_round = Round {
            scenario,
            slices: scenario.slices().unwrap_or(1),
            driver,
            clock: self.campaign.clock,
            split: &self.split,
            seek_restless: true,
        };
        if scenario.slice_seconds.is_some() {
            self.campaign.refill(scenario);
            return self.in_turns(of_round, entries, known, observer);
        }
        let whole = entries.into_iter().map(|(index, entry)| {
            observer.doing(&format!("round {round} · {} · {}", scenario.id, self.app(index)));
            Ok((index, trial::run(&of_round, &entry, self.trial(index))?))
        });
        whole.collect()
    }

    /// Drives servers in turns: all together, but for those that use the cpu while idle. Each of these has another start of the reference next
    /// to it, whose level in the common round makes it comparable.
    fn in_turns(
        &self,
        together: Round<'_>,
        entries: Vec<Placed<Entry<'_>>>,
        known: &mut KnownServers,
        observer: &mut RunObserver<'_>,
    ) -> Result<Vec<Placed<Trial>>, Interrupted> {
        let ScenarioRound {
            scenario,
            subjects,
            round,
        } = self.part;
        let (id, mut rng, mut made) = (&scenario.id, self.rng(), Vec::new());
        let is_restless = |(index, _): &Placed<Entry<'_>>| known.is_restless(subjects[*index], scenario);
        let (mut apart, others): (Vec<_>, Vec<_>) = entries.into_iter().partition(is_restless);
        let all: Vec<Entry<'_>> = others.iter().map(|(_, entry)| *entry).collect();
        let driven = together.drive(&all, &mut rng, |turn, of| {
            observer.doing(&format!("round {round} · {id} · slice {turn} of {of} of each"));
        })?;
        let mut of_reference = None;
        for (((index, entry), driven), levels) in others.into_iter().zip(&driven).zip(sliced::levels(&driven)) {
            if driven.restless {
                known.add_restless(subjects[index], scenario);
                apart.push((index, entry));
                continue;
            }
            let subject = self.campaign.subject(subjects[index]);
            if subject.is_some_and(|subject| subject.app.role == Role::Reference) {
                of_reference = Some((entry, levels));
            }
            made.push((index, sliced::trial(&together, self.trial(index), driven, levels)));
        }
        let alone = Round {
            seek_restless: false,
            ..together
        };
        for (index, entry) in apart {
            let reference = of_reference.map(|(entry, _)| entry);
            let two: Vec<Entry<'_>> = [Some(entry), reference].into_iter().flatten().collect();
            let driven = alone.drive(&two, &mut rng, |turn, of| {
                let app = self.app(index);
                observer.doing(&format!("round {round} · {id} · {app} apart, slice {turn} of {of}"));
            })?;
            let levels = sliced::levels(&driven);
            let level = match (of_reference, levels.get(1)) {
                (Some((_, in_round)), Some(alongside)) => levels[0].relative_to(*alongside, in_round),
                _ => levels[0],
            };
            let mut trial = sliced::trial(&alone, self.trial(index), &driven[0], level);
            trial.apart = true;
            made.push((index, trial));
        }
        Ok(made)
    }

    /// A trial of the subject at this place, without any figures yet.
    fn trial(&self, index: usize) -> Trial {
        let subject = self.part.subjects[index];
        Trial {
            injected_ns: self.injected_ns[index],
            app: subject.app.clone(),
            variant: subject.variant.clone(),
            scenario: self.part.scenario.id.clone(),
            round: self.part.round,
            order: u32::try_from(self.before + index + 1).unwrap_or(u32::MAX),
            attempt: self.number,
            started_at: clock::now(),
            ..Trial::default()
        }
    }

    fn app(&self, index: usize) -> &'a str {
        &self.part.subjects[index].app
    }

    /// What to start for a subject, or why nothing is started: it was not built, it breaks the contract, or the machine lacks
    /// something.
    fn launch_of(&self, id: &SubjectId, known: &KnownServers) -> Result<Launch<'a>, (Verdict, String)> {
        let scenario = self.part.scenario;
        let subject = self.campaign.subject(id);
        let Some(binary) = subject.and_then(|subject| subject.binary.as_ref()) else {
            let reason = subject.and_then(|subject| subject.app.why_not_built());
            return Err((Verdict::BuildFailed, reason.unwrap_or("it was not built").to_owned()));
        };
        if let Some(refuted) = known.reason_against(id, scenario) {
            return Err(refuted);
        }
        if self.driver.is_none() {
            let reason = format!("there is no {} here", scenario.generator.program());
            return Err((Verdict::EnvironmentFailed, reason));
        }
        let services = subject.and_then(|subject| subject.app.services.as_ref());
        if let Some(steps) = self.campaign.added_work(id) {
            return Ok(Launch::Program(&binary.program, Needs::Work(steps)));
        }
        self.launch(&binary.program, services)
            .map_err(|reason| (Verdict::EnvironmentFailed, reason))
    }

    /// How to start the program, or why it cannot be started.
    fn launch(&self, program: &'a Program, services: Option<&'a Services>) -> Result<Launch<'a>, String> {
        let (campaign, scenario) = (self.campaign, self.part.scenario);
        let needs = Needs::wanted_by(scenario, services, campaign.database).ok_or("there is no PostgreSQL here")?;
        let network = match scenario.isolation {
            _ if scenario.part() != Part::Plain => return Ok(Launch::Program(program, needs)),
            Isolation::Native => return Ok(Launch::Program(program, needs)),
            Isolation::Docker => Network::Host,
            Isolation::DockerBridge => Network::Bridge,
        };
        let image = campaign.images.map(|images| images.image(program.path()));
        let image = image.unwrap_or_else(|| Err("there is no container engine here".into()))?;
        Ok(Launch::Contained(image, network))
    }

    /// The generator of the order of turns. It depends on the seed, and not on other scenarios or rounds.
    fn rng(&self) -> ChaCha8Rng {
        let (plan, part) = (self.campaign.plan, self.part);
        let mut scenarios = plan.scenarios.iter();
        let place = scenarios.position(|scenario| scenario.id == part.scenario.id);
        let mut rng = ChaCha8Rng::seed_from_u64(plan.seed.wrapping_add(place.unwrap_or(0) as u64 + 1));
        rng.set_stream(u64::from(part.round) << 8 | u64::from(self.number));
        rng
    }
}
