//! One pair of goodput and CPU per request: base and head side by side, driven in turns.
//!
//! A machine's speed drifts within seconds. So both servers run at the same time, on the same cpus, and are driven in many
//! short slices, AB BA AB BA …: whatever is slower than two slices meets both sides alike, and [`adjacent`] leaves out what
//! is quicker. Both are started anew for each pair, because two starts of the same program differ too (memory layout, threads
//! on cpus), and that difference must be part of the spread, not of the result. After A. Bulej et al., "Duet benchmarking",
//! ICPE 2020.

use std::path::Path;

use super::adjacent;
use super::outcome::{Pair, Status};
use crate::contract;
use crate::count::CountError;
use crate::interrupt::Interrupted;
use crate::machine::cpus::Split;
use crate::measure::{self, Generator, GeneratorError, Load, Servant, Server};
use crate::record::{Verdict, expected_answers};
use crate::scenario::Scenario;

/// Length of one slice, in seconds. Of the schemes that were tried (docs/compare.md) this and the next constant spread least
/// for the time they take.
const SLICE: f64 = 0.05;
/// Slices of each side in one pair.
const SLICES: u32 = 32;
/// Length of the warm-up of each side, in seconds.
const WARM_UP: f64 = 0.1;

/// The two programs.
#[derive(Debug, Clone, Copy)]
pub struct Programs<'a> {
    /// Of base.
    pub base: &'a Path,
    /// Of head.
    pub head: &'a Path,
}

/// What one slice of one side found.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Slice {
    answered: f64,
    seconds: f64,
    server_cpu: f64,
    generator_cpu: f64,
}

/// What one pair found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// CPU time of the server for one expected answer, in µs.
    pub cpu_us_per_request: Option<Pair>,
    /// Expected answers per second.
    pub goodput_rps: Option<Pair>,
    /// Share of its cpus that the generator used, both sides together.
    pub generator_share: f64,
    /// Share of its cpus that the server used, both sides together.
    pub server_share: f64,
}

impl Found {
    fn new(base: &[Slice], head: &[Slice], split: &Split) -> Self {
        let pair = |value: fn(&Slice) -> f64| {
            let of = |slices: &[Slice]| slices.iter().map(value).collect::<Vec<_>>();
            adjacent::pair(&of(base), &of(head))
        };
        let sum = |value: fn(&Slice) -> f64| base.iter().chain(head).map(value).sum::<f64>();
        let seconds = sum(|slice| slice.seconds);
        Self {
            cpu_us_per_request: pair(|slice| slice.server_cpu * 1e6 / slice.answered),
            goodput_rps: pair(|slice| slice.answered / slice.seconds),
            generator_share: sum(|slice| slice.generator_cpu) / seconds / split.generator.len() as f64,
            server_share: sum(|slice| slice.server_cpu) / seconds / split.server.len() as f64,
        }
    }
}

/// Why there is no pair.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// Base does not do what it should: nothing can be compared with it.
    #[error("base: {0}")]
    Base(String),
    /// Head does not do what it should: a regression.
    #[error("head: {1}")]
    Head(Status, String),
    /// The machine could not do it.
    #[error("{0}")]
    Machine(String),
    /// The user stopped it.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}

/// Which side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// What is compared with.
    Base,
    /// What is proposed.
    Head,
}

impl Which {
    fn trouble(self, status: Status, reason: String) -> Trouble {
        match self {
            Self::Base => Trouble::Base(reason),
            Self::Head => Trouble::Head(status, reason),
        }
    }

    /// A start or a proof of this side that failed.
    pub fn failed(self, trouble: measure::Trouble) -> Trouble {
        let (verdict, reason) = match trouble.told() {
            Ok(told) => told,
            Err(interrupted) => return Trouble::Interrupted(interrupted),
        };
        match verdict {
            Verdict::EnvironmentFailed => Trouble::Machine(reason),
            Verdict::Crashed => self.trouble(Status::Crashed, reason),
            _ => self.trouble(Status::ContractFailed, reason),
        }
    }

