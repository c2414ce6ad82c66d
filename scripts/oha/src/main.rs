//! The load generator, so that `Cargo.lock` pins it and dependabot moves it. All it does is oha's own (`oha --help`), but for WebSocket,
//! which oha does not speak: `oha websocket --help`, and for loads that another machine orders (`oha agent`). One program, so that one hash says what drove a run.

use std::env;
use std::process::ExitCode;

use anyhow::anyhow;
use clap::Parser;
use sockets::echo;

fn main() -> anyhow::Result<ExitCode> {
    let mut arguments: Vec<_> = env::args_os().collect();
    match arguments.get(1).and_then(|first| first.to_str()) {
        Some("websocket") => {
            arguments.remove(1);
            return websocket(&echo::Options::parse_from(arguments));
        }
        // `bench run --load-from` copies this program to another machine, and starts it there so.
        Some("agent") if arguments.len() == 2 => {
            agent::serve()?;
            return Ok(ExitCode::SUCCESS);
        }
        _ => {}
    }
    let options = oha::Opts::parse();
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime.worker_threads(options.worker_threads.get()).enable_all();
    runtime.build()?.block_on(oha::run(options))?;
    Ok(ExitCode::SUCCESS)
}

fn websocket(options: &echo::Options) -> anyhow::Result<ExitCode> {
    let report = echo::load(options).map_err(|error| anyhow!(error))?;
    println!("{}", serde_json::to_string(&report)?);
    Ok(ExitCode::SUCCESS)
}
