//! How a server starts and ends, and what clients that leave do to it.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use record::probe::ProbeFigure;

use super::Act;
use super::asked::{GET, answered};
use crate::failure::Failure;
use crate::interrupt;
use crate::probe::exchange::answers;
use crate::probe::{Attempt, Place};
use crate::server::{Launch, Server, StartError};

/// All cases of lifecycle.
pub const ACTS: &[(&str, Act)] = &[
    ("sigterm-busy", sigterm_busy),
    ("sigterm-half-body", sigterm_half_body),
    ("sigint", sigint),
    ("port-taken", port_taken),
    ("restart-same-port", restart),
    ("clients-leave-in-head", |place| {
        leave(place, b"GET / HTTP/1.1\r\nHost: lo")
    }),
    ("clients-leave-in-body", |place| leave(place, HALF_BODY)),
    ("clients-leave-after-request", |place| leave(place, GET)),
];

/// The contract's time to end on SIGTERM.
const END: Duration = Duration::from_secs(5);
/// Requests that are under way when the signal comes, and connections that wait.
const BUSY: usize = 50;
const IDLE: usize = 20;
/// From the requests to the signal: less than the 20 ms that the server sleeps.
const UNDER_WAY: Duration = Duration::from_millis(8);
const TIMED: &[u8] = b"POST /test/timed HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 19\r\n\r\n{\"payload\":\"world\"}";
const TIMED_ANSWER: &[u8] = b"{\"payload\":\"Hello, world\"}";
const HALF_BODY: &[u8] = b"POST /test/simple HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 38\r\n\r\n{\"payload\":\"world\"}";
/// Longest wait for bytes of a server that has ended.
const REST: Duration = Duration::from_millis(500);
/// Most bytes of an answer.
const MOST: u64 = 64 << 10;
/// Clients that leave.
const LEAVING: usize = 200;
/// How long the number of threads must not change before it is taken, and how long that is waited for.
const STILL: Duration = Duration::from_millis(300);
const SETTLING: Duration = Duration::from_secs(5);
/// Files and threads that a server may have opened for itself meanwhile. One leaked by each client would be [`LEAVING`].
const OWN_FILES: usize = 16;
const OWN_THREADS: usize = 64;
/// Longest time to give back what the clients held: tokio keeps a blocking thread that has nothing to do for 10 s.
const GIVE_BACK: Duration = Duration::from_secs(13);
/// Longest wait for room in the queue of connections.
const CONNECT: Duration = Duration::from_secs(3);

/// Sends `signal`, and says after what time the server ended, and how; `None` if it still runs after [`END`].
fn ends(server: &mut Server, signal: Signal) -> Result<Option<(Duration, String)>, Failure> {
    let began = Instant::now();
    kill(Pid::from_raw(server.pid()), signal).map_err(std::io::Error::from)?;
    while began.elapsed() < END {
        if let Some(reason) = server.exit_reason() {
            return Ok(Some((began.elapsed(), reason)));
        }
        interrupt::check()?;
        sleep(Duration::from_millis(1));
    }
    Ok(None)
}

fn told(end: Option<(Duration, String)>, signal: Signal) -> Attempt {
    match end {
        Some((after, how)) => {
            let ms = after.as_secs_f64() * 1e3;
            Attempt::new(true, format!("ended {ms:.0} ms after {signal}: {how}")).with(ProbeFigure::ExitAfterMs, ms)
        }
        None => Attempt::new(false, format!("still runs {} s after {signal}", END.as_secs())),
    }
}

fn sigterm_busy(place: &Place<'_>) -> Result<Attempt, Failure> {
    let mut server = place.start()?;
    // A server with few threads may keep fewer; it is not asked again for those.
    let idle: Vec<TcpStream> = (0..IDLE)
        .map_while(|_| answered(server.address(), false).ok())
        .collect();
    let mut busy = Vec::with_capacity(BUSY);
    for _ in 0..BUSY {
        busy.push(TcpStream::connect(server.address())?);
    }
    for stream in &mut busy {
        let _ = stream.write_all(TIMED);
    }
    sleep(UNDER_WAY);
    // One that has its answer is not under way.
    busy.retain(|stream| {
        let _ = stream.set_nonblocking(true);
        let waits = stream.peek(&mut [0]).is_err();
        let _ = stream.set_nonblocking(false);
        waits
    });
    let end = ends(&mut server, Signal::SIGTERM)?;
    let answers: Vec<Vec<u8>> = busy.iter_mut().map(rest).collect();
    let attempt = told(end, Signal::SIGTERM);
    let got = format!("{}, with {} connections idle", attempt.got, idle.len());
    Ok(judged(Attempt { got, ..attempt }, &answers))
}

