//! A load of messages that come back: on each connection the next one is sent when the last one is there.

use std::io;
use std::net::SocketAddr;
use std::num::NonZero;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::{Duration, Instant};

use clap::Parser;
use rand::rngs::SysRng;
use rand::{Rng, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;
use tokio::runtime::{Builder, Runtime};
use tokio::task::{JoinSet, LocalSet};
use tokio::time::timeout;

use crate::report::report;
use crate::socket::{Kind, Socket, SocketError};

/// Longest wait for a connection, and for a message after the end of the load.
const PATIENCE: Duration = Duration::from_secs(25);

/// Sends binary messages over WebSocket, and checks that each comes back; prints a report as oha's JSON.
///
/// Connections are opened first, and are no part of the load. Exit status: 0 with a report, which names what went wrong; 2 without.
#[derive(Debug, Clone, Parser)]
#[command(name = "oha websocket", bin_name = "oha websocket")]
pub struct Options {
    /// The server, such as 127.0.0.1:8080
    pub address: SocketAddr,
    /// Where it speaks WebSocket
    #[arg(long, default_value = "/websocket")]
    pub path: String,
    /// Connections, each with one message under way
    #[arg(long, default_value = "64")]
    pub connections: NonZero<usize>,
    /// Bytes of a message
    #[arg(long, default_value = "64")]
    pub message_bytes: usize,
    /// Milliseconds of load; messages under way at its end are awaited
    #[arg(long, default_value = "1000")]
    pub milliseconds: u64,
    /// Ends after so many messages over all connections, if that is before the end of the time
    #[arg(long)]
    pub messages: Option<u64>,
    /// Threads among which the connections are shared
    #[arg(long, default_value = "1")]
    pub threads: NonZero<usize>,
}

/// When a load ends.
#[derive(Debug, Clone)]
struct End {
    until: Instant,
    /// Messages that may still be sent.
    left: Arc<AtomicU64>,
}

impl End {
    /// Whether one more message may be sent at this time.
    fn allows(&self, now: Instant) -> bool {
        let one_less = |left: u64| left.checked_sub(1);
        now < self.until
            && self
                .left
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less)
                .is_ok()
    }
}

/// What one thread saw.
struct Seen {
    begun: Instant,
    ended: Instant,
    times: Vec<Duration>,
    errors: Vec<String>,
}

/// Makes the load, and returns its [`report`]. The error is one of this machine; what goes wrong with the server is in the report.
pub fn load(options: &Options) -> Result<Value, String> {
    let (all, threads) = (
        options.connections.get(),
        options.threads.get().min(options.connections.get()),
    );
    let left = Arc::new(AtomicU64::new(options.messages.unwrap_or(u64::MAX)));
    // All connections are there before the first message is sent.
    let ready = Barrier::new(threads);
    let prepared = (0..threads).map(|_| {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        Ok((runtime, ChaCha8Rng::try_from_rng(&mut SysRng)?))
    });
    let prepared = prepared
        .collect::<io::Result<Vec<_>>>()
        .map_err(|error| error.to_string())?;
    let seen = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .zip(prepared)
            .map(|(index, (runtime, rng))| {
                let connections = all / threads + usize::from(index < all % threads);
                let (ready, left) = (&ready, Arc::clone(&left));
                scope.spawn(move || of_thread(options, connections, &runtime, rng, ready, left))
            })
            .collect();
        workers
            .into_iter()
            .map(thread::ScopedJoinHandle::join)
            .collect::<Result<Vec<_>, _>>()
    });
    let seen = seen.map_err(|_| "a thread of the load panicked")?;
    let begun = seen.iter().map(|seen| seen.begun).min();
    let ended = seen.iter().map(|seen| seen.ended).max();
    let seconds = begun
        .zip(ended)
        .map_or(0.0, |(begun, ended)| (ended - begun).as_secs_f64());
    let (mut times, mut errors) = (Vec::new(), Vec::new());
    for seen in seen {
        times.extend(seen.times);
        errors.extend(seen.errors);
    }
    Ok(report(seconds, options.message_bytes, times, errors))
}

