//! Floods: one client sends frames that cost it little, as fast as it can, while another asks as usual.

use std::io::{self, Read as _, Write as _};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use record::probe::ProbeFigure;
use record::scenario::Protocol;

use super::Act;
use crate::affinity;
use crate::failure::Failure;
use crate::probe::client::{Others, PREFACE, Until};
use crate::probe::{Attempt, Target};
use crate::run::memory::peak;

/// How long a flood lasts.
const FLOOD: Duration = Duration::from_secs(2);
/// Memory that a flood may cost: one connection has no reason to make a server keep more.
const GROWTH: u64 = 64 << 20;
/// Connections that one flood makes at most, where the server closes them.
const CONNECTIONS: u32 = 200;
/// How often the frames are repeated in one write.
const AT_ONCE: u32 = 64;

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const CONTINUATION: u8 = 9;
const ACK: u8 = 1;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;
/// The stream of a frame that begins or ends the next one.
const NEXT: u32 = u32::MAX;
/// Fields of `GET /` and `POST /test/simple`, by the static table of HPACK.
const GET: &[u8] = b"\x82\x86\x04\x01/\x41\x09localhost";
const POST: &[u8] = b"\x83\x86\x44\x0c/test/simple\x41\x09localhost";
/// A field that HPACK does not index: `x: a`.
const FIELD: &[u8] = b"\x00\x01x\x01a";

