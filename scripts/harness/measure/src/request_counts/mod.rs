//! Request counts: the instructions and system calls of one request. Nothing is timed, so other work on the machine hardly
//! matters.
//!
//! The server runs under a program that counts, and gets one request after another, over one kept connection unless the scenario keeps
//! none: [`instructions`] by valgrind, [`syscalls`] by strace.

pub mod instructions;
mod profile;
pub mod syscalls;

use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use machine::interrupt;
use machine::program::Program;
use model::scenario::{GeneratorKind, Isolation, LoadModel, Protocol, Scenario};
use model::{Services, Verdict};
use servers::contract::Steady;
use servers::database::Database;
use servers::failure::Failure;
use servers::server::{Launch, Needs, Server};
use servers::workload::Workload;

/// Longest wait for one answer; under valgrind everything takes fifty times as long.
pub const PATIENCE: Duration = Duration::from_secs(30);
/// Pause before each request, in which the server goes to sleep. A server that is still awake uses other instructions and other
/// system calls, and that would be chance.
const PAUSE: Duration = Duration::from_millis(2);

/// Whose requests are counted.
#[derive(Debug, Clone, Copy)]
pub struct Counted<'a> {
    /// The program.
    pub program: &'a Program,
    /// The kinds of service work that it does, if it keeps that part of the contract.
    pub services: Option<&'a Services>,
    /// The database behind it, whose work is not counted.
    pub database: Option<&'a Arc<Database>>,
}

impl<'a> Counted<'a> {
    /// What the program needs for `scenario`.
    fn needs(&self, scenario: &Scenario) -> Needs<'a> {
        let wanted = scenario
            .service
            .and_then(|_| Needs::wanted_by(scenario, self.services, None));
        wanted.unwrap_or_else(|| Needs::for_proof(None, self.database))
    }
}

impl<'a> From<&'a Program> for Counted<'a> {
    fn from(program: &'a Program) -> Self {
        Self {
            program,
            services: None,
            database: None,
        }
    }
}

/// A count that the machine could not make.
fn not_counted(reason: impl Into<String>) -> Failure {
    Failure::Verdict(Verdict::EnvironmentFailed, reason.into())
}

/// Why the requests of this scenario cannot be counted; `None` if they can.
pub fn reason_against(scenario: &Scenario) -> Option<&'static str> {
    if scenario.protocol != Protocol::Http1 {
        Some("requests are counted over HTTP/1.1 in cleartext only")
    } else if scenario.isolation != Isolation::Native {
        Some("requests are counted natively only, a container adds none to the server's own")
    } else if (scenario.load != LoadModel::Closed && scenario.varies.is_some())
        || scenario.generator != GeneratorKind::Oha
    {
        Some("requests are counted one by one: load model and generator make no difference, name the scenario without")
    } else {
        None
    }
}

/// Starts a program for `scenario` under one that counts and writes to `folder`, and connects to it.
fn start(
    wrapper: &[String],
    counted: Counted<'_>,
    scenario: &Scenario,
    folder: &Path,
    cpus: &[u32],
) -> Result<(Server, Steady), Failure> {
    let under = |failure: Failure| failure.prefixed(&format!("it does not run under {}: ", wrapper[0]));
    let launch = Launch::Under {
        wrapper,
        program: counted.program,
        folder,
        needs: counted.needs(scenario),
    };
    let server = Server::start(launch, cpus, Protocol::Http1).map_err(under)?;
    let client = Steady::new(server.address, PATIENCE)?;
    Ok((server, client))
}

fn ask(server: &mut Server, client: &mut Steady, workload: &Workload<'_>, times: u32) -> Result<(), Failure> {
    for number in 0..times {
        interrupt::check()?;
        thread::sleep(PAUSE);
        client
            .ask(workload, number as usize)
            .map_err(|violation| server.failure_from(&violation))?;
    }
    Ok(())
}
