#!/usr/bin/env bash
# Rocket 0.5.2: a handler that returns `Status::NotModified` answers 500 Internal Server Error, and 200 to 205 and the errors are what they say.
# Of the statuses below 400, `Status` as a responder takes only 100 and 200 to 205; the others are an "invalid status" in the log. A cache
# validation needs `rocket::response::status::Custom(Status::NotModified, ())`, which answers 304.
# Seen:  Status::NoContent 204, Status::NotModified 500, Custom(Status::NotModified, ()) 304
set -euo pipefail
folder=$(mktemp -d); server=; trap '[ -z "$server" ] || kill "$server"; rm -rf "$folder"' EXIT
mkdir "$folder/src"
cat > "$folder/Cargo.toml" <<'TOML'
[package]
name = "finding"
version = "0.0.0"
edition = "2024"
[dependencies]
rocket = { version = "=0.5.2", default-features = false }
TOML
cat > "$folder/src/main.rs" <<'RUST'
use rocket::http::Status;
use rocket::response::status::Custom;
use rocket::{get, launch, routes};

#[get("/no-content")]
fn no_content() -> Status { Status::NoContent }

#[get("/not-modified")]
fn not_modified() -> Status { Status::NotModified }

#[get("/custom")]
fn custom() -> Custom<()> { Custom(Status::NotModified, ()) }

#[launch]
fn rocket() -> _ { rocket::build().mount("/", routes![no_content, not_modified, custom]) }
RUST
cargo build --quiet --manifest-path "$folder/Cargo.toml" --target-dir "$folder/target"
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
ROCKET_ADDRESS=127.0.0.1 ROCKET_PORT=$port ROCKET_LOG_LEVEL=off "$folder/target/debug/finding" & server=$!
python3 - "$port" <<'PY'
import http.client, sys, time
def status(path):
    for attempt in range(100):
        try:
            connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=5)
            connection.request("GET", path)
            return connection.getresponse().status
        except ConnectionRefusedError:
            time.sleep(0.1)
found = {path: status(path) for path in ("/no-content", "/not-modified", "/custom")}
print(found)
sys.exit(found != {"/no-content": 204, "/not-modified": 500, "/custom": 304})
PY
