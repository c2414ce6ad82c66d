//! What a server makes of a handler that panics. Each app's `GET /cpu` does, where it is asked for one number.

use std::io;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use super::Act::OnServer;
use super::Acts;
use crate::probe::Attempt;
use crate::probe::client::{Came, answered, ask};
use machine::interrupt;

/// Its cases.
pub const ACTS: Acts = &[
    ("handler-panics", OnServer(|server| once(server.address))),
    ("handler-panics-often", OnServer(|server| Ok(often(server.address)))),
];

/// `contract::Index::PANICS` of the apps.
pub const PATH: &str = "/cpu?n=999999";
/// Longest wait for an answer, or for the end of the connection.
pub const PATIENCE: Duration = Duration::from_secs(3);
/// Panics one after the other: more than there are workers, or threads of a pool of any default size on two cpus.
const OFTEN: usize = 200;
/// Longest time for all of them. A server that takes longer has shown nothing.
const ALL: Duration = Duration::from_secs(20);

fn panics() -> String {
    format!("GET {PATH} HTTP/1.1\r\nHost: localhost\r\n\r\n")
}

fn once(address: SocketAddr) -> io::Result<Attempt> {
    let (seen, came) = ask(address, panics().as_bytes(), PATIENCE)?;
    let attempt = match seen {
        Came::Status(400) => return Ok(has_no_such_request()),
        Came::Status(status @ 500..) => Attempt::new(true, format!("answers {status}")),
        Came::Status(status) => Attempt::new(false, format!("answers {status}, as if nothing had happened")),
        Came::Closed => Attempt::new(true, "closes the connection without a whole answer"),
        Came::Nothing => Attempt::new(
            false,
            format!("neither an answer nor an end within {} s", PATIENCE.as_secs()),
        ),
    };
    Ok(attempt.came(&came))
}

/// The reference is frozen, and refuses the number.
fn has_no_such_request() -> Attempt {
    Attempt::not_applicable("its app has no request whose handler panics")
}

fn often(address: SocketAddr) -> Attempt {
    let (began, mut made) = (Instant::now(), 0);
    while made < OFTEN && began.elapsed() < ALL && interrupt::check().is_ok() {
        let got = match ask(address, panics().as_bytes(), PATIENCE) {
            Ok((Came::Status(400), _)) => return has_no_such_request(),
            Ok((Came::Nothing, _)) => format!("after {made} panics, one more has neither an answer nor an end"),
            Err(error) => format!("takes no connection after {made} panics: {error}"),
            Ok(_) => {
                made += 1;
                continue;
            }
        };
        return Attempt::new(false, got);
    }
    let served = answered(address, false, PATIENCE);
    let got = match &served {
        Ok(_) => format!("serves others after {made} panics"),
        Err(error) => format!("after {made} panics another request is not answered: {error}"),
    };
    Attempt::new(served.is_ok(), got).unless_short(made < OFTEN)
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use super::*;
    use crate::probe::behaviour::fake;
    use model::probe::ProbeOutcome::{Failed, NotApplicable, Passed};

    /// Says this to each connection that has asked something, and closes it.
    fn says(reply: &'static [u8]) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let _ = stream.read(&mut [0; 1024]);
                let _ = stream.write_all(reply);
            }
        });
        address
    }

    #[test]
    fn a_panic_is_a_500_or_an_end() {
        let outcome = |address| once(address).unwrap().outcome;
        assert_eq!(outcome(says(b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n")), Passed);
        assert_eq!(outcome(says(b"")), Passed);
        assert_eq!(
            outcome(says(b"HTTP/1.1 400 No\r\nContent-Length: 0\r\n\r\n")),
            NotApplicable
        );
        // It answers 200 to everything.
        assert_eq!(outcome(fake::each_by_a_thread()), Failed);
        let silent = TcpListener::bind("127.0.0.1:0").unwrap();
        assert_eq!(outcome(silent.local_addr().unwrap()), Failed);
    }

    /// Its threads, three of them, die of panics one after the other.
    #[test]
    fn a_thread_that_dies_must_be_replaced() {
        static LEFT: AtomicUsize = AtomicUsize::new(3);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        thread::spawn(move || {
            let mut kept = Vec::new();
            for mut stream in listener.incoming().flatten() {
                let _ = stream.read(&mut [0; 1024]);
                if LEFT.load(Ordering::Relaxed) == 0 {
                    kept.push(stream); // accepted, and served by nobody
                } else {
                    LEFT.fetch_sub(1, Ordering::Relaxed);
                }
            }
        });
        let dying = often(address);
        assert_eq!(dying.outcome, Failed);
        assert!(dying.got.starts_with("after 3 panics"), "{}", dying.got);
        assert_eq!(often(fake::each_by_a_thread()).outcome, Passed);
    }
}
