//! Servers for tests: a correct one and one that is blocked by each connection.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use model::scenario::Protocol;

use crate::probe::Watched;

/// A server at this address, with 9 files and 3 threads.
pub fn watched(address: SocketAddr) -> Watched<'static> {
    Watched {
        address,
        protocol: Protocol::Http1,
        memory: &|| Some(1),
        peak: &|| Some(0),
        held: &|| (9, 3),
        cpu_time: &|| None,
    }
}

/// A thread for each connection.
pub fn each_by_a_thread() -> SocketAddr {
    listen(|stream| {
        thread::spawn(|| serve(stream));
    })
}

/// One connection until its end, then the next.
pub fn one_at_a_time() -> SocketAddr {
    listen(serve)
}

/// Accepts, and closes without a word.
pub fn none() -> SocketAddr {
    listen(drop)
}

/// Begins an answer that declares no length, and closes.
pub fn unframed() -> SocketAddr {
    listen(|mut stream| {
        let _ = stream.read(&mut [0; 1024]);
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\nHel");
    })
}

/// Speaks HTTP/2 up to its SETTINGS.
pub fn settings_only() -> SocketAddr {
    listen(|mut stream| {
        thread::spawn(move || {
            let _ = stream.write_all(b"\0\0\0\x04\0\0\0\0\0");
            let _ = std::io::copy(&mut stream, &mut std::io::sink());
        });
    })
}

/// Answers, and closes each connection after half a second.
pub fn impatient() -> SocketAddr {
    listen(|stream| {
        let closing = stream.try_clone().unwrap();
        thread::spawn(|| serve(stream));
        thread::spawn(move || {
            thread::sleep(Duration::from_millis(500));
            let _ = closing.shutdown(std::net::Shutdown::Both);
        });
    })
}

fn listen(each: fn(TcpStream)) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || listener.incoming().flatten().for_each(each));
    address
}

fn serve(mut stream: TcpStream) {
    let (mut buffer, mut seen) = ([0; 1024], Vec::new());
    while let Ok(count @ 1..) = stream.read(&mut buffer) {
        seen.extend_from_slice(&buffer[..count]);
        if seen.ends_with(b"\r\n\r\n") {
            seen.clear();
            if stream
                .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\nHello, World!")
                .is_err()
            {
                return;
            }
        }
    }
}

/// Answers one request every 2 ms at most, of whichever connection.
pub fn slowly() -> SocketAddr {
    paced(Duration::from_millis(2), usize::MAX)
}

/// The same, every 100 ms.
pub fn hardly() -> SocketAddr {
    paced(Duration::from_millis(100), usize::MAX)
}

/// As slow as the first of them, but answers with 500 on connections beyond the first hundred.
pub fn breaks_when_crowded() -> SocketAddr {
    paced(Duration::from_millis(2), 100)
}

fn paced(pause: Duration, most: usize) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        let turn = Arc::new(Mutex::new(()));
        for (number, mut stream) in listener.incoming().flatten().enumerate() {
            let turn = Arc::clone(&turn);
            thread::spawn(move || {
                while let Ok(1..) = stream.read(&mut [0; 1024]) {
                    let held = turn.lock().unwrap();
                    thread::sleep(pause);
                    drop(held);
                    let status = if number < most { "200 OK" } else { "500 No" };
                    let _ = write!(stream, "HTTP/1.1 {status}\r\nContent-Length: 13\r\n\r\nHello, World!");
                }
            });
        }
    });
    address
}
