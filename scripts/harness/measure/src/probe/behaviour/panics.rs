//! What a server makes of a handler that panics. Each app's `GET /cpu` does, where it is asked for one number.

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use super::Act;
use super::asked::{Came, FIELDS, MOST, answered, ask, begin_http2, ends_stream, http2_request};
use super::until::is_wait;
use crate::failure::Failure;
use crate::interrupt;
use crate::probe::Attempt;

/// All cases of panics.
pub const ACTS: &[(&str, Act)] = &[
    ("handler-panics", |place| {
        let mut server = place.start()?;
        let attempt = Attempt::or_broken(once(server.address()))?;
        Ok(attempt.and_still_answers(&mut server))
    }),
    ("handler-panics-often", |place| {
        let mut server = place.start()?;
        let attempt = often(server.address())?;
        Ok(attempt.and_still_answers(&mut server))
    }),
    ("handler-panics-beside-others", |place| {
        let mut server = place.start()?;
        let attempt = Attempt::or_broken(beside(server.address()))?;
        Ok(attempt.and_still_answers(&mut server))
    }),
];

/// `contract::Index::PANICS` of the apps.
const PANICS: &[u8] = b"GET /cpu?n=999999 HTTP/1.1\r\nHost: localhost\r\n\r\n";
/// The same as HPACK.
const PANICS_FIELDS: &[u8] = b"\x82\x86\x04\x0d/cpu?n=999999\x41\x09localhost";
/// Longest wait for an answer, or for the end of the connection.
const PATIENCE: Duration = Duration::from_secs(3);
/// Panics one after the other: more than there are workers, or threads of a pool of any default size on two cpus.
const OFTEN: usize = 200;
/// Longest time for all of them. A server that takes longer has shown nothing.
const ALL: Duration = Duration::from_secs(20);

fn once(address: SocketAddr) -> io::Result<Attempt> {
    let (seen, came) = ask(address, PANICS, PATIENCE)?;
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

fn often(address: SocketAddr) -> Result<Attempt, Failure> {
    let (began, mut made) = (Instant::now(), 0);
    while made < OFTEN && began.elapsed() < ALL {
        interrupt::check()?;
        match ask(address, PANICS, PATIENCE) {
            Ok((Came::Status(400), _)) => return Ok(has_no_such_request()),
            Ok((Came::Nothing, _)) => {
                let got = format!("after {made} panics, one more has neither an answer nor an end");
                return Ok(Attempt::new(false, got));
            }
            Ok(_) => made += 1,
            Err(error) => {
                let got = format!("takes no connection after {made} panics: {error}");
                return Ok(Attempt::new(false, got));
            }
        }
    }
    let attempt = match answered(address, false) {
        Ok(_) => Attempt::new(true, format!("serves others after {made} panics")),
        Err(error) => Attempt::new(
            false,
            format!("after {made} panics another request is not answered: {error}"),
        ),
    };
    Ok(attempt.unless_short(made < OFTEN))
}

/// Two requests on one connection of HTTP/2, of which the first panics.
fn beside(address: SocketAddr) -> io::Result<Attempt> {
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut came = begin_http2(&mut stream)?;
    let requests = [http2_request(1, PANICS_FIELDS), http2_request(3, FIELDS)];
    stream.write_all(&requests.concat())?;
    let (began, mut buffer) = (Instant::now(), [0; 4096]);
    let mut closed = false;
    while !ends_stream(&came, 3) && !closed && came.len() < MOST && began.elapsed() < PATIENCE {
        match stream.read(&mut buffer) {
            Ok(count @ 1..) => came.extend_from_slice(&buffer[..count]),
            Ok(_) => closed = true,
            Err(error) => closed = !is_wait(&error),
        }
    }
    let attempt = match (ends_stream(&came, 3), closed) {
        (true, _) => Attempt::new(true, "the request beside it is answered"),
        (false, true) => Attempt::new(false, "the connection ends, and with it the request beside it"),
        (false, false) => Attempt::new(
            false,
            "the request beside it has no answer, and the connection stays open",
        ),
    };
    Ok(attempt.came(&came))
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use super::*;
    use crate::probe::behaviour::{fake, http2};
    use record::probe::ProbeOutcome::{Failed, NotApplicable, Passed};

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
        let dying = often(address).unwrap();
        assert_eq!(dying.outcome, Failed);
        assert!(dying.got.starts_with("after 3 panics"), "{}", dying.got);
        assert_eq!(often(fake::each_by_a_thread()).unwrap().outcome, Passed);
    }

    #[test]
    fn the_request_beside_a_panic_must_be_answered() {
        assert_eq!(beside(http2::server::start()).unwrap().outcome, Passed);
        assert_eq!(beside(fake::settings_only()).unwrap().outcome, Failed);
    }
}
