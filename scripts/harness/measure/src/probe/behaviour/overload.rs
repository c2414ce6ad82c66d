//! More requests than a server can answer, by a schedule that does not wait for it, and what becomes of it afterwards.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use record::probe::ProbeFigure;

use super::Act;
use super::asked::p99;
use crate::affinity::pin;
use crate::failure::Failure;
use crate::interrupt;
use crate::probe::{Attempt, Place};
use crate::run::memory::resident;

/// All cases of overload.
pub const ACTS: &[(&str, Act)] = &[
    ("overload-cpu-1-5", |place| act(place, "/cpu?n=25", 1.5)),
    ("overload-cpu-2", |place| act(place, "/cpu?n=25", 2.0)),
    ("overload-heavy-1-5", |place| act(place, "/heavy", 1.5)),
    ("overload-heavy-2", |place| act(place, "/heavy", 2.0)),
];

/// Connections that find the capacity, and those at most that overload.
const CONNECTIONS: (usize, usize) = (16, 128);
/// Requests that wait for a connection at most; more are not sent.
const WAITING: usize = 4096;
const CLOSED: Duration = Duration::from_secs(1);
const BASELINE: Duration = Duration::from_millis(500);
const OVERLOAD: Duration = Duration::from_millis(2500);
/// A p99 after the overload is of this long.
const WINDOW: Duration = Duration::from_millis(500);
/// Longest time until it answers as before. What 128 connections hold takes less, even at 30 requests per second.
const RECOVERY: Duration = Duration::from_secs(5);
/// As before is up to twice the p99 and this, in ms: half a second holds few requests.
const TOLERANCE: f64 = 20.0;
/// Connections that may fail in a row before the server is held to be dead.
const MOST_BROKEN: usize = 500;

fn act(place: &Place<'_>, path: &str, multiple: f64) -> Result<Attempt, Failure> {
    let mut server = place.start()?;
    let (address, pids) = (server.address(), server.pids());
    let cpus = &place.split.generator;
    let made = thread::scope(|scope| {
        let load = scope.spawn(|| {
            let _ = pin(0, cpus); // else it is only less exact
            overload(address, &|| resident(&pids), path, multiple)
        });
        load.join().expect("the load does not panic")
    });
    interrupt::check()?;
    Ok(made.and_still_answers(&mut server))
}

/// What a phase of load has shown.
#[derive(Debug, Default)]
struct Seen {
    /// Times from when each request was due to its answer, in ms.
    took: Vec<f64>,
    server_errors: usize,
    shed: usize,
    broken: usize,
    peak: Option<u64>,
}

fn overload(address: SocketAddr, memory: &dyn Fn() -> Option<u64>, path: &str, multiple: f64) -> Attempt {
    let mut load = Load::new(address, path);
    let closed = load.run(CONNECTIONS.0, None, CLOSED, memory);
    let capacity = closed.took.len() as f64 / CLOSED.as_secs_f64();
    if capacity < 1.0 {
        return Attempt::new(false, "it answered no request of 16 connections within 1 s");
    }
    load.forget();
    let before = load.run(CONNECTIONS.1, Some(capacity / 2.0), BASELINE, memory);
    load.forget();
    let over = load.run(CONNECTIONS.1, Some(capacity * multiple), OVERLOAD, memory);
    let goodput = over.took.len() as f64 / OVERLOAD.as_secs_f64();
    // Those who wait for a connection have gone; what was sent is still to be answered.
    load.waiting.clear();
    let bound = p99(&before.took).unwrap_or_default() * 2.0 + TOLERANCE;
    let (began, mut recovered, mut after_errors) = (Instant::now(), None, 0);
    while began.elapsed() < RECOVERY && recovered.is_none() {
        let since = began.elapsed();
        let seen = load.run(CONNECTIONS.1, Some(capacity / 2.0), WINDOW, memory);
        after_errors += seen.server_errors;
        // Half of what is asked must be answered, too.
        let enough = seen.took.len() as f64 >= capacity / 4.0 * WINDOW.as_secs_f64();
        if enough && p99(&seen.took).is_some_and(|p99| p99 <= bound) {
            recovered = Some(since);
        }
    }
    let errors = over.server_errors + after_errors;
    let after = recovered.map_or_else(
        || format!("it did not answer as before within {} s", RECOVERY.as_secs()),
        |after| format!("it answered as before after {:.1} s", after.as_secs_f64()),
    );
    let mut attempt = Attempt::new(
        recovered.is_some() && errors == 0,
        format!(
            "it can answer {capacity:.0}/s and answered {goodput:.0}/s when asked for {multiple} times that; {errors} had another status 5xx \
             than 503, which {} had; {} connections broke; {after}",
            over.shed, over.broken
        ),
    )
    .with(ProbeFigure::GoodputRps, goodput);
    if let Some(peak) = over.peak {
        attempt = attempt.with(ProbeFigure::PeakBytes, peak as f64);
    }
    if let Some(after) = recovered {
        attempt = attempt.with(ProbeFigure::RecoveredAfterMs, after.as_secs_f64() * 1e3);
    }
    attempt
}

/// Connections, and requests that wait for one.
struct Load {
    address: SocketAddr,
    request: String,
    connections: Vec<Connection>,
    waiting: VecDeque<Instant>,
}

struct Connection {
    stream: TcpStream,
    /// When the request was due that it carries.
    due: Option<Instant>,
    head: Vec<u8>,
    /// The status and the length of the body, once the head is complete; no length if it is chunked.
    status: Option<(u16, Option<usize>)>,
    body: usize,
    tail: Vec<u8>,
}

