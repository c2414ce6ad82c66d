//! `bench publish`.

use std::path::PathBuf;

use super::plausibility;
use super::plausibility::Expectations;
use crate::cli::{Outcome, clock, find_newest, print, results_folder};
use analyze::reading;
use model::store;
use report::publish;
use report::publish::Fact;

const EXAMPLES: &str = "\
A published record is never overwritten. One that contradicts itself or is not what was
requested is refused: each reason is a line, nothing is written, and the exit status is 1.
Nothing is committed: .github/scripts/publish.sh does that, and pushes. `bench site`
makes what is shown of all records, `bench prune` prunes trials of a year ago.

Examples:
  bench publish latest --pages ../pages    add the newest record, commit nothing
  bench publish --all --pages ../pages     every record
  bench publish probes --pages ../pages    the newest probes";

/// Add records to a checkout of gh-pages
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Records: paths, ids of runs, `latest` for the newest, or `probes` for the newest of what breaks
    #[arg(value_name = "RECORD", required_unless_present = "all")]
    records: Vec<String>,
    /// Every record of the results, of all lanes and kinds of runs, and of what breaks
    #[arg(long, conflicts_with = "records")]
    all: bool,
    /// Checkout of the branch that is published
    #[arg(long, value_name = "DIR")]
    pages: PathBuf,
    #[command(flatten)]
    expected: Expectations,
    /// Publish a run even if reference or ceiling moved by more than a machine can move; the runs after it are then held against it as
    /// well
    #[arg(long)]
    accept_moved: bool,
    /// Folder of the results [default: bench-results of the repository]
    #[arg(long, value_name = "DIR")]
    results: Option<PathBuf>,
}

pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let runs = publish::runs(&args.pages)?;
    let results = results_folder(args.results.as_deref());
    let named = args.records.iter().map(|name| find_newest(&results, name));
    let mut paths = named.collect::<Result<Vec<_>, _>>()?;
    if args.all {
        paths = store::of_probes(&results, clock::now());
        paths.extend(publish::all(&results));
    }
    let (mut facts, mut makes_sense) = (Vec::new(), true);
    for path in paths {
        let record = reading::read(&path)?;
        makes_sense &= args.expected.are_met(&record, &path)?;
        makes_sense &= args.accept_moved || plausibility::is_unmoved(&record, &publish::before(&runs, &record)?, &path);
        facts.push(Fact::of_record(&runs, record));
    }
    if args.all {
        let compared = reading::compared_releases(&results);
        let compared = compared.iter().map(|path| Fact::of_comparison(&runs, &results, path));
        facts.extend(compared.collect::<Result<Vec<_>, _>>()?);
    }
    if !makes_sense {
        return Ok(Outcome::CheckFailed);
    }
    let added = publish::add(&runs, &facts)?;
    if added.is_empty() {
        print("everything was there already\n")?;
    }
    for path in added {
        print(&format!("{}\n", path.display()))?;
    }
    Ok(Outcome::Fine)
}
