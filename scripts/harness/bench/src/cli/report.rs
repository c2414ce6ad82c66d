//! `bench report`.

use std::io::{IsTerminal, stdout};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::ValueEnum;

use super::{Outcome, clock, link, print, print_json, results_folder, write_files};
use analyze::analysis::Analyzed;
use analyze::reading;
use model::Record;
use model::probe;
use model::store;
use report::{
    Breaks, ReadmeBlock, charts, markdown, probes_markdown, pull_request, readme_block, replace_block, terminal,
};

/// Name of the chart that README.md shows.
const OVERVIEW: &str = "overview";
/// Name of a summary.
const SUMMARY: &str = "summary.md";

const EXAMPLES: &str = "\
Examples:
  bench report latest                             the newest whole run as a table; into a
                                                  pipe or file, as Markdown
  bench report 20261121T110000Z-2a --out /tmp/report
                                                  summary.md and charts/*.svg
  bench report latest --readme README.md          summary, charts, and the results block
                                                  of README.md
  bench report RUN.json --readme README.md        the same for a run of servers with a
                                                  database, which has a block of its own
  bench report latest --format json               every figure with its interval and verdict
  bench report probes                             what breaks, by the newest probes
  bench report probes --out bench-results/probes  the same as summary.md
  bench report latest --format pull-request       what a reviewer must know: failures,
                                                  changes, verdicts";

/// Show a record as Markdown, or write its summary, charts and the results block of README.md
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Record: its path, the id of the run, or `latest` for the newest whole run; `probes` for what breaks, or the path of a file of probes
    #[arg(value_name = "RUN")]
    run: String,
    /// Format on standard output [default: the table on a terminal, else markdown]
    #[arg(long, value_enum, conflicts_with_all = ["out", "readme"])]
    format: Option<Shape>,
    /// With --format pull-request: the run to compare with [default: the previous one of the same lane and profile]
    #[arg(long, value_name = "RUN")]
    previous: Option<String>,
    /// With --format pull-request: address of the record's folder, for links and the chart
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// Folder for summary.md and charts/*.svg
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// File whose block between `<!-- results:begin -->` and `<!-- results:end -->` is replaced; for servers with a
    /// database, the block between `<!-- database-results:begin -->` and its end
    #[arg(long, value_name = "FILE")]
    readme: Option<PathBuf>,
    /// Folder of the results [default: bench-results of the repository]
    #[arg(long, value_name = "DIR")]
    results: Option<PathBuf>,
}

/// What the report is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Shape {
    /// The table that a run prints
    Table,
    /// Everything, as Markdown
    Markdown,
    /// What a reviewer of the record must know, as the body of a pull request
    PullRequest,
    /// The record, and what follows from it: median, interval, ratio, rank and verdict of every figure
    Json,
}

pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let results = results_folder(args.results.as_deref());
    if let Some(path) = super::probes_path(&results, &args.run)? {
        return probes(args, &path);
    }
    let path = super::find(&results, &args.run)?;
    let record = reading::read(&path)?;
    if args.format == Some(Shape::PullRequest) {
        let previous = match &args.previous {
            Some(name) => Some(super::find(&results, name)?),
            None => reading::previous(&results, &record)?,
        };
        let previous = previous.map(|path| reading::read(&path)).transpose()?;
        print(&pull_request(&record, previous.as_ref(), args.base_url.as_deref()))?;
        return Ok(Outcome::Fine);
    }
    anyhow::ensure!(
        args.previous.is_none() && args.base_url.is_none(),
        "--previous and --base-url belong to --format pull-request"
    );
    anyhow::ensure!(
        args.readme.is_none() || !record.is_of_costs(),
        "run {} drove no load (profile {}), and README.md shows loads; name another run",
        record.id,
        record.profile
    );
    if args.out.is_none() && args.readme.is_none() {
        let for_people = if stdout().is_terminal() {
            Shape::Table
        } else {
            Shape::Markdown
        };
        match args.format.unwrap_or(for_people) {
            Shape::Table => print(&terminal(&record, super::style()))?,
            Shape::Json => print_json(&Analyzed::of(&record))?,
            Shape::Markdown | Shape::PullRequest => print(&markdown(&record, None))?,
        }
        return Ok(Outcome::Fine);
    }
    let beside = path.parent().unwrap_or(Path::new("."));
    let folder = args.out.as_deref().unwrap_or(beside);
    // The block is made first, so that nothing is written if the README lacks the markers.
    let block = args
        .readme
        .as_deref()
        .map(|readme| block(&record, readme, folder, &path, &results))
        .transpose()?;
    let mut written = Vec::new();
    for chart in charts(&record) {
        written.push((folder.join("charts").join(format!("{}.svg", chart.name)), chart.svg));
    }
    written.push((folder.join(SUMMARY), markdown(&record, Some("charts"))));
    written.extend(block);
    let paths: Vec<String> = written.iter().map(|(path, _)| path.display().to_string()).collect();
    write_files(written)?;
    print(&format!("{}\n", paths.join("\n")))?;
    Ok(Outcome::Fine)
}

/// What breaks: on standard output, or as `summary.md` in a folder.
fn probes(args: &Args, path: &Path) -> anyhow::Result<Outcome> {
    anyhow::ensure!(
        args.readme.is_none() && args.previous.is_none() && args.base_url.is_none(),
        "probes are shown, with --format or --out; the column of README.md comes with that of a record"
    );
    let probes = probe::store::read(path)?;
    if let Some(folder) = &args.out {
        let summary = folder.join(SUMMARY);
        write_files(vec![(summary.clone(), probes_markdown(&probes))])?;
        print(&format!("{}\n", summary.display()))?;
        return Ok(Outcome::Fine);
    }
    let is_table = match args.format {
        Some(Shape::Table) => true,
        Some(Shape::Markdown) => false,
        Some(Shape::PullRequest | Shape::Json) => anyhow::bail!("probes are shown as table or markdown"),
        None => stdout().is_terminal(),
    };
    print(&if is_table {
        report::probes(&probes, false)
    } else {
        probes_markdown(&probes)
    })?;
    Ok(Outcome::Fine)
}

/// The README with its new block.
fn block(
    record: &Record,
    readme: &Path,
    folder: &Path,
    path: &Path,
    results: &Path,
) -> anyhow::Result<(PathBuf, String)> {
    let text =
        store::read_text(readme, super::LARGEST_PAGE).with_context(|| format!("cannot read {}", readme.display()))?;
    let chart = folder.join("charts").join(format!("{OVERVIEW}.svg"));
    let kind = ReadmeBlock::for_record(record).with_context(|| {
        format!(
            "README.md does not show runs of the profile {1}, such as {0}; name another run",
            record.id, record.profile
        )
    })?;
    // Probes are of servers that work alone.
    let newest = probe::store::whole(results, clock::now())?
        .pop()
        .filter(|_| kind == ReadmeBlock::Results);
    let summary = link(readme, &results.join(probe::store::FOLDER).join(SUMMARY))?;
    let breaks = newest.as_ref().map(|probes| Breaks { probes, path: &summary });
    let block = readme_block(record, &link(readme, &chart)?, &link(readme, path)?, breaks);
    let text = replace_block(&text, kind, &block).with_context(|| readme.display().to_string())?;
    Ok((readme.to_owned(), text))
}