impl Load {
    fn new(address: SocketAddr, path: &str) -> Self {
        Self {
            address,
            request: format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n"),
            connections: Vec::new(),
            waiting: VecDeque::new(),
        }
    }

    /// New connections from now on.
    fn forget(&mut self) {
        self.connections.clear();
        self.waiting.clear();
    }

    /// Asks for `rate` requests per second, or for one after the other on each connection.
    fn run(&mut self, most: usize, rate: Option<f64>, lasting: Duration, memory: &dyn Fn() -> Option<u64>) -> Seen {
        let (mut seen, began, mut sent, mut broken_in_a_row) = (Seen::default(), Instant::now(), 0_u64, 0);
        let (mut looked, mut buffer) = (began, vec![0; 256 << 10]);
        while began.elapsed() < lasting && broken_in_a_row < MOST_BROKEN && interrupt::check().is_ok() {
            let now = Instant::now();
            if let Some(rate) = rate {
                while (sent as f64) < rate * began.elapsed().as_secs_f64() {
                    if self.waiting.len() < WAITING {
                        self.waiting
                            .push_back(began + Duration::from_secs_f64(sent as f64 / rate));
                    }
                    sent += 1;
                }
            } else {
                let free = most - self.connections.iter().filter(|one| one.due.is_some()).count();
                self.waiting = vec![now; free].into();
            }
            let mut index = 0;
            while index < self.connections.len() {
                match self.connections[index].progress(&mut buffer) {
                    Ok(None) => index += 1,
                    Ok(Some((status, due))) => {
                        broken_in_a_row = 0;
                        match status {
                            200 => seen.took.push(due.elapsed().as_secs_f64() * 1e3),
                            // To shed load is what 503 is for.
                            503 => seen.shed += 1,
                            500.. => seen.server_errors += 1,
                            _ => {}
                        }
                        index += 1;
                    }
                    Err(()) => {
                        if self.connections.swap_remove(index).due.is_some() {
                            seen.broken += 1;
                            broken_in_a_row += 1;
                        }
                    }
                }
            }
            while let Some(due) = self.waiting.front().copied() {
                let request = self.request.as_bytes();
                if let Some(free) = self.connections.iter_mut().find(|one| one.due.is_none()) {
                    free.ask(request, due);
                } else if self.connections.len() < most
                    && let Some(new) = Connection::open(self.address)
                {
                    self.connections.push(new);
                    continue;
                } else {
                    broken_in_a_row += usize::from(self.connections.len() < most);
                    break;
                }
                self.waiting.pop_front();
            }
            if looked.elapsed() > Duration::from_millis(50) {
                looked = Instant::now();
                seen.peak = seen.peak.max(memory());
            }
        }
        seen
    }
}

impl Connection {
    fn open(address: SocketAddr) -> Option<Self> {
        let stream = TcpStream::connect_timeout(&address, Duration::from_millis(200)).ok()?;
        stream.set_nonblocking(true).ok()?;
        Some(Self {
            stream,
            due: None,
            head: Vec::new(),
            status: None,
            body: 0,
            tail: Vec::new(),
        })
    }

    fn ask(&mut self, request: &[u8], due: Instant) {
        (self.due, self.status, self.body) = (Some(due), None, 0);
        self.head.clear();
        self.tail.clear();
        // A connection that cannot take some fifty bytes is broken, which the next read shows.
        let _ = self.stream.write(request);
    }

    /// Reads once: the status of an answer that is complete, with when it was due. The error is the connection's end.
    fn progress(&mut self, buffer: &mut [u8]) -> Result<Option<(u16, Instant)>, ()> {
        let count = match self.stream.read(buffer) {
            Ok(0) => return Err(()),
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(None),
            Err(_) => return Err(()),
        };
        let mut came = &buffer[..count];
        let rest;
        if self.status.is_none() {
            self.head.extend_from_slice(came);
            let Some(end) = self.head.windows(4).position(|four| four == b"\r\n\r\n") else {
                return if self.head.len() > 16 << 10 { Err(()) } else { Ok(None) };
            };
            rest = self.head.split_off(end + 4);
            came = &rest;
            let head = String::from_utf8_lossy(&self.head).to_ascii_lowercase();
            let status = head.get(9..12).and_then(|status| status.parse().ok()).ok_or(())?;
            let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
            self.status = Some((status, length.and_then(|length| length.trim().parse().ok())));
        }
        self.body += came.len();
        self.tail.extend_from_slice(&came[came.len().saturating_sub(5)..]);
        self.tail.drain(..self.tail.len().saturating_sub(5));
        let (status, length) = self.status.ok_or(())?;
        let ended = length.map_or(self.tail == b"0\r\n\r\n", |length| self.body >= length);
        Ok(if ended {
            self.due.take().map(|due| (status, due))
        } else {
            None
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::behaviour::fake;
    use record::probe::ProbeOutcome;

    #[test]
    fn a_server_must_answer_afterwards() {
        let outcome = |address| overload(address, &|| Some(1), "/", 1.5);
        let good = outcome(fake::slowly());
        assert_eq!(good.outcome, ProbeOutcome::Passed, "{}", good.got);
        assert_eq!(outcome(fake::none()).outcome, ProbeOutcome::Failed);
        // Each answer of this one is a 500 once it has more than 16 connections.
        let broken = outcome(fake::breaks_when_crowded());
        assert_eq!(broken.outcome, ProbeOutcome::Failed, "{}", broken.got);
    }
}
