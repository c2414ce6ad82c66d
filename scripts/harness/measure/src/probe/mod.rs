//! What breaks: cases on fresh servers, without load. A failed case is a result and no error.
//!
//! A case is an exchange of bytes, which is data, or a behaviour, which is code ([`behaviour`]). Exchanges of one server are made side
//! by side, because most of them wait. What fails is made again on fresh servers before it is said: only what happens each time is a
//! fault.

pub mod behaviour;
mod case;
mod client;
mod crowd;
mod exchange;
mod run;
mod runner;

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

pub use case::Case;
use model::Services;
use model::probe::{MemoryAt, ProbeFigure, ProbeOutcome};
use model::scenario::Protocol;
use nix::errno::Errno::{self, EADDRNOTAVAIL, EMFILE, ENFILE, ENOBUFS, ENOMEM};
pub use run::{ProbeRequest, chosen, run};
pub use runner::{CONFIRMED_BY, EXCHANGES_AT_ONCE, Skipped, confirm, engine, exchanges, probe, tasks};

use crate::run::memory::{peak, resident};
use machine::cpus::Split;
use machine::interrupt;
use machine::program::Program;
use servers::database::Database;
use servers::failure::Failure;
use servers::server::{Launch, Needs, Server};

/// Bytes of an exchange that are kept, of each side.
const KEPT: usize = 2048;

/// The server that a case is put to.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// Its program.
    pub program: &'a Program,
    /// The cpus of server and clients.
    pub split: &'a Split,
    /// What it is to speak.
    pub protocol: Protocol,
    /// How many connections it serves at once by its app's configuration; `None` if that sets no limit.
    pub connections: Option<usize>,
    /// The database behind it; none for a server that works alone.
    pub database: Option<&'a Arc<Database>>,
    /// The service features that it offers, if it is a server of these.
    pub services: Option<&'a Services>,
    /// Path of an ordinary request.
    pub ordinary: &'static str,
}

/// A server under a case, and what can be seen of it.
#[derive(Clone, Copy)]
pub struct Watched<'a> {
    /// Where it listens.
    pub address: SocketAddr,
    /// What it speaks.
    pub protocol: Protocol,
    /// Resident memory now, and the most so far, in bytes.
    pub memory: &'a dyn Fn() -> Option<u64>,
    pub peak: &'a dyn Fn() -> Option<u64>,
    /// Open files and threads.
    pub held: &'a dyn Fn() -> (usize, usize),
    /// CPU time so far.
    pub cpu_time: &'a dyn Fn() -> Option<Duration>,
}

impl Target<'_> {
    /// A fresh server.
    pub fn start(&self) -> Result<Server, Failure> {
        self.start_with_files(None)
    }

    /// A fresh server that may have so many files open.
    fn start_with_files(&self, files: Option<u64>) -> Result<Server, Failure> {
        let launch = files.map_or(
            Launch::Program(self.program, Needs::for_proof(self.services, self.database)),
            |files| Launch::WithFiles(self.program, files),
        );
        Server::start(launch, &self.split.server, self.protocol)
    }

    /// An attempt on a server, which must answer an ordinary request afterwards.
    fn on(&self, mut server: Server, act: impl FnOnce(Watched<'_>) -> io::Result<Attempt>) -> Result<Attempt, Failure> {
        let pids = server.pids();
        let made = act(Watched {
            address: server.address,
            protocol: self.protocol,
            memory: &|| resident(&pids),
            peak: &|| peak(&pids),
            held: &|| (entries(&pids, "fd"), entries(&pids, "task")),
            cpu_time: &|| server.cpu_time().ok(),
        });
        interrupt::check()?;
        Ok(made.or_else(broken)?.and_still_answers(&mut server, self.ordinary))
    }
}

/// A connection that broke in the middle of a case is the server's doing. Only what it cannot cause is a failure.
fn broken(error: io::Error) -> Result<Attempt, Failure> {
    const OURS: [Errno; 5] = [EMFILE, ENFILE, ENOBUFS, ENOMEM, EADDRNOTAVAIL];
    let number = error.raw_os_error().map(Errno::from_raw);
    if number.is_some_and(|number| OURS.contains(&number)) {
        return Err(error.into());
    }
    Ok(Attempt::new(false, format!("the connection broke: {error}")))
}

