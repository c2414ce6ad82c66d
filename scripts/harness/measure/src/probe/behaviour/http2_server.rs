//! A correct HTTP/2 server for tests: hyper in this process.

use std::net::SocketAddr;
use std::{io, thread};

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};

/// Answers every request; it ends with the test.
pub fn start() -> SocketAddr {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.unwrap();
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        runtime.block_on(async {
            while let Ok((stream, _)) = listener.accept().await {
                let answer = service_fn(async |_: Request<Incoming>| {
                    Ok::<_, io::Error>(Response::new(Full::new(Bytes::from_static(b"Hello, World!"))))
                });
                tokio::spawn(http2::Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(stream), answer));
            }
        });
    });
    address
}
