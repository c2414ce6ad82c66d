//! How a server starts, and what clients that leave do to it.

use std::io::Write as _;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::Act;
use super::asked::{GET, answered, answered_many};
use super::signals::HALF_BODY;
use crate::failure::Failure;
use crate::interrupt;
use crate::probe::{Attempt, Place};
use crate::server::{Launch, Server, StartError};

/// All cases of lifecycle.
pub const ACTS: &[(&str, Act)] = &[
    ("port-taken", port_taken),
    ("restart-same-port", restart),
    ("clients-leave-in-head", |place| {
        leave(place, b"GET / HTTP/1.1\r\nHost: lo")
    }),
    ("clients-leave-in-body", |place| leave(place, HALF_BODY)),
    ("clients-leave-after-request", |place| leave(place, GET)),
];

/// Connections that wait when the server ends that is started again.
const IDLE: usize = 20;
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

fn port_taken(place: &Place<'_>) -> Result<Attempt, Failure> {
    let taken = TcpListener::bind("127.0.0.1:0")?;
    let launch = Launch::alone(place.program);
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
    let held = answered_many(address, IDLE);
    // The server ends its connections first, and so its port is left with some that wait (TIME_WAIT).
    drop(server);
    let count = held.len();
    drop(held);
    match Server::start_on(
        Launch::alone(place.program),
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
