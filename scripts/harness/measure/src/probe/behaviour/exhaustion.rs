//! Too large bodies, and too many new connections.

use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

use model::probe::ProbeFigure;

use super::Act::OnServer;
use super::Acts;
use crate::probe::client::{GET, PATIENCE, Until, answered};
use crate::probe::exchange::answers::End;
use crate::probe::{Attempt, Watched};
use machine::interrupt;

/// Its cases.
pub const ACTS: Acts = &[
    ("body-1mib-declared", OnServer(|server| large(server, 1 << 20, false))),
    ("body-1mib-chunked", OnServer(|server| large(server, 1 << 20, true))),
    (
        "body-100mib-declared",
        OnServer(|server| large(server, 100 << 20, false)),
    ),
    ("body-100mib-chunked", OnServer(|server| large(server, 100 << 20, true))),
    (
        "connection-rate",
        OnServer(|server| Ok(hurry(server.address, RATE_FOR))),
    ),
];

/// Memory that a body may cost at most. The limit of a body is 64 KiB; the rest is what an allocator and buffers take.
const GROWTH: u64 = 32 << 20;
/// Longest time to send a body, and longest wait for the server to read on or to answer.
const SENDING: Duration = Duration::from_secs(5);
const STUCK: Duration = Duration::from_secs(1);
/// One chunk of a body.
const CHUNK: usize = 64 << 10;
/// How long connections are made, by how many threads, and how many in a second at most.
const RATE_FOR: Duration = Duration::from_secs(3);
const THREADS: u32 = 8;
const RATE: u32 = 10_000;

fn large(server: Watched<'_>, bytes: usize, chunked: bool) -> io::Result<Attempt> {
    drop(answered(server.address, false, PATIENCE));
    let before = (server.peak)();
    let data = vec![b' '; CHUNK];
    let (framing, piece, end) = if chunked {
        let piece = [format!("{CHUNK:x}\r\n").as_bytes(), &data, b"\r\n"].concat();
        ("Transfer-Encoding: chunked".to_owned(), piece, "0\r\n\r\n")
    } else {
        (format!("Content-Length: {bytes}"), data, "")
    };
    let head = format!(
        "POST /test/bcrypt-inline HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{framing}\r\n\r\n"
    );
    let mut stream = Until::connect(server.address, STUCK, STUCK)?;
    let began = Instant::now();
    let mut going = stream.write_all(head.as_bytes()).is_ok();
    let mut sent = 0;
    while going && sent < bytes && began.elapsed() < SENDING && interrupt::check().is_ok() {
        stream = stream.lasting(STUCK);
        going = stream.write_all(&piece).is_ok();
        sent += if going { CHUNK } else { 0 };
    }
    if going && sent == bytes {
        let _ = stream.write_all(end.as_bytes());
    }
    let (answer, ended) = stream.rest(Instant::now() + STUCK, 1);
    let growth = before
        .zip((server.peak)())
        .map(|(before, after)| after.saturating_sub(before));
    let status = String::from_utf8_lossy(answer.get(9..12).unwrap_or_default()).into_owned();
    let (refused, did) = match (answer.is_empty(), ended) {
        (false, _) => (answer.starts_with(b"HTTP/1.1 4"), status),
        (true, End::Closed) => (true, "closed without an answer".into()),
        (true, End::Open) => (false, "neither an answer nor an end".into()),
    };
    let got = format!(
        "{did}, after {} of {} KiB; peak memory {} KiB higher",
        sent >> 10,
        bytes >> 10,
        growth.unwrap_or(0) >> 10
    );
    let passed = refused && growth.is_none_or(|growth| growth <= GROWTH);
    let peak = (server.peak)().map(|peak| peak as f64);
    Ok(Attempt::new(passed, got)
        .came(&answer)
        .with(ProbeFigure::PeakBytes, peak))
}

