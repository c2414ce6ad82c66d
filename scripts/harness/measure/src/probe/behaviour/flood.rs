//! Floods: one client sends frames that cost it little, as fast as it can, while another sends requests as usual.

use std::io::{self, Read as _, Write as _};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use model::count;
use model::probe::ProbeFigure;
use model::scenario::Protocol;
use serde::Deserialize;

use crate::probe::client::{Others, PREFACE, Until, p99};
use crate::probe::{Attempt, Watched};

/// How long a flood lasts.
const FLOOD: Duration = Duration::from_secs(2);
/// Memory that a flood may cost: one connection has no reason to make a server keep more.
const GROWTH: u64 = 64 << 20;
/// Connections that one flood makes at most, where the server closes them.
const CONNECTIONS: u32 = 200;
/// How often the frames are repeated in one write.
const AT_ONCE: u32 = 64;

/// What is sent.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flood {
    /// At first.
    #[serde(default)]
    first: Vec<Frame>,
    /// Again and again.
    then: Vec<Frame>,
    /// Whether the client reads what comes.
    reads: bool,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Frame {
    kind: u8,
    #[serde(default)]
    flags: u8,
    /// None for the next that a client may open.
    stream: Option<u32>,
    /// A character for each byte.
    #[serde(default)]
    payload: String,
    /// How often it is repeated in the frame.
    #[serde(default = "once")]
    times: usize,
}

fn once() -> usize {
    1
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
        let connections = count(self.connections as usize, "connection");
        let mut got = format!("it took {megabytes:.1} MB over {connections}");
        if self.others.unanswered > 0 {
            got = format!("{got}; another client was not answered: {}", self.others.instead);
        }
        let grown = memory.map_or(0, |(before, after)| after.saturating_sub(before));
        if grown > GROWTH {
            got = format!("{got}; its memory grew by {} MiB", grown >> 20);
        }
        Attempt::new(self.others.unanswered == 0 && grown <= GROWTH, got)
            .with(ProbeFigure::OthersP99Ms, p99(&self.others.took))
            .with(ProbeFigure::PeakBytes, memory.map(|(_, peak)| peak as f64))
    }
}

impl Flood {
    /// Sends it.
    pub fn meet(&self, server: Watched<'_>) -> Attempt {
        let (before, cpu) = ((server.peak)(), (server.cpu_time)());
        let flooded = self.run(server.address);
        let spent = cpu.zip((server.cpu_time)());
        let spent = spent.map(|(before, after)| after.saturating_sub(before).as_secs_f64() * 1e3);
        let attempt = flooded.judged(before.zip((server.peak)()));
        attempt.with(ProbeFigure::CpuMs, spent)
    }

    fn run(&self, address: SocketAddr) -> Flooded {
        let over = AtomicBool::new(false);
        thread::scope(|scope| {
            let others = scope.spawn(|| {
                let mut others = Others::default();
                while !over.load(Ordering::Relaxed) && others.unanswered == 0 {
                    others.ask(address, Protocol::Http2);
                    thread::sleep(Duration::from_millis(10));
                }
                others
            });
            let (began, mut bytes, mut connections) = (Instant::now(), 0, 0);
            while began.elapsed() < FLOOD && connections < CONNECTIONS {
                connections += 1;
                // A connection that breaks is the server's right; the flood goes on with another.
                let _ = self.send(address, FLOOD.saturating_sub(began.elapsed()), &mut bytes);
            }
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
        write_frames(&mut frames, &self.first, next);
        loop {
            for _ in 0..AT_ONCE {
                write_frames(&mut frames, &self.then, next);
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
    for frame in frames {
        let payload = frame.payload.repeat(frame.times);
        let payload = payload.chars().filter_map(|byte| u8::try_from(byte).ok());
        let length = u32::try_from(payload.clone().count()).unwrap_or(0).to_be_bytes();
        out.extend(&length[1..]);
        out.extend([frame.kind, frame.flags]);
        out.extend(frame.stream.unwrap_or(next).to_be_bytes());
        out.extend(payload);
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;
    use crate::probe::behaviour::http2_server;
    use crate::probe::case::{Case, Course};
    use model::probe::ProbeOutcome;

    fn floods() -> Vec<(String, Flood)> {
        let flood = |case: Case| match case.course {
            Course::Flood(flood) => Some((case.about.id, flood)),
            _ => None,
        };
        Case::built_in().into_iter().filter_map(flood).collect()
    }

    #[test]
    fn a_correct_server_stands_each_flood() {
        assert_eq!(floods().len(), 5);
        for (id, flood) in floods() {
            let flooded = flood.run(http2_server::start());
            assert!(flooded.bytes > 10_000 && flooded.connections > 0, "{id}: {flooded:?}");
            let attempt = flooded.judged(None);
            assert_eq!(attempt.outcome, ProbeOutcome::Passed, "{id}: {attempt:?}");
        }
    }

    #[test]
    fn frames_are_written_as_the_rfc_draws_them() {
        let (_, rapid) = floods().swap_remove(0);
        let mut written = Vec::new();
        write_frames(&mut written, &rapid.then, 7);
        let headers = b"\0\0\x10\x01\x05\0\0\0\x07\x82\x86\x04\x01/\x41\x09localhost";
        let reset = b"\0\0\x04\x03\0\0\0\0\x07\0\0\0\x08";
        assert_eq!(written, [&headers[..], reset].concat());
    }

    #[test]
    fn a_server_that_serves_nobody_or_grows_fails() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap(); // accepts, and answers nothing
        let (_, flood) = floods().swap_remove(3);
        let flooded = flood.run(listener.local_addr().unwrap());
        assert!(flooded.judged(None).got.contains("another client was not answered"));
        let grown = Flooded::default().judged(Some((1 << 20, 100 << 20)));
        assert_eq!(grown.outcome, ProbeOutcome::Failed);
        assert!(grown.got.ends_with("its memory grew by 99 MiB"), "{}", grown.got);
    }
}
