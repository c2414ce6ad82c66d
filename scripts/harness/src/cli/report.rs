//! `bench report`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::{Outcome, link, print, results_folder};
use crate::record::Record;
use crate::report::{Block, charts, markdown, readme_block, replace_block};
use crate::store;

/// Name of the chart that README.md shows.
const OVERVIEW: &str = "overview";

const EXAMPLES: &str = "\
Examples:
  bench report latest                                      Markdown on standard output
  bench report 20261121T110000Z-2a --out /tmp/report       summary.md and charts/*.svg
  bench report latest --readme README.md                   the results block of README.md, summary and charts
                                                           beside the record";

/// Show a record as Markdown, or write its summary, charts and the results block of README.md.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Record: its path, the id of the run, or `latest`
    #[arg(value_name = "RUN")]
    run: String,
    /// Folder for summary.md and charts/*.svg
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// File whose block between `<!-- results:begin -->` and `<!-- results:end -->` is written
    #[arg(long, value_name = "FILE")]
    readme: Option<PathBuf>,
    /// Folder of the results [default: bench-results of the repository]
    #[arg(long, value_name = "DIR")]
    results: Option<PathBuf>,
}

pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let results = results_folder(args.results.as_deref());
    let path = store::find(&results, &args.run)?;
    let record = store::read(&path)?;
    if args.out.is_none() && args.readme.is_none() {
        print(&markdown(&record, None))?;
        return Ok(Outcome::Fine);
    }
    let beside = path.parent().unwrap_or(Path::new("."));
    let folder = args.out.as_deref().unwrap_or(beside);
    // The block is made first: a README without its markers leaves everything as it was.
    let block = args
        .readme
        .as_deref()
        .map(|readme| block(&record, readme, folder, &path))
        .transpose()?;
    let mut written = Vec::new();
    for chart in charts(&record) {
        written.push((folder.join("charts").join(format!("{}.svg", chart.name)), chart.svg));
    }
    written.push((folder.join("summary.md"), markdown(&record, Some("charts"))));
    written.extend(block);
    for (path, content) in written {
        store::write_whole(&path, content.as_bytes()).with_context(|| format!("cannot write {}", path.display()))?;
        print(&format!("{}\n", path.display()))?;
    }
    Ok(Outcome::Fine)
}

/// The README with its new block.
fn block(record: &Record, readme: &Path, folder: &Path, path: &Path) -> anyhow::Result<(PathBuf, String)> {
    let text = fs::read_to_string(readme).with_context(|| format!("cannot read {}", readme.display()))?;
    let chart = folder.join("charts").join(format!("{OVERVIEW}.svg"));
    let block = readme_block(record, &link(readme, &chart)?, &link(readme, path)?);
    let text = replace_block(&text, Block::Results, &block).with_context(|| readme.display().to_string())?;
    Ok((readme.to_owned(), text))
}