/// Type, flags, stream, payload, and how often the payload is repeated.
type Frame = (u8, u8, u32, &'static [u8], usize);

/// What is sent.
struct Flood {
    /// At first.
    first: &'static [Frame],
    /// Again and again.
    then: &'static [Frame],
    /// Whether the client reads what comes.
    reads: bool,
}

const ACKNOWLEDGED: Frame = (SETTINGS, ACK, 0, b"", 1);
const RAPID_RESET: Flood = Flood {
    first: &[ACKNOWLEDGED],
    then: &[
        (HEADERS, END_HEADERS | END_STREAM, NEXT, GET, 1),
        (RST_STREAM, 0, NEXT, b"\0\0\0\x08", 1), // CANCEL
    ],
    reads: true,
};
const ENDLESS_HEAD: Flood = Flood {
    first: &[ACKNOWLEDGED, (HEADERS, END_STREAM, 1, GET, 1)],
    then: &[(CONTINUATION, 0, 1, FIELD, 200)],
    reads: true,
};
const EMPTY_SETTINGS: Flood = Flood {
    first: &[ACKNOWLEDGED],
    then: &[(SETTINGS, 0, 0, b"", 1)],
    reads: false,
};
const PINGS: Flood = Flood {
    first: &[ACKNOWLEDGED],
    then: &[(PING, 0, 0, &[7; 8], 1)],
    reads: false,
};
const EMPTY_DATA: Flood = Flood {
    first: &[ACKNOWLEDGED, (HEADERS, END_HEADERS, 1, POST, 1)],
    then: &[(DATA, 0, 1, b"", 1)],
    reads: true,
};

/// By the id of the case.
pub const ACTS: &[(&str, Act)] = &[
    ("flood-rapid-reset", |target| put(target, &RAPID_RESET)),
    ("flood-continuation", |target| put(target, &ENDLESS_HEAD)),
    ("flood-settings", |target| put(target, &EMPTY_SETTINGS)),
    ("flood-ping", |target| put(target, &PINGS)),
    ("flood-empty-data", |target| put(target, &EMPTY_DATA)),
];

fn put(target: &Target<'_>, flood: &Flood) -> Result<Attempt, Failure> {
    target.on_server(|server| {
        let pids = server.pids();
        let (before, cpu) = (peak(&pids), server.cpu_time()?);
        let flooded = flood.run(server.address(), &target.split.generator);
        let (after, cpu) = (peak(&pids), server.cpu_time()?.saturating_sub(cpu));
        let attempt = flooded.judged(before.zip(after));
        Ok(attempt.with(ProbeFigure::CpuMs, cpu.as_secs_f64() * 1e3))
    })
}

/// What a flood has shown.
#[derive(Debug, Default)]
struct Flooded {
    bytes: u64,
    connections: u32,
    others: Others,
}

impl Flooded {
    /// `memory` is the peak before and after, in bytes.
    fn judged(self, memory: Option<(u64, u64)>) -> Attempt {
        let megabytes = self.bytes as f64 / 1e6;
        let plural = if self.connections == 1 { "" } else { "s" };
        let mut got = format!("it took {megabytes:.1} MB over {} connection{plural}", self.connections);
        if self.others.unanswered > 0 {
            got = format!("{got}; another client was not answered: {}", self.others.instead);
        }
        let grown = memory.map_or(0, |(before, after)| after.saturating_sub(before));
        if grown > GROWTH {
            got = format!("{got}; its memory grew by {} MiB", grown >> 20);
        }
        Attempt::new(self.others.unanswered == 0 && grown <= GROWTH, got)
            .with(ProbeFigure::OthersP99Ms, self.others.p99())
            .with(ProbeFigure::PeakBytes, memory.map(|(_, peak)| peak as f64))
    }
}

impl Flood {
    fn run(&self, address: SocketAddr, cpus: &[u32]) -> Flooded {
        let over = AtomicBool::new(false);
        thread::scope(|scope| {
            let others = scope.spawn(|| {
                let _ = affinity::pin(0, cpus); // where that fails, it is only less exact
                let mut others = Others::default();
                while !over.load(Ordering::Relaxed) && others.unanswered == 0 {
                    others.ask(address, Protocol::Http2);
                    thread::sleep(Duration::from_millis(10));
                }
                others
            });
            let sent = scope.spawn(|| {
                let _ = affinity::pin(0, cpus);
                let (began, mut bytes, mut connections) = (Instant::now(), 0, 0);
                while began.elapsed() < FLOOD && connections < CONNECTIONS {
                    connections += 1;
                    // A connection that breaks is the server's right; the flood goes on with another.
                    let _ = self.send(address, FLOOD.saturating_sub(began.elapsed()), &mut bytes);
                }
                (bytes, connections)
            });
            let (bytes, connections) = sent.join().expect("it does not panic");
            over.store(true, Ordering::Relaxed);
            let others = others.join().expect("it does not panic");
            Flooded {
                bytes,
                connections,
                others,
            }
        })
    }

    /// Over one connection, until it breaks or the time is over.
    fn send(&self, address: SocketAddr, lasting: Duration, bytes: &mut u64) -> io::Result<()> {
        let mut stream = Until::connect(address, FLOOD, lasting)?;
        stream.write_all(PREFACE)?;
        // The server's SETTINGS, which are acknowledged when they are there.
        let _ = stream.read(&mut [0; 4096])?;
        let (mut frames, mut next) = (Vec::new(), 1);
        write_frames(&mut frames, self.first, next);
        loop {
            for _ in 0..AT_ONCE {
                write_frames(&mut frames, self.then, next);
                next += 2;
            }
            stream.write_all(&frames)?;
            *bytes += frames.len() as u64;
            frames.clear();
            if self.reads {
                stream.drain()?;
            }
        }
    }
}

fn write_frames(out: &mut Vec<u8>, frames: &[Frame], next: u32) {
    for (kind, flags, stream, payload, times) in frames {
        let length = u32::try_from(payload.len() * times).unwrap_or(0).to_be_bytes();
        out.extend(&length[1..]);
        out.extend([*kind, *flags]);
        out.extend(if *stream == NEXT { next } else { *stream }.to_be_bytes());
        out.extend(payload.repeat(*times));
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;
    use record::probe::ProbeOutcome;

    #[test]
    fn a_correct_server_stands_each_flood() {
        for flood in [RAPID_RESET, ENDLESS_HEAD, EMPTY_SETTINGS, PINGS, EMPTY_DATA] {
            let name = flood.then[0];
            let flooded = flood.run(crate::probe::behaviour::http2_server::start(), &[]);
            assert!(
                flooded.bytes > 10_000 && flooded.connections > 0,
                "{name:?}: {flooded:?}"
            );
            let attempt = flooded.judged(None);
            assert_eq!(attempt.outcome, ProbeOutcome::Passed, "{name:?}: {attempt:?}");
        }
    }

    #[test]
    fn a_server_that_serves_nobody_or_grows_fails() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap(); // accepts, and answers nothing
        let flooded = PINGS.run(listener.local_addr().unwrap(), &[]);
        assert!(flooded.judged(None).got.contains("another client was not answered"));
        let grown = Flooded::default().judged(Some((1 << 20, 100 << 20)));
        assert_eq!(grown.outcome, ProbeOutcome::Failed);
        assert!(grown.got.ends_with("its memory grew by 99 MiB"), "{}", grown.got);
    }
}
