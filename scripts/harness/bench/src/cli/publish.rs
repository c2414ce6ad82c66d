//! `bench publish`.

use std::path::PathBuf;
use std::rc::Rc;

use super::sense;
use super::sense::Expectations;
use super::{Outcome, clock, print, results_folder};
use judge::reading;
use measure::catalog;
use measure::git::Git;
use measure::interrupt;
use measure::interrupt::Interrupted;
use measure::lockfiles::CommittedLockfiles;
use record::probe;
use record::probe::Probes;
use record::store;
use tell::publish;
use tell::publish::{Additions, Files, Folder, PublishError, Published, SiteUrl};
use tell::report::words::count;

const EXAMPLES: &str = "\
A published record is never overwritten, and a tree that cannot be read is refused.
So is a record that contradicts itself or is not what was asked for: each reason is a
line, nothing is written, and the exit status is 1. --rebuild writes the files that
follow from the records again (series, index, badges, feed). Nothing is committed:
.github/scripts/publish.sh does that, and pushes.

Examples:
  bench publish latest --pages ../pages             write the files, commit nothing
  bench publish --all --pages ../pages --site dist  every record, and a built site
  bench publish probes --pages ../pages             what breaks, the newest
  bench publish --pages ../pages --check            are all files readable, and do
                                                    derived files match the records?
  bench publish --pages ../pages --rebuild          write derived files again
  .github/scripts/publish.sh ../pages latest        the same as the first, committed on
                                                    the remote's newest tip, and pushed";

/// Write records, the files derived from them, and a site into a checkout of gh-pages
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[allow(clippy::struct_excessive_bools)] // each is a switch of its own
pub struct Args {
    /// Records: paths, ids of runs, or `latest` for the newest; files of probes: paths, or `probes` for the newest
    #[arg(value_name = "RECORD", required_unless_present_any = ["all", "check", "rebuild", "site"])]
    records: Vec<String>,
    /// Every record of the results, of all lanes, and all files of probes
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
    #[command(flatten)]
    expected: Expectations,
    /// Publish a run even if reference or ceiling moved by more than a machine can move; the runs after it are then held against it as
    /// well
    #[arg(long)]
    accept_moved: bool,
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
    // Until files are written, an interrupt ends the process at once.
    let folder = Folder::open(&args.pages)?;
    if args.check {
        return check(args, &folder);
    }
    if args.rebuild {
        return rebuild(args, &folder);
    }
    let Some((records, probes)) = additions(args, &folder)? else {
        return Ok(Outcome::CheckFailed);
    };
    let additions = Additions {
        now: clock::now(),
        records,
        probes,
        site: args
            .site
            .as_deref()
            .map(publish::read_site)
            .transpose()?
            .unwrap_or_default(),
        site_url: args.site_url.clone(),
        lockfiles: Some(Rc::new(lockfiles())),
    };
    let prepared = publish::prepare(&folder, &additions)?;
    left_out(&prepared.left_out);
    write(args, &folder, &prepared.files)
}

/// Writes files and names them.
fn write(args: &Args, folder: &Folder, files: &Files) -> anyhow::Result<Outcome> {
    interrupt::listen()?;
    match folder.write(files, || interrupt::check().is_err()) {
        Err(PublishError::Interrupted) => return Err(Interrupted.into()),
        written => written?,
    }
    if files.is_empty() {
        print("everything was there already\n")?;
    }
    for path in files.keys() {
        print(&format!("{}\n", args.pages.join(path).display()))?;
    }
    Ok(Outcome::Fine)
}

/// Names the records that nothing is derived from.
fn left_out(places: &[String]) {
    for place in places {
        super::warn(&format!(
            "left out: {place} is of the future; now it is {}",
            clock::now()
        ));
    }
}

/// Lockfiles of the commits that records were made from; they are in this repository, not in gh-pages.
fn lockfiles() -> CommittedLockfiles {
    CommittedLockfiles::new(Git::new(&catalog::search_root()))
}

/// What is to be added; `None`, after the reasons, if something speaks against a record.
fn additions(args: &Args, folder: &Folder) -> anyhow::Result<Option<(Vec<Published>, Vec<Probes>)>> {
    let results = results_folder(args.results.as_deref());
    let (mut paths, mut of_probes) = (Vec::new(), Vec::new());
    if args.all {
        paths = store::all(&results);
        of_probes = probe::store::all(&results, clock::now());
    }
    for name in &args.records {
        match super::probes_path(&results, name)? {
            Some(path) => of_probes.push(path),
            None => paths.push(super::find_newest(&results, name)?),
        }
    }
    let (mut records, mut probes) = (Vec::new(), Vec::new());
    let mut makes_sense = true;
    for path in of_probes {
        let document = probe::store::read(&path)?;
        makes_sense &= args.expected.are_met_by_probes(&document, &path)?;
        probes.push(document);
    }
    for path in paths {
        let record = reading::read(&path)?;
        makes_sense &= args.expected.are_met(&record, &path)?;
        makes_sense &= args.accept_moved || sense::is_unmoved(&record, &publish::before(folder, &record)?, &path);
        records.push(Published::new(&path, record)?);
    }
    Ok(makes_sense.then_some((records, probes)))
}

fn rebuild(args: &Args, folder: &Folder) -> anyhow::Result<Outcome> {
    let rebuilt = publish::rebuild(folder, args.site_url.as_ref(), Some(&lockfiles()), clock::now())?;
    left_out(&rebuilt.left_out);
    write(args, folder, &rebuilt.files)?;
    if rebuilt.broken.is_empty() {
        return Ok(Outcome::Fine);
    }
    for error in rebuilt.broken {
        super::complain(&error.into());
    }
    Ok(Outcome::CheckFailed)
}

fn check(args: &Args, folder: &Folder) -> anyhow::Result<Outcome> {
    match publish::check(folder, clock::now()) {
        Ok(checked) => {
            left_out(&checked.left_out);
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
