#!/usr/bin/env bash
# Actix Web 4.18.1: a POST whose handler does not take its body costs the connection, even where the whole body came along with the head and
# has three bytes. Each answer says `connection: close`, so a client with one kept connection opens one for every request: a load test of such
# a route measures handshakes. (hyper 1.x reads and drops a body that is already there and keeps the connection.)
# Seen:  POST to a handler that ignores the body: 20 requests, 20 connections
#        POST to a handler that takes it:         20 requests, 1 connection
set -euo pipefail
folder=$(mktemp -d); server=; trap '[ -z "$server" ] || kill "$server"; rm -rf "$folder"' EXIT
mkdir "$folder/src"
cat > "$folder/Cargo.toml" <<'TOML'
[package]
name = "finding"
version = "0.0.0"
edition = "2024"
[dependencies]
actix-web = { version = "=4.18.1", default-features = false, features = ["macros"] }
TOML
cat > "$folder/src/main.rs" <<'RUST'
use actix_web::{App, HttpServer, web};

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    let server = HttpServer::new(|| {
        App::new()
            .route("/ignores", web::post().to(|| async { "ok" }))
            .route("/takes", web::post().to(|_: web::Bytes| async { "ok" }))
    });
    let server = server.workers(1).bind(("127.0.0.1", 0))?;
    println!("{}", server.addrs()[0].port());
    server.run().await
}
RUST
cargo build --quiet --manifest-path "$folder/Cargo.toml" --target-dir "$folder/target"
"$folder/target/debug/finding" > "$folder/port" & server=$!
for _ in $(seq 100); do [ -s "$folder/port" ] && break; sleep 0.1; done
python3 - "$(cat "$folder/port")" <<'PY'
import socket, sys
def connections(path, requests=20):
    made, connection = 0, None
    for _ in range(requests):
        if connection is None:
            made, connection = made + 1, socket.create_connection(("127.0.0.1", int(sys.argv[1])), 5)
        connection.sendall(f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc".encode())
        answer = b""
        while not answer.endswith(b"\r\n\r\nok"):
            answer += connection.recv(65536)
        if b"connection: close" in answer.lower():
            connection.close()
            connection = None
    return made
found = {path: connections(path) for path in ("/ignores", "/takes")}
print(found)
sys.exit(found != {"/ignores": 20, "/takes": 1})
PY
