//! The runs of a lane by their profile: which of them make a series, and what is written of each.

use std::collections::{BTreeMap, VecDeque};

use analyze::analysis;
use analyze::analysis::Sessions;
use analyze::history::{HistoryReport, Timeline, judge};
use model::store;
use model::{Lane, RELEASE, Record, Stopped, WEEKLY};
use stats::MIN_FOR_INTERVAL;

use super::run::Run;
use super::{Given, LaneIndex, Newest, Out, RUN_VERSION, RunFigures, Scaling, Summaries, badge, pairs, series, text};

/// All runs of a lane.
pub struct Kinds<'a> {
    lane: Lane,
    out: Out<'a>,
    by_profile: BTreeMap<String, Kind>,
    partial: Vec<Run>,
    scaling: Option<String>,
}

/// Runs of a profile, the oldest first.
#[derive(Default)]
struct Kind {
    runs: Vec<Run>,
    /// Without their trials.
    records: Vec<Record>,
}

impl<'a> Kinds<'a> {
    pub fn of(lane: Lane, out: Out<'a>) -> Self {
        Self {
            lane,
            out,
            by_profile: BTreeMap::new(),
            partial: Vec::new(),
            scaling: None,
        }
    }

    /// Writes a run by itself, with what those `around` it say of other sessions.
    pub fn add(&mut self, mut record: Record, around: &VecDeque<Record>) -> anyhow::Result<()> {
        let sessions = Sessions::of(&record, around);
        record.summary = analysis::summary_among(&record, &sessions);
        let run = Run::from_record(&record);
        let mut figures = RunFigures::of(&record);
        pairs::fill_in(&mut figures.figures, &record, &sessions);
        let summaries = Summaries {
            schema_version: RUN_VERSION,
            cells: &record.summary,
        };
        for (folder, text) in [("runs", text(&figures)), ("summaries", text(&summaries))] {
            self.compressed(&format!("{folder}/{}", record.id), &text)?;
        }
        if record.is_whole() {
            self.scaling = Scaling::of(&record)
                .map(|scaling| text(&scaling))
                .or(self.scaling.take());
        }
        if record.is_whole() || has_intervals(&record) {
            record.trials = Vec::new(); // years of them are not needed at once
            let kind = self.by_profile.entry(record.profile.clone()).or_default();
            kind.runs.push(run);
            kind.records.push(record);
        } else {
            self.partial.push(run);
        }
        Ok(())
    }

    /// Writes what runs say together. Gives the lane's index, and the stories of its series.
    pub fn write(
        mut self,
        around: &VecDeque<Record>,
        given: Given<'_>,
    ) -> anyhow::Result<(Option<LaneIndex>, Vec<HistoryReport>)> {
        for kind in self.by_profile.values_mut() {
            self.partial.extend(kind.take_partial());
        }
        self.partial.sort_by_key(|run| run.started_at);
        if let Some(newest) = &self.scaling {
            self.json("scaling", newest)?;
        }
        let principal = principal(&self.by_profile);
        for (app, badge) in principal.iter().flat_map(|(_, kind)| badge::badges(&kind.records)) {
            self.json(&format!("badges/{app}"), &text(&badge))?;
        }
        let principal = principal.map(|(profile, _)| profile.clone());
        let (mut stories, mut newest) = (Vec::new(), Vec::new());
        for (profile, kind) in &self.by_profile {
            let (of_kind, story) = self.write_series(profile, kind, around, given)?;
            newest.push(of_kind.in_brief());
            stories.extend(story);
        }
        let newest = Newest {
            schema_version: RUN_VERSION,
            newest,
        };
        self.compressed("newest", &text(&newest))?;
        let series = self.by_profile.into_iter().map(|(profile, kind)| (profile, kind.runs));
        Ok((LaneIndex::of(principal, series, self.partial), stories))
    }

