//! Settings that a server must refuse, with one line on stderr and exit status 2. A server that quietly does something other
//! than it was set to do would yield figures under a wrong name.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use model::Part;
use model::escape::{SENTENCE, clean};
use model::scenario::Protocol;

use crate::container::SettingValue;
use crate::contract::Violation;
use crate::failure::Failure;
use crate::server::{self, Launch, MOST_STDERR};
use machine::confine::User;
use machine::interrupt;
use machine::process::{Child, in_words};
use machine::program::Program;

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
    variables: Vec<(&'static str, SettingValue)>,
}

/// Nonsense, every protocol that is not `claimed`, and what no server of this `part` of the contract can do.
pub fn impossible(claimed: &[Protocol], part: Part) -> io::Result<Vec<ImpossibleSetting>> {
    let mut nonsense = vec![("WORKERS", "0"), ("HTTP", "3"), ("TLS_KEY", "key.pem")];
    if part == Part::Services {
        nonsense.extend([("ROUTES", "0"), ("LAYERS", "-1")]);
    }
    let nonsense = nonsense.into_iter().map(|(name, value)| ImpossibleSetting {
        words: format!("{name}={value}"),
        variables: vec![(name, SettingValue::text(&value))],
    });
    let mut settings: Vec<ImpossibleSetting> = nonsense.collect();
    for protocol in Protocol::ALL.into_iter().filter(|one| !claimed.contains(one)) {
        let variables = server::settings(protocol)?;
        let with = if protocol.is_tls() {
            " with TLS_CERT and TLS_KEY"
        } else {
            ""
        };
        let (http, id) = (if protocol.is_http2() { 2 } else { 1 }, protocol.id());
        let words = format!("HTTP={http}{with} ({id}, which its Cargo.toml does not name)");
        settings.push(ImpossibleSetting { words, variables });
    }
    if part == Part::Database {
        settings.push(ImpossibleSetting {
            words: "no DATABASE_URL".into(),
            variables: Vec::new(),
        });
    }
    Ok(settings)
}

/// Starts the program and waits for its end.
pub fn prove_refused(program: &Program, cpus: &[u32], setting: &ImpossibleSetting) -> Result<(), Failure> {
    let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?;
    let mut settings = vec![("WORKERS", SettingValue::text(&1))];
    settings.extend(setting.variables.iter().cloned());
    let command = server::command(Launch::alone(program), User::next(), address, None, settings)?;
    let mut child = Child::start(command, cpus)?;
    child.allow_stderr(MOST_STDERR);
    let ended = ended(&mut child, address)?;
    let said = child.stderr_tail();
    let got = match ended {
        None => "a server that runs".into(),
        Some(status) if status.code() == Some(IMPOSSIBLE) && said.lines().count() == 1 => return Ok(()),
        Some(status) if said.trim().is_empty() => format!("{} and no word", in_words(status)),
        Some(status) => format!("{} and {}", in_words(status), clean(&said, SENTENCE)),
    };
    let expected = format!("one line on stderr and exit status {IMPOSSIBLE}");
    Err(Violation::wrong(&setting.words, expected, got).into())
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
