//! The data of the site: everything that follows from the published records, made at once from all of them and committed nowhere.
//! `docs/published.md` describes each file.

mod badge;
mod feed;
mod index;
mod run;
mod scaling;
mod series;
mod words;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::slice::from_ref;

use analyze::history::{HistoryReport, Lockfiles, Timeline, judge};
use analyze::probes::{story, what_breaks};
use analyze::reading;
use jiff::Timestamp;
use model::probe::store as probes;
use model::store;
use model::store::StoreError;
use model::{Cell, Lane, Record, WEEKLY};
use schemars::JsonSchema;
use serde::Serialize;

use crate::publish::{RUNS, of_lane};

pub use feed::SiteUrl;
pub use index::{Index, LaneIndex, Partial, SeriesIndex};
pub use run::Run;
pub use scaling::Scaling;
pub use series::{Figures, Runs};
pub use words::Words;

/// Version of [`RunFigures`] and [`Summaries`].
const RUN_VERSION: u32 = 1;
/// What is copied as it is: records, and the charts of github-action-benchmark.
const COPIED: [&str; 2] = [RUNS, "charts"];

/// Why the site was not made.
#[derive(Debug, thiserror::Error)]
pub enum SiteError {
    /// A published file is no record.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file cannot be copied or written.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        error: io::Error,
    },
}

/// From what the data are made, besides the records.
#[derive(Clone, Copy)]
pub struct Given<'a> {
    /// A record of a later run is left out: it would be the newest for ever.
    pub now: Timestamp,
    /// Lockfiles of the commits that were measured.
    pub lockfiles: &'a dyn Lockfiles,
    /// Address of the site, for the links of the feed.
    pub site_url: Option<&'a SiteUrl>,
}

/// What was made.
#[derive(Debug)]
pub struct Built {
    /// The lanes.
    pub index: Index,
    /// Number of records and documents of probes.
    pub records: usize,
    /// Records of the future, from which nothing is derived.
    pub left_out: Vec<PathBuf>,
}

/// One run by itself: what pages read that show no others.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RunFigures {
    /// Version of this document's shape.
    pub schema_version: u32,
    /// The run.
    pub run: Runs,
    /// Its figures, scenario by scenario.
    pub figures: Vec<Figures>,
}

/// The summary of one run: its figures with all digits, intervals and ratios.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Summaries<'a> {
    /// Version of this document's shape.
    pub schema_version: u32,
    /// Each app under each scenario.
    pub cells: &'a [Cell],
}

/// Makes in the folder `out` what follows from the records of `pages`, a checkout of gh-pages, and copies them there.
pub fn build(pages: &Path, out: &Path, given: Given<'_>) -> Result<Built, SiteError> {
    for folder in COPIED {
        copy(&pages.join(folder), &out.join(folder))?;
    }
    let runs = pages.join(RUNS);
    let out = Out(out);
    let mut built = Built {
        index: Index::empty(),
        records: 0,
        left_out: Vec::new(),
    };
    let mut stories = Vec::new();
    for lane in Lane::ALL {
        let (mut kinds, mut partial) = (BTreeMap::new(), Vec::new());
        for path in of_lane(&runs, lane) {
            let mut record = reading::read(&path)?;
            if record.is_after(given.now) {
                built.left_out.push(path);
                continue;
            }
            built.records += 1;
            let run = Run::from_record(&record);
            let (of_run, figures) = series::series(from_ref(&record), from_ref(&run));
            let document = RunFigures {
                schema_version: RUN_VERSION,
                run: of_run,
                figures,
            };
            let summaries = Summaries {
                schema_version: RUN_VERSION,
                cells: &record.summary,
            };
            for (folder, text) in [("runs", text(&document)), ("summaries", text(&summaries))] {
                let path = format!("data/{}/{folder}/{}.json.gz", lane.name(), record.id);
                out.write(&path, &store::gzip(&text))?;
            }
            if record.is_whole() {
                let kind: &mut Kind = kinds.entry(record.profile.clone()).or_default();
                kind.scaling = Scaling::of(&record).or(kind.scaling.take());
                record.trials = Vec::new(); // years of them are not needed at once
                kind.runs.push(run);
                kind.records.push(record);
            } else {
                partial.push(run);
            }
        }
        let profile = principal(&kinds);
        if let Some(kind) = profile.as_ref().and_then(|profile| kinds.get(profile)) {
            for (app, badge) in badge::badges(&kind.records) {
                out.json(&format!("data/{}/badges/{app}.json", lane.name()), &badge)?;
            }
        }
        let scaling = kinds.values().filter_map(|kind| kind.scaling.as_ref());
        if let Some(newest) = scaling.max_by_key(|scaling| scaling.run.order()) {
            out.json(&format!("data/{}/scaling.json", lane.name()), newest)?;
        }
        for (profile, kind) in &kinds {
            stories.extend(kind.write(out, lane, profile, given)?.map(|story| (lane, story)));
        }
        let series = kinds
            .into_iter()
            .map(|(profile, kind)| (profile, SeriesIndex::of(kind.runs)));
        let published = LaneIndex::new(profile, series.collect(), Partial::of(partial));
        built.index.lanes.extend(published.map(|published| (lane, published)));
    }
    built.records += write_probes(out, &runs, given)?;
    out.json("data/index.json", &built.index)?;
    if let Some(feed) = feed::feed(&built.index, &stories, given.site_url) {
        out.write("feed.xml", feed.as_bytes())?;
    }
    Ok(built)
}

