//! `bench compare --self-test`: the same program on both sides.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::Args;
use crate::cli::{Format, LARGEST_PAGE, Outcome, link, print, write_files};
use crate::progress::OnStderr;
use analyze::compare::gates::Gates;
use analyze::compare::outcome::Comparison;
use analyze::compare::self_test;
use analyze::compare::self_test::{SelfTest, self_test};
use apps::catalog;
use machine::interrupt;
use measure::compare::record_itself;
use model::store;
use report::{ReadmeBlock, replace_block, self_test_block, self_test_chart, self_test_markdown};

/// Where the rates are written, below the folder of results.
const OUT: &str = "local/self-test.json";
/// Comparisons that are drawn from what was recorded.
const DRAWS: u32 = 1_000;

pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let root = catalog::find_root()?;
    let gates = Gates::built_in();
    let recording = if args.replay.is_empty() {
        vec![record_itself(&args.request, env!("CARGO_PKG_VERSION"), &OnStderr)?]
    } else {
        read(&args.replay)?
    };
    if let Some(file) = &args.record {
        let lines: Vec<String> = recording.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
        write_files([(file.clone(), lines.join("\n") + "\n")])?;
    }
    let self_test = interrupt::computed(move || self_test(&recording, &gates, DRAWS, 1))?;
    let json = format!("{}\n", serde_json::to_string_pretty(&self_test)?);
    if args.replay.is_empty() || args.out.is_some() || args.readme.is_some() {
        let usual = || root.join("bench-results").join(OUT);
        keep(
            &self_test,
            &json,
            &args.out.clone().unwrap_or_else(usual),
            args.readme.as_deref(),
        )?;
    }
    match args.format {
        Format::Json => print(&json)?,
        Format::Text => print(&self_test_markdown(&self_test))?,
    }
    Ok(Outcome::Fine)
}

/// Writes the rates, their picture next to them, and the block of `readme`.
fn keep(self_test: &SelfTest, json: &str, out: &Path, readme: Option<&Path>) -> anyhow::Result<()> {
    let chart = out.with_extension("svg");
    let mut written = vec![
        (chart.clone(), self_test_chart(self_test)),
        (out.to_owned(), json.to_owned()),
    ];
    if let Some(readme) = readme {
        let text =
            store::read_text(readme, LARGEST_PAGE).with_context(|| format!("cannot read {}", readme.display()))?;
        let block = self_test_block(self_test, &link(readme, &chart)?, &link(readme, out)?);
        let text = replace_block(&text, ReadmeBlock::SelfTest, &block).with_context(|| readme.display().to_string())?;
        written.push((readme.to_owned(), text));
    }
    write_files(written)
}

/// The comparisons of all these files together.
fn read(files: &[PathBuf]) -> anyhow::Result<Vec<Comparison>> {
    let mut all: Vec<Comparison> = Vec::new();
    for file in files {
        let text = fs::read_to_string(file).map_err(|error| error.to_string());
        let read = text.and_then(|text| self_test::read(&text, all.first()));
        all.extend(read.map_err(|reason| anyhow::anyhow!("cannot replay {}: {reason}", file.display()))?);
    }
    Ok(all)
}
