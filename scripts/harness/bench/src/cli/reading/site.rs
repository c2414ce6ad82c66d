//! `bench site`.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, ensure};

use crate::cli::{Outcome, clock, print, warn};
use crate::lockfiles::CommittedLockfiles;
use report::labels::count;
use report::publish;
use report::site;
use report::site::Given;

const EXAMPLES: &str = "\
DIR of --out may be the built site (scripts/dashboard/dist), which is then complete. What
changed between two runs is read from the lockfiles in the history of this repository.

Example:
  bench site --pages ../pages --out scripts/dashboard/dist";

/// Make the site's data from the records of a checkout of gh-pages
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Checkout of the branch that is published
    #[arg(long, value_name = "DIR")]
    pages: PathBuf,
    /// Folder to write into
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Address of the site, for the links of the feed: `https://OWNER.github.io/REPO/` [default: none, links are relative]
    #[arg(long, value_name = "URL", value_parser = address)]
    site_url: Option<String>,
}

pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    publish::runs(&args.pages)?;
    ensure!(
        args.out.canonicalize().ok() != args.pages.canonicalize().ok(),
        "--out is the checkout itself, which holds records and nothing that follows from them; name another folder"
    );
    let program = std::env::current_exe()
        .and_then(fs::read)
        .context("cannot read this program")?;
    let given = Given {
        program: &model::store::sha256([&*program]),
        now: clock::now(),
        lockfiles: &CommittedLockfiles::of_this_repository(),
        site_url: args.site_url.as_deref(),
    };
    let built = site::build(&args.pages, &args.out, given)?;
    for path in built.left_out {
        warn(&format!(
            "left out: {} is from the future; now it is {}",
            path.display(),
            given.now
        ));
    }
    print(&format!(
        "{}: {} in {}\n",
        args.out.display(),
        count(built.records, "record"),
        count(built.index.lanes.len(), "lane")
    ))?;
    Ok(Outcome::Fine)
}

/// An address of the web, with a `/` at its end.
fn address(text: &str) -> Result<String, &'static str> {
    if text.starts_with("https://") || text.starts_with("http://") {
        Ok(format!("{}/", text.trim_end_matches('/')))
    } else {
        Err("write it as https://OWNER.github.io/REPO/")
    }
}
