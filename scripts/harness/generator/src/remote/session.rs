//! A connection with the agent of another machine, over SSH, or in a network namespace of this one.

use std::fs;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::net::IpAddr;
use std::path::Path;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use agent::protocol::{self, Clocks, Reply};

use super::destination::Destination;
use crate::GeneratorError;
use machine::interrupt;
use machine::network::in_namespace;
use machine::process::{Child, Unfinished, finish, in_words, one_line};
use model::store::sha256;

/// Longest wait for a connection with the copy of the program, and for a reply: a slow link takes long to empty what was put into it.
const PATIENCE: Duration = Duration::from_mins(2);
/// Pause between two signs of life, without which the agent ends.
const ALIVE: Duration = Duration::from_secs(1);
/// How often a wait looks at other things.
const POLL: Duration = Duration::from_millis(5);
/// Exchanges by which the difference of the clocks is known; the quickest counts.
const EXCHANGES: usize = 16;
/// After so long, the clocks are compared again: they drift apart by some microseconds in a second.
const COMPARED_FOR: Duration = Duration::from_secs(20);
/// Begins the line with the hash of what was copied.
const COPIED: &str = "copied to the load machine:";

/// What the other machine runs: it copies the program from its input, says its hash and where the user comes from, and starts it with
/// nothing left in its file system. The only word of ours in it is the number of bytes.
const START: &str = r#"set -eu
umask 077
d=$(mktemp -d "${TMPDIR:-/tmp}/bench-load.XXXXXX")
trap "rm -rf \"\$d\"" EXIT
head -c "$1" >"$d/oha"
set -- $(sha256sum "$d/oha")
chmod u+x "$d/oha"
exec 3<"$d/oha"
rm -rf "$d"
trap - EXIT
echo "copied to the load machine: $1 ${SSH_CONNECTION:-?}"
exec /proc/self/fd/3 agent"#;

/// Runs on a machine before anything is built for it.
const REACH: &str = "uname -sm; cat /proc/sys/kernel/random/boot_id";

/// A connection with an agent.
#[derive(Debug)]
pub struct Session {
    destination: Destination,
    // Declared first, so that the agent sees the end of its input before SSH is killed.
    input: Arc<Mutex<ChildStdin>>,
    lines: Receiver<Vec<u8>>,
    ssh: Child,
    /// How the agent's clocks differ from ours, and when they were compared.
    clocks: Option<(ClockOffset, Instant)>,
    /// Whether the agent has said that it is ready.
    is_ready: bool,
}

/// What a new connection reports.
#[derive(Debug)]
pub struct Peer {
    /// The agent's machine.
    pub machine: protocol::Machine,
    /// Our address, as that machine sees it.
    pub seen_as: Option<IpAddr>,
    /// SHA-256 of the program that runs there.
    pub hash: String,
}

/// How the clocks of two machines differ, in seconds.
#[derive(Debug, Clone, Copy, Default)]
pub struct ClockOffset {
    /// Monotonic clock of the other machine, less ours.
    pub monotonic: f64,
    /// Wall clock of the other machine, less ours.
    pub wall: f64,
    /// Half of the round-trip time: the largest error of both.
    pub error: f64,
}

/// By SSH with the user's own configuration, and without questions; it ends soon after the link was cut.
const SSH: &str = "-T -x -o BatchMode=yes -o StrictHostKeyChecking=yes -o PasswordAuthentication=no -o KbdInteractiveAuthentication=no \
    -o ConnectTimeout=10 -o ForwardAgent=no -o ClearAllForwardings=yes -o ServerAliveInterval=2 -o ServerAliveCountMax=3 --";

/// Runs `script` on the machine with one argument.
fn start_there(destination: &Destination, script: &str, argument: usize) -> Command {
    match destination {
        Destination::Ssh(name) => {
            let mut command = Command::new("ssh");
            let script = format!("sh -c '{script}' sh {argument}");
            command.args(SSH.split_whitespace()).args([name, &script]);
            command
        }
        Destination::Namespace(name) => {
            let mut command = in_namespace(name);
            command.args(["sh", "-c", script, "sh"]).arg(argument.to_string());
            command
        }
    }
}

