//! Sends what an exchange says and listens to what comes, for a bounded time and number of bytes.

use std::io::{self, Write as _};
use std::net::{Shutdown, SocketAddr};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::allowed::Allowed;
use super::answers::{End, Heard, find};
use super::{Exchange, Part};
use crate::probe::client::Until;

/// Longest wait for what has to come. Servers answer within milliseconds; a machine may be busy, and other cases run at the same time.
const PATIENCE: Duration = Duration::from_secs(3);
/// How long more is awaited after the last answer that may come: another one would come at once.
const SETTLE: Duration = Duration::from_millis(250);
/// Longest time for sending; a server may stop reading.
const SENDING: Duration = Duration::from_secs(5);
/// Most bytes that are read.
const MOST: usize = 4 << 20;

/// Holds one conversation: what the server did, the bytes that came, and how long after the last byte that was sent the end of the
/// connection came or was given up. An error is one of the machine, or a server that accepts no
/// connection.
pub fn talk(address: SocketAddr, exchange: &Exchange) -> io::Result<(Heard, Vec<u8>, Duration)> {
    let mut stream = Until::connect(address, PATIENCE, SENDING)?;
    // A server may answer and close before everything was sent; then the rest cannot be sent, and what came is what counts.
    let _ = send(&mut stream, &exchange.send);
    let (allowed, methods, waits) = (&exchange.allow, &exchange.methods, exchange.wait_seconds.is_some());
    // What is allowed may still be followed by an answer too many; what can become so gets all the time that there is.
    let settles = |came: &[u8]| {
        let so_far = find(came, methods, End::Open);
        let may_become = |one: &Allowed| one.begins_with(&so_far.answers) && (!so_far.is_other || so_far.is_cut);
        let enough = !allowed.iter().any(may_become) || allowed.iter().any(|one| one.is(&so_far));
        match (waits, enough) {
            (true, _) => Duration::MAX,
            (false, true) => SETTLE,
            (false, false) => PATIENCE,
        }
    };
    let patience = exchange.wait_seconds.map_or(PATIENCE, Duration::from_secs);
    let sent = Instant::now();
    let mut received = Vec::new();
    let end = stream.lasting(patience).hear(&mut received, MOST, settles);
    Ok((find(&received, methods, end), received, sent.elapsed()))
}

fn send(stream: &mut Until, parts: &[Part]) -> io::Result<()> {
    let mut packet = Vec::new();
    for part in parts {
        match part {
            Part::Text(text) => packet.extend_from_slice(text.as_bytes()),
            Part::Repeat { repeat, times } => packet.extend_from_slice(repeat.repeat(*times).as_bytes()),
            Part::Pause { pause_ms } => {
                stream.write_all(&std::mem::take(&mut packet))?;
                sleep(Duration::from_millis(*pause_ms));
            }
            Part::Shut { .. } => {
                stream.write_all(&std::mem::take(&mut packet))?;
                stream.stream.shutdown(Shutdown::Write)?;
            }
        }
    }
    stream.write_all(&packet)
}
