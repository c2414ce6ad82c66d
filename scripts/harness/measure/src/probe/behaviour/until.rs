//! Reading that ends at a moment, however little comes at a time. A timeout for each read alone is none: a server that sends a byte
//! before each of them is over is listened to without end.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// A stream that gives up at a moment.
#[derive(Debug)]
pub struct Until {
    stream: TcpStream,
    until: Instant,
}

impl Until {
    /// For so long.
    pub fn new(stream: TcpStream, patience: Duration) -> Self {
        let until = Instant::now() + patience;
        Self { stream, until }
    }

    fn left(&self) -> io::Result<Duration> {
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            Err(ErrorKind::TimedOut.into())
        } else {
            Ok(left)
        }
    }
}

impl Read for Until {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(Some(self.left()?))?;
        self.stream.read(buffer)
    }
}

impl Write for Until {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(Some(self.left()?))?;
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// Whether nothing came in the time that there was.
pub fn is_wait(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

/// What came up to a moment, `most` bytes or the end of the connection, and whether it ended. A reset ends it, too.
pub fn rest(stream: &mut TcpStream, until: Instant, most: usize) -> (Vec<u8>, bool) {
    let (mut came, mut part) = (Vec::new(), [0; 4096]);
    // What is there already is read even when the time is over.
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let _ = stream.set_read_timeout(Some(left.max(Duration::from_millis(1))));
        match stream.read(&mut part) {
            Ok(0) => return (came, true),
            Ok(some) => came.extend(&part[..some]),
            Err(error) if is_wait(&error) => return (came, false),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return (came, true),
        }
        if came.len() >= most {
            return (came, false);
        }
        if left.is_zero() {
            return (came, false);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    /// A server that sends a byte every 20 ms, up to five seconds.
    fn dripping() -> TcpStream {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            for _ in 0..250 {
                if stream.write_all(b"x").is_err() {
                    return;
                }
                thread::sleep(Duration::from_millis(20));
            }
        });
        TcpStream::connect(address).unwrap()
    }

    #[test]
    fn a_server_that_drips_gets_no_more_than_its_time() {
        let mut stream = Until::new(dripping(), Duration::from_millis(200));
        let mut came = Vec::new();
        assert!(is_wait(&stream.read_to_end(&mut came).unwrap_err()));
        assert!(!came.is_empty() && came.len() < 100, "{} bytes", came.len());
        let (came, ended) = rest(&mut dripping(), Instant::now() + Duration::from_millis(200), 4096);
        assert!(!came.is_empty() && came.len() < 100 && !ended, "{} bytes", came.len());
    }
}
