//! Floods: one client sends frames that cost it little, as fast as it can, while another asks as usual.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use record::probe::ProbeFigure;
use record::scenario::Protocol;

use super::Act;
use crate::affinity;
use crate::failure::Failure;
use crate::probe::client::{self, PREFACE, http2_fields, p99, served};
use crate::probe::{Attempt, Target};
use crate::run::memory::peak;

/// How long a flood lasts.
const FLOOD: Duration = Duration::from_secs(2);
/// Memory that a flood may cost: one connection has no reason to make a server keep more.
const GROWTH: u64 = 64 << 20;
/// Connections that one flood makes at most, where the server closes them.
const CONNECTIONS: u32 = 200;
/// Frames, or pairs of them, that are written at once.
const AT_ONCE: u32 = 64;
/// Longest wait for room to write, and for the server's first frame.
const STUCK: Duration = Duration::from_millis(100);

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const CONTINUATION: u8 = 9;
const ACK: u8 = 1;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;
/// Fields of `POST /test/simple`, by the static table of HPACK.
const POST: &[u8] = b"\x83\x86\x44\x0c/test/simple\x41\x09localhost";
/// A field that HPACK does not index: `x: a`.
const FIELD: &[u8] = b"\x00\x01x\x01a";

/// What is sent again and again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flood {
    RapidReset,
    Continuation,
    Settings,
    Ping,
    EmptyData,
}

/// By the id of the case.
pub const ACTS: &[(&str, Act)] = &[
    ("flood-rapid-reset", |target| put(target, Flood::RapidReset)),
    ("flood-continuation", |target| put(target, Flood::Continuation)),
    ("flood-settings", |target| put(target, Flood::Settings)),
    ("flood-ping", |target| put(target, Flood::Ping)),
    ("flood-empty-data", |target| put(target, Flood::EmptyData)),
];

fn put(target: &Target<'_>, flood: Flood) -> Result<Attempt, Failure> {
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
    /// Waits of others, in ms.
    waits: Vec<f64>,
    /// What another got instead of an answer.
    unanswered: Option<String>,
}

impl Flooded {
    /// `memory` is the peak before and after, in bytes.
    fn judged(self, memory: Option<(u64, u64)>) -> Attempt {
        let mut got = format!(
            "it took {:.1} MB over {} connection",
            self.bytes as f64 / 1e6,
            self.connections
        );
        if self.connections != 1 {
            got.push('s');
        }
        let mut passed = true;
        if let Some(reason) = &self.unanswered {
            passed = false;
            got = format!("{got}; another client was not answered: {reason}");
        }
        let grown = memory.map_or(0, |(before, after)| after.saturating_sub(before));
        if grown > GROWTH {
            passed = false;
            got = format!("{got}; its memory grew by {} MiB", grown >> 20);
        }
        Attempt::new(passed, got)
            .with(ProbeFigure::OthersP99Ms, p99(&self.waits))
            .with(ProbeFigure::PeakBytes, memory.map(|(_, peak)| peak as f64))
    }
}

impl Flood {
    fn run(self, address: SocketAddr, cpus: &[u32]) -> Flooded {
        let over = AtomicBool::new(false);
        thread::scope(|scope| {
            let others = scope.spawn(|| others(address, cpus, &over));
            let sent = scope.spawn(|| {
                let _ = affinity::pin(0, cpus); // where that fails, it is only less exact
                self.send(address)
            });
            let (bytes, connections) = sent.join().expect("it does not panic");
            over.store(true, Ordering::Relaxed);
            let (waits, unanswered) = others.join().expect("it does not panic");
            Flooded {
                bytes,
                connections,
                waits,
                unanswered,
            }
        })
    }

    /// Bytes and connections.
    fn send(self, address: SocketAddr) -> (u64, u32) {
        let until = Instant::now() + FLOOD;
        let (mut bytes, mut connections) = (0, 0);
        while Instant::now() < until && connections < CONNECTIONS {
            connections += 1;
            // A connection that breaks is the server's right; the flood goes on with another.
            let _ = self.connection(address, until, &mut bytes);
        }
        (bytes, connections)
    }

