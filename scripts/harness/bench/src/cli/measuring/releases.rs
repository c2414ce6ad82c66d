//! `bench releases`.

use std::path::PathBuf;

use cargo_lock::Version;
use clap::builder::RangedU64ValueParser;
use machine::interrupt;
use measure::releases::{self, Releases};
use measure::run::RunRequest;
use report::full_terminal;

use super::writable;
use crate::cli::{Outcome, TABLES, print, style};
use crate::progress::OnStderr;

const EXAMPLES: &str = "\
Examples:
  bench releases axum                  every release that is compatible with the locked one
  bench releases axum --newest 5       the last five
  bench releases axum --crate hyper    hyper's releases beneath the same Axum
  bench releases hyper --release 1.9.0 --of-its-day
                                       what all other crates have brought since
  bench releases --newest 3            three of every maintained framework and engine

The server is built from HEAD with one release after the other, all else as it is locked,
and the instructions and system calls of a request are counted: they hardly vary, so the
machine may do other things meanwhile. A release takes a minute or two: it is built while
the one before is counted. One that cargo or the compiler refuses says why in its row.
What was measured is kept in target/releases: an interrupted command goes on where it was.
So are the programs, and this names the functions that a step comes from:
  bench explain target/releases/axum/axum-0.8.4 target/releases/axum/axum-0.8.5
The CPU time of a step takes a quiet machine, and some six minutes:
  bench compare --app warp --patch warp=0.4.3 --base-patch warp=0.4.2 --scenario plaintext \\
    --out bench-results/local/releases/compare/warp-0.4.3.json
`bench report axum` shows what the last year brought, by all such records.

Exit status: 0 done, 2 could not be done.";

/// What does an upgrade cost? Each release of a framework or crate
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Apps [default: all maintained frameworks and engines]
    #[arg(value_delimiter = ',', value_name = "APP")]
    apps: Vec<String>,
    /// Releases of this crate [default: the app's framework]
    #[arg(long = "crate", value_name = "NAME")]
    of: Option<String>,
    /// Only these releases
    #[arg(long, value_delimiter = ',', value_name = "VERSION")]
    release: Vec<Version>,
    /// Only so many of each, the newest [default: all that are compatible with the locked one]
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    newest: Option<usize>,
    /// Each a second time, with the newest crates of the day when it was published: builds all of them
    #[arg(long)]
    of_its_day: bool,
    /// Requests that are counted [default: plaintext, hello, simple]
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    scenario: Vec<String>,
    /// Folder of the results [default: bench-results of the repository]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// If another bench measures on this machine, wait for its end [default: fail and name it]
    #[arg(long)]
    wait: bool,
}

pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    interrupt::listen()?;
    args.out.as_deref().map(writable).transpose()?;
    let mut request = RunRequest {
        out: args.out.clone(),
        wait: args.wait,
        ..RunRequest::default()
    };
    request.options.profile = Some("releases".to_owned());
    request.options.apps.clone_from(&args.apps);
    request.options.scenarios.clone_from(&args.scenario);
    let wanted = Releases {
        of: args.of.clone(),
        newest: args.newest,
        versions: args.release.clone(),
        of_its_day: args.of_its_day,
    };
    let (record, path) = releases::run(&request, &wanted, env!("CARGO_PKG_VERSION"), &OnStderr)?;
    let shown = full_terminal(&record, style(TABLES));
    print(&format!("{shown}\nrecord: {}\n", path.display()))?;
    Ok(Outcome::Fine)
}
