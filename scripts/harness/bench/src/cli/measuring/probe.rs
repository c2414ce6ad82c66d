//! `bench probe`.

use std::path::PathBuf;

use super::writable;
use crate::cli::{Format, Outcome, complain, warn};
use crate::progress::OnStderr;
use machine::interrupt;
use measure::probe::{ProbeRequest, chosen, run as probe};
use model::probe::ProbeCase;
use model::{label, store};
use report::probes;

const EXAMPLES: &str = "\
Examples:
  bench probe                               all apps, all cases
  bench probe --app axum,rocket             two of them
  bench probe --app axum --case host-twice  one case, with the bytes of both sides
  bench probe --group lifecycle             the cases of one group
  bench probe --group database              servers whose database fails
  bench probe --list                        the cases, what each requires, and its source
  bench probe --out bench-results           keep the result, as bench-results/probes/ID.json
  bench probe --format json                 for programs

A failed case is a result. Exit status 1 means that something could not be probed at
all; the rest still is.
Timed cases need the machine to themselves: during a run or comparison they fail at
once, or wait with --wait.";

/// Test how servers take unusual and hostile requests
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    request: ProbeRequest,
    /// List the cases and probe nothing
    #[arg(long, conflicts_with_all = ["apps", "variants", "binaries", "cargo_profile", "postgres", "out"])]
    list: bool,
    /// Folder of the results in which the result is kept [default: it is only printed]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// How the result is printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    if args.list {
        let cases = chosen(&args.request)?.into_iter().map(|case| case.about);
        return list(args.format, &cases.collect::<Vec<_>>());
    }
    interrupt::listen()?;
    args.out.as_deref().map(writable).transpose()?;
    let (record, skipped) = probe(&args.request, env!("CARGO_PKG_VERSION"), &OnStderr)?;
    for one in &skipped {
        let case = one
            .case
            .as_deref()
            .map_or(String::new(), |case| format!(" in case {case}"));
        let name = label(&one.app, &one.variant);
        complain(&anyhow::anyhow!("{name} cannot be probed{case}: {}", one.reason));
    }
    if let Some(folder) = &args.out {
        warn(&format!("probes: {}", store::write(folder, &record)?.display()));
    }
    args.format
        .print(&record, || probes(&record, args.request.cases.len() == 1))?;
    Ok(Outcome::failed_if(!skipped.is_empty()))
}

fn list(format: Format, about: &[ProbeCase]) -> anyhow::Result<Outcome> {
    let line = |case: &ProbeCase| {
        let ProbeCase {
            id,
            title,
            demand,
            source,
            ..
        } = case;
        format!("{id}\n    {title}. {demand} ({}, {source})\n", case.level.word())
    };
    format.print(&about, || about.iter().map(line).collect())?;
    Ok(Outcome::Fine)
}
