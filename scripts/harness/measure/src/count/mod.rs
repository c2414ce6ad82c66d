//! Counting what one request costs a server: nothing is timed, so whatever else the machine does hardly matters.
//!
//! The server runs under a program that counts, and is asked over one kept connection, one request after the other:
//! [`instructions`] by valgrind, [`syscalls`] by strace.

pub mod field;
pub mod instructions;
pub mod syscalls;

use std::thread;
use std::time::Duration;

use crate::contract::{Steady, Violation};
use crate::interrupt;
use crate::interrupt::Interrupted;
use crate::server::{Server, StartError};
use record::Verdict;
use record::scenario::{GeneratorKind, Isolation, LoadModel, Protocol, Scenario};

/// Before each request: time for the server to go to sleep. Whether it still is awake when a request comes is chance, and
/// costs other instructions and other system calls.
const PAUSE: Duration = Duration::from_millis(2);

/// Why there is no count.
#[derive(Debug, thiserror::Error)]
pub enum CountError {
    /// The server does not run under the program that counts.
    #[error("{0}")]
    NotStarted(StartError),
    /// An answer was not the expected one, or none came because the server died.
    #[error("{1}")]
    Wrong(Verdict, String),
    /// The machine could not do it.
    #[error("{0}")]
    Machine(String),
    /// The user stopped it.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}

impl CountError {
    fn not_started(error: StartError) -> Self {
        match error {
            StartError::Interrupted(interrupted) => Self::Interrupted(interrupted),
            error => Self::NotStarted(error),
        }
    }

    fn wrong(violation: &Violation, server: &mut Server) -> Self {
        let (verdict, reason) = server.broke(violation);
        Self::Wrong(verdict, reason)
    }

    #[allow(clippy::needless_pass_by_value)] // as `map_err` gives it
    fn machine(error: impl std::error::Error) -> Self {
        Self::Machine(error.to_string())
    }
}

/// Why the requests of this scenario are not counted; `None` if they are.
pub fn forbids(scenario: &Scenario) -> Option<&'static str> {
    if scenario.protocol != Protocol::Http1 {
        Some("requests are counted over HTTP/1.1 in cleartext only")
    } else if scenario.isolation != Isolation::Native {
        Some("requests are counted natively only, a container adds none to the server's own")
    } else if !scenario.keep_alive {
        Some("requests are counted over one kept connection only")
    } else if scenario.load != LoadModel::Closed || scenario.generator != GeneratorKind::Oha {
        Some("requests are counted one by one: load model and generator make no difference, name the scenario without")
    } else {
        None
    }
}

fn connect(server: &mut Server) -> Result<Steady, CountError> {
    Steady::connect(server.address()).map_err(|violation| CountError::wrong(&violation, server))
}

fn ask(server: &mut Server, client: &mut Steady, scenario: &Scenario, times: u32) -> Result<(), CountError> {
    for _ in 0..times {
        interrupt::check()?;
        thread::sleep(PAUSE);
        client
            .ask(scenario)
            .map_err(|violation| CountError::wrong(&violation, server))?;
    }
    Ok(())
}