/// Fails if the machine cannot be reached, or could not start our programs. Returns its boot id.
pub fn reach(destination: &Destination) -> Result<String, GeneratorError> {
    let output = finish(start_there(destination, REACH, 0), PATIENCE).map_err(|error| match error {
        Unfinished::Interrupted(interrupted) => interrupted.into(),
        Unfinished::NotStarted(error) => unusable(destination, no_ssh(&error)),
        error => unusable(destination, error),
    })?;
    let said = output.success().map_err(|reason| unusable(destination, reason))?;
    let mut lines = said.lines().rev();
    let (boot, system) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
    let own = format!("Linux {}", std::env::consts::ARCH);
    if system != own {
        return Err(unusable(
            destination,
            format!("it is {system:?}, and the load generator is for {own}"),
        ));
    }
    Ok(boot.to_owned())
}

fn unusable(destination: &Destination, reason: impl std::fmt::Display) -> GeneratorError {
    GeneratorError::Remote(format!("{destination}: {reason}"))
}

fn no_ssh(error: &io::Error) -> String {
    format!("ssh cannot be started: {error}; it is in the package openssh-client")
}

impl Session {
    /// Copies `program` to the machine and starts it there as an agent.
    pub fn open(destination: &Destination, program: &Path) -> Result<(Self, Peer), GeneratorError> {
        let bytes = fs::read(program)?;
        let hash = sha256([&*bytes]);
        let mut command = start_there(destination, START, bytes.len());
        command.stdout(Stdio::piped());
        let (mut ssh, input) =
            Child::start_with_input(command).map_err(|error| unusable(destination, no_ssh(&error)))?;
        let (sender, lines) = channel();
        let output = BufReader::new(ssh.stdout());
        thread::spawn(move || {
            output
                .split(b'\n')
                .map_while(Result::ok)
                .try_for_each(|line| sender.send(line))
        });
        let mut session = Self {
            destination: destination.clone(),
            input: Arc::new(Mutex::new(input)),
            lines,
            ssh,
            clocks: None,
            is_ready: false,
        };
        // It may be refused while it is copied; then SSH says why.
        let input = Arc::clone(&session.input);
        thread::spawn(move || lock(&input).write_all(&bytes));
        // A login may print something before.
        let copied = loop {
            let line = session.first_line()?;
            if let Some(words) = String::from_utf8_lossy(&line).trim().strip_prefix(COPIED) {
                break words.to_owned();
            }
        };
        let mut words = copied.split_whitespace();
        let theirs = words.next().unwrap_or_default();
        if theirs != hash {
            let reason = format!("what was copied there has the SHA-256 {theirs}, and not {hash}");
            return Err(unusable(destination, reason));
        }
        let seen_as = words.next().and_then(|address| address.parse().ok());
        let Ok(Reply::Ready(machine)) = serde_json::from_slice(&session.first_line()?) else {
            let reason = "what was started there is no agent of this version";
            return Err(unusable(destination, reason));
        };
        session.is_ready = true;
        session.stay_alive();
        let peer = Peer { machine, seen_as, hash };
        Ok((session, peer))
    }

    /// A line of a session that is being opened.
    fn first_line(&mut self) -> Result<Vec<u8>, GeneratorError> {
        let line = self.line(Instant::now() + PATIENCE, || Ok(()))?;
        line.ok_or_else(|| unusable(&self.destination, format!("no agent after {} s", PATIENCE.as_secs())))
    }

    /// The next line, if it comes `until` then; meanwhile calls `go_on`, whose error ends the wait.
    fn line(
        &mut self,
        until: Instant,
        mut go_on: impl FnMut() -> Result<(), GeneratorError>,
    ) -> Result<Option<Vec<u8>>, GeneratorError> {
        loop {
            interrupt::check()?;
            match self.lines.recv_timeout(POLL) {
                Ok(line) => return Ok(Some(line)),
                Err(RecvTimeoutError::Disconnected) => return Err(self.lost()),
                Err(RecvTimeoutError::Timeout) => go_on()?,
            }
            if Instant::now() > until {
                return Ok(None);
            }
        }
    }

    /// Lets the agent know that this program lives, as long as the session does.
    fn stay_alive(&self) {
        let input = Arc::downgrade(&self.input);
        thread::spawn(move || {
            while let Some(input) = input.upgrade() {
                if send(&input, &protocol::Command::Alive).is_err() {
                    return;
                }
                drop(input);
                thread::sleep(ALIVE);
            }
        });
    }

