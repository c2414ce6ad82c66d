//! Measures one pair of goodput and CPU per request: a round of slices ([`crate::run::round`]) with two servers, base and head.

use std::sync::Arc;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::database::Database;
use crate::failure::Failure;
use crate::interrupt::Interrupted;
use crate::machine::cpus::Split;
use crate::program::Program;
use crate::run::TrialPlace;
use crate::run::driver::Driver;
use crate::run::round::{Entry, Round};
use crate::run::sliced;
use crate::run::sliced::Levels;
use crate::server::{Beside, Launch};
use judge::compare::outcome::{Pair, Status};
use record::scenario::Scenario;
use record::{Services, Trial, Verdict};

/// The two programs.
#[derive(Debug, Clone, Copy)]
pub struct SidePrograms<'a> {
    /// Of base.
    pub base: &'a Program,
    /// Of head.
    pub head: &'a Program,
    /// The kinds of work of services that both do, if they are of that part of the contract.
    pub services: Option<&'a Services>,
    /// The database behind both.
    pub database: Option<&'a Arc<Database>>,
}

/// The figures of one pair.
#[derive(Debug, Clone, PartialEq)]
pub struct PairFigures {
    /// CPU time of the server for one expected answer, in µs.
    pub cpu_us_per_request: Option<Pair>,
    /// Expected answers per second.
    pub goodput_rps: Option<Pair>,
    /// Share of its cpus that the generator used, as the mean of both sides.
    pub generator_share: f64,
    /// Share of its cpus that the server used, as the mean of both sides.
    pub server_share: f64,
}

/// Why there is no pair.
#[derive(Debug, thiserror::Error)]
pub enum PairFailure {
    /// Base failed, so there is nothing to compare with.
    #[error("base: {0}")]
    Base(String),
    /// Head failed: a regression.
    #[error("head: {1}")]
    Head(Status, String),
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

impl SideName {
    fn trouble(self, status: Status, reason: String) -> PairFailure {
        match self {
            Self::Base => PairFailure::Base(reason),
            Self::Head => PairFailure::Head(status, reason),
        }
    }

    /// A start, a proof or a count of this side that failed.
    pub fn failed(self, trouble: Failure) -> PairFailure {
        match trouble.into_verdict() {
            Ok((verdict, reason)) => self.not_driven(verdict, reason),
            Err(interrupted) => PairFailure::Interrupted(interrupted),
        }
    }

    /// What a verdict on this side means for the pair.
    fn not_driven(self, verdict: Verdict, reason: String) -> PairFailure {
        match verdict {
            Verdict::EnvironmentFailed => PairFailure::Machine(reason),
            Verdict::Crashed => self.trouble(Status::Crashed, reason),
            _ => self.trouble(Status::ContractFailed, reason),
        }
    }
}

/// Measures one pair of one scenario. `number` is that of the pair: it seeds the order of the sides and the contract's input.
pub fn pair(
    programs: SidePrograms<'_>,
    scenario: &Scenario,
    load: &dyn Driver,
    split: &Split,
    number: u32,
) -> Result<PairFigures, PairFailure> {
    let turns = Round {
        scenario,
        slices: scenario.slices().unwrap_or(1),
        driver: load,
        clock: &(),
        split,
        // Both sides would be equally restless.
        seek_restless: false,
    };
    let entry = |program| Entry {
        launch: Launch::Program(
            program,
            Beside::wanted_by(scenario, programs.services, programs.database).unwrap_or_default(),
        ),
        seed: u64::from(number),
        prove_all: false,
    };
    let mut rng = ChaCha8Rng::seed_from_u64(u64::from(number));
    let driven = turns.drive(&[entry(programs.base), entry(programs.head)], &mut rng, |_, _| {})?;
    let levels = sliced::levels(&driven);
    let mut trials = Vec::new();
    for ((which, driven), levels) in [SideName::Base, SideName::Head].into_iter().zip(&driven).zip(&levels) {
        let place = TrialPlace {
            app: "",
            variant: "",
            round: number,
            order: 1,
            attempt: 1,
        };
        let trial = sliced::trial(&turns, place, driven, *levels);
        if trial.verdict >= Verdict::EnvironmentFailed {
            return Err(which.not_driven(trial.verdict, trial.reasons.join("; ")));
        }
        trials.push(trial);
    }
    let both = |figure: fn(&Levels) -> Option<f64>| {
        let (base, head) = (figure(&levels[0])?, figure(&levels[1])?);
        Some(Pair { base, head })
    };
    let mean = |share: fn(&Trial) -> Option<f64>| {
        let shares = trials.iter().filter_map(share);
        shares.sum::<f64>() / trials.len() as f64
    };
    Ok(PairFigures {
        cpu_us_per_request: both(|levels| levels.cpu_us_per_request),
        goodput_rps: both(|levels| levels.goodput_rps),
        generator_share: mean(|trial| trial.generator_cpu_share),
        server_share: mean(|trial| trial.server_cpu_share),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Profiles;
    use crate::run::fake::{Event, Moment, World, breaks, loads, split};

    /// A pair in a world where `act` says what goes wrong.
    fn paired(
        act: impl Fn(&Moment<'_>, Event<'_>) -> Result<(), Failure> + Send + Sync + 'static,
    ) -> Result<PairFigures, PairFailure> {
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
        let programs = SidePrograms {
            base: &base,
            head: &head,
            services: None,
            database: None,
        };
        let world = World::new(act);
        pair(programs, &scenario, &world, &split(), 1)
    }

    #[test]
    fn a_pair_is_both_levels_of_one_round() {
        let figures = paired(loads(|now, loaded| {
            if now.app == "head" {
                loaded.cpu = loaded.cpu.mul_f64(1.5);
            }
        }));
        let cpu = figures.unwrap().cpu_us_per_request.unwrap();
        assert!((cpu.head / cpu.base - 1.5).abs() < 0.01, "{cpu:?}");
    }

    #[test]
    fn what_fails_is_the_fault_of_its_side_or_of_the_machine() {
        let failed = |side: &'static str, verdict| {
            let act = move |now: &Moment<'_>, event: Event<'_>| match event {
                Event::Proof { .. } if now.app == side => breaks(verdict, "no luck"),
                _ => Ok(()),
            };
            paired(act).unwrap_err()
        };
        let (crashed, wrong) = (Verdict::Crashed, Verdict::ContractFailed);
        assert!(matches!(failed("head", crashed), PairFailure::Head(Status::Crashed, _)));
        assert!(matches!(
            failed("head", wrong),
            PairFailure::Head(Status::ContractFailed, _)
        ));
        assert!(matches!(failed("base", wrong), PairFailure::Base(_)));
        assert!(matches!(
            failed("head", Verdict::EnvironmentFailed),
            PairFailure::Machine(_)
        ));
    }
}
