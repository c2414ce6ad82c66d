//! What a server makes of a handler that panics. Each app's `GET /cpu` does, where it is asked for one number.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use super::Act;
use super::asked::{FIELDS, answered, begin_http2, ends_stream, http2_request};
use crate::failure::Failure;
use crate::interrupt;
use crate::probe::Attempt;
use crate::probe::exchange::answers;

/// All cases of panics.
pub const ACTS: &[(&str, Act)] = &[
    ("handler-panics", |place| {
        let mut server = place.start()?;
        let attempt = once(server.address())?;
        Ok(attempt.and_still_answers(&mut server))
    }),
    ("handler-panics-often", |place| {
        let mut server = place.start()?;
        let attempt = often(server.address())?;
        Ok(attempt.and_still_answers(&mut server))
    }),
    ("handler-panics-beside-others", |place| {
        let mut server = place.start()?;
        let attempt = beside(server.address())?;
        Ok(attempt.and_still_answers(&mut server))
    }),
];

/// `contract::Index::PANICS` of the apps.
const PANICS: &[u8] = b"GET /cpu?n=999999 HTTP/1.1\r\nHost: localhost\r\n\r\n";
/// The same as HPACK.
const PANICS_FIELDS: &[u8] = b"\x82\x86\x04\x0d/cpu?n=999999\x41\x09localhost";
/// Longest wait for an answer, or for the end of the connection.
const PATIENCE: Duration = Duration::from_secs(3);
/// Most bytes that are read.
const MOST: usize = 64 << 10;
/// Panics one after the other: more than there are workers, or threads of a pool of any default size on two cpus.
const OFTEN: usize = 200;

/// What came of a request whose handler panics.
#[derive(Debug, PartialEq)]
enum Seen {
    Status(u16),
    Closed,
    Nothing,
}

/// One such request on a connection of its own, and what came.
fn ask(address: SocketAddr) -> std::io::Result<(Seen, Vec<u8>)> {
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let began = Instant::now();
    let (mut came, mut buffer) = (Vec::new(), [0; 4096]);
    if stream.write_all(PANICS).is_err() {
        return Ok((Seen::Closed, came));
    }
    while came.len() < MOST && began.elapsed() < PATIENCE {
        match stream.read(&mut buffer) {
            Ok(count @ 1..) => came.extend_from_slice(&buffer[..count]),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => break,
            Ok(_) | Err(_) => return Ok((Seen::Closed, came)),
        }
        if let Some(answer) = answers::find(&came, &[], false).answers.first() {
            return Ok((Seen::Status(answer.status), came));
        }
    }
    Ok((Seen::Nothing, came))
}

fn once(address: SocketAddr) -> Result<Attempt, Failure> {
    let (seen, came) = ask(address)?;
    let attempt = match seen {
        Seen::Status(400) => return Ok(has_no_such_request()),
        Seen::Status(status @ 500..) => Attempt::new(true, format!("answers {status}")),
        Seen::Status(status) => Attempt::new(false, format!("answers {status}, as if nothing had happened")),
        Seen::Closed => Attempt::new(true, "closes the connection without a whole answer"),
        Seen::Nothing => Attempt::new(
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
    for count in 0..OFTEN {
        interrupt::check()?;
        match ask(address) {
            Ok((Seen::Status(400), _)) => return Ok(has_no_such_request()),
            Ok((Seen::Nothing, _)) => {
                let got = format!("after {count} panics, one more has neither an answer nor an end");
                return Ok(Attempt::new(false, got));
            }
            Ok(_) => {}
            Err(error) => {
                let got = format!("takes no connection after {count} panics: {error}");
                return Ok(Attempt::new(false, got));
            }
        }
    }
    Ok(match answered(address, false) {
        Ok(_) => Attempt::new(true, format!("serves others after {OFTEN} panics")),
        Err(error) => Attempt::new(
            false,
            format!("after {OFTEN} panics another request is not answered: {error}"),
        ),
    })
}

/// Two requests on one connection of HTTP/2, of which the first panics.
fn beside(address: SocketAddr) -> Result<Attempt, Failure> {
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
            Err(error) => closed = !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut),
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
