//! `bench publish`.

use std::path::PathBuf;

use super::{Outcome, print, results_folder};
use crate::interrupt;
use crate::publish::{self, Additions, Author, Destination, Folder, PublishError, Published, Pushed};
use crate::report::words::count;
use crate::store;

const EXAMPLES: &str = "\
A published record is never overwritten, a branch that cannot be read is refused, and a push is never forced.

Examples:
  bench publish latest --pages ../pages              write the files, commit nothing
  bench publish --pages ../pages --check             can all of it be read?
  bench publish latest --pages ../pages --push       push them, look what arrived";

/// Write records, their index and a landing page into a checkout of gh-pages, and push them.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Records: paths, ids of runs, or `latest`
    #[arg(value_name = "RECORD", required_unless_present_any = ["check", "push"])]
    records: Vec<String>,
    /// Checkout of the branch that is published
    #[arg(long, value_name = "DIR")]
    pages: PathBuf,
    /// Only look whether every data.js, the index and all records can be read; the exit status is 1 if not
    #[arg(long, conflicts_with_all = ["records", "push"])]
    check: bool,
    /// Commit and push, with what github-action-benchmark has committed in DIR; then look what has arrived
    #[arg(long)]
    push: bool,
    /// Remote that is pushed to
    #[arg(long, value_name = "NAME", default_value = "origin", requires = "push")]
    remote: String,
    /// Branch that is pushed to, which DIR has checked out
    #[arg(long, value_name = "NAME", default_value = "gh-pages", requires = "push")]
    branch: String,
    /// Who commits, `Name <address>` [default: as git is configured, otherwise github-actions[bot]]
    #[arg(long, value_name = "WHO", requires = "push")]
    author: Option<Author>,
    /// Folder of the results [default: bench-results of the repository]
    #[arg(long, value_name = "DIR")]
    results: Option<PathBuf>,
}

pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    interrupt::listen()?;
    if args.check {
        return check(args);
    }
    let results = results_folder(args.results.as_deref());
    let records = args.records.iter().map(|name| {
        let path = store::find(&results, name)?;
        Published::read(&path)
    });
    let records = records.collect::<Result<Vec<_>, PublishError>>()?;
    if args.push {
        return push(args, records);
    }
    let additions = Additions {
        records,
        ..Additions::default()
    };
    let written = publish::write(&Folder::at(&args.pages)?, &additions)?;
    if written.is_empty() {
        print("everything was there already\n")?;
    }
    for path in written {
        print(&format!("{}\n", args.pages.join(path).display()))?;
    }
    Ok(Outcome::Fine)
}

fn check(args: &Args) -> anyhow::Result<Outcome> {
    match publish::check(&Folder::at(&args.pages)?) {
        Ok(checked) => {
            print(&format!(
                "{}: {} in {}, and {} data.js; all can be read\n",
                args.pages.display(),
                count(checked.records, "record"),
                count(checked.index.lanes.len(), "lane"),
                checked.charts
            ))?;
            Ok(Outcome::Fine)
        }
        // A file that is refused is what was asked for; one that could not be opened is not.
        Err(error @ (PublishError::Broken { .. } | PublishError::Store(_))) => {
            super::complain(&error.into());
            Ok(Outcome::CheckFailed)
        }
        Err(error) => Err(error.into()),
    }
}

fn push(args: &Args, records: Vec<Published>) -> anyhow::Result<Outcome> {
    let destination = Destination {
        remote: args.remote.clone(),
        branch: args.branch.clone(),
        author: args.author.clone(),
    };
    let pushed = publish::push(&args.pages, &destination, records)?;
    let (remote, branch) = (&args.remote, &args.branch);
    if !pushed.missing.is_empty() {
        super::complain(&anyhow::anyhow!(
            "{remote}/{branch} lacks what was pushed: {}; the local branch is as it was: publish it again",
            pushed.missing.join(", ")
        ));
        return Ok(Outcome::CheckFailed);
    }
    print(&format!("{}\n", told(&pushed, remote, branch)))?;
    Ok(Outcome::Fine)
}

fn told(pushed: &Pushed, remote: &str, branch: &str) -> String {
    let commit: String = pushed.tip.chars().take(12).collect();
    let how = match pushed.tries {
        0 => "everything was there already".to_owned(),
        1 => "pushed at the first try".to_owned(),
        tries => format!("pushed at try {tries}"),
    };
    format!(
        "{remote}/{branch} is at {commit} and holds {} and {} for charts; {how}",
        count(pushed.records, "record"),
        count(pushed.entries, "point")
    )
}
