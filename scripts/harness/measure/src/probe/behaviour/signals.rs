//! How a server ends on a signal, and what becomes of the requests under way and of clients that come too late.

use std::io::{self, ErrorKind, Write as _};
use std::net::SocketAddr;
use std::thread::sleep;
use std::time::{Duration, Instant};

use model::probe::{ProbeFigure, ProbeOutcome};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::Act::Alone;
use super::Acts;
use crate::probe::client::{GET, MOST, PATIENCE, Until, answered_many, post};
use crate::probe::exchange::answers::{End, find};
use crate::probe::{Attempt, Target, broken};
use machine::interrupt;
use servers::failure::Failure;
use servers::server::Server;

/// All cases of signals.
pub const ACTS: Acts = &[
    ("sigterm-busy", Alone(sigterm_busy)),
    ("sigterm-half-body", Alone(sigterm_half_body)),
    ("sigint", Alone(sigint)),
];

/// The contract's time to end on SIGTERM.
const END: Duration = Duration::from_secs(5);
/// Requests that are under way when the signal comes, and connections that wait.
const BUSY: usize = 50;
const IDLE: usize = 20;
/// From the requests to the signal: less than the 20 ms that the server sleeps.
const UNDER_WAY: Duration = Duration::from_millis(8);
/// Connections that are made after the signal, at most, and how many of them soon after each other.
const NEWCOMERS: usize = 60;
const SOON: usize = 20;
/// Between two of them, soon and later.
const PAUSES: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(100));
/// Longest wait for room in the queue of connections.
const QUEUE: Duration = Duration::from_millis(50);
const PAYLOAD: &str = "{\"payload\":\"world\"}";
/// The body of `POST /test/timed` for it.
const TIMED_ANSWER: &[u8] = b"{\"payload\":\"Hello, world\"}";
/// The body of `GET /`.
const GET_ANSWER: &[u8] = b"Hello, World!";
/// Longest wait for bytes of a server that has ended, of all its connections together.
const REST: Duration = Duration::from_secs(1);

/// Sends `signal` and waits until the server ends. Until then it does `meanwhile`, which gets the time since the signal.
fn ends(server: &mut Server, signal: Signal, mut meanwhile: impl FnMut(Duration)) -> Result<Attempt, Failure> {
    let began = Instant::now();
    kill(Pid::from_raw(server.pid), signal).map_err(io::Error::from)?;
    while began.elapsed() < END {
        if let Some(how) = server.exit_reason() {
            let ms = began.elapsed().as_secs_f64() * 1e3;
            let ended = Attempt::new(true, format!("ended {ms:.0} ms after {signal}: {how}"));
            return Ok(ended.with(ProbeFigure::ExitAfterMs, ms));
        }
        interrupt::check()?;
        meanwhile(began.elapsed());
        sleep(Duration::from_millis(1));
    }
    let got = format!("still runs {} s after {signal}", END.as_secs());
    Ok(Attempt::new(false, got))
}

fn sigterm_busy(target: &Target<'_>) -> Result<Attempt, Failure> {
    let mut server = target.start()?;
    let address = server.address;
    // A server with few threads may keep fewer; the missing ones are not requested again.
    let idle = answered_many(address, IDLE);
    let connected = (0..BUSY).map(|_| Until::connect(address, PATIENCE, PATIENCE));
    let mut busy: Vec<Until> = match connected.collect() {
        Ok(busy) => busy,
        Err(error) => return broken(error),
    };
    let timed = post("/test/timed", PAYLOAD, 0);
    for stream in &mut busy {
        let _ = stream.write_all(&timed);
    }
    sleep(UNDER_WAY);
    // One that has its answer is not under way.
    busy.retain(|Until { stream, .. }| {
        let _ = stream.set_nonblocking(true);
        let waits = stream.peek(&mut [0]).is_err();
        let _ = stream.set_nonblocking(false);
        waits
    });
    let mut newcomers = Newcomers::default();
    let attempt = ends(&mut server, Signal::SIGTERM, |since| newcomers.come(address, since))?;
    let until = Instant::now() + REST;
    let attempt = attempt.also(format_args!(", with {} connections idle", idle.len()));
    let attempt = Answers::of(&mut busy, TIMED_ANSWER, until).of_those_under_way(attempt);
    Ok(newcomers.judged(attempt, until))
}

