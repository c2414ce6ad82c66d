//! Checks the whole contract on one server, without load: its answers, and its behaviour as a process.
//!
//! `apps/README.md`, section "The contract", lists the demands for authors of apps.

mod settings;
mod workers;

pub use settings::{ImpossibleSetting, impossible, prove_refused};
pub use workers::{follows_workers, hashes_elsewhere, sleeps_without_blocking};

use std::sync::Arc;
use std::time::Duration;

use record::Verdict;
use record::scenario::Protocol;
use serde::Serialize;

use crate::build::BuiltApp;
use crate::contract;
use crate::contract::{Symptom, Violation};
use crate::database::Database;
use crate::failure::Failure;
use crate::interrupt::Interrupted;
use crate::machine::cpus::Split;
use crate::program::Program;
use crate::server::{Beside, Launch, Server};

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

/// What has gone wrong so far: the first verdict, and every reason.
struct Failures {
    verdict: Verdict,
    reasons: Vec<String>,
}

impl Failures {
    fn add(&mut self, verdict: Verdict, reason: String) {
        if self.verdict == Verdict::Valid {
            self.verdict = verdict;
        }
        self.reasons.push(reason);
    }

    fn add_failure(&mut self, outcome: Result<(), Failure>) -> Result<(), Interrupted> {
        if let Err(failure) = outcome {
            let (verdict, reason) = failure.into_verdict()?;
            self.add(verdict, reason);
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
    let mut failures = Failures {
        verdict: Verdict::Valid,
        reasons: Vec::new(),
    };
    let beside = Beside::for_proof(subject.app.services.as_ref(), database);
    match &subject.binary {
        None => {
            let reason = subject.app.why_not_built().unwrap_or("it was not built");
            failures.add(Verdict::BuildFailed, reason.to_owned());
        }
        Some(binary) => match Server::start(Launch::Program(&binary.program, beside), &split.server, protocol) {
            // What does not start needs no further questions.
            Err(error) => failures.add_failure(Err(error.into()))?,
            Ok(server) => {
                let answers = prove_answers(server, seed, &mut failures);
                failures.add_failure(answers)?;
                if protocol == Protocol::Http1 {
                    prove_process(&binary.program, subject, split, &mut failures)?;
                }
            }
        },
    }
    Ok(CheckResult {
        app: subject.app.id.clone(),
        variant: subject.app.variant.clone(),
        protocol,
        verdict: failures.verdict,
        reasons: failures.reasons,
        known_fault: subject.app.known_fault.clone(),
    })
}

/// All answers, and the end of the server.
fn prove_answers(mut server: Server, seed: u64, failures: &mut Failures) -> Result<(), Failure> {
    let client = server.client()?;
    let violations = contract::violations(&client, seed)?;
    for violation in &violations {
        failures.add_failure(Err(server.failure_from(violation)))?;
    }
    // The client's connection is still open and idle; a handler that waits for it would keep the server running.
    let is_alive = violations.iter().all(|one| one.symptom != Symptom::Silence);
    if is_alive && let Err(violation) = prove_end(&mut server, SHUTDOWN) {
        failures.add(Verdict::ContractFailed, violation.to_string());
    }
    Ok(())
}

/// Its end on SIGTERM.
pub fn prove_end(server: &mut Server, patience: Duration) -> Result<(), Violation> {
    if server.ends_on_sigterm(patience) {
        return Ok(());
    }
    Err(Violation {
        request: "SIGTERM while a connection is idle".into(),
        expected: format!("the end of the server within {} s", patience.as_secs()),
        got: "a server that still runs".into(),
        symptom: Symptom::Wrong,
    })
}

/// Its behaviour as a process; each demand is checked on a new server.
fn prove_process(
    program: &Program,
    subject: &BuiltApp,
    split: &Split,
    failures: &mut Failures,
) -> Result<(), Interrupted> {
    for prove in workers::proofs(subject.app.part()) {
        failures.add_failure(prove(program, &split.server))?;
    }
    match impossible(&subject.app.protocols, subject.app.part()) {
        Err(error) => failures.add_failure(Err(error.into())),
        Ok(settings) => settings
            .into_iter()
            .try_for_each(|setting| failures.add_failure(prove_refused(program, &split.server, &setting))),
    }
}
