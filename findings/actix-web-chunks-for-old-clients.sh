#!/usr/bin/env bash
# Actix Web 4.18.1 sends a streamed answer to a client of HTTP/1.0 with `transfer-encoding: chunked`, which that version of HTTP does not
# have (RFC 9112, section 6.1: a server must not send it unless the request indicates HTTP/1.1 or later). `ab`, old proxies and health
# checks read the chunk sizes as part of the body.
# Seen:  HTTP/1.0 200 OK … transfer-encoding: chunked … body b'1\r\na\r\n1\r\nb\r\n0\r\n\r\n'
# Where to look for the change: the answer should end with the connection, without that field.
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
futures-util = "=0.3.32"
TOML
cat > "$folder/src/main.rs" <<'RUST'
use actix_web::{App, HttpResponse, HttpServer, web};
use futures_util::stream;

async fn streamed() -> HttpResponse {
    let parts = ["a", "b"].map(|part| Ok::<_, actix_web::Error>(web::Bytes::from_static(part.as_bytes())));
    HttpResponse::Ok().streaming(stream::iter(parts))
}

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    let server = HttpServer::new(|| App::new().route("/", web::get().to(streamed))).workers(1).bind(("127.0.0.1", 0))?;
    println!("{}", server.addrs()[0].port());
    server.run().await
}
RUST
cargo build --quiet --manifest-path "$folder/Cargo.toml" --target-dir "$folder/target"
"$folder/target/debug/finding" > "$folder/port" & server=$!
for _ in $(seq 100); do [ -s "$folder/port" ] && break; sleep 0.1; done
python3 - "$(cat "$folder/port")" <<'PY'
import socket, sys
with socket.create_connection(("127.0.0.1", int(sys.argv[1])), 5) as connection:
    connection.sendall(b"GET / HTTP/1.0\r\n\r\n")
    answer = b"".join(iter(lambda: connection.recv(65536), b""))
head, body = answer.split(b"\r\n\r\n", 1)
print(head.decode(), body, sep="\n")
sys.exit(not (b"transfer-encoding: chunked" in head.lower() and body == b"1\r\na\r\n1\r\nb\r\n0\r\n\r\n"))
PY
