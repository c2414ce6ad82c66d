//! Fills a connection for a while, and receives what fills it. Both sides of a link do both.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Instant;

use crate::words::FILLED_FOR;

/// Size of what is written at once.
const PIECE: usize = 64 << 10;

/// Bytes up to the end of what the other side sends, and the seconds from the first to the last.
pub fn receive(stream: &mut TcpStream) -> io::Result<(u64, f64)> {
    let mut piece = vec![0; PIECE];
    let (mut received, mut began) = (0, None);
    loop {
        let length = stream.read(&mut piece)?;
        if length == 0 {
            let seconds = began.map_or(0.0, |began: Instant| began.elapsed().as_secs_f64());
            return Ok((received, seconds));
        }
        // The first bytes tell when the others began.
        match began {
            None => began = Some(Instant::now()),
            Some(_) => received += length as u64,
        }
    }
}

/// Sends as much as the link takes for a while, and then its end.
pub fn fill(stream: &mut TcpStream) -> io::Result<()> {
    let piece = vec![0; PIECE];
    let began = Instant::now();
    while began.elapsed() < FILLED_FOR {
        stream.write_all(&piece)?;
    }
    stream.shutdown(Shutdown::Write)
}
