#!/usr/bin/env bash
# hyper's `http1::Builder::pipeline_flush(true)` holds an answer back while more bytes of the client are in the buffer. Where these are never
# taken for a request, because the answer before them closes the connection, it is not sent at all: the connection ends without a word. So ends
# a request with `connection: close` that has another one behind it, and hyper's own 400, 414 and 431, which leave the head that they refuse in
# the buffer. Silent 2.16.1, a patch release, turned it on.
# Seen, hyper 1.12.0:  off: 200, and 400 for a name with a space behind it; on: 0 bytes for both
# Where to look for the change: both settings should give the same answers.
set -euo pipefail
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
mkdir "$folder/src"
cat > "$folder/Cargo.toml" <<'TOML'
[package]
name = "finding"
version = "0.0.0"
edition = "2024"
[dependencies]
hyper = { version = "=1.12.0", features = ["http1", "server"] }
hyper-util = { version = "=0.1.21", features = ["tokio"] }
tokio = { version = "=1.54.1", features = ["io-util", "macros", "net", "rt", "time"] }
TOML
cat > "$folder/src/main.rs" <<'RUST'
use std::convert::Infallible;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::server::conn::http1::Builder;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

async fn hello(_: Request<Incoming>) -> Result<Response<String>, Infallible> {
    Ok(Response::new("hello".to_owned()))
}

/// The first line of what a client gets for these bytes until the connection ends.
async fn answer(pipeline_flush: bool, sent: &[u8]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let mut builder = Builder::new();
        builder.pipeline_flush(pipeline_flush);
        let _ = builder.serve_connection(TokioIo::new(stream), service_fn(hello)).await;
    });
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(sent).await.unwrap();
    let mut all = Vec::new();
    let _ = tokio::time::timeout(Duration::from_secs(5), stream.read_to_end(&mut all)).await.unwrap();
    let text = String::from_utf8_lossy(&all).into_owned();
    text.lines().next().unwrap_or("nothing").to_owned()
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let two = b"GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\nGET / HTTP/1.1\r\nhost: a\r\n\r\n";
    let refused = b"GET / HTTP/1.1\r\nhost: a\r\nx : 1\r\n\r\n";
    for on in [false, true] {
        println!("{on}: {}; {}", answer(on, two).await, answer(on, refused).await);
    }
}
RUST
found=$(cargo run --quiet --manifest-path "$folder/Cargo.toml")
echo "$found"
[ "$found" = "false: HTTP/1.1 200 OK; HTTP/1.1 400 Bad Request
true: nothing; nothing" ]
