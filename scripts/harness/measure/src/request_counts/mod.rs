//! Counting what one request costs a server: nothing is timed, so whatever else the machine does hardly matters.
//!
//! The server runs under a program that counts, and is asked over one kept connection, one request after the other:
//! [`instructions`] by valgrind, [`syscalls`] by strace.

pub mod instructions;
pub mod parallel;
pub mod syscalls;

use std::path::Path;
use std::thread;
use std::time::Duration;

use crate::contract::Steady;
use crate::failure::Failure;
use crate::interrupt;
use crate::server::{Launch, Server};
use record::Verdict;
use record::scenario::{GeneratorKind, Isolation, LoadModel, Protocol, Scenario};

/// Before each request: time for the server to go to sleep. Whether it still is awake when a request comes is chance, and
/// costs other instructions and other system calls.
const PAUSE: Duration = Duration::from_millis(2);

/// A count that the machine could not make.
fn not_counted(reason: impl ToString) -> Failure {
    Failure::Verdict(Verdict::EnvironmentFailed, reason.to_string())
}

/// Why the requests of this scenario are not counted; `None` if they are.
pub fn reason_against(scenario: &Scenario) -> Option<&'static str> {
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

/// Starts `program` under a program that counts, and connects to it.
fn start(wrapper: &[String], program: &Path, cpus: &[u32]) -> Result<(Server, Steady), Failure> {
    let under = |failure: Failure| failure.prefixed(&format!("it does not run under {}: ", wrapper[0]));
    let mut server =
        Server::start(Launch::Under(wrapper, program), cpus, Protocol::Http1).map_err(|e| under(e.into()))?;
    let client = Steady::connect(server.address()).map_err(|violation| server.failure_from(&violation))?;
    Ok((server, client))
}

fn ask(server: &mut Server, client: &mut Steady, scenario: &Scenario, times: u32) -> Result<(), Failure> {
    for _ in 0..times {
        interrupt::check()?;
        thread::sleep(PAUSE);
        client
            .ask(scenario)
            .map_err(|violation| server.failure_from(&violation))?;
    }
    Ok(())
}
