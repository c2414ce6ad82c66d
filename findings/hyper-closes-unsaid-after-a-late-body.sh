#!/usr/bin/env bash
# hyper 1.12.0 (here below Axum 0.8.9): where a handler does not take the body of a POST, and the body comes a packet after the head, the
# server answers, keeps silent about the connection, and closes it. A client that reads `HTTP/1.1 200` without `connection: close` may send its
# next request there, and loses it (RFC 9112, section 9.6: a server should send the close option before it closes). Python's http.client
# and other clients send head and body apart. In one packet the same request leaves the connection open.
# Seen:  body at once:        HTTP/1.1 200 OK, no connection field, open
#        body 50 ms later:    HTTP/1.1 200 OK, no connection field, closed
set -euo pipefail
folder=$(mktemp -d); server=; trap '[ -z "$server" ] || kill "$server"; rm -rf "$folder"' EXIT
mkdir "$folder/src"
cat > "$folder/Cargo.toml" <<'TOML'
[package]
name = "finding"
version = "0.0.0"
edition = "2024"
[dependencies]
axum = { version = "=0.8.9", default-features = false, features = ["http1", "tokio"] }
hyper = "=1.12.0"
tokio = { version = "1", features = ["macros", "net", "rt"] }
TOML
cat > "$folder/src/main.rs" <<'RUST'
use axum::{Router, routing::post};

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::io::Result<()> {
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await?;
    println!("{}", listener.local_addr()?.port());
    axum::serve(listener, Router::new().route("/", post(|| async { "ok" }))).await
}
RUST
cargo build --quiet --manifest-path "$folder/Cargo.toml" --target-dir "$folder/target"
"$folder/target/debug/finding" > "$folder/port" & server=$!
for _ in $(seq 100); do [ -s "$folder/port" ] && break; sleep 0.1; done
python3 - "$(cat "$folder/port")" <<'PY'
import socket, sys, time
def seen(pause):
    with socket.create_connection(("127.0.0.1", int(sys.argv[1])), 5) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        head = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\n"
        connection.sendall(head if pause else head + b"abc")
        if pause:
            time.sleep(pause)
            connection.sendall(b"abc")
        answer, end = b"", "open"
        connection.settimeout(1)
        try:
            while part := connection.recv(65536):
                answer += part
            end = "closed"
        except ConnectionResetError:
            end = "closed"
        except TimeoutError:
            pass
        status, *fields = answer.split(b"\r\n\r\n")[0].lower().split(b"\r\n")
        said = [field for field in fields if field.startswith(b"connection:")]
        return status.decode(), said, end
found = seen(0), seen(0.05)
print(*found, sep="\n")
sys.exit(found != (("http/1.1 200 ok", [], "open"), ("http/1.1 200 ok", [], "closed")))
PY
