//! The whole contract on one server, without any load.

use record::Verdict;
use record::scenario::Protocol;
use serde::Serialize;

use crate::contract;
use crate::interrupt::Interrupted;
use crate::machine::cpus::Split;
use crate::run::{Subject, Trouble};
use crate::server::{Servant, Server};

/// What one server made of the contract.
#[derive(Debug, Clone, Serialize)]
pub struct Checked {
    /// Name of the app.
    pub app: String,
    /// Name of the variant.
    pub variant: String,
    /// What it was asked in.
    pub protocol: Protocol,
    /// `valid`, `contract_failed`, `crashed`, `build_failed` or `environment_failed`.
    pub verdict: Verdict,
    /// What was wrong; empty if nothing was.
    pub reason: String,
    /// Why no app of this framework can keep the contract, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known_fault: Option<String>,
}

impl Checked {
    /// Whether it failed by the fault that is known of the framework: a wrong answer. That a program cannot be built or dies is
    /// never excused.
    pub fn is_known(&self) -> bool {
        self.verdict == Verdict::ContractFailed && self.known_fault.is_some()
    }

    /// Whether it keeps the contract, but for what is known of the framework.
    pub fn is_fine(&self) -> bool {
        self.verdict == Verdict::Valid || self.is_known()
    }
}

/// Starts the server, which answers in `protocol`, and asks all that the contract names. `seed` is that of the random input.
pub fn check(subject: &Subject, protocol: Protocol, split: &Split, seed: u64) -> Result<Checked, Interrupted> {
    let (verdict, reason) = match &subject.binary {
        None => {
            let reason = subject.app.why_not_built().unwrap_or("it was not built");
            (Verdict::BuildFailed, reason.to_owned())
        }
        Some(binary) => {
            let proven = Server::start(Servant::Program(&binary.path), &split.server, protocol)
                .map_err(Trouble::from)
                .and_then(|mut server| server.prove(|client| contract::whole(client, seed)));
            match proven {
                Ok(()) => (Verdict::Valid, String::new()),
                Err(trouble) => trouble.told()?,
            }
        }
    };
    Ok(Checked {
        app: subject.app.id.clone(),
        variant: subject.app.variant.clone(),
        protocol,
        verdict,
        reason,
        known_fault: subject.app.known_fault.clone(),
    })
}
