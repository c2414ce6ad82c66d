//! The data of the site: everything that follows from the published records, made at once from all of them and committed nowhere.
//! `docs/published.md` describes each file.

mod badge;
mod feed;
mod index;
mod kept;
mod kinds;
mod lane;
mod pairs;
mod run;
mod scaling;
mod series;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::slice::from_ref;

use analyze::analysis::Sessions;
use analyze::forecast::{Forecast, MOST_RUNS};
use analyze::history::Lockfiles;
use analyze::probes::{WhatBreaks, clients, kept_memory, story, what_breaks};
use analyze::reading;
use anyhow::Context;
use jiff::Timestamp;
use model::scenario::LoadModel;
use model::{Cell, Lane, Metric, RELEASE, Record};
use schemars::JsonSchema;
use serde::Serialize;

pub use crate::publish::text;
use crate::publish::{Published, RUNS};
use crate::table;

pub use index::{Index, LaneIndex, Partial, SeriesIndex};
use kept::Kept;
use kinds::Kinds;
use lane::LaneRuns;
pub use run::Run;
pub use scaling::Scaling;
pub use series::{Figures, Runs};
pub use words::words;

/// Version of [`RunFigures`] and [`Summaries`].
const RUN_VERSION: u32 = 2;
/// Version of [`Forecasts`].
const FORECASTS_VERSION: u32 = 1;
/// What is copied as it is: records, and the charts of github-action-benchmark.
const COPIED: [&str; 2] = [RUNS, "charts"];

/// From what the data are made, besides the records.
#[derive(Clone, Copy)]
pub struct Given<'a> {
    /// Hash of the program: what another one left in the folder is made again.
    pub program: &'a str,
    /// A record of a later run is left out: it would be the newest for ever.
    pub now: Timestamp,
    /// Lockfiles of the commits that were measured.
    pub lockfiles: &'a dyn Lockfiles,
    /// Address of the site, with a `/` at its end, for the links of the feed.
    pub site_url: Option<&'a str>,
}

/// What was made.
#[derive(Debug)]
pub struct Built {
    /// The lanes.
    pub index: Index,
    /// Number of records.
    pub records: usize,
    /// Records of the future, from which nothing is derived.
    pub left_out: Vec<PathBuf>,
}

/// One run by itself, or of each scenario the newest run of a series: what pages read that show no others.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RunFigures {
    /// Version of this document's shape.
    pub schema_version: u32,
    /// The run, or the runs.
    pub run: Runs,
    /// Its figures, scenario by scenario.
    pub figures: Vec<Figures>,
}

/// Of every series of a lane the newest runs in brief, in one file: what pages read that look at several kinds of runs.
#[derive(Debug, Serialize)]
struct Newest {
    schema_version: u32,
    newest: Vec<RunFigures>,
}

/// How each run of a lane was forecast by the one before it: `data/<lane>/forecasts.json`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Forecasts {
    /// Version of this document's shape.
    pub schema_version: u32,
    /// The oldest first; only of the newest runs.
    pub forecasts: Vec<Forecast>,
}

impl RunFigures {
    /// All that the site shows of a run, but how its pairs differ.
    pub fn of(record: &Record) -> Self {
        Self::of_all(from_ref(record), from_ref(&Run::from_record(record)))
    }

    /// The same with how its pairs differ, by what other sessions of its kind say.
    pub fn among(record: &Record, others: &Sessions) -> Self {
        let mut all = Self::of(record);
        pairs::fill_in(&mut all.figures, record, others);
        all
    }

    fn of_all(records: &[Record], runs: &[Run]) -> Self {
        let (run, figures) = series::series(records, runs);
        Self {
            schema_version: RUN_VERSION,
            run,
            figures,
        }
    }

    /// What kinds of work are about, and no other figures.
    fn in_brief(mut self) -> Self {
        for figures in &mut self.figures {
            let scenario = self.run.scenarios.get(&figures.scenario);
            let load = scenario.map_or(LoadModel::Closed, |of| of.load);
            let about = match load {
                LoadModel::Open { .. } => Metric::headline(load),
                _ => table::leading(load),
            };
            let is_kept = |metric: Metric| metric == about || metric.is_tail();
            figures.metrics.retain(|metric, _| is_kept(*metric));
            figures.reasons.iter_mut().flatten().for_each(|reason| *reason = None);
        }
        self
    }

    /// What runs are compared by, small enough to be committed each week: of the metrics that have a ratio to the reference, the median,
    /// the ratio with its interval, and the rank; of an app, its version.
    pub fn compared(record: &Record) -> Self {
        let mut all = Self::of(record);
        all.run.subjects.clear();
        all.run.scenarios.clear();
        for figures in &mut all.figures {
            figures.reasons.iter_mut().flatten().for_each(|reason| *reason = None);
            figures.metrics.retain(|_, matrix| !matrix.ratio.is_empty());
            for matrix in figures.metrics.values_mut() {
                (matrix.low, matrix.high) = Default::default();
                (matrix.trials, matrix.behind) = Default::default();
            }
        }
        all
    }
}

/// What is committed of a run whose record is published elsewhere.
#[derive(Debug, Serialize)]
pub struct CommittedFigures<'a> {
    record: &'a Published,
    #[serde(flatten)]
    figures: RunFigures,
}

impl<'a> CommittedFigures<'a> {
    /// Of this record, which is there.
    pub fn of(record: &Record, published: &'a Published) -> Self {
        Self {
            record: published,
            figures: RunFigures::compared(record),
        }
    }
}

/// The ids of a framework's apps, by its name.
type Names = BTreeMap<String, BTreeSet<String>>;

