//! Clients that are slow or stuck, and what others notice of them.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::AsFd as _;
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use record::probe::ProbeFigure;

use super::Act;
use super::asked::{PATIENCE, answered, begin_http2, http2_request, p99};
use crate::failure::Failure;
use crate::interrupt;
use crate::probe::{Attempt, Place, still_answers};
use crate::run::memory::resident;

/// All cases of slow clients.
pub const ACTS: &[(&str, Act)] = &[
    ("slow-header", |place| act(place, 200, SLOW_HEADER)),
    ("silent", |place| act(place, 200, SILENT)),
    ("silent-1000", |place| act(place, 1000, SILENT)),
    ("slow-body", |place| act(place, 200, SLOW_BODY)),
    ("unread", |place| act(place, 200, UNREAD)),
    ("slow-reading", |place| act(place, 200, SLOW_READING)),
    ("unread-http2", |place| act(place, 200, UNREAD_HTTP2)),
];

/// How long they stay. The shortest default that is known to end them is 5 s.
const STAY: Duration = Duration::from_secs(8);
/// Longest time to open all.
const OPENING: Duration = Duration::from_secs(10);
/// Between two bytes of each.
const TICK: Duration = Duration::from_secs(1);
/// Between two requests of others.
const PAUSE: Duration = Duration::from_millis(50);
/// Others in a row without an answer after which the server does not serve.
const UNSERVED: usize = 3;
/// Largest read of a client that reads slowly, in bytes.
const SIP: usize = 1024;

/// The other side sends no more; nix does not name it.
const POLLRDHUP: PollFlags = PollFlags::from_bits_retain(0x2000);

/// How a client is slow.
#[derive(Debug, Clone, Copy)]
struct Manner {
    /// What it sends at once.
    first: &'static [u8],
    /// What it sends every second.
    then: Option<u8>,
    /// Most bytes that it reads every second; with 0 it never reads.
    reads: usize,
    http2: bool,
}

const SILENT: Manner = Manner {
    first: b"",
    then: None,
    reads: SIP,
    http2: false,
};
const SLOW_HEADER: Manner = Manner {
    first: b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ",
    then: Some(b'a'),
    ..SILENT
};
const SLOW_BODY: Manner = Manner {
    first: b"POST /test/simple HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n",
    then: Some(b' '),
    ..SILENT
};
const SLOW_READING: Manner = Manner {
    first: b"GET /heavy HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ..SILENT
};
const UNREAD: Manner = Manner {
    reads: 0,
    ..SLOW_READING
};
const UNREAD_HTTP2: Manner = Manner {
    first: b"\x82\x86\x04\x06/heavy\x41\x09localhost",
    reads: 0,
    http2: true,
    ..SILENT
};

fn act(place: &Place<'_>, count: usize, manner: Manner) -> Result<Attempt, Failure> {
    let mut server = place.start()?;
    let pids = server.pids();
    let attempt = meet(server.address(), &|| resident(&pids), count, manner, STAY)?;
    let began = Instant::now();
    // What it computes for clients that have gone may take a moment.
    while still_answers(&mut server).is_err() && began.elapsed() < 2 * PATIENCE {
        sleep(PAUSE);
    }
    Ok(attempt.and_still_answers(&mut server))
}

/// Lets `count` slow clients `stay`, and asks as another meanwhile.
fn meet(
    address: SocketAddr,
    memory: &dyn Fn() -> Option<u64>,
    count: usize,
    manner: Manner,
    stay: Duration,
) -> Result<Attempt, Failure> {
    let before = memory();
    let mut crowd = Vec::new();
    let opening = Instant::now();
    while crowd.len() < count && opening.elapsed() < OPENING {
        let Ok(mut stream) = TcpStream::connect_timeout(&address, PATIENCE) else {
            break;
        };
        if begins(&mut stream, manner).is_ok() && stream.set_nonblocking(true).is_ok() {
            crowd.push(stream);
        }
    }
    let opened = crowd.len();
    let (began, mut ticked) = (Instant::now(), Instant::now());
    let (mut took, mut unserved, mut peak, mut gave_up) = (Vec::new(), 0, before, None);
    while began.elapsed() < stay && unserved < UNSERVED {
        interrupt::check()?;
        let asked = Instant::now();
        if answered(address, manner.http2).is_ok() {
            took.push(asked.elapsed().as_secs_f64() * 1e3);
            unserved = 0;
        } else {
            unserved += 1;
        }
        peak = peak.max(memory());
        if ticked.elapsed() >= TICK {
            ticked = Instant::now();
            crowd.retain_mut(|stream| stays(stream, manner));
            if crowd.len() < opened {
                gave_up.get_or_insert(began.elapsed());
            }
        }
        sleep(PAUSE);
    }
    let left = opened - crowd.len();
    let others = if unserved < UNSERVED {
        format!("{} other requests were answered", took.len())
    } else {
        format!(
            "{UNSERVED} other requests in a row had no answer in {} s, after {} that had",
            PATIENCE.as_secs(),
            took.len()
        )
    };
    let mut attempt = Attempt::new(
        unserved < UNSERVED,
        format!(
            "of {opened} slow connections (of {count}) it ended {left} within {:.0} s; {others}",
            began.elapsed().as_secs_f64()
        ),
    )
    // Fewer than were meant prove less; opening them may be slow beside other cases.
    .unless_short(opened < count)
    .with(ProbeFigure::Connections, opened as f64);
    if let (Some(before), Some(peak)) = (before, peak) {
        let added = peak.saturating_sub(before) as f64 / opened.max(1) as f64;
        attempt = attempt.with(ProbeFigure::BytesPerConnection, added);
    }
    if let Some(p99) = p99(&took) {
        attempt = attempt.with(ProbeFigure::OthersP99Ms, p99);
    }
    if let Some(after) = gave_up {
        attempt = attempt.with(ProbeFigure::GaveUpAfterMs, after.as_secs_f64() * 1e3);
    }
    Ok(attempt)
}

