//! Measures one pair: a round of slices ([`crate::run::round`]) with two servers, base and head; or counts instructions of both.

use std::sync::Arc;
use std::thread;

use analyze::compare::explanation::Profile;
use rand::Rng as _;

use super::candidate::Candidate;
use super::schedule::Schedule;
use crate::request_counts::{Counted, instructions};
use crate::run::driver::Driver;
use crate::run::round::{Entry, Round};
use crate::run::sliced;
use machine::cpus::Split;
use machine::interrupt::Interrupted;
use model::scenario::Scenario;
use model::{Trial, Verdict};
use servers::database::Database;
use servers::failure::Failure;
use servers::server::{Launch, Needs};

/// Why there is no pair.
#[derive(Debug, thiserror::Error)]
pub enum PairFailure {
    /// Base failed, so there is nothing to compare with.
    #[error("base: {0}")]
    Base(String),
    /// Head failed: a regression.
    #[error("head: {1}")]
    Head(Verdict, String),
    /// The machine failed.
    #[error("{0}")]
    Machine(String),
    /// The user stopped it.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}

/// Which side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SideName {
    /// What is compared with.
    Base,
    /// What is proposed.
    Head,
}

impl PairFailure {
    /// What ends the comparison.
    pub fn into_error(self) -> anyhow::Error {
        match self {
            Self::Interrupted(interrupted) => interrupted.into(),
            other => other.into(),
        }
    }
}

impl SideName {
    /// A start, a proof, a load or a count of this side that failed.
    pub fn failed(self, failure: Failure) -> PairFailure {
        match (self, failure.into_verdict()) {
            (_, Err(interrupted)) => PairFailure::Interrupted(interrupted),
            (_, Ok((Verdict::EnvironmentFailed, reason))) => PairFailure::Machine(reason),
            (Self::Base, Ok((_, reason))) => PairFailure::Base(reason),
            (Self::Head, Ok((verdict, reason))) => PairFailure::Head(verdict, reason),
        }
    }
}

/// Both sides of a candidate, and where they run.
#[derive(Clone, Copy)]
pub struct Sides<'a> {
    pub candidate: &'a Candidate,
    pub database: Option<&'a Arc<Database>>,
    pub split: &'a Split,
}

/// What was found of base and head.
type Both<T> = Result<[T; 2], PairFailure>;