/// What came until the end of the connection.
fn rest(stream: &mut TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = stream.set_read_timeout(Some(REST));
    let _ = stream.take(MOST).read_to_end(&mut bytes); // a reset ends it, too
    bytes
}

/// What a client holds an answer for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seen {
    /// The answer as it must be.
    Whole,
    /// Nothing, a part that shows to be one, or 503.
    Cut,
    /// A whole answer that is not the right one.
    Wrong,
}

fn seen(bytes: &[u8]) -> Seen {
    // The end of the connection is the end of an answer that declares none.
    match answers::find(bytes, &[], true).answers.first() {
        None => Seen::Cut,
        Some(answer) if answer.status == 503 => Seen::Cut,
        Some(answer) if answer.status == 200 && answer.body == TIMED_ANSWER => Seen::Whole,
        Some(_) => Seen::Wrong,
    }
}

fn judged(mut attempt: Attempt, answers: &[Vec<u8>]) -> Attempt {
    let count = |kind| answers.iter().filter(|bytes| seen(bytes) == kind).count();
    let (finished, cut, wrong) = (count(Seen::Whole), count(Seen::Cut), count(Seen::Wrong));
    attempt.got = format!(
        "{}; of {} requests {finished} finished, {cut} cut",
        attempt.got,
        answers.len()
    );
    if let Some(bytes) = answers.iter().find(|bytes| seen(bytes) == Seen::Wrong) {
        let got = format!("{}, {wrong} answered with something else", attempt.got);
        let figures = attempt.figures;
        attempt = Attempt::new(false, got).came(bytes);
        attempt.figures = figures;
    }
    attempt
        .with(ProbeFigure::Finished, finished as f64)
        .with(ProbeFigure::Cut, cut as f64)
}

fn sigterm_half_body(place: &Place<'_>) -> Result<Attempt, Failure> {
    let mut server = place.start()?;
    let mut stream = TcpStream::connect(server.address())?;
    stream.write_all(HALF_BODY)?;
    sleep(Duration::from_millis(50));
    let end = ends(&mut server, Signal::SIGTERM)?;
    Ok(no_success(told(end, Signal::SIGTERM), &rest(&mut stream)))
}

/// Half a body is no request, so a status 2xx is wrong.
fn no_success(attempt: Attempt, bytes: &[u8]) -> Attempt {
    if bytes.starts_with(b"HTTP/1.1 2") {
        let got = format!("{}, and answers a request of which half came", attempt.got);
        return Attempt::new(false, got).came(bytes);
    }
    attempt
}

fn sigint(place: &Place<'_>) -> Result<Attempt, Failure> {
    let mut server = place.start()?;
    let _idle = answered(server.address(), false);
    let end = ends(&mut server, Signal::SIGINT)?;
    Ok(told(end, Signal::SIGINT))
}

fn port_taken(place: &Place<'_>) -> Result<Attempt, Failure> {
    let taken = TcpListener::bind("127.0.0.1:0")?;
    let launch = Launch::Program(place.program);
    match Server::start_on(launch, &place.split.server, place.protocol, taken.local_addr()?) {
        Ok(_) => Ok(Attempt::new(false, "it serves on a port that is another's")),
        Err(StartError::Died(how) | StartError::DiedSoon(how)) => Ok(refused(&how)),
        Err(StartError::Silent) => Ok(Attempt::new(false, "it neither ends nor serves")),
        Err(error) => Err(error.into()),
    }
}

/// `how` is the exit status, and after it the lines that were said.
fn refused(how: &str) -> Attempt {
    let line = how.strip_prefix("exit status 2; it said: ");
    Attempt::new(line.is_some_and(|said| !said.contains(" · ")), how)
}

fn restart(place: &Place<'_>) -> Result<Attempt, Failure> {
    let server = place.start()?;
    let address = server.address();
    let held: Vec<TcpStream> = (0..IDLE).map_while(|_| answered(address, false).ok()).collect();
    // The server ends its connections first, and so its port is left with some that wait (TIME_WAIT).
    drop(server);
    let count = held.len();
    drop(held);
    match Server::start_on(
        Launch::Program(place.program),
        &place.split.server,
        place.protocol,
        address,
    ) {
        Ok(mut server) => {
            let got = format!("serves again on the port on which {count} connections were open");
            Ok(Attempt::new(true, got).and_still_answers(&mut server))
        }
        Err(StartError::Died(how) | StartError::DiedSoon(how)) => Ok(Attempt::new(false, how)),
        Err(StartError::Silent) => Ok(Attempt::new(false, "it neither ends nor serves")),
        Err(error) => Err(error.into()),
    }
}

