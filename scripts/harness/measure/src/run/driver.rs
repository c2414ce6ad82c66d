//! What a run needs of the world: something that starts servers and drives them, and a clock. Tests put others in their place.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::io;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use super::verdict;
use anyhow::Context as _;
use generator::{Generator, GeneratorError, Generators, Load};
use machine::cpus::Split;
use machine::limits;
use machine::process_ticks::ProcessTicks;
use machine::quota::Quota;
use model::scenario::{GeneratorKind, Scenario};
use model::{Verdict, as_refusals};
use servers::contract;
use servers::contract::{Proven, Violation};
use servers::database::Role;
use servers::failure::{Failure, Lack};
use servers::server::{Launch, Server};
use servers::workload::{Workload, unforeseen};

/// What tells the time.
pub trait Clock: Debug {
    /// The time.
    fn now(&self) -> Instant {
        Instant::now()
    }

    /// Waits.
    fn sleep(&self, time: Duration) {
        thread::sleep(time);
    }
}

/// The machine's.
impl Clock for () {}

/// What starts servers and drives them.
pub trait Driver: Debug {
    /// Starts a server on its cpus of `split`, and waits for its first answer.
    fn start<'a>(
        &'a self,
        launch: Launch<'_>,
        scenario: &Scenario,
        split: &Split,
    ) -> Result<Box<dyn Running + 'a>, Failure>;
}

/// One for each load generator.
pub type Drivers<'a> = BTreeMap<GeneratorKind, &'a dyn Driver>;

/// The drivers of real servers.
pub fn drivers(generators: &Generators) -> Drivers<'_> {
    let all = generators.iter();
    all.map(|(kind, generator)| (*kind, generator as &dyn Driver)).collect()
}

/// Sends a request of a load with this seed. Returns what that proves, and how many of all such requests were answered.
pub type Prover = Box<dyn FnMut(&Workload<'_>, u64) -> (Proven, u64) + Send>;

/// A server that runs, and what drives it; it ends when this is dropped.
pub trait Running {
    /// Time from its start to its first answer.
    fn startup(&self) -> Duration;
    /// Proves the whole contract, and returns what it lacks of it.
    fn lacks(&mut self, seed: u64) -> Result<Vec<Lack>, Failure>;
    /// Proves the request of `scenario`.
    fn prove(&mut self, scenario: &Scenario, seed: u64) -> Result<(), Failure>;
    /// Sends one request of a load, so that the load's answers can be compared in size with its answer.
    fn weigh(&mut self, workload: &Workload<'_>) -> Result<(), Failure>;
    /// Bytes of the body that was weighed.
    fn answer_bytes(&self) -> Option<f64>;
    /// Drives one load.
    fn load(&mut self, workload: &Workload<'_>, seconds: f64) -> Result<Load, GeneratorError>;
    /// What can prove requests of a load meanwhile, each of which may take so long.
    fn prover(&self, patience: Duration) -> io::Result<Prover>;
    /// See [`Server::failure_from`].
    fn failure_from(&mut self, violation: &Violation) -> Failure;
    /// See [`Server::exit_reason`].
    fn exit_reason(&mut self) -> Option<String>;
    /// See [`Server::await_exit_reason`].
    fn await_exit_reason(&mut self) -> Option<String>;
    /// See [`Server::cpu_time`].
    fn cpu_time(&self) -> io::Result<Duration>;
    /// See [`Server::cpu_time_of_known`].
    fn cpu_time_of_known(&self) -> io::Result<Duration>;
    /// See [`Server::ticks`].
    fn ticks(&self) -> ProcessTicks;
    /// See [`Server::pids`].
    fn pids(&self) -> Vec<i32>;
    /// See [`Server::role`].
    fn role(&self) -> Option<&Arc<Role>>;
    /// See [`Server::trouble_of_database`].
    fn trouble_of_database(&self) -> Option<String> {
        self.role()?.trouble()
    }
}

impl Driver for Generator {
    fn start<'a>(
        &'a self,
        launch: Launch<'_>,
        scenario: &Scenario,
        split: &Split,
    ) -> Result<Box<dyn Running + 'a>, Failure> {
        if let Some(reason) = limits::reason_against(scenario.connections) {
            return Err(Failure::Verdict(Verdict::EnvironmentFailed, reason));
        }
        let server = Server::start_at_reach(launch, &split.server, scenario.protocol, self.reaches())?;
        let mut running = Served::new(server, self);
        if split.quota && scenario.takes_quota() {
            let quota = Quota::new(split.server.len(), &running.server.pids());
            running.quota = Some(quota.context("a server gets no quota of its cpus' time")?);
        }
        Ok(Box::new(running))
    }
}

/// A real server and the generator that drives it.
pub struct Served<'a> {
    server: Server,
    /// Dropped after the server, whose processes it contains.
    quota: Option<Quota>,
    generator: &'a Generator,
    answer_bytes: Option<f64>,
    streams_allowed: Option<u32>,
}

