//! Measures a link: round trips of single bytes, then as much as a connection carries in each direction.

use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::time::{Duration, Instant};

/// Round trips that are timed.
const ROUND_TRIPS: usize = 100;
/// How long each direction is filled.
const FILLED_FOR: Duration = Duration::from_millis(400);
/// Bytes that are written at once.
const CHUNK: usize = 64 << 10;
/// Longest wait for the other side.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// The harness's side: the round-trip times in microseconds, and the megabits per second that came.
pub fn measure(listener: &TcpListener) -> io::Result<(Vec<f64>, f64)> {
    let mut stream = prepared(listener.accept()?.0)?;
    let mut times = Vec::new();
    for _ in 0..ROUND_TRIPS {
        let sent = Instant::now();
        stream.write_all(&[0])?;
        stream.read_exact(&mut [0])?;
        times.push(sent.elapsed().as_secs_f64() * 1e6);
    }
    fill(&mut stream)?;
    Ok((times, receive(&mut stream)?))
}

/// The agent's side: the megabits per second that came.
#[cfg(feature = "program")]
pub(crate) fn answer(stream: TcpStream) -> io::Result<f64> {
    let mut stream = prepared(stream)?;
    let mut byte = [0];
    for _ in 0..ROUND_TRIPS {
        stream.read_exact(&mut byte)?;
        stream.write_all(&byte)?;
    }
    let mbit = receive(&mut stream)?;
    fill(&mut stream)?;
    Ok(mbit)
}

fn prepared(stream: TcpStream) -> io::Result<TcpStream> {
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    Ok(stream)
}

/// Sends as much as the link takes for a while, and then its end.
fn fill(stream: &mut TcpStream) -> io::Result<()> {
    let (chunk, began) = (vec![0; CHUNK], Instant::now());
    while began.elapsed() < FILLED_FOR {
        stream.write_all(&chunk)?;
    }
    stream.shutdown(Shutdown::Write)
}

/// Megabits per second up to the end of what the other side sends. The first bytes only start the clock.
fn receive(stream: &mut TcpStream) -> io::Result<f64> {
    let mut chunk = vec![0; CHUNK];
    if stream.read(&mut chunk)? == 0 {
        return Ok(0.0);
    }
    let (began, mut received) = (Instant::now(), 0);
    loop {
        match stream.read(&mut chunk)? {
            0 => return Ok(received as f64 * 8e-6 / began.elapsed().as_secs_f64()),
            length => received += length,
        }
    }
}