fn leave(place: &Place<'_>, sent: &[u8]) -> Result<Attempt, Failure> {
    let mut server = place.start()?;
    // Threads and files that a first request opens are not leaked.
    drop(answered(server.address(), false));
    let pids = server.pids();
    settled(&|| entries(&pids, "task"))?;
    let attempt = left(server.address(), sent, &|| {
        (entries(&pids, "fd"), entries(&pids, "task"))
    })?;
    Ok(attempt.and_still_answers(&mut server))
}

/// Waits until a number has been the same for a while: a pool may still be starting its threads.
fn settled(number: &dyn Fn() -> usize) -> Result<(), Failure> {
    let (began, mut since, mut last) = (Instant::now(), Instant::now(), number());
    while since.elapsed() < STILL && began.elapsed() < SETTLING {
        interrupt::check()?;
        sleep(Duration::from_millis(20));
        let now = number();
        if now != last {
            (last, since) = (now, Instant::now());
        }
    }
    Ok(())
}

/// Entries of a folder of `/proc/PID`, of all processes.
pub(super) fn entries(pids: &[i32], folder: &str) -> usize {
    let count = |pid: &i32| std::fs::read_dir(format!("/proc/{pid}/{folder}")).map_or(0, Iterator::count);
    pids.iter().map(count).sum()
}

/// `held` says how many files and threads the server has.
fn left(address: SocketAddr, sent: &[u8], held: &dyn Fn() -> (usize, usize)) -> Result<Attempt, Failure> {
    let before = held();
    for count in 0..LEAVING {
        interrupt::check()?;
        let stream = TcpStream::connect_timeout(&address, CONNECT);
        let Ok(mut stream) = stream else {
            return Ok(Attempt::new(
                false,
                format!("takes no connection after {count} clients have left"),
            ));
        };
        let _ = stream.write_all(sent);
    }
    let began = Instant::now();
    let gave_back =
        |(files, threads): (usize, usize)| files <= before.0 + OWN_FILES && threads <= before.1 + OWN_THREADS;
    while !gave_back(held()) && began.elapsed() < GIVE_BACK {
        sleep(Duration::from_millis(20));
    }
    let after = held();
    let got = format!(
        "{LEAVING} clients left; open files {} before and {} after, threads {} and {}",
        before.0, after.0, before.1, after.1
    );
    Ok(Attempt::new(gave_back(after), got))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::probe::behaviour::fake;
    use record::probe::ProbeOutcome::{Failed, Passed};

    #[test]
    fn half_an_answer_must_show_to_be_one() {
        let whole = b"HTTP/1.1 200 OK\r\nContent-Length: 26\r\n\r\n{\"payload\":\"Hello, world\"}";
        let unframed = b"HTTP/1.1 200 OK\r\n\r\n{\"payload\":\"Hel";
        let chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1a\r\n{\"payload\":\"Hello, world\"}\r\n";
        for (bytes, kind) in [
            (&whole[..], Seen::Whole),
            (&whole[..50], Seen::Cut),
            (&whole[..20], Seen::Cut),
            (b"", Seen::Cut),
            (unframed, Seen::Wrong),
            (chunked, Seen::Cut),
            (&[chunked, &b"0\r\n\r\n"[..]].concat(), Seen::Whole),
            (b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n", Seen::Wrong),
            (b"HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n", Seen::Cut),
        ] {
            assert_eq!(seen(bytes), kind, "{}", bytes.escape_ascii());
        }
        let ended = || told(Some((UNDER_WAY, String::new())), Signal::SIGTERM);
        let cut = judged(ended(), &[whole.to_vec(), Vec::new()]);
        assert_eq!((cut.outcome, cut.figures[&ProbeFigure::Cut]), (Passed, 1.0));
        assert_eq!(judged(ended(), &[unframed.to_vec()]).outcome, Failed);
        assert_eq!(no_success(ended(), whole).outcome, Failed);
        assert_eq!(no_success(ended(), b"").outcome, Passed);
        assert_eq!(told(None, Signal::SIGTERM).outcome, Failed);
    }

    #[test]
    fn a_taken_port_is_refused_in_one_line() {
        assert_eq!(refused("exit status 2; it said: error: cannot listen").outcome, Passed);
        assert_eq!(refused("exit status 2; it said: a · b").outcome, Failed);
        assert_eq!(refused("exit status 2").outcome, Failed);
        assert_eq!(refused("exit status 101; it said: panicked").outcome, Failed);
    }

    #[test]
    fn what_clients_held_must_be_given_back() {
        let address = fake::each_by_a_thread();
        assert_eq!(left(address, GET, &|| (9, 3)).unwrap().outcome, Passed);
        let files = AtomicUsize::new(0);
        let leaks = || (files.fetch_add(100, Ordering::Relaxed), 3);
        assert_eq!(left(address, GET, &leaks).unwrap().outcome, Failed);
    }
}