impl<'a> Served<'a> {
    /// A server of which no answer is known.
    pub fn new(server: Server, generator: &'a Generator) -> Self {
        Self {
            server,
            quota: None,
            generator,
            answer_bytes: None,
            streams_allowed: None,
        }
    }
}

impl Running for Served<'_> {
    fn startup(&self) -> Duration {
        self.server.startup
    }

    fn lacks(&mut self, seed: u64) -> Result<Vec<Lack>, Failure> {
        let client = self.server.client()?;
        self.server.lacks(&client, seed)
    }

    fn prove(&mut self, scenario: &Scenario, seed: u64) -> Result<(), Failure> {
        self.server
            .prove(|client| contract::prove_request(scenario, client, seed))
    }

    fn weigh(&mut self, workload: &Workload<'_>) -> Result<(), Failure> {
        let client = self.server.client()?;
        let weighed = contract::answer_size(workload, &client, unforeseen());
        self.streams_allowed = client.streams_allowed();
        self.answer_bytes = Some(weighed.map_err(|violation| self.server.failure_from(&violation))?);
        Ok(())
    }

    fn answer_bytes(&self) -> Option<f64> {
        self.answer_bytes
    }

    fn load(&mut self, workload: &Workload<'_>, seconds: f64) -> Result<Load, GeneratorError> {
        let address = self.server.address;
        let alive = || self.server.exit_reason().is_none();
        let mut load = self.generator.drive(workload, seconds, address, alive)?;
        if workload.scenario.refused {
            load.requests = as_refusals(load.requests);
        }
        Ok(Load {
            streams_allowed: self.streams_allowed,
            ..load
        })
    }

    fn prover(&self, patience: Duration) -> io::Result<Prover> {
        let client = self.server.client()?.with_patience(patience);
        Ok(Box::new(move |workload, seed| {
            (contract::prove_under_load(workload, &client, seed), client.answered())
        }))
    }

    fn failure_from(&mut self, violation: &Violation) -> Failure {
        self.server.failure_from(violation)
    }

    fn exit_reason(&mut self) -> Option<String> {
        self.server.exit_reason()
    }

    fn await_exit_reason(&mut self) -> Option<String> {
        self.server.await_exit_reason()
    }

    fn cpu_time(&self) -> io::Result<Duration> {
        self.server.cpu_time()
    }

    fn cpu_time_of_known(&self) -> io::Result<Duration> {
        self.server.cpu_time_of_known()
    }

    fn ticks(&self) -> ProcessTicks {
        self.server.ticks()
    }

    fn pids(&self) -> Vec<i32> {
        self.server.pids()
    }

    fn role(&self) -> Option<&Arc<Role>> {
        self.server.role()
    }
}

/// Proves the same again after a load, and that the server still runs.
pub fn prove_after(server: &mut dyn Running, scenario: &Scenario, seed: u64) -> Result<(), Failure> {
    let proven = server.prove(scenario, seed);
    proven.map_err(|failure| failure.prefixed("after the load, "))?;
    match server.exit_reason() {
        None => Ok(()),
        Some(end) => Err(Failure::died(format!("the server died: {end}"))),
    }
}

/// Drives one load, and turns errors into failures.
pub fn drive(workload: &Workload<'_>, seconds: f64, server: &mut dyn Running) -> Result<Load, Failure> {
    let died = |end: String| Failure::died(format!("the server died under load: {end}"));
    let error = match server.load(workload, seconds) {
        Ok(load) if load.errors.values().all(|count| *count == 0) => {
            let proven = server.answer_bytes();
            let reason = proven.and_then(|proven| verdict::reason_against_bodies(&load, proven));
            return reason.map_or(Ok(load), |reason| {
                Err(Failure::Verdict(Verdict::ContractFailed, reason))
            });
        }
        // Requests failed: because the server died?
        Ok(load) => return server.await_exit_reason().map_or(Ok(load), |end| Err(died(end))),
        Err(error) => error,
    };
    Err(match error {
        GeneratorError::Interrupted(interrupted) => Failure::Interrupted(interrupted),
        GeneratorError::ServerDied => died(server.exit_reason().unwrap_or_default()),
        GeneratorError::Lost(reason) => Failure::Lost(reason),
        GeneratorError::Hung | GeneratorError::Unfinished { .. } => {
            Failure::Verdict(Verdict::ContractFailed, error.to_string())
        }
        // Some generators fail if the server no longer listens.
        other => server
            .await_exit_reason()
            .map_or_else(|| Failure::Verdict(Verdict::EnvironmentFailed, other.to_string()), died),
    })
}
