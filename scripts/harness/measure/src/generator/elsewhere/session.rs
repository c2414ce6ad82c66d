//! One machine that makes load: an SSH connection, or a network namespace, and the agent at its other end.

use std::fs;
use std::io::{self, BufRead, BufReader, Read as _, Write as _};
use std::net::IpAddr;
use std::path::Path;
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use agent::words::{self, Answer, Clocks, LONGEST_LINE, Order};
use nix::time::{ClockId, clock_gettime};
use sha2::{Digest as _, Sha256};

use super::destination::Destination;
use crate::catalog::hash::hex;
use crate::interrupt;
use crate::process::{Child, Unfinished, finish, one_line};

/// Longest wait for a connection and the agent's first word, beside the time for the copy.
const PATIENCE: Duration = Duration::from_mins(1);
/// Bytes of the copy that must pass in a second.
const SLOWEST_COPY: u64 = 250_000;
/// Pause between two pings, by which each side knows of the other.
const PING: Duration = Duration::from_secs(1);
/// Without an answer for so long, the machine is lost.
const SILENCE: Duration = Duration::from_secs(6);
/// How often a wait looks at other things.
pub const POLL: Duration = Duration::from_millis(5);
/// Exchanges by which the difference of the clocks is known; the quickest counts.
const EXCHANGES: usize = 16;
/// Lines that a login may print before the agent speaks.
const MOST_OF_A_LOGIN: usize = 100;
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

/// What is asked of a machine before anything is built for it.
const REACH: &str = "uname -sm; cat /proc/sys/kernel/random/boot_id";

/// Why a machine makes no load.
#[derive(Debug, Clone, thiserror::Error)]
pub enum SessionError {
    /// It cannot be used.
    #[error("{0}: {1}")]
    Unusable(Destination, String),
    /// It was lost.
    #[error("{0} was lost: {1}")]
    Lost(Destination, String),
    /// It could not carry out an order.
    #[error("{0}: {1}")]
    Failed(Destination, String),
    /// The caller asked to stop.
    #[error("stopped")]
    Stopped,
}

/// A connection with an agent.
#[derive(Debug)]
pub struct Session {
    destination: Destination,
    // Declared first, so that the agent sees the end of its input before SSH is killed.
    input: ChildStdin,
    answers: Receiver<Answer>,
    ssh: Child,
    pinged_at: Instant,
    heard_at: Instant,
    /// The agent's machine.
    pub machine: words::Machine,
    /// Our address, as that machine sees it.
    pub seen_as: Option<IpAddr>,
    /// SHA-256 of the program that runs there.
    pub hash: String,
}

/// How the clocks of two machines differ.
#[derive(Debug, Clone, Copy)]
pub struct ClockDifference {
    /// Monotonic clock of the other machine, less ours, in nanoseconds.
    pub monotonic_ns: i128,
    /// Wall clock of the other machine, less ours, in seconds.
    pub wall_seconds: f64,
    /// Half of the round-trip time: the largest error of both.
    pub error: Duration,
}

/// Runs `script` on the machine with one argument: by SSH with the user's own configuration, and with nobody who could be asked for
/// anything.
fn start_there(destination: &Destination, script: &str, argument: usize) -> Command {
    match destination {
        Destination::Ssh(name) => {
            let mut command = Command::new("ssh");
            command.args(["-T", "-x"]);
            for option in [
                "BatchMode=yes",
                "StrictHostKeyChecking=yes",
                "PasswordAuthentication=no",
                "KbdInteractiveAuthentication=no",
                "ConnectTimeout=10",
                "ForwardAgent=no",
                "ClearAllForwardings=yes",
                "ServerAliveInterval=2",
                "ServerAliveCountMax=3",
            ] {
                command.args(["-o", option]);
            }
            command
                .args(["--", name])
                .arg(format!("sh -c '{script}' sh {argument}"));
            command
        }
        Destination::Namespace(name) => {
            let mut command = Command::new("ip");
            command.args(["netns", "exec", name, "sh", "-c", script, "sh"]);
            command.arg(argument.to_string());
            command
        }
    }
}

/// Fails if the machine cannot be reached, or could not start our programs. Returns its boot id.
pub fn reach(destination: &Destination) -> Result<String, SessionError> {
    let unusable = |reason: String| SessionError::Unusable(destination.clone(), reason);
    let output = finish(start_there(destination, REACH, 0), PATIENCE).map_err(|error| match error {
        Unfinished::Interrupted(_) => SessionError::Stopped,
        Unfinished::NotStarted(error) => unusable(no_ssh(&error)),
        error => unusable(error.to_string()),
    })?;
    let said = output.success().map_err(unusable)?;
    let mut lines = said.lines().rev();
    let (boot, system) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
    let own = format!("Linux {}", std::env::consts::ARCH);
    if system != own {
        return Err(unusable(format!(
            "it is {system:?}, and the load generator is for {own}"
        )));
    }
    Ok(boot.to_owned())
}