    fn write_series(
        &self,
        profile: &str,
        Kind { runs, records }: &Kind,
        around: &VecDeque<Record>,
        given: Given<'_>,
    ) -> anyhow::Result<(RunFigures, Option<HistoryReport>)> {
        let (of_all, figures) = series::series(records, runs);
        self.json(&format!("series/{profile}"), &text(&of_all))?;
        for figures in figures {
            self.json(&format!("series/{profile}/{}", figures.scenario), &text(&figures))?;
        }
        let newest = newest(records, around);
        self.compressed(&format!("newest/{profile}"), &text(&newest))?;
        if records.iter().all(Record::measures_costs) {
            return Ok((newest, None));
        }
        let story = judge(&Timeline::from_records(records), given.lockfiles);
        self.json(&format!("changes/{profile}"), &text(&story))?;
        Ok((newest, Some(story)))
    }

    fn json(&self, name: &str, text: &str) -> anyhow::Result<()> {
        self.out
            .write(&format!("data/{}/{name}.json", self.lane.name()), text.as_bytes())
    }

    fn compressed(&self, name: &str, text: &str) -> anyhow::Result<()> {
        let path = format!("data/{}/{name}.json.gz", self.lane.name());
        self.out.write(&path, &store::gzip(text))
    }
}

/// Whether a run did all that it was to do, in enough rounds for intervals and as servers are measured: enough for a series, if other runs
/// of its profile did not measure far more servers.
fn has_intervals(record: &Record) -> bool {
    let harness = &record.harness;
    harness.cargo_profile == RELEASE
        && harness.stopped == Stopped::RoundsDone
        && harness.rounds as usize >= MIN_FOR_INTERVAL
        && !record.summary.is_empty()
}

/// How many apps a run has in each of its scenarios.
fn sizes(record: &Record) -> BTreeMap<&str, usize> {
    let mut sizes = BTreeMap::new();
    for cell in &record.summary {
        *sizes.entry(cell.scenario.as_str()).or_default() += 1;
    }
    sizes
}

impl Kind {
    /// Takes out the runs that have at most half as many apps in one of their scenarios as a whole run, or, where none is whole, as another
    /// run, of the profile.
    fn take_partial(&mut self) -> Vec<Run> {
        let has_whole = self.records.iter().any(Record::is_whole);
        let complete = self.records.iter().filter(|record| !has_whole || record.is_whole());
        let mut largest: BTreeMap<String, usize> = BTreeMap::new();
        for (scenario, size) in complete.flat_map(sizes) {
            let known = largest.entry(scenario.to_owned()).or_default();
            *known = size.max(*known);
        }
        let is_enough = |(scenario, size): (&str, usize)| largest.get(scenario).is_some_and(|most| 2 * size > *most);
        let is_complete = |record: &Record| sizes(record).into_iter().all(is_enough);
        let complete: Vec<bool> = self.records.iter().map(is_complete).collect();
        let mut places = complete.iter();
        self.records.retain(|_| *places.next().unwrap_or(&true));
        let mut places = complete.iter();
        let partial = self.runs.extract_if(.., |_| !*places.next().unwrap_or(&true));
        partial.collect()
    }
}

/// The newest run of each scenario: not every run need have all.
fn newest(records: &[Record], around: &VecDeque<Record>) -> RunFigures {
    let newest_with = |scenario: &str| records.iter().rposition(|record| sizes(record).contains_key(scenario));
    let mut chosen = Vec::new();
    for (place, record) in records.iter().enumerate() {
        let mut record = record.clone();
        record.summary.retain(|cell| newest_with(&cell.scenario) == Some(place));
        if !record.summary.is_empty() || place + 1 == records.len() {
            chosen.push(record);
        }
    }
    let runs: Vec<Run> = chosen.iter().map(Run::from_record).collect();
    let mut newest = RunFigures::of_all(&chosen, &runs);
    for record in around
        .iter()
        .filter(|record| runs.iter().any(|run| run.id == record.id))
    {
        pairs::fill_in(&mut newest.figures, record, &Sessions::of(record, around));
    }
    newest
}

/// What a lane is about: the weekly profile where it has a run of it; otherwise the one with the most whole runs that drive a load.
fn principal(kinds: &BTreeMap<String, Kind>) -> Option<(&String, &Kind)> {
    // Of several the first by name: `max_by_key` takes the last of those that are equal.
    kinds.iter().rev().max_by_key(|(profile, kind)| {
        let drives_load = !kind.records.iter().all(Record::measures_costs);
        let whole = kind.records.iter().filter(|record| record.is_whole()).count();
        (*profile == WEEKLY, drives_load, whole, kind.runs.len())
    })
}
