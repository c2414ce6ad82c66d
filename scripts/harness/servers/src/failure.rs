//! Why a server yields no figure: the verdict on it, with the reason. Everything that starts a server uses this.

use std::io;

use crate::contract::{Scope, Violation};
use machine::cgroup;
use machine::interrupt::Interrupted;
use model::Verdict;

/// What ends a measurement early.
#[derive(Debug)]
pub enum Failure {
    /// Something failed: the server, its answer, or the machine.
    Verdict(Verdict, String),
    /// A machine that makes load was lost. Nothing is known against the server, and the next load may find that machine again.
    Lost(String),
    /// The user stopped it.
    Interrupted(Interrupted),
}

impl From<Interrupted> for Failure {
    fn from(interrupted: Interrupted) -> Self {
        Self::Interrupted(interrupted)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Verdict(Verdict::EnvironmentFailed, refused(&error))
    }
}

/// A full disk is said as such: servers write to none, so another program filled it.
fn refused(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            format!(
                "the disk is full ({error}): make room where temporary files are, {}",
                std::env::temp_dir().display()
            )
        }
        _ => format!("the machine refused: {error}"),
    }
}

/// Without a look at the server, which `Server::failure_from` takes.
impl From<Violation> for Failure {
    fn from(violation: Violation) -> Self {
        Self::Verdict(Verdict::ContractFailed, violation.to_string())
    }
}

/// Of the database, or whatever else of this machine.
impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        match error.downcast() {
            Ok(interrupted) => Self::Interrupted(interrupted),
            Err(error) => Self::Verdict(Verdict::EnvironmentFailed, format!("{error:#}")),
        }
    }
}

impl Failure {
    /// A server that has died. Where the kernel killed it because the control group may use no more memory, the machine is to blame: with
    /// another limit it would live, and who is killed depends on who else runs.
    pub fn died(reason: String) -> Self {
        if reason.contains("SIGKILL") && cgroup::killed_for_memory() > 0 {
            let gib = cgroup::limits().memory.unwrap_or_default() as f64 / f64::from(1 << 30);
            let why =
                format!("{reason}: the kernel killed it, because its control group may use {gib:.1} GiB of memory");
            return Self::Verdict(Verdict::EnvironmentFailed, why);
        }
        Self::Verdict(Verdict::Crashed, reason)
    }

    /// With `prefix` before the reason: when it happened, or under which request.
    #[must_use]
    pub fn prefixed(self, prefix: &str) -> Self {
        match self {
            Self::Verdict(verdict, reason) => Self::Verdict(verdict, format!("{prefix}{reason}")),
            other @ (Self::Lost(_) | Self::Interrupted(_)) => other,
        }
    }

    /// Verdict and reason; an interrupt is passed on as an error.
    pub fn into_verdict(self) -> Result<(Verdict, String), Interrupted> {
        match self {
            Self::Verdict(verdict, reason) => Ok((verdict, reason)),
            Self::Lost(reason) => Ok((Verdict::EnvironmentFailed, reason)),
            Self::Interrupted(interrupted) => Err(interrupted),
        }
    }
}

/// A rule that a server does not keep, as far as it matters to who measures it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lack {
    /// What the rule is about.
    pub scope: Scope,
    /// `contract_failed`, `crashed` or `environment_failed`.
    pub verdict: Verdict,
    /// What was wrong.
    pub reason: String,
}

impl Lack {
    /// The lack that a failure shows.
    pub fn new(scope: Scope, failure: Failure) -> Result<Self, Interrupted> {
        let (verdict, reason) = failure.into_verdict()?;
        Ok(Self { scope, verdict, reason })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_said_as_such() {
        const ENOSPC: i32 = 28;
        let (verdict, reason) = Failure::from(io::Error::from_raw_os_error(ENOSPC))
            .into_verdict()
            .unwrap();
        assert_eq!(verdict, Verdict::EnvironmentFailed);
        assert!(
            reason.starts_with("the disk is full (No space left on device"),
            "{reason}"
        );
    }
}
