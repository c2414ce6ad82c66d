//! Sends what an exchange says and listens to what comes, for a bounded time and number of bytes.

use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use super::allowed::{Allowed, End, Heard};
use super::{Exchange, Part};
use crate::probe::client::is_wait;

/// Longest wait for what has to come. Servers answer within milliseconds; a machine may be busy, and other cases run beside.
const PATIENCE: Duration = Duration::from_secs(3);
/// How long more is awaited after the last answer that may come: another one would come at once.
const SETTLE: Duration = Duration::from_millis(250);
/// Longest time for sending; a server may stop reading.
const SENDING: Duration = Duration::from_secs(5);
/// Most bytes that are read.
const MOST: usize = 4 << 20;
const CHUNK: usize = 64 << 10;

/// Holds one conversation: what the server did, and the bytes that came. An error is one of the machine, or a server that accepts no
/// connection.
pub fn talk(address: SocketAddr, exchange: &Exchange) -> io::Result<(Heard, Vec<u8>)> {
    let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_nodelay(true)?;
    stream.set_write_timeout(Some(PATIENCE))?;
    // A server may answer and close before everything was sent; then the rest cannot be sent, and what came is what counts.
    let _ = send(&stream, &exchange.send);
    listen(&stream, exchange)
}

fn send(mut stream: &TcpStream, parts: &[Part]) -> io::Result<()> {
    let until = Instant::now() + SENDING;
    let mut packet = Vec::new();
    for part in parts {
        match part {
            Part::Text(text) => packet.extend_from_slice(text.as_bytes()),
            Part::Repeat { repeat, times } => packet.extend_from_slice(repeat.repeat(*times).as_bytes()),
            Part::Pause { pause_ms } => {
                stream.write_all(&packet)?;
                packet.clear();
                std::thread::sleep(Duration::from_millis(*pause_ms));
            }
            Part::Shut { .. } => {
                stream.write_all(&packet)?;
                packet.clear();
                stream.shutdown(Shutdown::Write)?;
            }
        }
        if Instant::now() > until {
            return Err(io::ErrorKind::TimedOut.into());
        }
    }
    stream.write_all(&packet)
}

/// Reads until all is said: as many answers as may come and a while of silence, or the end of the connection.
fn listen(mut stream: &TcpStream, exchange: &Exchange) -> io::Result<(Heard, Vec<u8>)> {
    let allowed = &exchange.allow;
    let (mut received, mut chunk) = (Vec::new(), vec![0; CHUNK]);
    let (until, mut last) = (Instant::now() + PATIENCE, Instant::now());
    let end = loop {
        let now = Instant::now();
        let so_far = Heard::of(&received, &exchange.methods, End::Open);
        // What is allowed may still be followed by an answer too many; what can become so gets all the time that there is.
        let may_become = |one: &Allowed| one.begins_with(&so_far.answers) && (!so_far.is_other || so_far.is_cut);
        let enough =
            !allowed.iter().any(may_become) || !received.is_empty() && allowed.iter().any(|one| one.is(&so_far));
        let wait = if enough { (last + SETTLE).min(until) } else { until };
        if now >= wait || received.len() >= MOST {
            break End::Open;
        }
        stream.set_read_timeout(Some(wait - now))?;
        match stream.read(&mut chunk) {
            Ok(0) => break End::Closed,
            Ok(length) => {
                received.extend_from_slice(&chunk[..length]);
                last = Instant::now();
            }
            Err(error) if is_wait(&error) || error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => break End::Closed,
            Err(error) => return Err(error),
        }
    };
    Ok((Heard::of(&received, &exchange.methods, end), received))
}
