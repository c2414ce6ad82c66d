//! The runs of a lane by their profile: which of them make a series, and what is written of each.

use std::collections::BTreeMap;
use std::mem::take;

use analyze::analysis;
use analyze::history::{HistoryReport, Timeline, judge};
use analyze::reading;
use model::store;
use model::{Lane, RELEASE, Record, Role, Stopped, WEEKLY};
use serde::{Deserialize, Serialize};
use stats::MIN_FOR_INTERVAL;

use super::kept::Kept;
use super::lane::LaneRuns;
use super::run::Run;
use super::{
    Given, LaneIndex, Names, Newest, Out, RUN_VERSION, RunFigures, Scaling, Summaries, badge, pairs, series, text,
};

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

/// What is remembered of a run besides its files.
#[derive(Serialize, Deserialize)]
struct Shown {
    run: Run,
    scaling: Option<String>,
}

impl Shown {
    fn of(record: &Record) -> Self {
        let scaling = Scaling::of(record).filter(|_| record.is_whole());
        Self {
            run: Run::from_record(record),
            scaling: scaling.map(|scaling| text(&scaling)),
        }
    }
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

    /// Writes a run by itself, with what other sessions say of it, unless that is there.
    pub fn add(
        &mut self,
        runs: &mut LaneRuns<'_>,
        place: usize,
        kept: &mut Kept<'_>,
        names: &mut Names,
    ) -> anyhow::Result<()> {
        let around = runs.around(place);
        let from = runs.hash([place].into_iter().chain(around.iter().copied()));
        let id = runs.runs[place].head.record.id.clone();
        let [name, summaries] = ["runs", "summaries"].map(|kind| self.compressed(&format!("{kind}/{id}")));
        let there = kept.get(&name, &from).and_then(|shown| {
            let mut record = reading::without_trials(&runs.runs[place].head.path).ok()?;
            record.summary = reading::cells(&self.out.0.join(&summaries)).ok()?;
            Some((record, shown))
        });
        let (record, Shown { run, scaling }) = if let Some(there) = there {
            there
        } else {
            let sessions = runs.sessions(&around)?;
            let mut record = runs.take(place)?;
            record.summary = analysis::summary_among(&record, &sessions);
            let shown = Shown::of(&record);
            let figures = RunFigures::among(&record, &sessions);
            let cells = Summaries {
                schema_version: RUN_VERSION,
                cells: &record.summary,
            };
            let files = [(name.clone(), text(&figures)), (summaries, text(&cells))];
            let files = files.map(|(path, text)| (path, store::gzip(&text)));
            kept.put(name, from, &shown, files)?;
            let (trials, controls) = (take(&mut record.trials), take(&mut record.controls));
            let mut whole = record.clone();
            (whole.trials, whole.controls) = (trials, controls);
            runs.put_back(place, whole);
            (record, shown)
        };
        for app in record.apps.iter().filter(|app| app.role == Role::Framework) {
            names.entry(app.name.clone()).or_default().insert(app.id.clone());
        }
        if record.is_whole() {
            self.scaling = scaling.or(self.scaling.take());
        }
        if record.is_whole() || has_intervals(&record) {
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
        runs: &mut LaneRuns<'_>,
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
            let (of_kind, story) = self.write_series(profile, kind, runs, given)?;
            newest.push(of_kind.in_brief());
            stories.extend(story);
        }
        let newest = Newest {
            schema_version: RUN_VERSION,
            newest,
        };
        self.write_compressed("newest", &text(&newest))?;
        let series = self.by_profile.into_iter().map(|(profile, kind)| (profile, kind.runs));
        Ok((LaneIndex::of(principal, series, self.partial), stories))
    }

    fn write_series(
        &self,
        profile: &str,
        kind: &Kind,
        runs: &mut LaneRuns<'_>,
        given: Given<'_>,
    ) -> anyhow::Result<(RunFigures, Option<HistoryReport>)> {
        let records = &kind.records;
        let (of_all, figures) = series::series(records, &kind.runs);
        self.json(&format!("series/{profile}"), &text(&of_all))?;
        for figures in figures {
            self.json(&format!("series/{profile}/{}", figures.scenario), &text(&figures))?;
        }
        let newest = newest(kind, runs)?;
        self.write_compressed(&format!("newest/{profile}"), &text(&newest))?;
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

    fn write_compressed(&self, name: &str, text: &str) -> anyhow::Result<()> {
        self.out.write(&self.compressed(name), &store::gzip(text))
    }

    fn compressed(&self, name: &str) -> String {
        format!("data/{}/{name}.json.gz", self.lane.name())
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
        let all = take(&mut self.records).into_iter().zip(take(&mut self.runs));
        let (complete, partial): (Vec<_>, Vec<_>) = all.partition(|(record, _)| is_complete(record));
        (self.records, self.runs) = complete.into_iter().unzip();
        partial.into_iter().map(|(_, run)| run).collect()
    }
}

/// The newest run of each scenario: not every run need have all.
fn newest(kind: &Kind, known: &mut LaneRuns<'_>) -> anyhow::Result<RunFigures> {
    let records = &kind.records;
    let mut newest_with: BTreeMap<&str, usize> = BTreeMap::new();
    for (place, record) in records.iter().enumerate() {
        newest_with.extend(record.summary.iter().map(|cell| (&*cell.scenario, place)));
    }
    let (mut chosen, mut runs) = (Vec::new(), Vec::new());
    for (place, (record, run)) in records.iter().zip(&kind.runs).enumerate() {
        if newest_with.values().any(|newest| *newest == place) || place + 1 == records.len() {
            let mut record = record.clone();
            record.summary.retain(|cell| newest_with[&*cell.scenario] == place);
            // What trials say is known of the run; verdicts are those of the scenarios that are left.
            runs.push(Run {
                rounds: run.rounds,
                warnings: run.warnings.clone(),
                ..Run::from_record(&record)
            });
            chosen.push(record);
        }
    }
    let mut newest = RunFigures::of_all(&chosen, &runs);
    for run in &runs {
        let Some(place) = known.runs.iter().position(|known| known.head.record.id == run.id) else {
            continue;
        };
        let sessions = known.sessions(&known.around(place))?;
        let record = known.take(place)?;
        pairs::fill_in(&mut newest.figures, &record, &sessions);
        known.put_back(place, record);
    }
    Ok(newest)
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