/// Clients that connect after the signal and send `GET /`.
#[derive(Debug, Default)]
struct Newcomers {
    /// The system has taken their connection, and perhaps the server has.
    connected: Vec<Until>,
    /// When nobody listened, since the signal.
    refused: Vec<Duration>,
    /// For whom there was no room.
    kept_out: usize,
    next: Duration,
}

impl Newcomers {
    /// One more, if it is time for it.
    fn come(&mut self, address: SocketAddr, since: Duration) {
        let count = self.connected.len() + self.refused.len() + self.kept_out;
        if count >= NEWCOMERS || since < self.next {
            return;
        }
        self.next = since + if count < SOON { PAUSES.0 } else { PAUSES.1 };
        match Until::sending(address, GET, QUEUE, PATIENCE) {
            Ok(stream) => self.connected.push(stream),
            Err(error) if error.kind() == ErrorKind::ConnectionRefused => self.refused.push(since),
            Err(_) => self.kept_out += 1,
        }
    }

    /// What has become of them. A fault is only what a client takes for an answer and is none.
    fn judged(mut self, attempt: Attempt, until: Instant) -> Attempt {
        let answers = Answers::of(&mut self.connected, GET_ANSWER, until);
        let dropped = answers.cut + self.kept_out;
        let refused = self.refused.len() + answers.shed;
        let first = self.refused.first().map_or_else(String::new, |since| {
            format!(" (the first after {:.0} ms)", since.as_secs_f64() * 1e3)
        });
        let attempt = attempt.also(format_args!(
            "; new connections: {} answered, {refused} refused{first}, {dropped} dropped without an answer",
            answers.whole
        ));
        answers
            .unless_wrong(attempt)
            .with(ProbeFigure::NewAnswered, answers.whole as f64)
            .with(ProbeFigure::NewRefused, refused as f64)
            .with(ProbeFigure::NewDropped, dropped as f64)
    }
}

/// What clients hold their answers for.
#[derive(Debug, Default)]
struct Answers {
    /// The answer as it must be.
    whole: usize,
    /// Nothing, or a part that shows to be one.
    cut: usize,
    /// 503, by which a server says that it ends.
    shed: usize,
    /// A whole answer that is not the right one.
    wrong: Vec<Vec<u8>>,
}

impl Answers {
    /// On these connections, of which each should get this body.
    fn of(streams: &mut [Until], body: &[u8], until: Instant) -> Self {
        let mut answers = Self::default();
        for stream in streams {
            answers.add(stream.rest(until, MOST).0, body);
        }
        answers
    }

    fn add(&mut self, bytes: Vec<u8>, body: &[u8]) {
        // The end of the connection is the end of an answer that declares none.
        match find(&bytes, &[], End::Closed).answers.first() {
            None => self.cut += 1,
            Some(answer) if answer.status == 503 => self.shed += 1,
            Some(answer) if answer.status == 200 && answer.body == body => self.whole += 1,
            Some(_) => self.wrong.push(bytes),
        }
    }

    /// The attempt, which failed if a client took for its answer what is none.
    fn unless_wrong(&self, mut attempt: Attempt) -> Attempt {
        if let Some(first) = self.wrong.first() {
            attempt.outcome = ProbeOutcome::Failed;
            let wrong = format_args!(", {} answered with something else", self.wrong.len());
            return attempt.also(wrong).came(first);
        }
        attempt
    }

    fn of_those_under_way(&self, attempt: Attempt) -> Attempt {
        let cut = self.cut + self.shed;
        let count = self.whole + cut + self.wrong.len();
        let attempt = attempt.also(format_args!("; of {count} requests {} finished, {cut} cut", self.whole));
        self.unless_wrong(attempt)
            .with(ProbeFigure::Finished, self.whole as f64)
            .with(ProbeFigure::Cut, cut as f64)
    }
}