    /// A count that failed.
    pub fn not_counted(self, error: CountError) -> Trouble {
        match error {
            CountError::NotStarted(error) => self.failed(error.into()),
            CountError::Wrong(verdict, reason) => self.failed(measure::Trouble::Verdict(verdict, reason)),
            CountError::Machine(reason) => Trouble::Machine(reason),
            CountError::Interrupted(interrupted) => Trouble::Interrupted(interrupted),
        }
    }
}

/// Measures one pair of one scenario. `number` counts the pairs: it turns the order of the sides, and seeds the contract.
pub fn pair(
    programs: Programs<'_>,
    scenario: &Scenario,
    generator: &Generator,
    split: &Split,
    number: u32,
) -> Result<Found, Trouble> {
    let order = if number.is_multiple_of(2) {
        [Which::Base, Which::Head]
    } else {
        [Which::Head, Which::Base]
    };
    let start = |which: Which| {
        let program = if which == Which::Base {
            programs.base
        } else {
            programs.head
        };
        let mut server = Server::start(Servant::Program(program), &split.server, scenario.protocol)
            .map_err(|error| which.failed(error.into()))?;
        prove(which, &mut server, scenario, number)?;
        Ok::<_, Trouble>((which, server, Vec::new()))
    };
    let mut sides = [start(order[0])?, start(order[1])?];
    for (which, server, _) in &mut sides {
        drive(*which, server, scenario, WARM_UP, generator)?;
    }
    for slice in 0..SLICES {
        let turn = if slice.is_multiple_of(2) { [0, 1] } else { [1, 0] };
        for side in turn {
            let (which, server, slices) = &mut sides[side];
            let before = server.cpu_time().map_err(|error| Trouble::Machine(error.to_string()))?;
            let load = drive(*which, server, scenario, SLICE, generator)?;
            let after = server.cpu_time().map_err(|error| Trouble::Machine(error.to_string()))?;
            slices.push(Slice {
                answered: expected_answers(&load.requests) as f64,
                seconds: load.seconds,
                server_cpu: after.saturating_sub(before).as_secs_f64(),
                generator_cpu: load.cpu.as_secs_f64(),
            });
        }
    }
    for (which, server, _) in &mut sides {
        prove(*which, server, scenario, number)?;
    }
    let of = |which: Which| {
        let side = sides.iter().find(|side| side.0 == which);
        side.map_or(&[][..], |side| side.2.as_slice())
    };
    Ok(Found::new(of(Which::Base), of(Which::Head), split))
}

fn prove(which: Which, server: &mut Server, scenario: &Scenario, number: u32) -> Result<(), Trouble> {
    let proven = server.prove(|client| contract::request_of(scenario, client, u64::from(number)));
    proven.map_err(|trouble| which.failed(trouble))
}

fn drive(
    which: Which,
    server: &mut Server,
    scenario: &Scenario,
    seconds: f64,
    generator: &Generator,
) -> Result<Load, Trouble> {
    let died = |end: String| which.trouble(Status::Crashed, format!("the server died under load: {end}"));
    let load = match generator.drive(scenario, seconds, server.address(), || server.dead().is_none()) {
        Ok(load) => load,
        Err(GeneratorError::Interrupted(interrupted)) => return Err(interrupted.into()),
        Err(GeneratorError::ServerDied) => return Err(died(server.dead().unwrap_or_default())),
        Err(error @ (GeneratorError::Hung | GeneratorError::Unfinished { .. })) => {
            return Err(which.trouble(Status::ContractFailed, error.to_string()));
        }
        Err(error) => return Err(Trouble::Machine(error.to_string())),
    };
    if let Some((error, count)) = load.errors.iter().find(|(_, count)| **count > 0) {
        let reason = format!("{count} requests without an answer under load: {error}");
        return Err(server
            .dying()
            .map_or_else(|| which.trouble(Status::ContractFailed, reason), died));
    }
    let expected = expected_answers(&load.requests);
    let other: u64 = load.requests.values().sum::<u64>() - expected;
    if other > 0 || expected == 0 {
        let reason = format!(
            "{other} unexpected and {expected} expected answers to {} under load",
            scenario.id
        );
        return Err(which.trouble(Status::ContractFailed, reason));
    }
    Ok(load)
}
