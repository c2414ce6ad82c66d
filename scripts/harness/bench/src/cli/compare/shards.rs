//! `bench compare --plan`, and `--merge`: a comparison on several machines.

use std::fmt::Write as _;
use std::fs;

use analyze::compare::outcome::Comparison;
use analyze::compare::sharding::merge as merged_of;
use anyhow::Context;
use apps::catalog;
use measure::compare::ComparisonPlan;
use model::{count, escape};

use super::{Args, Outcome, finish};
use crate::cli::{Format, print};

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
    let mut text = match plan.shards.len() {
        0 => "Nothing to measure: this change touches no app\n".to_owned(),
        1 => "One machine is enough:\n".to_owned(),
        shards => format!("{shards} machines:\n"),
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

pub fn merge(args: &Args) -> anyhow::Result<Outcome> {
    let shards = args.merge.iter().map(|file| {
        let name = escape::clean(&file.display().to_string(), escape::SENTENCE);
        let text = fs::read(file).with_context(|| name.clone())?;
        let shard = Comparison::parse(&text).map_err(anyhow::Error::msg);
        Ok((name.clone(), shard.with_context(|| name)?))
    });
    let merged = merged_of(shards.collect::<anyhow::Result<_>>()?).map_err(anyhow::Error::msg)?;
    // With a file named, no repository is needed.
    let root = args.out.is_none().then(catalog::find_root).transpose()?;
    let outcome = finish(args, &root.unwrap_or_default(), &merged)?;
    let lost: Vec<&str> = merged.lost().map(|app| app.id.as_str()).collect();
    if lost.is_empty() {
        return Ok(outcome);
    }
    anyhow::bail!(
        "could not be measured, because their shards are missing: {}",
        lost.join(", ")
    )
}
