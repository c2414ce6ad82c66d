//! What children write to stderr: read as they write it, so that it fills no disk, and only its end is kept.
//!
//! One thread reads for all children, and sleeps until one of them writes. A child that has written more than it may is not read
//! any further: once the pipe is full, it waits, and takes no more time from anybody.

use std::collections::BTreeMap;
use std::io::{self, PipeReader, PipeWriter, Read as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::thread;

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};

/// Bytes from the end that are kept.
const LAST: usize = 16 * 1024;
/// Bytes that are read at once.
const CHUNK: usize = 8 * 1024;
/// Reads that empty a pipe, which holds 64 KiB.
const READS: usize = 64 * 1024 / CHUNK;

/// The stderr of one child.
#[derive(Debug)]
pub struct Stderr {
    number: u64,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
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
    /// A new one, and the end of it that a child writes to.
    pub fn new() -> io::Result<(Self, PipeWriter)> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let (pipe, writer) = io::pipe()?;
        fcntl(&pipe, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
        let heard = Mutex::new(Heard {
            last: Vec::new(),
            bytes: 0,
            most: u64::MAX,
        });
        let shared = Arc::new(Shared { pipe, heard });
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        Reader::get()?.add(number, &shared)?;
        Ok((Self { number, shared }, writer))
    }

    /// Lets the child write at most this many bytes.
    pub fn allow(&self, most: u64) {
        self.shared.heard().most = most;
    }

    /// Whether it has written more than it may.
    pub fn is_too_long(&self) -> bool {
        self.shared.heard().is_too_long()
    }

    /// The end of what it wrote up to now.
    pub fn tail(&self) -> String {
        // The thread may not have had its turn; a child that has ended has written all of this.
        let _ = (0..READS).all(|_| self.shared.read());
        let heard = self.shared.heard();
        let from = heard.last.len().saturating_sub(LAST);
        String::from_utf8_lossy(&heard.last[from..]).trim().to_owned()
    }
}

impl Drop for Stderr {
    fn drop(&mut self) {
        if let Ok(reader) = Reader::get() {
            reader.remove(self.number, &self.shared);
        }
    }
}

impl Heard {
    fn is_too_long(&self) -> bool {
        self.bytes > self.most
    }
}

impl Shared {
    fn heard(&self) -> std::sync::MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads what is there, once; `false` if nothing more will be read.
    fn read(&self) -> bool {
        let mut heard = self.heard();
        if heard.is_too_long() {
            return false;
        }
        let mut chunk = [0; CHUNK];
        match (&self.pipe).read(&mut chunk) {
            Ok(0) => false,
            Ok(count) => {
                heard.bytes += count as u64;
                heard.last.extend_from_slice(&chunk[..count]);
                let surplus = heard.last.len().saturating_sub(LAST);
                heard.last.drain(..surplus);
                !heard.is_too_long()
            }
            Err(error) => matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted),
        }
    }
}

/// The thread that reads, and what it reads from.
struct Reader {
    epoll: Epoll,
    pipes: Mutex<BTreeMap<u64, Weak<Shared>>>,
}

impl Reader {
    fn get() -> io::Result<&'static Self> {
        static READER: OnceLock<Reader> = OnceLock::new();
        if let Some(reader) = READER.get() {
            return Ok(reader);
        }
        let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC)?;
        let mut is_new = false;
        let reader = READER.get_or_init(|| {
            is_new = true;
            let pipes = Mutex::default();
            Self { epoll, pipes }
        });
        if is_new {
            thread::Builder::new().name("stderr".into()).spawn(|| reader.run())?;
        }
        Ok(reader)
    }

    fn add(&self, number: u64, shared: &Arc<Shared>) -> io::Result<()> {
        self.pipes().insert(number, Arc::downgrade(shared));
        Ok(self
            .epoll
            .add(&shared.pipe, EpollEvent::new(EpollFlags::EPOLLIN, number))?)
    }

    fn remove(&self, number: u64, shared: &Shared) {
        let _ = self.epoll.delete(&shared.pipe); // it may have been removed at its end
        self.pipes().remove(&number);
    }

    fn pipes(&self) -> std::sync::MutexGuard<'_, BTreeMap<u64, Weak<Shared>>> {
        self.pipes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) {
        let mut events = [EpollEvent::empty(); 16];
        loop {
            let count = self.epoll.wait(&mut events, EpollTimeout::NONE).unwrap_or(0); // a signal
            for event in &events[..count] {
                let shared = self.pipes().get(&event.data()).and_then(Weak::upgrade);
                if let Some(shared) = shared.filter(|shared| !shared.read()) {
                    let _ = self.epoll.delete(&shared.pipe); // its owner may have done so
                }
            }
        }
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
        assert!(stderr.shared.heard().last.capacity() < 1 << 20);
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
        assert!(stderr.shared.heard().bytes < 100_000 + CHUNK as u64 + 1);
    }
}
