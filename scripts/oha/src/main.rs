//! The load generator, so that `Cargo.lock` pins it and dependabot moves it. All it does is oha's own; `oha --help`.

use std::process::ExitCode;

use clap::Parser;

fn main() -> anyhow::Result<ExitCode> {
    let options = oha::Opts::parse();
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime.worker_threads(options.worker_threads.get()).enable_all();
    runtime.build()?.block_on(oha::run(options))?;
    Ok(ExitCode::SUCCESS)
}
