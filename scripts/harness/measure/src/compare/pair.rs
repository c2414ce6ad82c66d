//! Measures one pair: a round of slices ([`crate::run::round`]) with two servers, base and head; or counts instructions of both.

use std::sync::Arc;
use std::thread;

use analyze::compare::explanation::Profile;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::candidate::Candidate;
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

/// The trials of base and head in one round. `number` is the pair's: it seeds the order of the sides and the contract's input.
pub fn drive(
    candidate: &Candidate,
    database: Option<&Arc<Database>>,
    scenario: &Scenario,
    load: &dyn Driver,
    split: &Split,
    number: u32,
) -> Result<[Trial; 2], PairFailure> {
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
    let [of_base, of_head] = layouts(number, candidate.base.len());
    let mut entries = [&candidate.base[of_base], &candidate.head[of_head]].map(|program| Entry {
        launch: Launch::Program(program, needs),
        seed: u64::from(number),
    });
    // Whatever comes of being the first of two meets both sides in turns.
    let is_swapped = !number.is_multiple_of(2);
    if is_swapped {
        entries.reverse();
    }
    let mut rng = ChaCha8Rng::seed_from_u64(u64::from(number));
    let driven = round.drive(&entries, &mut rng, |_, _| {})?;
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

/// Which of so many orders of sections base and head have in a pair: each as often as the others, in an order drawn for each side, so that what
/// an order costs is in the spread of the pairs and not in their mean.
fn layouts(number: u32, of: usize) -> [usize; 2] {
    let of_block = u32::try_from(of.max(1)).unwrap_or(u32::MAX);
    let mut rng = ChaCha8Rng::seed_from_u64(u64::from(number / of_block));
    rng.set_stream(1);
    [(); 2].map(|()| {
        let mut order: Vec<usize> = (0..of).collect();
        order.shuffle(&mut rng);
        order[(number % of_block) as usize]
    })
}

/// Trials of base and head for each scenario, which hold the instructions for one request: see [`crate::request_counts::instructions`].
pub fn count(
    candidate: &Candidate,
    database: Option<&Arc<Database>>,
    split: &Split,
    scenarios: &[&Scenario],
    number: u32,
) -> Result<Vec<[Trial; 2]>, PairFailure> {
    let [base, head] = both(candidate, database, split, number, |counted, cpus| {
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
pub fn profiles(
    candidate: &Candidate,
    database: Option<&Arc<Database>>,
    split: &Split,
    scenario: &Scenario,
) -> Result<[Profile; 2], PairFailure> {
    both(candidate, database, split, 0, |counted, cpus| {
        instructions::by_stack(counted, cpus, scenario)
    })
}

/// What `count` finds of base and head. `number` is the pair's; odd ones swap the cpus. Nothing is timed, so both are counted at the
/// same time, each on its own cpu.
fn both<T: Send>(
    candidate: &Candidate,
    database: Option<&Arc<Database>>,
    split: &Split,
    number: u32,
    count: impl Fn(Counted<'_>, &[u32]) -> Result<T, Failure> + Sync,
) -> Result<[T; 2], PairFailure> {
    // One cpu for each side on every machine: a server starts as many workers as it has cpus, and their number changes the
    // instructions of a request.
    let mut cpus = [&split.server, &split.generator].map(|cpus| cpus.get(..1).unwrap_or_default());
    if !number.is_multiple_of(2) {
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::run::fake::{Event, Moment, World, breaks, loads, split};
    use apps::profile::Profiles;
    use machine::program::Program;
    use model::Role;

    /// A pair in a world where `act` says what goes wrong.
    fn paired(
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
        drive(&candidate, None, &scenario, &world, &split(), 1)
    }

    #[test]
    fn a_pair_is_both_levels_of_one_round() {
        let trials = paired(loads(|now, loaded| {
            if now.app == "head" {
                loaded.cpu = loaded.cpu.mul_f64(1.5);
            }
        }));
        let [base, head] = trials.unwrap().map(|trial| trial.server_cpu_us_per_request.unwrap());
        assert!((head / base - 1.5).abs() < 0.01, "{base} {head}");
    }

    #[test]
    fn both_sides_go_through_all_orders_of_sections_independently() {
        let drawn: Vec<[usize; 2]> = (0..300).map(|number| layouts(number, 3)).collect();
        for block in drawn.chunks(3) {
            for side in [0, 1] {
                let seen: BTreeSet<usize> = block.iter().map(|pair| pair[side]).collect();
                assert_eq!(seen, BTreeSet::from([0, 1, 2]));
            }
        }
        let equal = drawn.iter().filter(|[base, head]| base == head).count();
        assert!((70..130).contains(&equal), "{equal} of 300");
        assert_eq!(layouts(7, 1), [0, 0]);
    }

    #[test]
    fn what_fails_is_the_fault_of_its_side_or_of_the_machine() {
        let failed = |side: &'static str, verdict| {
            let act = move |now: &Moment<'_>, event: Event<'_>| match event {
                Event::Proof if now.app == side => breaks(verdict, "no luck"),
                _ => Ok(()),
            };
            paired(act).unwrap_err()
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
