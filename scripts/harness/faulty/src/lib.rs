//! Servers that keep the contract, but for one fault: in threads of a test, or as a process of their own (`main.rs`).

#[allow(unsafe_code)]
mod alone;
mod answers;
#[allow(unsafe_code)]
mod attacks;
#[cfg(feature = "database")]
pub mod database;
#[cfg(feature = "services")]
mod files;
pub mod hostile;
pub mod http;
#[cfg(feature = "services")]
mod pieces;
pub mod plain;
#[cfg(feature = "services")]
pub mod services;
#[allow(unsafe_code)]
mod settings;
#[cfg(feature = "services")]
mod upload;

use std::io;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::exit;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::spawn;

use crate::http::{Reader, Request};

/// A kind of server. What it remembers is its own, so that many run side by side.
pub trait Serve: Send + Sync + 'static {
    /// Serves one connection, until it ends.
    fn talk(&self, stream: TcpStream) -> Option<()>;
}

/// A server in threads of this process, until it is dropped.
pub struct Running {
    pub address: SocketAddr,
    is_over: Arc<AtomicBool>,
    open: Arc<Mutex<Vec<TcpStream>>>,
}

impl Running {
    /// Serves on a port of its own.
    pub fn start(server: impl Serve) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let running = Self {
            address: listener.local_addr()?,
            is_over: Arc::default(),
            open: Arc::default(),
        };
        let (is_over, open) = (Arc::clone(&running.is_over), Arc::clone(&running.open));
        spawn(move || {
            let server = Arc::new(server);
            for stream in listener.incoming().map_while(Result::ok) {
                if is_over.load(Ordering::Relaxed) {
                    return;
                }
                locked(&open).extend(stream.try_clone());
                let server = Arc::clone(&server);
                spawn(move || {
                    let closing = stream.try_clone();
                    let _ = catch_unwind(AssertUnwindSafe(|| server.talk(stream)));
                    // A handle of it is kept.
                    closing.and_then(|stream| stream.shutdown(Shutdown::Both))
                });
            }
        });
        Ok(running)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        // Wakes it, so that it sees that.
        drop(TcpStream::connect(self.address));
        for stream in locked(&self.open).drain(..) {
            let _ = stream.shutdown(Shutdown::Both); // it may have ended
        }
    }
}

/// Serves in this process until that is killed.
fn serve_all(listener: &TcpListener, server: impl Serve) -> ! {
    let server = Arc::new(server);
    for stream in listener.incoming().map_while(Result::ok) {
        let server = Arc::clone(&server);
        spawn(move || server.talk(stream));
    }
    exit(0)
}

/// Answers the requests of a connection one after the other, until one of the two ends it. `answer` may change its request.
fn converse(
    stream: TcpStream,
    connected: &Connected,
    answer: impl Fn(&mut Reader, &mut Request) -> Option<()>,
) -> Option<()> {
    let _counted = connected.another();
    stream.set_nodelay(true).ok()?;
    let mut reader = Reader::new(stream);
    loop {
        let mut request = reader.request()?;
        answer(&mut reader, &mut request)?;
        if request.closes() {
            return None;
        }
    }
}

/// A handler that panics spoils nothing for the others.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Connections that are open.
#[derive(Default)]
struct Connected(AtomicU32);

impl Connected {
    /// One more, until the guard is dropped.
    fn another(&self) -> impl Drop + '_ {
        struct Counted<'a>(&'a AtomicU32);
        impl Drop for Counted<'_> {
            fn drop(&mut self) {
                self.0.fetch_sub(1, Ordering::Relaxed);
            }
        }
        self.0.fetch_add(1, Ordering::Relaxed);
        Counted(&self.0)
    }

    /// Whether there are more than the contract's proof opens, as under a load.
    fn are_many(&self) -> bool {
        const MANY: u32 = 3;
        self.0.load(Ordering::Relaxed) > MANY
    }
}