/// The summary of one run: its figures with all digits, intervals and ratios.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Summaries<'a> {
    /// Version of this document's shape.
    pub schema_version: u32,
    /// Each app under each scenario.
    pub cells: &'a [Cell],
}

/// Makes in the folder `out` what follows from the records of `pages`, a checkout of gh-pages, and copies them there. What an
/// earlier call made there from the same is kept.
pub fn build(pages: &Path, out: &Path, given: Given<'_>) -> anyhow::Result<Built> {
    for folder in COPIED {
        let from = pages.join(folder);
        copy(&from, &out.join(folder)).with_context(|| from.display().to_string())?;
    }
    let runs = pages.join(RUNS);
    let out = Out(out);
    let mut built = Built {
        index: Index {
            schema_version: index::SCHEMA_VERSION,
            lanes: BTreeMap::new(),
        },
        records: 0,
        left_out: Vec::new(),
    };
    let (mut stories, mut newest) = (Vec::new(), None);
    let mut names = Names::new();
    let mut kept = Kept::of(out);
    for lane in Lane::ALL {
        let mut runs = LaneRuns::of(&runs, lane, given.now, given.program)?;
        built.left_out.append(&mut runs.left_out);
        built.records += runs.runs.len();
        let mut kinds = Kinds::of(lane, out);
        for place in 0..runs.runs.len() {
            kinds.add(&mut runs, place, &mut kept, &mut names)?;
        }
        if runs.runs.is_empty() {
            continue;
        }
        newest = newest.max(runs.runs.iter().map(|run| run.head.record.started_at).max());
        let forecasts = Forecasts {
            schema_version: FORECASTS_VERSION,
            forecasts: forecasts(lane, &mut runs, &mut kept)?,
        };
        out.json(&format!("data/{}/forecasts.json", lane.name()), &forecasts)?;
        let (published, found) = kinds.write(&mut runs, given)?;
        stories.extend(found.into_iter().map(|story| (lane, story)));
        built.index.lanes.extend(published.map(|published| (lane, published)));
    }
    kept.write()?;
    let releases = reading::with_comparisons(&reading::releases(&runs, given.now)?, &runs, given.now)?;
    out.json("data/releases.json", &releases)?;
    built.records += write_probes(out, &runs, given)?;
    out.json("data/index.json", &built.index)?;
    if let Some(newest) = newest {
        let write = |of: Option<feed::Framework<'_>>| {
            let text = feed::feed(newest, &stories, &releases, given.site_url, of);
            out.write(&feed::file(of.map(|(id, ..)| id)), text.as_bytes())
        };
        write(None)?;
        for (name, apps) in &names {
            let apps: BTreeSet<&str> = apps.iter().map(String::as_str).collect();
            for app in &apps {
                write(Some((*app, name.as_str(), &apps)))?;
            }
        }
    }
    Ok(built)
}

/// How the newest runs of a lane were forecast, the oldest first.
fn forecasts(lane: Lane, runs: &mut LaneRuns<'_>, kept: &mut Kept<'_>) -> anyhow::Result<Vec<Forecast>> {
    let mut forecasts = Vec::new();
    for to in runs.runs.len().saturating_sub(MOST_RUNS)..runs.runs.len() {
        let forecasters = runs.forecasters(to);
        let sessions = forecasters
            .iter()
            .flat_map(|(from, known)| from_ref(from).iter().chain(known));
        let from = runs.hash([to].into_iter().chain(sessions.copied()));
        let name = format!("{}/forecasts/{}", lane.name(), runs.runs[to].head.record.id);
        let forecast = if let Some(forecast) = kept.get(&name, &from) {
            forecast
        } else {
            let forecast = runs.forecast(to, &forecasters)?;
            kept.put(name, from, &forecast, [])?;
            forecast
        };
        forecasts.extend(forecast);
    }
    Ok(forecasts)
}

/// Writes what the probes say together; gives their number.
fn write_probes(out: Out<'_>, runs: &Path, given: Given<'_>) -> anyhow::Result<usize> {
    let all = reading::all_probes(runs, given.now)?;
    let count = all.len();
    let memory = kept_memory(all.iter().filter(|one| one.harness.cargo_profile == RELEASE));
    if let Some(clients) = all.iter().rev().find_map(clients) {
        out.json("data/probes/clients.json", &clients)?;
    }
    let whole: Vec<Record> = all.into_iter().filter(Record::is_whole).collect();
    if let Some(newest) = whole.iter().max_by_key(|one| (one.started_at, &one.id)) {
        let newest = what_breaks(newest);
        out.json("data/probes/breaks.json", &WhatBreaks { memory, ..newest })?;
        out.json("data/probes/index.json", &story(&whole, given.lockfiles))?;
    }
    Ok(count)
}

/// The folder of the site.
#[derive(Clone, Copy)]
struct Out<'a>(&'a Path);

impl Out<'_> {
    fn json(self, path: &str, document: &impl Serialize) -> anyhow::Result<()> {
        self.write(path, text(document).as_bytes())
    }

    fn write(self, path: &str, content: &[u8]) -> anyhow::Result<()> {
        let path = self.0.join(path);
        let folder = path.parent().unwrap_or(self.0);
        let written = fs::create_dir_all(folder).and_then(|()| fs::write(&path, content));
        written.with_context(|| path.display().to_string())
    }
}

/// Copies a file or a folder, if it is there.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    if from.is_file() {
        fs::copy(from, to)?;
    } else if from.is_dir() {
        fs::create_dir_all(to)?;
        for entry in fs::read_dir(from)? {
            let name = entry?.file_name();
            copy(&from.join(&name), &to.join(&name))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
