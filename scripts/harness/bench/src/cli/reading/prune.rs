//! `bench prune`.

use std::path::PathBuf;

use report::labels::count;
use report::publish;

use crate::cli::{Outcome, clock, print};

const EXAMPLES: &str = "\
The newest run of each lane and profile stays as it is, whatever its age. Of the trials of
others, what no figure, verdict or report is made of goes, such as the 90th percentile:
whatever is said of any run stays, and so does what breaks. Nothing is committed: the
history of the branch has all of every trial.

Example:
  bench prune --pages ../pages    a line for each record whose trials were pruned";

/// Prune what nothing reads from records published a year ago
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
        print("no trials to prune\n")?;
    }
    for one in pruned {
        let (trials, saved) = (count(one.trials, "trial"), one.saved.div_ceil(1000));
        print(&format!("{}: {trials}, {saved} kB\n", one.path.display()))?;
    }
    Ok(Outcome::Fine)
}