    fn connection(self, address: SocketAddr, until: Instant, bytes: &mut u64) -> io::Result<()> {
        let mut stream = TcpStream::connect_timeout(&address, FLOOD)?;
        stream.set_read_timeout(Some(STUCK))?;
        stream.set_write_timeout(Some(STUCK))?;
        stream.write_all(PREFACE)?;
        // The server's SETTINGS, which are acknowledged when they are there.
        let _ = stream.read(&mut [0; 4096])?;
        let mut frames = Vec::new();
        frame(&mut frames, SETTINGS, ACK, 0, &[]);
        match self {
            Self::Continuation => frame(&mut frames, HEADERS, END_STREAM, 1, &http2_fields("/")),
            Self::EmptyData => frame(&mut frames, HEADERS, END_HEADERS, 1, POST),
            Self::RapidReset | Self::Settings | Self::Ping => {}
        }
        let (mut stream_id, fields) = (1, http2_fields("/"));
        while Instant::now() < until {
            for _ in 0..AT_ONCE {
                match self {
                    Self::RapidReset => {
                        frame(&mut frames, HEADERS, END_HEADERS | END_STREAM, stream_id, &fields);
                        frame(&mut frames, RST_STREAM, 0, stream_id, &8_u32.to_be_bytes()); // CANCEL
                        stream_id += 2;
                    }
                    Self::Continuation => frame(&mut frames, CONTINUATION, 0, 1, &FIELD.repeat(200)),
                    Self::Settings => frame(&mut frames, SETTINGS, 0, 0, &[]),
                    Self::Ping => frame(&mut frames, PING, 0, 0, &[7; 8]),
                    Self::EmptyData => frame(&mut frames, DATA, 0, 1, &[]),
                }
            }
            let mut rest = frames.as_slice();
            while !rest.is_empty() && Instant::now() < until {
                match stream.write(rest) {
                    Ok(0) => return Ok(()),
                    Ok(some) => {
                        rest = &rest[some..];
                        *bytes += some as u64;
                    }
                    Err(error) if is_wait(&error) => {}
                    Err(error) => return Err(error),
                }
            }
            frames.clear();
            if !matches!(self, Self::Settings | Self::Ping) {
                drain(&mut stream)?;
            }
        }
        Ok(())
    }
}

/// Reads what is there, so that the server need not wait for its client. At its end the connection is over.
fn drain(stream: &mut TcpStream) -> io::Result<()> {
    stream.set_nonblocking(true)?;
    let read = stream.read(&mut [0; 16 << 10]);
    stream.set_nonblocking(false)?;
    match read {
        Ok(0) => Err(ErrorKind::UnexpectedEof.into()),
        Err(error) if !is_wait(&error) => Err(error),
        _ => Ok(()),
    }
}

fn is_wait(error: &io::Error) -> bool {
    client::is_wait(error) || error.kind() == ErrorKind::Interrupted
}

/// An ordinary request every 10 ms until it is over, each on a connection of its own. The first that is not answered ends it.
fn others(address: SocketAddr, cpus: &[u32], over: &AtomicBool) -> (Vec<f64>, Option<String>) {
    let _ = affinity::pin(0, cpus);
    let mut waits = Vec::new();
    while !over.load(Ordering::Relaxed) {
        let asked = Instant::now();
        if let Err(instead) = served(address, Protocol::Http2, client::PATIENCE) {
            return (waits, Some(instead));
        }
        waits.push(asked.elapsed().as_secs_f64() * 1e3);
        thread::sleep(Duration::from_millis(10));
    }
    (waits, None)
}

fn frame(out: &mut Vec<u8>, kind: u8, flags: u8, stream: u32, payload: &[u8]) {
    let length = u32::try_from(payload.len()).unwrap_or(0).to_be_bytes();
    out.extend(&length[1..]);
    out.extend([kind, flags]);
    out.extend(stream.to_be_bytes());
    out.extend(payload);
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;
    use record::probe::ProbeOutcome;

    #[test]
    fn a_correct_server_stands_each_flood() {
        for flood in [
            Flood::RapidReset,
            Flood::Continuation,
            Flood::Settings,
            Flood::Ping,
            Flood::EmptyData,
        ] {
            let flooded = flood.run(crate::probe::behaviour::http2_server::start(), &[]);
            assert!(
                flooded.bytes > 10_000 && flooded.connections > 0,
                "{flood:?}: {flooded:?}"
            );
            let attempt = flooded.judged(None);
            assert_eq!(attempt.outcome, ProbeOutcome::Passed, "{flood:?}: {attempt:?}");
        }
    }

    #[test]
    fn a_server_that_serves_nobody_or_grows_fails() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap(); // accepts, and answers nothing
        let flooded = Flood::Ping.run(listener.local_addr().unwrap(), &[]);
        assert!(flooded.judged(None).got.contains("another client was not answered"));
        let grown = Flooded::default().judged(Some((1 << 20, 100 << 20)));
        assert_eq!(grown.outcome, ProbeOutcome::Failed);
        assert!(grown.got.ends_with("its memory grew by 99 MiB"), "{}", grown.got);
    }
}