fn no_ssh(error: &io::Error) -> String {
    format!("ssh cannot be started: {error}; it is in the package openssh-client")
}

impl Session {
    /// Copies `program` to the machine and starts it there as an agent.
    pub fn open(destination: &Destination, program: &Path) -> Result<Self, SessionError> {
        let unusable = |reason: String| SessionError::Unusable(destination.clone(), reason);
        let bytes = fs::read(program).map_err(|error| unusable(format!("{}: {error}", program.display())))?;
        let expected = hex(&Sha256::digest(&bytes));
        let expected_seconds = bytes.len() as u64 / SLOWEST_COPY;
        let mut command = start_there(destination, START, bytes.len());
        command.stdout(Stdio::piped());
        let (mut ssh, mut input) = Child::start_with_input(command).map_err(|error| unusable(no_ssh(&error)))?;
        let (sender, lines) = channel();
        let output = ssh.stdout();
        thread::spawn(move || read_lines(output, |line| sender.send(line).is_ok()));
        // It may be refused while it is copied; then ssh says why.
        let copying = thread::spawn(move || input.write_all(&bytes).map(|()| input));
        let patience = PATIENCE + Duration::from_secs(expected_seconds);
        let until = Instant::now() + patience;
        let mut said = None;
        let mut heard = 0;
        let machine = loop {
            interrupt::check().map_err(|_| SessionError::Stopped)?;
            let line = match lines.recv_timeout(POLL) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) if Instant::now() < until => continue,
                Err(RecvTimeoutError::Timeout) => {
                    return Err(unusable(format!("no agent after {} s", patience.as_secs())));
                }
                Err(RecvTimeoutError::Disconnected) => return Err(unusable(why_ended(&mut ssh))),
            };
            heard += 1;
            let text = String::from_utf8_lossy(&line);
            if let Some(rest) = text.trim().strip_prefix(COPIED) {
                let mut words = rest.split_whitespace();
                let hash = words.next().unwrap_or_default().to_owned();
                if hash != expected {
                    let reason = format!("what was copied there has the SHA-256 {hash}, and not {expected}");
                    return Err(unusable(reason));
                }
                said = Some((hash, words.next().and_then(|address| address.parse().ok())));
            } else if said.is_some() {
                break match serde_json::from_slice(&line) {
                    Ok(Answer::Ready(machine)) if machine.version == words::VERSION => machine,
                    _ => return Err(unusable("what was started there is no agent of this version".into())),
                };
            } else if heard > MOST_OF_A_LOGIN {
                return Err(unusable("its login prints too much before a command runs".into()));
            }
        };
        let input = copying.join().ok().and_then(Result::ok);
        let (Some(input), Some((hash, seen_as))) = (input, said) else {
            return Err(unusable(why_ended(&mut ssh)));
        };
        let (sender, answers) = channel();
        thread::spawn(move || {
            while let Ok(line) = lines.recv() {
                let Ok(answer) = serde_json::from_slice(&line) else {
                    return;
                };
                if sender.send(answer).is_err() {
                    return;
                }
            }
        });
        Ok(Self {
            destination: destination.clone(),
            input,
            answers,
            ssh,
            pinged_at: Instant::now(),
            heard_at: Instant::now(),
            machine,
            seen_as,
            hash,
        })
    }

    /// The machine.
    pub fn destination(&self) -> &Destination {
        &self.destination
    }

    /// Sends an order.
    pub fn order(&mut self, order: &Order) -> Result<(), SessionError> {
        if matches!(order, Order::Load(_) | Order::Link { .. }) {
            self.heard_at = Instant::now();
        }
        let mut line = serde_json::to_vec(order).map_err(|error| self.failed(&error.to_string()))?;
        line.push(b'\n');
        let sent = self.input.write_all(&line).and_then(|()| self.input.flush());
        self.pinged_at = Instant::now();
        sent.map_err(|_| self.lost())
    }

    /// The next answer that is not about clocks, if it comes within [`POLL`]. Sees to it that each side hears of the other.
    pub fn look(&mut self) -> Result<Option<Answer>, SessionError> {
        match self.answers.recv_timeout(POLL) {
            Ok(Answer::Clocks(_)) => self.heard_at = Instant::now(),
            Ok(Answer::Failed { reason }) => return Err(self.failed(&reason)),
            Ok(answer) => return Ok(Some(answer)),
            Err(RecvTimeoutError::Disconnected) => return Err(self.lost()),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if self.heard_at.elapsed() > SILENCE {
            let reason = format!("nothing was heard of it for {} s", SILENCE.as_secs());
            return Err(SessionError::Lost(self.destination.clone(), reason));
        }
        if self.pinged_at.elapsed() > PING {
            self.order(&Order::Ping)?;
        }
        Ok(None)
    }

    /// The next answer that is not about clocks, within `patience`.
    pub fn answer(&mut self, patience: Duration) -> Result<Answer, SessionError> {
        let until = Instant::now() + patience;
        self.heard_at = Instant::now();
        loop {
            if let Some(answer) = self.look()? {
                return Ok(answer);
            }
            if Instant::now() > until {
                return Err(self.failed(&format!("no answer within {} s", patience.as_secs())));
            }
            interrupt::check().map_err(|_| SessionError::Stopped)?;
        }
    }

    /// How its clocks differ from ours.
    pub fn clock_difference(&mut self) -> Result<ClockDifference, SessionError> {
        let mut best: Option<ClockDifference> = None;
        for _ in 0..EXCHANGES {
            let before = own_clocks().map_err(|error| self.failed(&error.to_string()))?;
            self.order(&Order::Ping)?;
            let theirs = match self.answers.recv_timeout(SILENCE) {
                Ok(Answer::Clocks(clocks)) => clocks,
                Ok(_) => return Err(self.failed("it answers what nobody asked")),
                Err(_) => return Err(self.lost()),
            };
            let after = own_clocks().map_err(|error| self.failed(&error.to_string()))?;
            let found = difference(before, theirs, after);
            if best.is_none_or(|best| found.error < best.error) {
                best = Some(found);
            }
        }
        best.ok_or_else(|| self.failed("its clocks are not known"))
    }

    /// The error that it could not carry out an order.
    pub fn failed(&self, reason: &str) -> SessionError {
        SessionError::Failed(self.destination.clone(), one_line(reason))
    }

    fn lost(&mut self) -> SessionError {
        SessionError::Lost(self.destination.clone(), why_ended(&mut self.ssh))
    }
}

