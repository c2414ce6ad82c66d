#!/usr/bin/env bash
# Ohkami 0.24.9: where only the beginning of a small body comes along with the head, the handler gets it at once, filled up to its length with
# zero bytes; the rest, a packet later, is read as the next request. Where none of the body comes with the head, or all of it, the handler gets
# it whole.
# Seen:  a packet: b'abcdef'
#        head, then body: b'abcdef'
#        head and half, then half: b'abc\x00\x00\x00'
set -euo pipefail
folder=$(mktemp -d); server=; trap '[ -z "$server" ] || kill "$server"; rm -rf "$folder"' EXIT
mkdir "$folder/src"
cat > "$folder/Cargo.toml" <<'TOML'
[package]
name = "finding"
version = "0.0.0"
edition = "2024"
[dependencies]
ohkami = { version = "=0.24.9", features = ["rt_tokio"] }
tokio = { version = "1", features = ["macros", "net", "rt"] }
TOML
cat > "$folder/src/main.rs" <<'RUST'
use ohkami::{Ohkami, Request, Route};

async fn echo(request: &Request) -> String {
    String::from_utf8_lossy(request.payload().unwrap_or_default()).into_owned()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::io::Result<()> {
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await?;
    println!("{}", listener.local_addr()?.port());
    Ohkami::new(("/".POST(echo),)).howl(listener).await;
    Ok(())
}
RUST
cargo build --quiet --manifest-path "$folder/Cargo.toml" --target-dir "$folder/target"
"$folder/target/debug/finding" > "$folder/port" & server=$!
for _ in $(seq 100); do [ -s "$folder/port" ] && break; sleep 0.1; done
python3 - "$(head -n 1 "$folder/port")" <<'PY'
import socket, sys, time
HEAD = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 6\r\n\r\n"
def body(*packets):
    with socket.create_connection(("127.0.0.1", int(sys.argv[1])), 5) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for packet in packets:
            connection.sendall(packet)
            time.sleep(0.05)
        answer = b""
        while b"\r\n\r\n" not in answer or len(answer.split(b"\r\n\r\n", 1)[1]) < 6:
            answer += connection.recv(65536)
        return answer.split(b"\r\n\r\n", 1)[1][:6]
found = body(HEAD + b"abcdef"), body(HEAD, b"abcdef"), body(HEAD + b"abc", b"def")
for how, got in zip(("a packet", "head, then body", "head and half, then half"), found):
    print(f"{how}: {got}")
sys.exit(found != (b"abcdef", b"abcdef", b"abc\0\0\0"))
PY