/// A series: all whole runs of a lane and profile, the oldest first.
#[derive(Default)]
struct Kind {
    runs: Vec<Run>,
    /// Without their trials.
    records: Vec<Record>,
    /// The curves of its newest run that compares widths.
    scaling: Option<Scaling>,
}

impl Kind {
    /// Writes its figures and its changes.
    fn write(
        &self,
        out: Out<'_>,
        lane: Lane,
        profile: &str,
        given: Given<'_>,
    ) -> Result<Option<HistoryReport>, SiteError> {
        let at = format!("data/{}/series/{profile}", lane.name());
        let (runs, figures) = series::series(&self.records, &self.runs);
        out.json(&format!("{at}.json"), &runs)?;
        for figures in figures {
            out.json(&format!("{at}/{}.json", figures.scenario), &figures)?;
        }
        if self.records.iter().all(Record::is_of_costs) {
            return Ok(None);
        }
        let story = judge(&Timeline::from_records(&self.records), given.lockfiles);
        out.json(&format!("data/{}/changes/{profile}.json", lane.name()), &story)?;
        Ok(Some(story))
    }
}

/// What a lane is about: the weekly profile where it has a whole run of it; otherwise the one with the most runs that drive a load.
fn principal(kinds: &BTreeMap<String, Kind>) -> Option<String> {
    let weight = |profile: &str, kind: &Kind| {
        let drives_load = !kind.records.iter().all(Record::is_of_costs);
        (profile == WEEKLY, drives_load, kind.runs.len())
    };
    // Of several the first by name: `max_by_key` takes the last of those that are equal.
    let most = kinds.iter().rev().max_by_key(|(profile, kind)| weight(profile, kind));
    most.map(|(profile, _)| profile.clone())
}

/// Writes what the probes say together; gives their number.
fn write_probes(out: Out<'_>, runs: &Path, given: Given<'_>) -> Result<usize, SiteError> {
    let documents = probes::whole(runs, given.now)?;
    if let Some(newest) = documents.iter().max_by_key(|one| (one.started_at, &one.id)) {
        out.json("data/probes/breaks.json", &what_breaks(newest))?;
        out.json("data/probes/index.json", &story(&documents, given.lockfiles))?;
    }
    Ok(probes::all(runs, given.now).len())
}

/// The folder of the site.
#[derive(Clone, Copy)]
struct Out<'a>(&'a Path);

impl Out<'_> {
    fn json(self, path: &str, document: &impl Serialize) -> Result<(), SiteError> {
        self.write(path, text(document).as_bytes())
    }

    fn write(self, path: &str, content: &[u8]) -> Result<(), SiteError> {
        let path = self.0.join(path);
        let folder = path.parent().unwrap_or(self.0);
        let written = fs::create_dir_all(folder).and_then(|()| fs::write(&path, content));
        written.map_err(|error| SiteError::File { path, error })
    }
}

/// The text of a document: minified, with a line feed at its end.
fn text(document: &impl Serialize) -> String {
    serde_json::to_string(document).expect("it has no key that JSON lacks") + "\n"
}

/// Copies a folder, if there is one.
fn copy(from: &Path, to: &Path) -> Result<(), SiteError> {
    if from.is_dir() {
        copy_folder(from, to).map_err(|error| SiteError::File {
            path: from.to_owned(),
            error,
        })?;
    }
    Ok(())
}

fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &to)?;
        } else {
            fs::copy(entry.path(), to)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
