//! `bench compare --plan`, and `--merge`: a comparison on several machines.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use analyze::compare::outcome::Comparison;
use analyze::compare::sharding::merge as merged_of;
use anyhow::ensure;
use apps::catalog;
use measure::compare::ComparisonPlan;
use model::{count, escape};

use super::{Args, Outcome, finish};
use crate::cli::{Format, print, warn};

/// Minutes that both builds and the pairs of a variant take on two cpus, about.
const MINUTES: u32 = 8;

pub fn plan(args: &Args, most: u32) -> anyhow::Result<Outcome> {
    let plan = measure::compare::plan(&args.request, most)?;
    match args.format {
        Format::Json => print(&format!("{}\n", serde_json::to_string_pretty(&plan)?))?,
        Format::Text => print(&text(&plan, most))?,
    }
    Ok(Outcome::Fine)
}

fn text(plan: &ComparisonPlan, most: u32) -> String {
    let base = &plan.base;
    let commit: String = base.commit.chars().take(12).collect();
    let base = format!("against {} ({commit})", escape::clean(&base.revision, escape::NAME));
    let mut text = match plan.shards.len() {
        0 => format!("Nothing to measure {base}: this change touches no app\n"),
        1 => format!("One machine is enough {base}:\n"),
        shards => format!("{shards} machines, {base}:\n"),
    };
    for (number, shard) in (1..).zip(&plan.shards) {
        let minutes = MINUTES * shard.variants;
        let apps = shard.apps.join(", ");
        // A String takes everything.
        let _ = writeln!(
            text,
            "- --shard {number}/{most}: {apps} (about {})",
            count(minutes as usize, "minute")
        );
    }
    text
}

/// Merges what can be read: a shard whose file is missing or broken is lost, and takes no other with it.
pub fn merge(args: &Args) -> anyhow::Result<Outcome> {
    let (mut shards, mut broken) = (Vec::new(), Vec::new());
    for file in args.merge.iter().flat_map(|path| files_below(path)) {
        let name = escape::clean(&file.display().to_string(), escape::SENTENCE);
        let text = fs::read(&file).map_err(|error| error.to_string());
        match text.and_then(|text| Comparison::parse(&text)) {
            Ok(shard) => shards.push((name, shard)),
            Err(reason) => broken.push(format!("{name}: {reason}")),
        }
    }
    ensure!(!shards.is_empty(), "there is no shard to merge: {}", broken.join("; "));
    for reason in &broken {
        warn(&format!("warning: {reason}"));
    }
    let merged = merged_of(shards).map_err(anyhow::Error::msg)?;
    // With a file named, no repository is needed.
    let root = args.out.is_none().then(catalog::find_root).transpose()?;
    finish(args, &root.unwrap_or_default(), &merged)
}

/// The file itself, or the JSON files of a folder at any depth: a download of several artifacts makes a folder of each, and of one none.
fn files_below(path: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(path) else {
        return vec![path.to_owned()];
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.is_dir() || path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    paths.iter().flat_map(|path| files_below(path)).collect()
}
