//! Requests by frames of HTTP/2: one that comes at once, and one next to a handler that panics.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use super::Act::OnServer;
use super::{Acts, panics};
use crate::probe::Attempt;
use crate::probe::client::{Came, PATIENCE, PREFACE, Until, http2_get};

/// Its cases.
pub const ACTS: Acts = &[
    (
        "http2-preface-with-request",
        OnServer(|server| with_preface(server.address)),
    ),
    (
        "handler-panics-beside-others",
        OnServer(|server| next_to_panic(server.address)),
    ),
];

/// A request in one packet with the preface.
fn with_preface(address: SocketAddr) -> io::Result<Attempt> {
    let mut stream = Until::connect(address, PATIENCE, PATIENCE)?;
    let mut came = Vec::new();
    let frames = [PREFACE, &http2_get(1, "/")].concat();
    let attempt = match stream.ask_http2(&frames, 1, &mut came)? {
        Came::Status(_) => Attempt::new(true, "it answered"),
        Came::Closed => Attempt::new(false, "it closed the connection without an answer"),
        Came::Nothing => Attempt::new(
            false,
            format!("no answer within {} s, after {} bytes", PATIENCE.as_secs(), came.len()),
        ),
    };
    Ok(attempt.came(&came))
}

/// Two requests on one connection, of which the first panics.
fn next_to_panic(address: SocketAddr) -> io::Result<Attempt> {
    // The server's SETTINGS take a moment, too.
    let mut stream = Until::connect(address, panics::PATIENCE, panics::PATIENCE + Duration::from_secs(1))?;
    let mut came = stream.begin_http2()?;
    let requests = [http2_get(1, panics::PATH), http2_get(3, "/")];
    let attempt = match stream.ask_http2(&requests.concat(), 3, &mut came)? {
        Came::Status(_) => Attempt::new(true, "the other request is answered"),
        Came::Closed => Attempt::new(false, "the connection ends, and with it the other request"),
        Came::Nothing => Attempt::new(false, "the other request has no answer, and the connection stays open"),
    };
    Ok(attempt.came(&came))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::net::TcpListener;
    use std::thread;

    use super::*;
    use crate::probe::behaviour::{fake, http2_server};
    use model::probe::ProbeOutcome;

    #[test]
    fn an_answer_must_come() {
        // SETTINGS, then HEADERS that end stream 1 with `:status: 200`.
        for (said, outcome) in [
            (
                &b"\0\0\0\x04\0\0\0\0\0\0\0\x01\x01\x05\0\0\0\x01\x88"[..],
                ProbeOutcome::Passed,
            ),
            (b"\0\0\0\x04\0\0\0\0\0", ProbeOutcome::Failed),
        ] {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let address = listener.local_addr().unwrap();
            let server = thread::spawn(move || {
                let (mut stream, _) = listener.accept().unwrap();
                stream.write_all(said).unwrap();
                // Until the client is gone.
                let _ = std::io::copy(&mut stream, &mut std::io::sink());
            });
            assert_eq!(with_preface(address).unwrap().outcome, outcome);
            server.join().unwrap();
        }
    }

    #[test]
    fn the_request_next_to_a_panic_must_be_answered() {
        assert_eq!(
            next_to_panic(http2_server::start()).unwrap().outcome,
            ProbeOutcome::Passed
        );
        assert_eq!(
            next_to_panic(fake::settings_only()).unwrap().outcome,
            ProbeOutcome::Failed
        );
    }
}
