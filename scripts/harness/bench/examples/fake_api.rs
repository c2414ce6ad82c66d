//! The fake GitHub of the tests as a program, for workflows that are tried without GitHub (`act`, for example):
//!
//! ```console
//! $ cargo run -p bench --example fake_api -- 127.0.0.1:8090 owner/name
//! $ curl -X PUT -d '{"repository":"owner/name","login":"github-actions[bot]","pulls":[…]}' http://127.0.0.1:8090/_state
//! $ curl http://127.0.0.1:8090/_state
//! ```
//!
//! It prints each request as a line of JSON, and at the end (SIGTERM, Ctrl-C) its state. Any token is let in.

use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::json;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

#[path = "../tests/fake_api/mod.rs"]
#[allow(clippy::unwrap_used)] // as in the tests
mod fake_api;

use fake_api::{FakeApi, State};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, repository] = arguments.as_slice() else {
        eprintln!("usage: fake_api ADDRESS:PORT OWNER/NAME");
        return ExitCode::from(2);
    };
    match run(address, repository) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {address}: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(address: &str, repository: &str) -> io::Result<()> {
    let address: SocketAddr = address.parse().map_err(io::Error::other)?;
    let ended = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        flag::register(signal, Arc::clone(&ended))?;
    }
    let state = State {
        repository: repository.to_owned(),
        login: "github-actions[bot]".to_owned(),
        ..State::default()
    };
    let fake = FakeApi::listen(address, state, |request| {
        let _ = writeln!(io::stdout(), "{request}"); // nobody may be listening any more
    })?;
    eprintln!("listening at {}", fake.url());
    while !ended.load(Ordering::Relaxed) {
        thread::sleep(Duration::from_millis(50));
    }
    let state = fake.state().clone();
    writeln!(io::stdout(), "{}", json!(state))
}
