//! `bench publish`.

use std::path::PathBuf;
use std::rc::Rc;

use super::{Outcome, print, results_folder};
use measure::catalog;
use measure::git::Git;
use measure::interrupt;
use measure::lockfiles::CommittedLockfiles;
use record::store;
use tell::publish;
use tell::publish::{Additions, Folder, PublishError, Published, SiteUrl};
use tell::report::words::count;

const EXAMPLES: &str = "\
A published record is never overwritten, and a tree that cannot be read is refused. --rebuild writes the files derived from
the records again (series, index, badges, feed). Nothing is committed: .github/scripts/publish.sh does that, and pushes.

Examples:
  bench publish latest --pages ../pages              write the files, commit nothing
  bench publish --all --pages ../pages --site dist   every record of this repository, and a built site
  bench publish --pages ../pages --check             are all files readable, and do derived files match the records?
  bench publish --pages ../pages --rebuild           write derived files again
  .github/scripts/publish.sh ../pages latest         the same, committed on the remote's newest tip, and pushed";

/// Write records, the files derived from them, and a site into a checkout of gh-pages
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Records: paths, ids of runs, or `latest`
    #[arg(value_name = "RECORD", required_unless_present_any = ["all", "check", "rebuild", "site"])]
    records: Vec<String>,
    /// Every record of the results, of all lanes
    #[arg(long, conflicts_with = "records")]
    all: bool,
    /// Checkout of the branch that is published
    #[arg(long, value_name = "DIR")]
    pages: PathBuf,
    /// A built site (scripts/dashboard/dist), which replaces the current page or site
    #[arg(long, value_name = "DIR")]
    site: Option<PathBuf>,
    /// Address of the published branch, for the links of the feed: `https://OWNER.github.io/REPO/`
    /// [default: that of the current feed, or none]
    #[arg(long, value_name = "URL")]
    site_url: Option<SiteUrl>,
    /// Only check that every data.js and all records can be read, and that derived files match the records; exit status 1 if not
    #[arg(long, conflicts_with_all = ["records", "all", "site", "site_url", "rebuild"])]
    check: bool,
    /// Write derived files again: series, index, badges, feed. Nothing is removed; an unreadable record is named, and the exit
    /// status is 1
    #[arg(long, conflicts_with_all = ["records", "all", "site"])]
    rebuild: bool,
    /// Folder of the results [default: bench-results of the repository]
    #[arg(long, value_name = "DIR")]
    results: Option<PathBuf>,
}

pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    interrupt::listen()?;
    if args.check {
        return check(args);
    }
    if args.rebuild {
        return rebuild(args);
    }
    let additions = Additions {
        records: records(args)?,
        site: args
            .site
            .as_deref()
            .map(publish::read_site)
            .transpose()?
            .unwrap_or_default(),
        site_url: args.site_url.clone(),
        lockfiles: Some(Rc::new(lockfiles())),
    };
    let written = publish::write(&Folder::open(&args.pages)?, &additions)?;
    print_written(args, written.iter())
}

/// Lockfiles of the commits that records were made from; they are in this repository, not in gh-pages.
fn lockfiles() -> CommittedLockfiles {
    CommittedLockfiles::new(Git::new(&catalog::search_root()))
}

fn records(args: &Args) -> anyhow::Result<Vec<Published>> {
    let results = results_folder(args.results.as_deref());
    let named = args.records.iter().map(|name| store::find(&results, name));
    let paths = if args.all {
        store::all(&results)
    } else {
        named.collect::<Result<_, _>>()?
    };
    let records = paths.iter().map(|path| Published::read(path));
    Ok(records.collect::<Result<_, PublishError>>()?)
}

fn print_written<'a>(args: &Args, written: impl ExactSizeIterator<Item = &'a String>) -> anyhow::Result<Outcome> {
    if written.len() == 0 {
        print("everything was there already\n")?;
    }
    for path in written {
        print(&format!("{}\n", args.pages.join(path).display()))?;
    }
    Ok(Outcome::Fine)
}

fn rebuild(args: &Args) -> anyhow::Result<Outcome> {
    let rebuilt = publish::rebuild_in(&Folder::open(&args.pages)?, args.site_url.as_ref(), &lockfiles())?;
    print_written(args, rebuilt.files.keys())?;
    if rebuilt.broken.is_empty() {
        return Ok(Outcome::Fine);
    }
    for error in rebuilt.broken {
        super::complain(&error.into());
    }
    Ok(Outcome::CheckFailed)
}

fn check(args: &Args) -> anyhow::Result<Outcome> {
    match publish::check(&Folder::open(&args.pages)?) {
        Ok(checked) => {
            print(&format!(
                "{}: {} in {}, and {} data.js; all can be read, and what follows from the records is what they say\n",
                args.pages.display(),
                count(checked.records, "record"),
                count(checked.index.lanes.len(), "lane"),
                checked.charts
            ))?;
            Ok(Outcome::Fine)
        }
        // A refused file is a result of the check; a file that cannot be opened is an error.
        Err(error @ (PublishError::Broken { .. } | PublishError::Derived { .. } | PublishError::Store(_))) => {
            super::complain(&error.into());
            Ok(Outcome::CheckFailed)
        }
        Err(error) => Err(error.into()),
    }
}
