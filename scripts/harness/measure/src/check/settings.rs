//! Settings that a server must refuse, with one line on stderr and exit status 2. A server that quietly does something other
//! than what it was asked for would yield figures under a wrong name.

use std::ffi::OsString;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};

use record::escape::{SENTENCE, clean};
use record::scenario::Protocol;
use record::{Part, Verdict};

use crate::confine::{User, confine};
use crate::contract::{Certificate, Symptom, Violation};
use crate::failure::Failure;
use crate::interrupt;
use crate::process::{Child, in_words};
use crate::program::Program;
use crate::server::MOST_STDERR;

/// Longest wait for its end. All take milliseconds, but a machine may be busy.
const PATIENCE: Duration = Duration::from_secs(10);
/// Pause between two looks at it.
const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// How long it may still run once it listens.
const AFTER_LISTENING: Duration = Duration::from_secs(1);
/// Exit status of a server that refuses its settings.
const IMPOSSIBLE: i32 = 2;

/// Variables that must be refused, and a description of them.
pub struct ImpossibleSetting {
    words: String,
    variables: Vec<(&'static str, OsString)>,
}

/// Nonsense, every protocol that is not `claimed`, and what makes none of a server of this `part` of the contract.
pub fn impossible(claimed: &[Protocol], part: Part) -> io::Result<Vec<ImpossibleSetting>> {
    let nonsense = [("WORKERS", "0"), ("HTTP", "3"), ("TLS_KEY", "key.pem")];
    let of_services: &[_] = if part == Part::Services {
        &[("ROUTES", "0"), ("LAYERS", "-1")]
    } else {
        &[]
    };
    let mut settings: Vec<ImpossibleSetting> = nonsense
        .iter()
        .chain(of_services)
        .copied()
        .map(|(name, value)| ImpossibleSetting {
            words: format!("{name}={value}"),
            variables: vec![(name, value.into())],
        })
        .collect();
    let unclaimed = Protocol::ALL.into_iter().filter(|one| !claimed.contains(one));
    for protocol in unclaimed {
        settings.push(asking_for(protocol)?);
    }
    if part == Part::Database {
        settings.push(without_database());
    }
    Ok(settings)
}

fn asking_for(protocol: Protocol) -> io::Result<ImpossibleSetting> {
    let mut words = vec![if protocol.is_http2() { "HTTP=2" } else { "HTTP=1" }];
    let mut variables = vec![("HTTP", OsString::from(if protocol.is_http2() { "2" } else { "1" }))];
    if protocol.is_tls() {
        let own = Certificate::own()?;
        words.push("TLS_CERT and TLS_KEY");
        variables.push(("TLS_CERT", own.cert().into()));
        variables.push(("TLS_KEY", own.key().into()));
    }
    let words = format!(
        "{} ({}, which its Cargo.toml does not name)",
        words.join(" with "),
        protocol.id()
    );
    Ok(ImpossibleSetting { words, variables })
}

/// For a server that needs a database: none.
fn without_database() -> ImpossibleSetting {
    ImpossibleSetting {
        words: "no DATABASE_URL".into(),
        variables: Vec::new(),
    }
}

/// Starts the program and waits for its end.
pub fn prove_refused(program: &Program, cpus: &[u32], setting: &ImpossibleSetting) -> Result<(), Failure> {
    let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?;
    let mut command = program.command(&[])?;
    confine(&mut command, User::next(), None, None)?;
    command
        .env_clear()
        .env("ADDR", address.to_string())
        .env("WORKERS", "1")
        .envs(setting.variables.iter().map(|(name, value)| (name, value)))
        .stdout(Stdio::null());
    let mut child = Child::start(command, cpus)?;
    child.allow_stderr(MOST_STDERR);
    let got = match ended(&mut child, address)? {
        None => "a server that runs".into(),
        Some(status) => {
            let words = child.stderr_tail();
            if status.code() == Some(IMPOSSIBLE) && words.lines().count() == 1 {
                return Ok(());
            }
            let words = clean(&words, SENTENCE);
            format!(
                "{} and {}",
                in_words(status),
                if words.is_empty() { "no word" } else { &words }
            )
        }
    };
    let violation = Violation {
        request: setting.words.clone(),
        expected: format!("one line on stderr and exit status {IMPOSSIBLE}"),
        got,
        symptom: Symptom::Wrong,
    };
    Err(Failure::Verdict(Verdict::ContractFailed, violation.to_string()))
}

/// How it ended; `None` if it serves, or does nothing.
fn ended(child: &mut Child, address: SocketAddr) -> Result<Option<ExitStatus>, Failure> {
    let until = Instant::now() + PATIENCE;
    while Instant::now() < until {
        if let Some(status) = child.ends_within(POLL_INTERVAL) {
            return Ok(Some(status));
        }
        if TcpStream::connect(address).is_ok() {
            // It may listen before it has read all its settings.
            return Ok(child.ends_within(AFTER_LISTENING));
        }
        interrupt::check()?;
    }
    Ok(None)
}
