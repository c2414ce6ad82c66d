//! A request that comes in one packet with the preface.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};

use crate::failure::Failure;
use crate::probe::behaviour::Act;
use crate::probe::behaviour::asked::{FIELDS, PATIENCE, PREFACE, ends_stream, http2_request};
use crate::probe::behaviour::until::Until;
use crate::probe::{Attempt, Place};

/// Its case.
pub const ACTS: &[(&str, Act)] = &[("http2-preface-with-request", act)];

/// Most bytes that are read.
const MOST: usize = 64 << 10;

fn act(place: &Place<'_>) -> Result<Attempt, Failure> {
    let mut server = place.start()?;
    let attempt = Attempt::or_broken(ask(server.address()))?;
    Ok(attempt.and_still_answers(&mut server))
}

fn ask(address: SocketAddr) -> std::io::Result<Attempt> {
    let mut stream = Until::new(TcpStream::connect_timeout(&address, PATIENCE)?, PATIENCE);
    stream.write_all(&[PREFACE, &http2_request(1, FIELDS)].concat())?;
    let (mut came, mut buffer) = (Vec::new(), [0; 4096]);
    while !ends_stream(&came, 1) && came.len() < MOST {
        match stream.read(&mut buffer) {
            Ok(count @ 1..) => came.extend_from_slice(&buffer[..count]),
            Ok(_) => return Ok(Attempt::new(false, "it closed the connection without an answer").came(&came)),
            Err(_) => {
                let got = format!("no answer within {} s, after {} bytes", PATIENCE.as_secs(), came.len());
                return Ok(Attempt::new(false, got).came(&came));
            }
        }
    }
    Ok(Attempt::new(ends_stream(&came, 1), "it answered").came(&came))
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::thread;

    use super::*;
    use record::probe::ProbeOutcome;

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
            assert_eq!(ask(address).unwrap().outcome, outcome);
            server.join().unwrap();
        }
    }
}
