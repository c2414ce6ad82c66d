//! One server under test: started on its cpus, ready when it has answered, ended when dropped.

use std::ffi::OsString;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::time::{ClockId, clock_getcpuclockid, clock_gettime};
use nix::unistd::Pid;

use crate::contract::{Certificate, Client};
use crate::interrupt::{self, Interrupted};
use crate::process::{Child, in_words};
use crate::scenario::Protocol;

/// Longest time from start to first answer. Servers take milliseconds; a machine may be busy.
const PATIENCE: Duration = Duration::from_secs(10);
/// Longest wait for the answer to one question whether it is ready.
const QUESTION: Duration = Duration::from_millis(500);
/// Pause between two such questions: the resolution of the start-up time.
const PAUSE: Duration = Duration::from_micros(500);
/// How long a server may take to stop when asked.
const FAREWELL: Duration = Duration::from_millis(500);
/// How long the death of a server may take to show after its connection broke.
const DYING: Duration = Duration::from_secs(1);
/// How many ports are tried.
const PORTS: u32 = 5;
/// Lines of a dead server's stderr that are told.
const TOLD_LINES: usize = 3;

/// A server that answers.
#[derive(Debug)]
pub struct Server {
    child: Child,
    address: SocketAddr,
    protocol: Protocol,
    clock: ClockId,
    /// From the start of the process to its first answer.
    pub startup: Duration,
}

/// Why a server does not answer.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// It ended by itself.
    #[error("the server died before its first answer: {0}")]
    Died(String),
    /// It runs and says nothing.
    #[error("no answer within {} s of its start", PATIENCE.as_secs())]
    Silent,
    /// It could not be started at all.
    #[error("cannot start the server: {0}")]
    Machine(#[from] io::Error),
    /// The user stopped it.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}

impl Server {
    /// Starts `program` on `cpus`, speaking `protocol`, and waits for its first answer.
    pub fn start(program: &Path, cpus: &[u32], protocol: Protocol) -> Result<Self, StartError> {
        Self::start_under(&[], program, cpus, protocol)
    }

    /// The same under another program, which becomes the server's process: valgrind and its options.
    pub fn start_under(
        wrapper: &[String],
        program: &Path,
        cpus: &[u32],
        protocol: Protocol,
    ) -> Result<Self, StartError> {
        let mut tried = 0;
        loop {
            tried += 1;
            let address = free_address()?;
            match Self::start_at(wrapper, program, cpus, protocol, address) {
                // Between our look and its start somebody may have taken the port.
                Err(StartError::Died(_)) if tried < PORTS && TcpListener::bind(address).is_err() => {}
                other => return other,
            }
        }
    }

    fn start_at(
        wrapper: &[String],
        program: &Path,
        cpus: &[u32],
        protocol: Protocol,
        address: SocketAddr,
    ) -> Result<Self, StartError> {
        let mut command = match wrapper.split_first() {
            None => Command::new(program),
            Some((first, rest)) => {
                let mut command = Command::new(first);
                command.args(rest).arg(program);
                command
            }
        };
        // A clean environment: ROCKET_*, RUST_LOG or TOKIO_WORKER_THREADS of whoever measures must not reach it.
        command
            .env_clear()
            .envs(
                std::env::var_os("PATH")
                    .filter(|_| !wrapper.is_empty())
                    .map(|path| ("PATH", path)),
            )
            .env("ADDR", address.to_string())
            .env("WORKERS", cpus.len().max(1).to_string());
        command.envs(settings(protocol)?).stdout(Stdio::null());
        let client = Client::new(address, protocol)?;
        let started = Instant::now();
        let mut child = Child::start(command, cpus)?;
        let clock = clock_getcpuclockid(Pid::from_raw(child.pid())).map_err(io::Error::from)?;
        while client.knock(QUESTION).is_err() {
            if let Some(status) = child.ended()? {
                return Err(StartError::Died(obituary(&in_words(status), &child)));
            }
            if started.elapsed() > PATIENCE {
                return Err(StartError::Silent);
            }
            interrupt::check()?;
            std::thread::sleep(PAUSE);
        }
        Ok(Self {
            child,
            address,
            protocol,
            clock,
            startup: started.elapsed(),
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Process id.
    pub fn pid(&self) -> i32 {
        self.child.pid()
    }

    /// A client that asks it.
    pub fn client(&self) -> io::Result<Client> {
        Client::new(self.address, self.protocol)
    }

    /// CPU time of all its threads up to now, those that have ended included.
    pub fn cpu_time(&self) -> io::Result<Duration> {
        let time = clock_gettime(self.clock)?;
        Ok(Duration::from(time))
    }

    /// How it died, with its last words, if it has.
    pub fn dead(&mut self) -> Option<String> {
        let status = self.child.ended().ok().flatten()?;
        Some(obituary(&in_words(status), &self.child))
    }

    /// How it died, if its death shows within a second: connections break before the process is gone.
    pub fn dying(&mut self) -> Option<String> {
        let status = self.child.ends_within(DYING)?;
        Some(obituary(&in_words(status), &self.child))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.stop(FAREWELL);
    }
}

/// Environment variables that make a server speak `protocol`; none for what it speaks unasked.
fn settings(protocol: Protocol) -> io::Result<Vec<(&'static str, OsString)>> {
    let mut settings: Vec<(&'static str, OsString)> = Vec::new();
    if protocol.is_http2() {
        settings.push(("HTTP", "2".into()));
    }
    if protocol.is_tls() {
        let own = Certificate::own()?;
        settings.push(("TLS_CERT", own.cert().into()));
        settings.push(("TLS_KEY", own.key().into()));
    }
    Ok(settings)
}

fn obituary(end: &str, child: &Child) -> String {
    let words = child.last_words();
    let lines: Vec<&str> = words.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = lines[lines.len().saturating_sub(TOLD_LINES)..].join(" · ");
    if last.is_empty() {
        end.to_owned()
    } else {
        format!("{end}; it said: {last}")
    }
}

fn free_address() -> io::Result<SocketAddr> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()
}