/// Entries of a folder of `/proc/PID`, of all processes.
fn entries(pids: &[i32], folder: &str) -> usize {
    let count = |pid: &i32| std::fs::read_dir(format!("/proc/{pid}/{folder}")).map_or(0, Iterator::count);
    pids.iter().map(count).sum()
}

/// What one attempt has shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Attempt {
    /// Passed, failed or not applicable.
    pub outcome: ProbeOutcome,
    /// What the server did, in a few words.
    pub got: String,
    /// What came, escaped.
    pub received: String,
    /// What else was measured.
    pub figures: BTreeMap<ProbeFigure, f64>,
    /// The server's memory while connections came and left.
    pub memory: Vec<MemoryAt>,
    /// How long it took, in ms.
    pub milliseconds: f64,
}

impl Attempt {
    /// It passed, or did not, and this is what it did.
    pub fn new(passed: bool, got: impl Into<String>) -> Self {
        let outcome = if passed {
            ProbeOutcome::Passed
        } else {
            ProbeOutcome::Failed
        };
        Self {
            outcome,
            got: got.into(),
            received: String::new(),
            figures: BTreeMap::new(),
            memory: Vec::new(),
            milliseconds: 0.0,
        }
    }

    /// The case cannot be put to this server, for this reason.
    pub fn not_applicable(reason: impl Into<String>) -> Self {
        Self {
            outcome: ProbeOutcome::NotApplicable,
            ..Self::new(true, reason)
        }
    }

    /// Not applicable, where it passed with less than the case is about.
    #[must_use]
    pub fn unless_short(mut self, is_short: bool) -> Self {
        if is_short && self.outcome == ProbeOutcome::Passed {
            self.outcome = ProbeOutcome::NotApplicable;
        }
        self
    }

    /// With the bytes that came.
    #[must_use]
    pub fn came(mut self, bytes: &[u8]) -> Self {
        self.received = escaped(bytes);
        self
    }

    /// With more of what the server did.
    #[must_use]
    pub fn also(mut self, got: impl Display) -> Self {
        self.got = format!("{}{got}", self.got);
        self
    }

    /// With a figure, where there is one.
    #[must_use]
    pub fn with(mut self, figure: ProbeFigure, value: impl Into<Option<f64>>) -> Self {
        self.figures.extend(value.into().map(|value| (figure, value)));
        self
    }

    /// Failed if the server, treated like this, does not answer an ordinary request.
    pub(super) fn and_still_answers(mut self, server: &mut Server, path: &str) -> Self {
        if let Err(reason) = still_answers(server, path) {
            self.outcome = ProbeOutcome::Failed;
            return self.also(format_args!("; {reason}"));
        }
        self
    }
}

/// Whether a server answers an ordinary request; the error says what it does instead.
fn still_answers(server: &mut Server, path: &str) -> Result<(), String> {
    let answer = server.client().map_err(|error| error.to_string())?.get(path);
    match answer {
        Ok(answer) if answer.status == 200 => Ok(()),
        Ok(answer) => Err(format!("afterwards it answers with status {}", answer.status)),
        Err(violation) => Err(match server.await_exit_reason() {
            Some(reason) => format!("the server died: {reason}"),
            None => format!("afterwards it does not answer: {}", violation.got),
        }),
    }
}

/// Bytes as text that is safe to show and can be read back: `\r\n` as such, others that are not printable as `\x00`.
pub fn escaped(bytes: &[u8]) -> String {
    let mut text: String = bytes
        .iter()
        .take(KEPT)
        .flat_map(|byte| byte.escape_ascii())
        .map(char::from)
        .collect();
    if bytes.len() > KEPT {
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_that_breaks_is_a_fault_and_too_many_files_are_not() {
        let reset = broken(io::ErrorKind::ConnectionReset.into()).unwrap();
        assert_eq!(reset.outcome, ProbeOutcome::Failed);
        let silent = broken(io::Error::other("no answer within 2 s")).unwrap();
        assert_eq!(silent.got, "the connection broke: no answer within 2 s");
        assert!(broken(Errno::EMFILE.into()).is_err());
    }

    #[test]
    fn less_than_was_meant_proves_no_pass_and_excuses_no_failure() {
        let outcome = |passed, is_short| Attempt::new(passed, "").unless_short(is_short).outcome;
        assert_eq!(outcome(true, false), ProbeOutcome::Passed);
        assert_eq!(outcome(true, true), ProbeOutcome::NotApplicable);
        assert_eq!(outcome(false, true), ProbeOutcome::Failed);
    }
}
