//! `bench export`.

use std::path::PathBuf;

use crate::cli::{Outcome, json, print, results_folder, warn, write_files};
use analyze::reading;
use report::export::{Measure, github_action_benchmark};
use report::labels::count;

const EXAMPLES: &str = "\
Figures that the record does not trust are left out and named on stderr; if none is
left, FILE is not written and the exit status is 1.

Examples:
  bench export latest --metric cpu                    on standard output
  bench export 20261121T110000Z-2a --metric throughput --out /tmp/throughput.json";

/// Write the input of github-action-benchmark
///
/// Its tool is `customBiggerIsBetter` for throughput, and `customSmallerIsBetter` for latency and cpu.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Record: its path, the id of the run, or `latest` for the newest whole run
    #[arg(value_name = "RUN")]
    run: String,
    /// The figure to write for each app and scenario
    #[arg(long, value_enum, value_name = "METRIC")]
    metric: Measure,
    /// Output file [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Folder of the results [default: bench-results of the repository]
    #[arg(long, value_name = "DIR")]
    results: Option<PathBuf>,
}

pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let results = results_folder(args.results.as_deref());
    let record = reading::read(&crate::cli::find(&results, &args.run)?)?;
    let export = github_action_benchmark(&record, args.metric);
    for (name, reason) in &export.left_out {
        warn(&format!("left out: {name}: {reason}"));
    }
    if export.benches.is_empty() {
        crate::cli::complain(&anyhow::anyhow!(
            "run {} has no figure of this metric that is trusted; nothing was written",
            record.id
        ));
        return Ok(Outcome::CheckFailed);
    }
    let text = json(&export.benches)?;
    match &args.out {
        None => print(&text)?,
        Some(out) => {
            write_files([(out.clone(), text)])?;
            print(&format!(
                "{}: {}\n",
                out.display(),
                count(export.benches.len(), "figure")
            ))?;
        }
    }
    Ok(Outcome::Fine)
}
