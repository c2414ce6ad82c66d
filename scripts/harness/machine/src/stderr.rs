//! What a child writes to stderr: read as it writes it, so that it fills no disk, and only its end is kept.
//!
//! A child that has written more than it may is not read any further: once the pipe is full, it waits, and takes no more time
//! from anybody.

use std::io::{self, PipeReader, PipeWriter, Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

/// Bytes from the end that are kept.
const LAST: usize = 16 * 1024;
/// Bytes that are read at once, and reads that empty a pipe, which holds 64 KiB.
const CHUNK: usize = 8 * 1024;
const READS: usize = 64 * 1024 / CHUNK;

/// A line on this process's own stderr. Where that is full or closed, nobody reads it, and nothing else changes.
pub fn tell(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// The stderr of one child.
#[derive(Debug)]
pub struct Stderr {
    pipe: PipeReader,
    heard: Mutex<Heard>,
}

#[derive(Debug)]
struct Heard {
    last: Vec<u8>,
    bytes: u64,
    most: u64,
}

impl Stderr {
    /// A new one, and the end of it that a child writes to. A thread of its own reads it, and sleeps until the child writes.
    pub fn new() -> io::Result<(Arc<Self>, PipeWriter)> {
        let (pipe, writer) = io::pipe()?;
        fcntl(&pipe, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
        let heard = Mutex::new(Heard {
            last: Vec::new(),
            bytes: 0,
            most: u64::MAX,
        });
        let stderr = Arc::new(Self { pipe, heard });
        let reader = Arc::clone(&stderr);
        thread::Builder::new().name("stderr".into()).spawn(move || {
            while reader.read() {
                let _ = poll(
                    &mut [PollFd::new(reader.pipe.as_fd(), PollFlags::POLLIN)],
                    PollTimeout::NONE,
                );
            }
        })?;
        Ok((stderr, writer))
    }

    /// Lets the child write at most this many bytes.
    pub fn allow(&self, most: u64) {
        self.heard().most = most;
    }

    /// Whether it has written more than it may.
    pub fn is_too_long(&self) -> bool {
        let heard = self.heard();
        heard.bytes > heard.most
    }

    /// The end of what it wrote up to now.
    pub fn tail(&self) -> String {
        // The thread may not have had its turn; a child that has ended has written all of this.
        let _ = (0..READS).all(|_| self.read());
        String::from_utf8_lossy(&self.heard().last).trim().to_owned()
    }

    fn heard(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads what is there, once; `false` if nothing more will be read.
    fn read(&self) -> bool {
        let mut heard = self.heard();
        let mut chunk = [0; CHUNK];
        if heard.bytes > heard.most {
            return false;
        }
        match (&self.pipe).read(&mut chunk) {
            Ok(0) => return false,
            Ok(count) => {
                heard.bytes += count as u64;
                heard.last.extend_from_slice(&chunk[..count]);
                let surplus = heard.last.len().saturating_sub(LAST);
                heard.last.drain(..surplus);
            }
            Err(error) => return matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted),
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn the_end_is_kept_and_the_rest_is_read_away() {
        let (stderr, mut writer) = Stderr::new().unwrap();
        // Much more than a pipe holds.
        for _ in 0..1000 {
            writer.write_all(&[b'x'; 1000]).unwrap();
        }
        write!(writer, " the end ").unwrap();
        drop(writer);
        let until = Instant::now() + Duration::from_secs(30);
        while !stderr.tail().ends_with("x the end") {
            assert!(Instant::now() < until, "{}", stderr.tail());
        }
        assert!(stderr.tail().len() <= LAST && !stderr.is_too_long());
        assert!(stderr.heard().last.capacity() < 1 << 20);
    }

    #[test]
    fn who_writes_too_much_is_not_read_any_further() {
        let (stderr, mut writer) = Stderr::new().unwrap();
        stderr.allow(100_000);
        fcntl(&writer, FcntlArg::F_SETFL(OFlag::O_NONBLOCK)).unwrap();
        let until = Instant::now() + Duration::from_secs(30);
        while !stderr.is_too_long() {
            assert!(Instant::now() < until);
            let _ = writer.write(&[b'x'; 1000]);
        }
        let full = |writer: &mut PipeWriter| writer.write(&[b'x'; 1000]).is_err();
        while !full(&mut writer) {}
        thread::sleep(Duration::from_millis(50));
        assert!(full(&mut writer), "nobody reads");
        assert!(stderr.heard().bytes < 100_000 + CHUNK as u64 + 1);
    }
}