/// Sends what a slow client sends at once.
fn begins(stream: &mut TcpStream, manner: Manner) -> io::Result<()> {
    if !manner.http2 {
        return stream.write_all(manner.first);
    }
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    begin_http2(stream)?;
    stream.write_all(&http2_request(1, manner.first))
}

/// Does what a slow client does each second; `false` if the server has ended the connection.
fn stays(stream: &mut TcpStream, manner: Manner) -> bool {
    let waits = |error: &io::Error| error.kind() == ErrorKind::WouldBlock;
    if let Some(byte) = manner.then
        && stream.write(&[byte]).is_err_and(|error| !waits(&error))
    {
        return false;
    }
    if manner.reads == 0 {
        return !is_hung_up(stream);
    }
    match stream.read(&mut [0; SIP][..manner.reads]) {
        Ok(count) => count > 0,
        Err(error) => waits(&error),
    }
}

/// Whether the server has ended a connection from which nobody reads: the end shows before what it sent is read.
fn is_hung_up(stream: &TcpStream) -> bool {
    let mut polled = [PollFd::new(stream.as_fd(), POLLRDHUP)];
    let ended = POLLRDHUP | PollFlags::POLLHUP | PollFlags::POLLERR;
    // nix gives `None` where a bit is set that it does not know, and only this one was asked for.
    poll(&mut polled, PollTimeout::ZERO).is_ok() && polled[0].revents().is_none_or(|seen| seen.intersects(ended))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    use crate::probe::behaviour::{fake, http2};
    use record::probe::ProbeOutcome;

    /// Two ticks: one that reads notices an end behind an answer at the second.
    const SHORT: Duration = Duration::from_millis(2500);

    fn met(address: SocketAddr, manner: Manner, stay: Duration) -> Attempt {
        meet(address, &|| Some(0), 3, manner, stay).unwrap()
    }

    #[test]
    fn others_must_be_served() {
        thread::scope(|scope| {
            for manner in [SILENT, SLOW_HEADER, SLOW_BODY, SLOW_READING, UNREAD] {
                scope.spawn(move || {
                    let served = met(fake::each_by_a_thread(), manner, SHORT);
                    assert_eq!(served.outcome, ProbeOutcome::Passed, "{manner:?}: {}", served.got);
                    let stuck = met(fake::one_at_a_time(), manner, STAY);
                    assert_eq!(stuck.outcome, ProbeOutcome::Failed, "{manner:?}: {}", stuck.got);
                });
            }
        });
        let served = met(http2::server::start(), UNREAD_HTTP2, SHORT);
        assert_eq!(served.outcome, ProbeOutcome::Passed, "{}", served.got);
        assert_eq!(
            met(fake::settings_only(), UNREAD_HTTP2, STAY).outcome,
            ProbeOutcome::Failed
        );
    }

    #[test]
    fn when_a_server_gives_up_is_told() {
        // It closes each connection after half a second.
        for manner in [SILENT, SLOW_HEADER, SLOW_READING, UNREAD] {
            let impatient = met(fake::impatient(), manner, SHORT);
            let after = impatient.figures.get(&ProbeFigure::GaveUpAfterMs);
            assert!(after.is_some_and(|after| *after >= 500.0), "{manner:?}: {impatient:?}");
        }
        let patient = met(fake::each_by_a_thread(), SILENT, SHORT);
        assert_eq!(patient.figures.get(&ProbeFigure::GaveUpAfterMs), None);
    }
}
