//! `bench report`.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail, ensure};
use clap::ValueEnum;
use serde_json::{Value, json};

use crate::cli::{
    Outcome, SUMMARIES, TABLES, clock, find, link, print, print_json, results_folder, style, with_block, write_files,
};
use crate::lockfiles::CommittedLockfiles;
use analyze::analysis::Analyzed;
use analyze::pair::Direct;
use analyze::releases::{PROFILE, releases};
use analyze::{carried, forecast, reading};
use model::probe::PROBES;
use model::store::{self, StoreError};
use model::{AppRecord, Metric, Record};
use report::publish::Published;
use report::site::{self, CommittedFigures};
use report::{
    Around, Links, OVERVIEW, PANELS, Readme, ReadmeBlock, Style, charts, comparison_markdown, full_markdown,
    full_terminal, probes_chart, probes_markdown, published_markdown, pull_request, releases_page, summary,
    trust_markdown,
};

/// Name of a summary.
const SUMMARY: &str = "summary.md";

const EXAMPLES: &str = "\
Examples:
  bench report                                    the newest whole run: every table, and
                                                  what was found
  bench report axum                               one framework of it, and what its releases
                                                  brought
  bench report --pair axum,actix-web              two frameworks directly: how much more
                                                  the second needs
  bench report 20261121T110000Z-2a --out /tmp/report
                                                  summary.md and charts/*.svg
  bench report latest --readme README.md          summary, charts, and the results block
                                                  of README.md
  bench report latest --readme README.md --database RUN.json
                                                  the same with another run with a database
  bench report latest --format json               every figure with its interval and verdict
  bench report probes                             the newest probes
  bench report target/compare/comparison.json     what `bench compare` found
  bench report probes --out bench-results/probes  the same as summary.md
  bench report latest --format pull-request       what a reviewer must know: failures,
                                                  what moved, its causes
  bench report ../pages/runs/LANE/RUN.json.gz --published URL --format figures
                                                  what is committed of a published record";

/// Show a record, or two frameworks of it; write summary and charts
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Record: its path, its run's id, or `latest` for the newest whole run; a framework of that; `probes` for the newest probes; or the path
    /// of probes or a comparison
    #[arg(value_name = "RUN", default_value = store::LATEST)]
    run: String,
    /// Compare two frameworks of the run directly: how much more the second needs, from the rounds that they share
    #[arg(long, value_name = "A,B", value_parser = two, conflicts_with_all = ["out", "readme", "base_url", "published"])]
    pair: Option<[String; 2]>,
    /// Format on standard output
    #[arg(long, value_enum, default_value_t, conflicts_with_all = ["out", "readme"])]
    format: Shape,
    /// With --format pull-request: address of the folder with summary and chart, for links
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// Address of `runs/` of gh-pages: RUN is a file there, and what is written links to it and has one chart, the overview
    #[arg(long, value_name = "URL")]
    published: Option<String>,
    /// Folder for summary.md and charts/*.svg
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// File whose block between `<!-- results:begin -->` and `<!-- results:end -->` is replaced
    #[arg(long, value_name = "FILE")]
    readme: Option<PathBuf>,
    /// The run whose figures with PostgreSQL the block has [default: the newest whole one of the same lane]
    #[arg(long, value_name = "RUN", requires = "readme")]
    database: Option<String>,
    /// Folder of the results [default: bench-results of the repository]
    #[arg(long, value_name = "DIR")]
    results: Option<PathBuf>,
}

impl Args {
    /// Whether a name that no record has may be that of a framework.
    fn only_shows(&self) -> bool {
        let is_record = [store::LATEST, PROBES].contains(&&*self.run);
        !is_record && self.pair.is_none() && self.out.is_none() && self.readme.is_none()
    }

    /// The style of a text for a terminal, and none for Markdown; fails where `what` is shown in another format.
    fn text_style(&self, what: &str) -> anyhow::Result<Option<Style>> {
        match self.format {
            Shape::Table | Shape::Json => Ok(Some(style(TABLES))),
            Shape::Markdown => Ok(None),
            _ => bail!("{what} is shown as table, markdown or json"),
        }
    }
}

/// What the report is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Shape {
    /// For people: every table, and in the end what a run prints
    #[default]
    Table,
    /// Everything, as Markdown
    Markdown,
    /// What a reviewer of the record must know, as the body of a pull request
    PullRequest,
    /// The record, and what follows from it: median, interval, ratio, rank and verdict of every figure
    Json,
    /// What runs are compared by, in a few bytes, with the place of the record; needs --published
    Figures,
}

/// Two names with a comma between.
fn two(text: &str) -> Result<[String; 2], String> {
    let names = text.split(',').map(|name| name.trim().to_owned()).collect::<Vec<_>>();
    let names = <[String; 2]>::try_from(names).ok();
    let hint = || "write two names with a comma between, such as axum,actix-web".to_owned();
    names
        .filter(|names| names.iter().all(|name| !name.is_empty()))
        .ok_or_else(hint)
}

pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let results = results_folder(args.results.as_deref());
    let for_review = args.base_url.is_some();
    let path = match find(&results, &args.run) {
        Err(StoreError::Missing(name)) if args.only_shows() => return framework(args, &results, &name),
        found => found?,
    };
    let (record, sessions) = match reading::among_sessions(&results, &path) {
        Err(error) => return comparison(args, &path).unwrap_or(Err(error.into())),
        Ok(found) => found,
    };
    if record.folder() == PROBES {
        ensure!(
            args.readme.is_none() && !for_review,
            "probes are shown, with --format or --out; a record's block of README.md has their column"
        );
        return probes(args, &record);
    }
    if let Some(names) = &args.pair {
        return pair(args, &results, &Direct::new(&record, &sessions), names);
    }
    ensure!(
        !for_review || args.format == Shape::PullRequest,
        "--base-url belongs to --format pull-request"
    );
    let published = args.published.as_deref().map(|url| Published::at(&path, url));
    let published = published.transpose()?;
    if args.out.is_some() || args.readme.is_some() {
        return write(args, &record, &path, published.as_ref());
    }
    match args.format {
        Shape::Table => {
            let found = summary(&Direct::new(&record, &sessions), style(SUMMARIES));
            let found = found.map(|found| format!("\n{found}")).unwrap_or_default();
            print(&(full_terminal(&record, style(TABLES)) + &found))?;
        }
        Shape::Json => print_json(&Analyzed::of(&record))?,
        Shape::Figures => {
            let published = published.context("--format figures says where the record is: name it with --published")?;
            print(&site::text(&CommittedFigures::of(&record, &published)))?;
        }
        Shape::Markdown => print(&full_markdown(&record, None))?,
        Shape::PullRequest => {
            let previous = reading::previous(&results, &record)?;
            let previous = previous.map(|path| anyhow::Ok(reading::among_sessions(&results, &path)?.0));
            let previous = previous.transpose()?;
            let links = Links {
                base_url: args.base_url.as_deref(),
                published: published.as_ref(),
            };
            let earlier = report::publish::before(&results, &record)?;
            let lockfiles = CommittedLockfiles::of_this_repository();
            // Those that are committed need not be published.
            let counted = [&results, &results_folder(None)].map(|folder| reading::releases(folder, clock::now()));
            let counted = counted.into_iter().collect::<Result<Vec<_>, _>>()?.concat();
            let before = previous.as_ref();
            print(&pull_request(
                &record,
                before,
                &earlier,
                links,
                &lockfiles,
                &releases(&counted),
            ))?;
        }
    }
    Ok(Outcome::Fine)
}

/// Shows how two apps of a run compare.
fn pair(args: &Args, results: &Path, direct: &Direct<'_>, names: &[String; 2]) -> anyhow::Result<Outcome> {
    said(args, results, direct, |direct| {
        let [base, app] = names;
        let record = direct.record;
        let findings = direct.pair(base, app).map_err(|name| unknown("app", &name, record))?;
        let text = report::pair(direct, &findings, args.text_style("--pair")?);
        let json = json!({ "run": record.id, "metric": Metric::ServerCpuUsPerRequest, "pairs": findings });
        Ok((text, json))
    })
}

/// Shows one framework of the newest run.
fn framework(args: &Args, results: &Path, name: &str) -> anyhow::Result<Outcome> {
    let Ok(path) = find(results, store::LATEST) else {
        return Err(StoreError::Missing(name.to_owned()).into());
    };
    let (record, sessions) = reading::among_sessions(results, &path)?;
    let now = clock::now();
    let of_all = reading::with_comparisons(&reading::releases(results, now)?, results, now)?;
    said(args, results, &Direct::new(&record, &sessions), |direct| {
        let of_newest = direct.record.id == record.id;
        let record = direct.record;
        let app = direct
            .app(name)
            .ok_or_else(|| unknown("record or framework", name, record))?;
        let mut own = of_all.clone();
        own.crates.retain(|one| of_newest && one.app == app.id);
        let text = report::framework(direct, app, &own, args.text_style("a framework")?);
        let cells = record.summary.iter();
        let cells = cells.filter(|cell| (&cell.app, &cell.variant) == (&app.id, &app.variant));
        let cells = cells.collect::<Vec<_>>();
        Ok((
            text,
            json!({ "run": record.id, "cells": cells, "releases": own.crates }),
        ))
    })
}

fn unknown(kind: &str, name: &str, record: &Record) -> anyhow::Error {
    let labels: Vec<String> = record.apps.iter().map(AppRecord::label).collect();
    apps::suggest::unknown(kind, name, labels.iter().map(String::as_str))
}

/// Prints what is said of a run as text and as JSON; unless a run is named, also what the newest one with a database says.
fn said(
    args: &Args,
    results: &Path,
    direct: &Direct<'_>,
    of: impl Fn(&Direct<'_>) -> anyhow::Result<(String, Value)>,
) -> anyhow::Result<Outcome> {
    let (mut text, json) = of(direct)?;
    let mut json = vec![json];
    if args.pair.is_none() || args.run == store::LATEST {
        for path in reading::with_database(results, direct.record.lane) {
            let (record, sessions) = reading::among_sessions(results, &path)?;
            if let Ok((more, value)) = of(&Direct::new(&record, &sessions)) {
                text = format!("{text}\n{more}");
                json.push(value);
                break;
            }
        }
    }
    match args.format {
        Shape::Json => print_json(&json)?,
        _ => print(&text)?,
    }
    Ok(Outcome::Fine)
}

/// Shows a stored comparison; `None` if the file is none.
fn comparison(args: &Args, path: &Path) -> Option<anyhow::Result<Outcome>> {
    let comparison = reading::comparison(path).ok()?;
    let shown = match args.format {
        Shape::Table | Shape::Markdown => print(&comparison_markdown(&comparison)),
        Shape::Json => print_json(&comparison.analyzed()),
        _ => Err(anyhow!("a comparison is shown as table, markdown or json")),
    };
    Some(shown.map(|()| Outcome::Fine))
}

/// Writes the summary, the charts, and the README with its new block.
fn write(args: &Args, record: &Record, path: &Path, published: Option<&Published>) -> anyhow::Result<Outcome> {
    let parent = path.parent().unwrap_or(Path::new("."));
    let folder = args.out.as_deref().unwrap_or(parent);
    let chart_path = |name: &str| chart_path(folder, name);
    let charts = charts(record).into_iter();
    let charts = charts.filter(|(name, _)| published.is_none() || name == OVERVIEW);
    let mut written: Vec<_> = charts.map(|(name, svg)| (chart_path(&name), svg)).collect();
    let text = match published {
        _ if record.profile == PROFILE => {
            let (results, now) = (results_folder(args.results.as_deref()), clock::now());
            let records = reading::releases(&results, now)?;
            releases_page(&reading::with_comparisons(&records, &results, now)?, &records)
        }
        Some(published) => published_markdown(record, "charts", published),
        None => full_markdown(record, Some("charts")),
    };
    let mut summary = text;
    if let Some(readme) = &args.readme {
        let (charts, trust, text) = in_readme(args, readme, record, (path, folder))?;
        summary = format!("{summary}\n{trust}");
        written.extend(PANELS.map(chart_path).into_iter().zip(charts));
        written.push((readme.clone(), text));
    }
    written.push((folder.join(SUMMARY), summary));
    finish(written)
}

fn chart_path(folder: &Path, name: &str) -> PathBuf {
    folder.join("charts").join(format!("{name}.svg"))
}

/// The pictures of README.md, how far its figures hold, and README.md with its new block, for the record at a path whose summary is in a folder.
fn in_readme(
    args: &Args,
    readme: &Path,
    record: &Record,
    (path, folder): (&Path, &Path),
) -> anyhow::Result<([String; 2], String, String)> {
    let results = results_folder(args.results.as_deref());
    let with_database = match &args.database {
        Some(name) => Some(find(&results, name)?),
        None => reading::newest_with_database(&results, record.lane, Readme::is_with_database)?,
    };
    let with_database = with_database
        .map(|path| anyhow::Ok((reading::among_sessions(&results, &path)?.0, path)))
        .transpose()?;
    if let Some((record, path)) = &with_database {
        ensure!(
            Readme::is_with_database(record),
            "{} has no figure of `GET /db`; name a run with a database",
            path.display()
        );
    }
    let shown = Readme::of(record, with_database.as_ref().map(|(record, _)| record)).with_context(|| {
        format!(
            "README.md shows the small JSON answer of frameworks that work alone, and {} of the profile {} has no figure of it; name \
             another run",
            record.id, record.profile
        )
    })?;
    let place = |path: &Path, folder: &Path| {
        let record = match &args.published {
            Some(url) => Published::at(path, url)?.url,
            None => link(readme, path)?,
        };
        anyhow::Ok((link(readme, &folder.join(SUMMARY))?, record))
    };
    let mut places = vec![place(path, folder)?];
    if let Some((database, path)) = &with_database {
        places.push(place(path, &folder.join(&database.profile))?);
    }
    // The probes of gh-pages have their summary where README is.
    let committed = args.published.as_ref().map(|_| readme.with_file_name("bench-results"));
    let probed = committed.as_ref().unwrap_or(&results).join(PROBES).join(SUMMARY);
    let newest = reading::whole_probes(&results, clock::now())?.pop();
    let newest = newest.map(|probes| anyhow::Ok((probes, link(readme, &probed)?)));
    let newest = newest.transpose()?;
    let runs = reading::until(&results, record, forecast::MOST_RUNS)?;
    let sessions = reading::sessions(&results, record)?;
    let [wide, narrow] = PANELS.map(|name| link(readme, &chart_path(folder, name)));
    let carried = carried::carried(
        record,
        &sessions,
        &reading::on_other_machines(&results, record, forecast::MOST_RUNS)?,
    );
    let trust = trust_markdown(record, &sessions, &forecast::forecasts(&runs), &carried);
    let block = shown.block(&Around {
        charts: &[wide?, narrow?],
        places: &places,
        sessions: &sessions,
        carried: &carried,
        breaks: newest.as_ref().map(|(probes, path)| (probes, path.as_str())),
    });
    Ok((shown.charts(), trust, with_block(readme, ReadmeBlock::Results, &block)?))
}

/// Writes files and prints their paths.
fn finish(files: Vec<(PathBuf, String)>) -> anyhow::Result<Outcome> {
    let paths: Vec<String> = files.iter().map(|(path, _)| path.display().to_string()).collect();
    write_files(files)?;
    print(&format!("{}\n", paths.join("\n")))?;
    Ok(Outcome::Fine)
}

/// What breaks: on standard output, or as `summary.md` and its chart in a folder.
fn probes(args: &Args, probes: &Record) -> anyhow::Result<Outcome> {
    if let Some(folder) = &args.out {
        let chart = probes_chart(probes).map(|svg| (chart_path(folder, "memory"), svg));
        let linked = chart.as_ref().map(|_| "charts/memory.svg");
        let summary = (folder.join(SUMMARY), probes_markdown(probes, linked));
        return finish([summary].into_iter().chain(chart).collect());
    }
    print(&match args.format {
        Shape::Table => report::probes(probes, false),
        Shape::Markdown => probes_markdown(probes, None),
        _ => bail!("probes are shown as table or markdown"),
    })?;
    Ok(Outcome::Fine)
}
