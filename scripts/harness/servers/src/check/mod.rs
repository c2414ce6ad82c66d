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

use crate::contract;
use crate::contract::{Symptom, Violation};
use crate::database::Database;
use crate::failure::Failure;
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

/// Everything that has gone wrong so far.
#[derive(Default)]
struct Failures(Vec<(Verdict, String)>);

impl Failures {
    fn add(&mut self, outcome: Result<(), Failure>) -> Result<(), Interrupted> {
        if let Err(failure) = outcome {
            self.0.push(failure.into_verdict()?);
        }
        Ok(())
    }
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
    let mut failures = Failures::default();
    if let Some(binary) = &subject.binary {
        let launch = Launch::Program(&binary.program, Needs::for_proof(app.services.as_ref(), database));
        match Server::start(launch, &split.server, protocol) {
            // What does not start is not checked further.
            Err(error) => failures.add(Err(error))?,
            Ok(server) => {
                let answers = prove_answers(server, seed, &mut failures);
                failures.add(answers)?;
                if protocol == Protocol::Http1 {
                    prove_process(&binary.program, subject, split, &mut failures)?;
                }
            }
        }
    } else {
        let reason = app.why_not_built().unwrap_or("it was not built");
        failures.0.push((Verdict::BuildFailed, reason.to_owned()));
    }
    Ok(CheckResult {
        app: app.id.clone(),
        variant: app.variant.clone(),
        protocol,
        verdict: failures.0.first().map_or(Verdict::Valid, |(verdict, _)| *verdict),
        reasons: failures.0.into_iter().map(|(_, reason)| reason).collect(),
        known_fault: app.known_fault.clone(),
    })
}

/// All answers, and the end of the server.
fn prove_answers(mut server: Server, seed: u64, failures: &mut Failures) -> Result<(), Failure> {
    let client = server.client()?;
    let violations = contract::violations(&client, seed)?;
    for violation in &violations {
        failures.add(Err(server.failure_from(violation)))?;
    }
    // The client's connection is still open and idle; a handler that waits for it would keep the server running.
    if violations.iter().all(|one| one.symptom != Symptom::Silence) {
        prove_end(&mut server, SHUTDOWN)?;
    }
    Ok(())
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
    failures: &mut Failures,
) -> Result<(), Interrupted> {
    let part = subject.app.part();
    for prove in workers::proofs(part) {
        failures.add(prove(program, &split.server))?;
    }
    match impossible(&subject.app.protocols, part) {
        Err(error) => failures.add(Err(error.into())),
        Ok(settings) => settings
            .iter()
            .try_for_each(|setting| failures.add(prove_refused(program, &split.server, setting))),
    }
}
