//! Checks that a server follows `WORKERS`, and that sleeping and hashing do not block a worker.
//!
//! Nothing here depends on milliseconds: threads are counted, the order of answers is compared, and the one time limit is
//! twenty times the usual duration. Checks that a busy machine can disturb are repeated.

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use model::Part;
use model::scenario::Protocol;

use crate::contract::{Client, Scope, Symptom, Violation};
use crate::failure::Failure;
use crate::server::{Launch, Server};
use machine::interrupt;
use machine::program::Program;

/// Checks one demand on a program that runs on these cpus.
type Proof = fn(&Program, &[u32]) -> Result<(), Failure>;

/// The demands on servers of a part of the contract, and what each is about: only the plain one has the endpoints that show how workers are
/// used.
pub(super) fn proofs(part: Part) -> Vec<(Scope, Proof)> {
    match part {
        Part::Plain => vec![
            (Scope::Server, follows_workers),
            (Scope::Endpoint("/test/bcrypt"), |program, cpus| {
                hashes_elsewhere(start(program, cpus, 1)?.address)
            }),
            (Scope::Endpoint("/test/timed"), |program, cpus| {
                sleeps_without_blocking(start(program, cpus, 1)?.address)
            }),
        ],
        // Without its database one does not start here.
        Part::Database => Vec::new(),
        Part::Services => vec![(Scope::Server, follows_workers)],
    }
}

/// Longest time for one answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// Attempts at a check that a busy machine can disturb.
const ATTEMPTS: u32 = 3;
const BODY: &str = r#"{"payload":"world"}"#;

/// Connections over which threads are counted.
const CONNECTIONS: usize = 8;
/// `WORKERS` with which there must be more threads than with one.
const MORE_WORKERS: usize = 3;
/// How long the number of threads must stay the same to count as final.
const STEADY: Duration = Duration::from_millis(50);
/// Longest wait for the number of threads.
const THREADS: Duration = Duration::from_secs(2);
/// Pause between two counts.
const PAUSE: Duration = Duration::from_millis(5);

/// Hashes that are requested at once, before `GET /`.
const HASHES: usize = 6;
/// Hashes that may be answered before `GET /`. A worker that computes them itself answers all of them first; one that hands
/// them over usually none.
const HASHES_BEFORE: usize = HASHES / 2;

/// Requests of `/test/timed` that are sent at once.
const SLEEPERS: usize = 50;
/// Longest time for all of them, half of what they sleep one after the other.
const SLEEPS: Duration = Duration::from_millis(20 * SLEEPERS as u64 / 2);

fn start(program: &Program, cpus: &[u32], workers: usize) -> Result<Server, Failure> {
    Server::start(Launch::WithWorkers(program, workers), cpus, Protocol::Http1)
}

/// More `WORKERS` must mean more threads after the same requests. Servers that start a thread for each connection have no
/// workers to count and pass.
pub fn follows_workers(program: &Program, cpus: &[u32]) -> Result<(), Failure> {
    let one = start(program, cpus, 1)?;
    let idle = steady_threads(&one)?;
    let kept = greet(&one)?;
    let few = steady_threads(&one)?;
    // Fewer than one for each: a thread whose connection has ended takes the next.
    if few >= idle + CONNECTIONS / 2 {
        return Ok(());
    }
    drop((kept, one));
    let more = start(program, cpus, MORE_WORKERS)?;
    let _kept = greet(&more)?;
    let until = Instant::now() + THREADS;
    let mut many = threads(&more)?;
    while many <= few && Instant::now() < until {
        interrupt::check()?;
        std::thread::sleep(PAUSE);
        many = threads(&more)?;
    }
    if many > few {
        return Ok(());
    }
    let expected = format!("more threads than the {few} of WORKERS=1");
    Err(Violation::wrong(format!("WORKERS={MORE_WORKERS}"), expected, many.to_string()).into())
}

/// Sends `GET /` over a few connections, and keeps them open.
fn greet(server: &Server) -> Result<Vec<Client>, Failure> {
    let greet = |_| {
        interrupt::check()?;
        greeted(server.address)
    };
    (0..CONNECTIONS).map(greet).collect()
}

fn greeted(address: SocketAddr) -> Result<Client, Failure> {
    let client = Client::new(address, Protocol::Http1)?;
    client.get("/")?.expect_status(200)?;
    Ok(client)
}