    /// Sends a command.
    pub fn send(&mut self, command: &protocol::Command) -> Result<(), GeneratorError> {
        send(&self.input, command).map_err(|_| self.lost())
    }

    /// The next reply, if it comes `until` then; meanwhile calls `go_on`, whose error ends the wait.
    pub fn reply_until(
        &mut self,
        until: Instant,
        go_on: impl FnMut() -> Result<(), GeneratorError>,
    ) -> Result<Option<Reply>, GeneratorError> {
        let Some(line) = self.line(until, go_on)? else {
            return Ok(None);
        };
        match serde_json::from_slice(&line) {
            Ok(Reply::Failed(reason)) => Err(self.failed(reason)),
            Ok(reply) => Ok(Some(reply)),
            Err(error) => Err(self.failed(error)),
        }
    }

    /// The reply to a command.
    pub fn reply(&mut self) -> Result<Reply, GeneratorError> {
        let reply = self.reply_until(Instant::now() + PATIENCE, || Ok(()))?;
        reply.ok_or_else(|| self.failed(format!("no answer within {} s", PATIENCE.as_secs())))
    }

    /// How its clocks differ from ours; they are compared again if that was long ago.
    pub fn clock_offset(&mut self) -> Result<ClockOffset, GeneratorError> {
        if let Some((offset, _)) = self.clocks.filter(|(_, at)| at.elapsed() < COMPARED_FOR) {
            return Ok(offset);
        }
        let mut best = ClockOffset::default();
        for exchange in 0..EXCHANGES {
            let before = Clocks::now()?;
            self.send(&protocol::Command::Clocks)?;
            let Reply::Clocks(theirs) = self.reply()? else {
                return Err(self.unexpected());
            };
            let found = offset(before, theirs, Clocks::now()?);
            if exchange == 0 || found.error < best.error {
                best = found;
            }
        }
        self.clocks = Some((best, Instant::now()));
        Ok(best)
    }

    /// The error that a command could not be carried out.
    pub fn failed(&self, reason: impl std::fmt::Display) -> GeneratorError {
        GeneratorError::Failed(format!("{}: {}", self.destination, one_line(&reason.to_string())))
    }

    /// The error for a reply to something else.
    pub fn unexpected(&self) -> GeneratorError {
        self.failed("its agent's reply is to another command")
    }

    fn lost(&mut self) -> GeneratorError {
        let why = why_ended(&mut self.ssh);
        if self.is_ready {
            GeneratorError::Lost(format!("{} was lost: {why}", self.destination))
        } else {
            unusable(&self.destination, why)
        }
    }
}

fn send(input: &Mutex<ChildStdin>, command: &protocol::Command) -> io::Result<()> {
    let line = serde_json::to_string(command)? + "\n";
    lock(input).write_all(line.as_bytes())
}

fn lock(input: &Mutex<ChildStdin>) -> MutexGuard<'_, ChildStdin> {
    input.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The offset, as if the reply had been given in the middle of the exchange.
fn offset(before: Clocks, theirs: Clocks, after: Clocks) -> ClockOffset {
    ClockOffset {
        monotonic: theirs.monotonic - f64::midpoint(before.monotonic, after.monotonic),
        wall: theirs.wall - f64::midpoint(before.wall, after.wall),
        error: (after.monotonic - before.monotonic) / 2.0,
    }
}

/// The last line that SSH said, or how it ended.
fn why_ended(ssh: &mut Child) -> String {
    let status = ssh.ends_within(Duration::from_secs(2));
    let said = ssh.stderr_tail();
    let last = said.lines().map(str::trim).rfind(|line| !line.is_empty());
    match (last, status) {
        (Some(last), _) => one_line(last),
        (None, Some(status)) => format!("the connection ended ({})", in_words(status)),
        (None, None) => "the connection ended".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_ten_minutes_ahead_is_known_to_half_of_the_way_there_and_back() {
        let at = |monotonic, wall| Clocks { monotonic, wall };
        let found = offset(at(0.001, 5.0), at(0.077, 605.001), at(0.003, 5.002));
        assert!((found.monotonic - 0.075).abs() < 1e-12);
        assert!((found.wall - 600.0).abs() < 1e-9);
        assert!((found.error - 0.001).abs() < 1e-12);
    }

    #[test]
    fn the_scripts_have_no_quote_that_would_end_them() {
        assert!(![START, REACH].iter().any(|script| script.contains('\'')));
    }
}