/// New connections, each with one request, as fast as they are answered and at most [`RATE`].
fn hurry(address: SocketAddr, time: Duration) -> Attempt {
    let began = Instant::now();
    let pause = Duration::from_secs(1) * THREADS / RATE;
    let (answers, failures) = (AtomicU32::new(0), AtomicU32::new(0));
    let work = || {
        let mut made = 0;
        while began.elapsed() < time {
            made += 1;
            if once(address).is_some() {
                answers.fetch_add(1, Ordering::Relaxed);
            } else {
                // One that fails waits up to a second, so few can.
                failures.fetch_add(1, Ordering::Relaxed);
                sleep(pause);
            }
            sleep((pause * made).saturating_sub(began.elapsed()));
        }
    };
    scope(|scope| (0..THREADS).for_each(|_| drop(scope.spawn(work))));
    let (answers, failures) = (answers.into_inner(), failures.into_inner());
    let rate = f64::from(answers) / began.elapsed().as_secs_f64();
    let got = format!(
        "{rate:.0} connections per second answered, {failures} of {} not",
        answers + failures
    );
    Attempt::new(answers > 0, got).with(ProbeFigure::ConnectionsPerSecond, rate)
}

/// One connection and one request. What came is not read to its end, so the kernel closes with a reset, and no port has to wait.
fn once(address: SocketAddr) -> Option<()> {
    let Until { stream, .. } = Until::sending(address, GET, STUCK, STUCK).ok()?;
    stream.set_read_timeout(Some(STUCK)).ok()?;
    let mut begin = [0; 12];
    let count = stream.peek(&mut begin).ok()?;
    begin[..count].starts_with(b"HTTP/1.1 200").then_some(())
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::io::Read as _;
    use std::net::TcpListener;

    use super::*;
    use crate::probe::behaviour::fake;
    use model::probe::ProbeOutcome::{Failed, Passed};

    /// Reads a little of each connection, answers like this and closes.
    fn says(reply: &'static [u8]) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let _ = stream.read(&mut [0; 1024]);
                let _ = stream.write_all(reply);
            }
        });
        address
    }

    #[test]
    fn a_large_body_must_be_refused_and_not_kept() {
        let refuses = says(b"HTTP/1.1 413 No\r\nContent-Length: 0\r\n\r\n");
        let accepts = says(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        for chunked in [false, true] {
            let put = |address, peak, bytes| {
                let server = Watched {
                    peak,
                    ..fake::watched(address)
                };
                large(server, bytes, chunked).unwrap().outcome
            };
            let outcome = |address, peak| put(address, peak, 1 << 20);
            assert_eq!(outcome(refuses, &|| Some(0)), Passed);
            let so_far = Cell::new(0);
            let grows = || Some(so_far.replace(so_far.get() + (100 << 20)));
            assert_eq!(outcome(refuses, &grows), Failed);
            // Its answer may be lost in the reset, which counts as a refusal; it reads no body, so one of no bytes shows it.
            assert_eq!(put(accepts, &|| Some(0), 0), Failed);
        }
    }

    #[test]
    fn some_new_connections_must_be_answered() {
        let short = Duration::from_millis(100);
        assert_eq!(hurry(fake::each_by_a_thread(), short).outcome, Passed);
        assert_eq!(hurry(fake::none(), short).outcome, Failed);
    }

    #[test]
    fn the_rate_counts_connections_that_the_server_has_accepted() {
        static ACCEPTED: AtomicU32 = AtomicU32::new(0);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                ACCEPTED.fetch_add(1, Ordering::Relaxed);
                let mut stream = stream.unwrap();
                let _ = stream.read(&mut [0; 1024]);
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
            }
        });
        let began = Instant::now();
        let attempt = hurry(address, Duration::from_millis(100));
        let most = attempt.figures[&ProbeFigure::ConnectionsPerSecond] * began.elapsed().as_secs_f64();
        let accepted = f64::from(ACCEPTED.load(Ordering::Relaxed));
        // The elapsed time of the test is a little longer than the rate's.
        assert!(accepted > 0.0 && most <= accepted * 1.5 + 1.0, "{most} of {accepted}");
    }
}