fn threads(server: &Server) -> io::Result<usize> {
    Ok(std::fs::read_dir(format!("/proc/{}/task", server.pid))?.count())
}

/// The number of threads, once it no longer changes: some servers start theirs after the first answer.
fn steady_threads(server: &Server) -> Result<usize, Failure> {
    let began = Instant::now();
    let (mut count, mut since) = (threads(server)?, began);
    while since.elapsed() < STEADY && began.elapsed() < THREADS {
        interrupt::check()?;
        std::thread::sleep(PAUSE);
        let now = threads(server)?;
        if now != count {
            (count, since) = (now, Instant::now());
        }
    }
    Ok(count)
}

/// While hashes are computed, the only worker of the server at `address` must answer other requests.
pub fn hashes_elsewhere(address: SocketAddr) -> Result<(), Failure> {
    let mut before = 0;
    for _ in 0..ATTEMPTS {
        let hashes = connect(address, HASHES)?;
        let other = greeted(address)?;
        send("/test/bcrypt", &hashes)?;
        other.get("/")?.expect_status(200)?;
        before = 0;
        for hash in &hashes {
            before += usize::from(has_answer(hash)?);
        }
        receive("/test/bcrypt", &hashes)?;
        if before <= HASHES_BEFORE {
            return Ok(());
        }
    }
    Err(Violation::wrong(
        format!("GET / after {HASHES} of POST /test/bcrypt at once with WORKERS=1"),
        "its answer before the hashes are done, because they do not run on the worker",
        format!("it after {before} of them"),
    )
    .into())
}

/// Requests that sleep at the same time must end at the same time, on a server with one worker.
pub fn sleeps_without_blocking(address: SocketAddr) -> Result<(), Failure> {
    let mut took = Duration::ZERO;
    for _ in 0..ATTEMPTS {
        let sleepers = connect(address, SLEEPERS)?;
        let began = Instant::now();
        send("/test/timed", &sleepers)?;
        receive("/test/timed", &sleepers)?;
        took = began.elapsed();
        if took < SLEEPS {
            return Ok(());
        }
    }
    let longest = SLEEPS.as_millis();
    Err(Violation::wrong(
        format!("POST /test/timed {SLEEPERS} times at once with WORKERS=1"),
        format!("all answers within {longest} ms, because a worker that waits serves others"),
        format!("them after {} ms", took.as_millis()),
    )
    .into())
}

/// Connections for one request each, whose answers may be read later.
fn connect(address: SocketAddr, count: usize) -> Result<Vec<TcpStream>, Failure> {
    interrupt::check()?;
    let open = || {
        let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        Ok(stream)
    };
    let silence = |error: io::Error| Violation::silence("a connection", "to be accepted", error.to_string());
    (0..count).map(|_| Ok(open().map_err(silence)?)).collect()
}

/// Sends a request over each.
fn send(path: &str, connections: &[TcpStream]) -> Result<(), Violation> {
    let text = format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{BODY}",
        BODY.len()
    );
    let mut connections = connections.iter();
    let sent = connections.try_for_each(|mut connection| connection.write_all(text.as_bytes()));
    sent.map_err(|error| silence(path, error.to_string()))
}

/// Reads the beginning of each answer, which must be a 200.
fn receive(path: &str, connections: &[TcpStream]) -> Result<(), Violation> {
    for mut connection in connections {
        let mut begin = *b"HTTP/1.1 200";
        let read = connection.read_exact(&mut begin);
        read.map_err(|error| silence(path, error.to_string()))?;
        let begin = String::from_utf8_lossy(&begin);
        let status: Option<u16> = begin.split(' ').nth(1).and_then(|status| status.parse().ok());
        let got = status.map_or("no status".to_owned(), |status| format!("status {status}"));
        if status != Some(200) {
            let symptom = status.map_or(Symptom::Silence, Symptom::from_status);
            return Err(Violation {
                symptom,
                ..silence(path, got)
            });
        }
    }
    Ok(())
}

/// Whether an unread answer, or the end of the connection, has arrived.
fn has_answer(connection: &TcpStream) -> io::Result<bool> {
    connection.set_nonblocking(true)?;
    let seen = connection.peek(&mut [0]);
    connection.set_nonblocking(false)?;
    Ok(!seen.is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock))
}

fn silence(path: &str, got: String) -> Violation {
    Violation::silence(format!("POST {path}"), "status 200", got)
}