fn sigterm_half_body(target: &Target<'_>) -> Result<Attempt, Failure> {
    let mut server = target.start()?;
    let half = post("/test/simple", PAYLOAD, PAYLOAD.len());
    let mut stream = match Until::sending(server.address, &half, PATIENCE, PATIENCE) {
        Ok(stream) => stream,
        Err(error) => return broken(error),
    };
    sleep(Duration::from_millis(50));
    let ended = ends(&mut server, Signal::SIGTERM, |_| {})?;
    let (came, _) = stream.rest(Instant::now() + REST, MOST);
    Ok(no_success(ended, &came))
}

/// Half a body is no request, so a status 2xx is wrong.
fn no_success(attempt: Attempt, bytes: &[u8]) -> Attempt {
    if bytes.starts_with(b"HTTP/1.1 2") {
        let got = format!("{}, and answers a request of which half came", attempt.got);
        return Attempt::new(false, got).came(bytes);
    }
    attempt
}

fn sigint(target: &Target<'_>) -> Result<Attempt, Failure> {
    let mut server = target.start()?;
    let _idle = answered_many(server.address, 1);
    ends(&mut server, Signal::SIGINT, |_| {})
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;
    use crate::probe::behaviour::fake;
    use model::probe::ProbeOutcome::{Failed, Passed};

    #[test]
    fn half_an_answer_must_show_to_be_one() {
        let whole = b"HTTP/1.1 200 OK\r\nContent-Length: 26\r\n\r\n{\"payload\":\"Hello, world\"}";
        let unframed = b"HTTP/1.1 200 OK\r\n\r\n{\"payload\":\"Hel";
        let chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1a\r\n{\"payload\":\"Hello, world\"}\r\n";
        let seen = |bytes: &[u8]| {
            let mut seen = Answers::default();
            seen.add(bytes.to_vec(), TIMED_ANSWER);
            (seen.whole, seen.cut, seen.shed, seen.wrong.len())
        };
        for (bytes, kind) in [
            (&whole[..], (1, 0, 0, 0)),
            (&whole[..50], (0, 1, 0, 0)),
            (&whole[..20], (0, 1, 0, 0)),
            (b"", (0, 1, 0, 0)),
            (unframed, (0, 0, 0, 1)),
            (chunked, (0, 1, 0, 0)),
            (&[chunked, &b"0\r\n\r\n"[..]].concat(), (1, 0, 0, 0)),
            (b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n", (0, 0, 0, 1)),
            (b"HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n", (0, 0, 1, 0)),
        ] {
            assert_eq!(seen(bytes), kind, "{}", bytes.escape_ascii());
        }
        let ended = || Attempt::new(true, "ended");
        let judged = |all: &[&[u8]]| {
            let mut answers = Answers::default();
            for bytes in all {
                answers.add(bytes.to_vec(), TIMED_ANSWER);
            }
            answers.of_those_under_way(ended())
        };
        let cut = judged(&[whole, b""]);
        assert_eq!((cut.outcome, cut.figures[&ProbeFigure::Cut]), (Passed, 1.0));
        assert_eq!(judged(&[unframed]).outcome, Failed);
        assert_eq!(no_success(ended(), whole).outcome, Failed);
        assert_eq!(no_success(ended(), b"").outcome, Passed);
    }

    #[test]
    fn what_becomes_of_new_connections_is_reported() {
        let outcome = |address| {
            let mut newcomers = Newcomers::default();
            for _ in 0..3 {
                newcomers.come(address, newcomers.next);
            }
            let attempt = newcomers.judged(Attempt::new(true, "it ended"), Instant::now() + REST);
            let figure = |figure| attempt.figures[&figure];
            let figures = (
                figure(ProbeFigure::NewAnswered),
                figure(ProbeFigure::NewRefused),
                figure(ProbeFigure::NewDropped),
            );
            (attempt.outcome, figures)
        };
        assert_eq!(outcome(fake::each_by_a_thread()), (Passed, (3.0, 0.0, 0.0)));
        assert_eq!(outcome(fake::none()), (Passed, (0.0, 0.0, 3.0)));
        let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        assert_eq!(outcome(closed), (Passed, (0.0, 3.0, 0.0)));
        // Half an answer that looks whole.
        assert_eq!(outcome(fake::unframed()), (Failed, (0.0, 0.0, 0.0)));
    }
}
