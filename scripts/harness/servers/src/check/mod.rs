//! Checks the whole contract on one server, without load: its answers, and its behaviour as a process.
//!
//! `apps/README.md`, section "The contract", lists the demands for authors of apps.

mod settings;
mod workers;

pub use settings::{ImpossibleSetting, impossible, prove_refused};
pub use workers::{follows_workers, hashes_elsewhere, sleeps_without_blocking};

use std::sync::Arc;
use std::time::Duration;

use model::Verdict;
use model::scenario::Protocol;
use serde::Serialize;

use crate::contract::{self, Scope, Violation};
use crate::database::Database;
use crate::failure::{Failure, Lack};
use crate::server::{Launch, Needs, Server};
use apps::build::BuiltApp;
use machine::cpus::Split;
use machine::interrupt::Interrupted;
use machine::program::Program;

/// Longest time from SIGTERM to the end of a server. All take milliseconds; a machine may be busy.
const SHUTDOWN: Duration = Duration::from_secs(5);

/// The result of checking one server in one protocol.
#[derive(Debug, Clone, Serialize)]
pub struct CheckResult {
    /// Name of the app.
    pub app: String,
    /// Name of the variant.
    pub variant: String,
    /// The protocol of the requests.
    pub protocol: Protocol,
    /// `valid`, `contract_failed`, `crashed`, `build_failed` or `environment_failed`.
    pub verdict: Verdict,
    /// Every failure, in the order found; empty if there was none.
    pub reasons: Vec<String>,
    /// What no failure touches, by paths or kinds of work: it is measured all the same.
    pub proves: Vec<String>,
    /// Why no app of this framework can keep the contract, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known_fault: Option<String>,
}

impl CheckResult {
    /// Whether it failed because of the known fault of its framework, by a wrong answer. A failed build or a crash is never
    /// excused.
    pub fn is_known(&self) -> bool {
        self.verdict == Verdict::ContractFailed && self.known_fault.is_some()
    }

    /// Whether it keeps the contract, apart from a known fault of its framework.
    pub fn is_fine(&self) -> bool {
        self.verdict == Verdict::Valid || self.is_known()
    }
}

/// Adds what has gone wrong to `lacks`.
fn note(lacks: &mut Vec<Lack>, scope: Scope, outcome: Result<(), Failure>) -> Result<(), Interrupted> {
    if let Err(failure) = outcome {
        lacks.push(Lack::new(scope, failure)?);
    }
    Ok(())
}

/// Starts the server with `protocol` and checks every demand of the contract. Demands that do not depend on the protocol are
/// checked over HTTP/1.1 in cleartext, which all apps speak. `seed` is for the random input; `database` is for apps that need one.
pub fn check(
    subject: &BuiltApp,
    protocol: Protocol,
    split: &Split,
    database: Option<&Arc<Database>>,
    seed: u64,
) -> Result<CheckResult, Interrupted> {
    let app = &subject.app;
    let (mut lacks, mut offered) = (Vec::new(), Vec::new());
    if let Some(binary) = &subject.binary {
        let launch = Launch::Program(&binary.program, Needs::for_proof(app.services.as_ref(), database));
        match Server::start(launch, &split.server, protocol) {
            // What does not start is not checked further.
            Err(error) => note(&mut lacks, Scope::Server, Err(error))?,
            Ok(server) => {
                let answers = prove_answers(server, seed, &mut offered, &mut lacks);
                note(&mut lacks, Scope::Server, answers)?;
                if protocol == Protocol::Http1 {
                    prove_process(&binary.program, subject, split, &mut lacks)?;
                }
            }
        }
    } else {
        let reason = app.why_not_built().unwrap_or("it was not built");
        let failure = Failure::Verdict(Verdict::BuildFailed, reason.to_owned());
        note(&mut lacks, Scope::Server, Err(failure))?;
    }
    offered.retain(|offered| !lacks.iter().any(|lack| lack.scope.covers(offered)));
    Ok(CheckResult {
        app: app.id.clone(),
        variant: app.variant.clone(),
        protocol,
        verdict: lacks.first().map_or(Verdict::Valid, |lack| lack.verdict),
        reasons: lacks.into_iter().map(|lack| lack.reason).collect(),
        proves: offered.iter().map(Scope::to_string).collect(),
        known_fault: app.known_fault.clone(),
    })
}

/// All answers, and the end of the server; `offered` gets what could be proven.
fn prove_answers(
    mut server: Server,
    seed: u64,
    offered: &mut Vec<Scope>,
    lacks: &mut Vec<Lack>,
) -> Result<(), Failure> {
    let client = server.client()?;
    offered.extend(contract::offered(&client.backend));
    lacks.extend(server.lacks(&client, seed)?);
    // The client's connection is still open and idle; a handler that waits for it would keep the server running.
    Ok(prove_end(&mut server, SHUTDOWN)?)
}

/// Its end on SIGTERM.
pub fn prove_end(server: &mut Server, patience: Duration) -> Result<(), Violation> {
    if server.ends_on_sigterm(patience) {
        return Ok(());
    }
    let expected = format!("the end of the server within {} s", patience.as_secs());
    Err(Violation::wrong(
        "SIGTERM while a connection is idle",
        expected,
        "a server that still runs",
    ))
}

/// Its behaviour as a process; each demand is checked on a new server.
fn prove_process(
    program: &Program,
    subject: &BuiltApp,
    split: &Split,
    lacks: &mut Vec<Lack>,
) -> Result<(), Interrupted> {
    let part = subject.app.part();
    for (scope, prove) in workers::proofs(part) {
        note(lacks, scope, prove(program, &split.server))?;
    }
    match impossible(&subject.app.protocols, part) {
        Err(error) => note(lacks, Scope::Server, Err(error.into())),
        Ok(settings) => settings
            .iter()
            .try_for_each(|setting| note(lacks, Scope::Server, prove_refused(program, &split.server, setting))),
    }
}
