//! `bench compare --self-test`: the same program on both sides.

use std::fs;
use std::path::{Path, PathBuf};

use super::Args;
use crate::cli::{Outcome, json, link, with_block, write_files};
use crate::progress::OnStderr;
use analyze::compare::gates::Gates;
use analyze::compare::outcome::Comparison;
use analyze::compare::self_test;
use analyze::compare::self_test::{SelfTest, self_test};
use apps::catalog;
use machine::interrupt;
use measure::compare::record_itself;
use report::{ReadmeBlock, self_test_block, self_test_chart, self_test_markdown};

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
    if args.replay.is_empty() || args.out.is_some() || args.readme.is_some() {
        let usual = || root.join("bench-results").join(OUT);
        let out = args.out.clone().unwrap_or_else(usual);
        keep(&self_test, &out, args.readme.as_deref())?;
    }
    args.format.print(&self_test, || self_test_markdown(&self_test))?;
    Ok(Outcome::Fine)
}

/// Writes the rates, their picture next to them, and the block of `readme`.
fn keep(self_test: &SelfTest, out: &Path, readme: Option<&Path>) -> anyhow::Result<()> {
    let chart = out.with_extension("svg");
    let mut written = vec![
        (chart.clone(), self_test_chart(self_test)),
        (out.to_owned(), json(self_test)?),
    ];
    if let Some(readme) = readme {
        let block = self_test_block(self_test, &link(readme, &chart)?, &link(readme, out)?);
        let text = with_block(readme, ReadmeBlock::SelfTest, &block)?;
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