/// The difference, as if the answer had been given in the middle of the exchange.
fn difference(before: Clocks, theirs: Clocks, after: Clocks) -> ClockDifference {
    let middle = |before: u64, after: u64| i128::midpoint(i128::from(before), i128::from(after));
    let wall = i128::from(theirs.wall_ns) - middle(before.wall_ns, after.wall_ns);
    ClockDifference {
        monotonic_ns: i128::from(theirs.monotonic_ns) - middle(before.monotonic_ns, after.monotonic_ns),
        wall_seconds: wall as f64 / 1e9,
        error: Duration::from_nanos(after.monotonic_ns.saturating_sub(before.monotonic_ns)) / 2,
    }
}

/// Our clocks.
pub fn own_clocks() -> io::Result<Clocks> {
    let nanoseconds = |clock| -> io::Result<u64> {
        let time: Duration = clock_gettime(clock)?.into();
        Ok(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX))
    };
    Ok(Clocks {
        monotonic_ns: nanoseconds(ClockId::CLOCK_MONOTONIC)?,
        wall_ns: nanoseconds(ClockId::CLOCK_REALTIME)?,
    })
}

/// The last line that SSH said, or how it ended.
fn why_ended(ssh: &mut Child) -> String {
    let status = ssh.ends_within(Duration::from_secs(2));
    let said = ssh.stderr_tail();
    let last = said.lines().map(str::trim).rfind(|line| !line.is_empty());
    match (last, status) {
        (Some(last), _) => one_line(last),
        (None, Some(status)) => format!("the connection ended ({})", crate::process::in_words(status)),
        (None, None) => "the connection ended".into(),
    }
}

/// Hands each line over until somebody wants no more, or one is too long.
fn read_lines(output: ChildStdout, mut hand_over: impl FnMut(Vec<u8>) -> bool) {
    let mut output = BufReader::new(output);
    loop {
        let mut line = Vec::new();
        let read = (&mut output).take(LONGEST_LINE).read_until(b'\n', &mut line);
        if read.is_err() || line.last() != Some(&b'\n') || !hand_over(line) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_ten_minutes_ahead_is_known_to_half_of_the_way_there_and_back() {
        let at = |monotonic_ns, wall_ns| Clocks { monotonic_ns, wall_ns };
        let found = difference(
            at(1_000_000, 5_000_000_000),
            at(77_000_000, 605_001_000_000),
            at(3_000_000, 5_002_000_000),
        );
        assert_eq!(found.monotonic_ns, 75_000_000);
        assert!((found.wall_seconds - 600.0).abs() < 1e-9);
        assert_eq!(found.error, Duration::from_millis(1));
    }

    #[test]
    fn the_scripts_have_no_quote_that_would_end_them() {
        assert!(![START, REACH].iter().any(|script| script.contains('\'')));
    }
}
