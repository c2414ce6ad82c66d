//! `bench prune`.

use std::path::PathBuf;

use report::labels::count;
use report::publish;

use crate::cli::{Outcome, clock, print};

const EXAMPLES: &str = "\
The newest run of each lane and profile keeps its trials, whatever its age. Figures, intervals,
ranks, verdicts and reasons of all runs stay, and so do files of probes. Nothing is
committed: the history of the branch still has every trial.

Example:
  bench prune --pages ../pages    a line for each record that loses its trials";

/// Take the trials out of records published a year ago
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Checkout of the branch that is published
    #[arg(long, value_name = "DIR")]
    pages: PathBuf,
}

pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let pruned = publish::prune(&publish::runs(&args.pages)?, clock::now())?;
    if pruned.is_empty() {
        print("no trials to take out\n")?;
    }
    for one in pruned {
        let (trials, saved) = (count(one.trials, "trial"), one.saved.div_ceil(1000));
        print(&format!("{}: {trials}, {saved} kB\n", one.path.display()))?;
    }
    Ok(Outcome::Fine)
}