impl Sides<'_> {
    /// The trials of base and head in one round, in the order that `schedule` has for the pair of this number.
    pub fn drive(self, scenario: &Scenario, load: &dyn Driver, schedule: &Schedule, number: u32) -> Both<Trial> {
        let Self {
            candidate,
            database,
            split,
        } = self;
        let round = Round {
            scenario,
            slices: scenario.slices().unwrap_or(1),
            driver: load,
            clock: &(),
            split,
            // Both sides would be equally restless.
            seek_restless: false,
        };
        let needs = Needs::wanted_by(scenario, candidate.services.as_ref(), database).unwrap_or_default();
        let [of_base, of_head] = schedule.layouts(number, candidate.base.len());
        let mut rng = schedule.slices(number);
        let seed = rng.next_u64();
        let mut entries = [&candidate.base[of_base], &candidate.head[of_head]].map(|program| Entry {
            launch: Launch::Program(program, needs),
            seed,
        });
        // Whatever comes of being the first of two meets both sides equally often.
        let is_swapped = schedule.is_head_first(number);
        if is_swapped {
            entries.reverse();
        }
        let driven = round.drive_from(&entries, vec![0, 1], &mut rng, |_, _| {})?;
        let levels = sliced::levels(&driven);
        let mut trials = [0, 1].map(|place| sliced::trial(&round, Trial::default(), &driven[place], levels[place]));
        if is_swapped {
            trials.reverse();
        }
        for (side, trial) in [SideName::Base, SideName::Head].into_iter().zip(&trials) {
            if trial.verdict.is_failure() {
                return Err(side.failed(Failure::Verdict(trial.verdict, trial.reasons.join("; "))));
            }
        }
        Ok(trials)
    }

    /// Trials of base and head for each scenario, which hold the instructions for one request: see [`crate::request_counts::instructions`]. They
    /// have each other's cpus if the pair `is_swapped`.
    pub fn count(self, scenarios: &[&Scenario], is_swapped: bool) -> Result<Vec<[Trial; 2]>, PairFailure> {
        let [base, head] = self.both(is_swapped, |counted, cpus| {
            instructions::per_request(counted, cpus, scenarios)
        })?;
        let trial = |count| Trial {
            instructions_per_request: Some(count),
            ..Trial::default()
        };
        let pairs = base.into_iter().zip(head);
        Ok(pairs.map(|(base, head)| [trial(base), trial(head)]).collect())
    }

    /// The instructions of one request by stack, of base and head.
    pub fn profiles(self, scenario: &Scenario) -> Both<Profile> {
        self.both(false, |counted, cpus| instructions::by_stack(counted, cpus, scenario))
    }

    /// What `count` finds of base and head. Nothing is timed, so both are counted at the same time, each on its own cpu.
    fn both<T: Send>(
        self,
        is_swapped: bool,
        count: impl Fn(Counted<'_>, &[u32]) -> Result<T, Failure> + Sync,
    ) -> Both<T> {
        let Self {
            candidate,
            database,
            split,
        } = self;
        // One cpu for each side on every machine: a server starts as many workers as it has cpus, and their number changes the
        // instructions of a request.
        let mut cpus = [&split.server, &split.generator].map(|cpus| cpus.get(..1).unwrap_or_default());
        if is_swapped {
            cpus.reverse();
        }
        let count = |side: SideName, program, cpus| {
            let counted = Counted {
                program,
                services: candidate.services.as_ref(),
                database,
            };
            count(counted, cpus).map_err(|error| side.failed(error))
        };
        thread::scope(|scope| {
            let base = scope.spawn(|| count(SideName::Base, &candidate.base[0], cpus[0]));
            let head = count(SideName::Head, &candidate.head[0], cpus[1]);
            let base = base.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            Ok([base, head?])
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::run::fake::{Event, Moment, World, breaks, loads, split};
    use apps::profile::Profiles;
    use machine::program::Program;
    use model::Role;

    fn schedule() -> Schedule {
        Schedule::new(1, "good", "default", "plaintext")
    }

    /// A pair in a world where `act` says what goes wrong.
    fn paired(
        number: u32,
        act: impl Fn(&Moment<'_>, Event<'_>) -> Result<(), Failure> + Send + Sync + 'static,
    ) -> Result<[Trial; 2], PairFailure> {
        let profiles = Profiles::built_in();
        let known = profiles.scenario("plaintext", profiles.profile("compare").unwrap());
        let scenario = Scenario {
            seconds: 0.048,
            slice_seconds: Some(0.012),
            ..known.unwrap()
        };
        let folder = tempfile::tempdir().unwrap();
        let [base, head] = ["base", "head"].map(|side| {
            let path = folder.path().join(side);
            std::fs::write(&path, "").unwrap();
            Program::at(&path).unwrap()
        });
        let candidate = Candidate {
            app: "good".into(),
            variant: "default".into(),
            role: Role::Framework,
            services: None,
            base: vec![base],
            head: vec![head],
        };
        let world = World::new(act);
        let sides = Sides {
            candidate: &candidate,
            database: None,
            split: &split(),
        };
        sides.drive(&scenario, &world, &schedule(), number)
    }

    #[test]
    fn a_pair_is_both_levels_of_one_round() {
        let trials = paired(
            1,
            loads(|now, loaded| {
                if now.app == "head" {
                    loaded.cpu = loaded.cpu.mul_f64(1.5);
                }
            }),
        );
        let [base, head] = trials.unwrap().map(|trial| trial.server_cpu_us_per_request.unwrap());
        assert!((head / base - 1.5).abs() < 0.01, "{base} {head}");
    }

    #[test]
    fn the_side_whose_turn_it_is_is_started_first_and_neither_always() {
        let first_of = |number| {
            let first = Arc::new(Mutex::new(None));
            let seen = Arc::clone(&first);
            let started = move |now: &Moment<'_>, event: Event<'_>| {
                if matches!(event, Event::Start) {
                    seen.lock().unwrap().get_or_insert(now.app == "head");
                }
                Ok(())
            };
            paired(number, started).unwrap();
            first.lock().unwrap().unwrap()
        };
        for number in 0..2 {
            assert_eq!(first_of(number), schedule().is_head_first(number));
        }
    }

    #[test]
    fn what_fails_is_the_fault_of_its_side_or_of_the_machine() {
        let failed = |side: &'static str, verdict| {
            let act = move |now: &Moment<'_>, event: Event<'_>| match event {
                Event::Proof if now.app == side => breaks(verdict, "no luck"),
                _ => Ok(()),
            };
            paired(1, act).unwrap_err()
        };
        let (crashed, wrong) = (Verdict::Crashed, Verdict::ContractFailed);
        assert!(matches!(
            failed("head", crashed),
            PairFailure::Head(Verdict::Crashed, _)
        ));
        assert!(matches!(
            failed("head", wrong),
            PairFailure::Head(Verdict::ContractFailed, _)
        ));
        assert!(matches!(failed("base", wrong), PairFailure::Base(_)));
        assert!(matches!(
            failed("head", Verdict::EnvironmentFailed),
            PairFailure::Machine(_)
        ));
    }
}