fn of_thread(
    options: &Options,
    connections: usize,
    runtime: &Runtime,
    mut rng: ChaCha8Rng,
    ready: &Barrier,
    left: Arc<AtomicU64>,
) -> Seen {
    let (mut times, mut errors, mut sockets) = (Vec::new(), Vec::new(), Vec::new());
    runtime.block_on(async {
        for _ in 0..connections {
            let opened = timeout(PATIENCE, Socket::open(options.address, &options.path, &mut rng)).await;
            match opened {
                Ok(Ok(socket)) => sockets.push(socket),
                Ok(Err(error)) => errors.push(error.to_string()),
                Err(_) => errors.push("no WebSocket in time".to_owned()),
            }
        }
    });
    ready.wait();
    let begun = Instant::now();
    let until = begun + Duration::from_millis(options.milliseconds);
    let end = End { until, left };
    LocalSet::new().block_on(runtime, async {
        let mut tasks = JoinSet::new();
        for socket in sockets {
            let mut message = vec![0; options.message_bytes];
            rng.fill_bytes(&mut message);
            tasks.spawn_local(of_socket(socket, message, end.clone()));
        }
        for (own, ended) in tasks.join_all().await {
            times.extend(own);
            errors.extend(ended.err());
        }
    });
    Seen {
        begun,
        ended: Instant::now(),
        times,
        errors,
    }
}

async fn of_socket(mut socket: Socket, mut message: Vec<u8>, end: End) -> (Vec<Duration>, Result<(), String>) {
    let mut times = Vec::new();
    let mut number = 0_u64;
    loop {
        let sent = Instant::now();
        if !end.allows(sent) {
            // A load ends without a word: what closing takes is no part of it.
            return (times, Ok(()));
        }
        // No two messages are alike, so that none can be kept and sent again.
        number += 1;
        for (byte, of_number) in message.iter_mut().zip(number.to_le_bytes()) {
            *byte ^= of_number;
        }
        let echo = timeout(end.until - sent + PATIENCE, socket.echo(Kind::Binary, &message)).await;
        match echo {
            Ok(Ok(())) => times.push(sent.elapsed()),
            Ok(Err(error)) => return (times, Err(error.to_string())),
            Err(_) => return (times, Err(SocketError::Unanswered.to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::{TcpListener, TcpStream};

    use super::*;
    use crate::socket::accepted;

    /// Sends back each message of 8 bytes.
    fn serve(mut stream: TcpStream) -> std::io::Result<()> {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte)?;
            head.push(byte[0]);
        }
        let head = String::from_utf8(head).unwrap();
        let (_, key) = head.split_once("Sec-WebSocket-Key: ").unwrap();
        let accept = accepted(key.lines().next().unwrap());
        let answer = format!(
            "HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: upgrade\r\nSec-WebSocket-Accept: {accept}\r\n\r\n"
        );
        stream.write_all(answer.as_bytes())?;
        loop {
            let mut frame = [0; 14];
            stream.read_exact(&mut frame)?;
            let [mask, message] = [&frame[2..6], &frame[6..]];
            let plain = message.iter().zip(mask.iter().cycle()).map(|(byte, mask)| byte ^ mask);
            let echo: Vec<u8> = [0x82, 8].into_iter().chain(plain).collect();
            stream.write_all(&echo)?;
        }
    }

    #[test]
    fn a_load_ends_with_its_time_or_its_messages() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                thread::spawn(move || serve(stream));
            }
        });
        let load = |more: &[&str]| -> Value {
            let address = address.to_string();
            let usual = [
                "oha websocket",
                &address,
                "--connections=4",
                "--message-bytes=8",
                "--threads=2",
            ];
            let options = Options::parse_from(usual.iter().chain(more));
            super::load(&options).unwrap()
        };
        // An hour is the longest that it may take, and it must not take it.
        let counted = load(&["--messages=7", "--milliseconds=3600000"]);
        assert_eq!(counted["statusCodeDistribution"]["200"], 7);
        assert_eq!(counted["summary"]["totalData"], 56);
        assert_eq!(counted["errorDistribution"], serde_json::json!({}));
        let timed = load(&["--milliseconds=50"]);
        assert!(timed["statusCodeDistribution"]["200"].as_u64() > Some(0), "{timed}");
    }
}
