//! What is derived from the records of a lane: series, history, index, badges.
//!
//! **A series is one kind of run**: lane and profile, and whole runs only ([`Record::is_whole`]). A lane has a principal series, which
//! badges, index and landing page show; a manual run with another profile begins a separate series, and a partial run belongs to
//! none. Everything is made from all records of the lane, in one pass.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use jiff::Timestamp;

use super::PublishError;
use super::badge;
use super::badge::badges;
use super::changes;
use super::check::lane_of;
use super::feed;
use super::feed::{FEED, SiteUrl};
use super::index::{Index, KindIndex, LaneIndex, Partial, path_of};
use super::overlay::Overlay;
use super::period::{Month, finished};
use super::published::Published;
use super::run::Run;
use super::scaling;
use super::scaling::Scaling;
use super::series::Series;
use super::tree::Tree;
use judge::history::Lockfiles;
use record::store::StoreError;
use record::{Lane, Record, WEEKLY};

/// Most partial runs that the index names, the newest. The records of all of them stay.
const MOST_PARTIAL: usize = 50;
/// Most earlier runs that a new one is held against: two months of a weekly series.
const MOST_BEFORE: usize = 8;

/// Ids of the records of a lane by month. A file whose name is not the id of a run goes to `broken`.
fn months(
    tree: &dyn Tree,
    paths: &BTreeSet<String>,
    lane: Lane,
    broken: &mut dyn FnMut(PublishError) -> Result<(), PublishError>,
) -> Result<BTreeMap<Month, Vec<String>>, PublishError> {
    let mut months: BTreeMap<Month, Vec<String>> = BTreeMap::new();
    for path in paths.iter().filter(|path| lane_of(path) == Some(lane)) {
        let id = id_of(path);
        if let Some(month) = Month::from_run_id(id) {
            months.entry(month).or_default().push(id.to_owned());
            continue;
        }
        // An error of the record says more than one of its name.
        let named = PublishError::broken(tree.place(path), "its name is not the id of a run");
        broken(record(tree, lane, id).err().unwrap_or(named))?;
    }
    Ok(months)
}

/// The id that a record's file is named by.
fn id_of(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.strip_suffix(".json").unwrap_or(name)
}

/// A published record, checked completely, with the published digits.
fn record(tree: &dyn Tree, lane: Lane, id: &str) -> Result<Record, PublishError> {
    let path = path_of(lane, id);
    let broken = |reason: &str| PublishError::broken(tree.place(&path), reason);
    let text = tree.text(&path)?.unwrap_or_default();
    let place = tree.place(&path);
    let place = Path::new(&place);
    let record = Published::parse(place, &text).map_err(|error| match error {
        PublishError::Store(StoreError::Invalid { reason, .. }) => broken(&reason),
        other => other,
    })?;
    let record = record.record;
    if record.lane != lane || record.id != id {
        let reason = format!("it is the record of run {} in lane {}", record.id, record.lane.name());
        return Err(broken(&reason));
    }
    Ok(record)
}

/// Records before `record` that hold it against others: the newest of its lane and profile, the last first.
pub fn before(tree: &dyn Tree, record: &Record) -> Result<Vec<Record>, PublishError> {
    let paths = tree.paths()?;
    let months = months(tree, &paths, record.lane, &mut Err)?;
    let ids = months.into_values().rev().flat_map(|ids| ids.into_iter().rev());
    let mut found = Vec::new();
    for id in ids.filter(|id| *id < record.id) {
        let earlier = self::record(tree, record.lane, &id)?;
        if earlier.profile == record.profile {
            found.push(earlier);
        }
        if found.len() == MOST_BEFORE {
            break;
        }
    }
    Ok(found)
}

/// One kind of run, and all that is known of it.
#[derive(Default)]
struct Kind {
    months: BTreeMap<Month, Series>,
    newest: Option<Run>,
    /// The curves of its newest run that compares widths.
    scaling: Option<Scaling>,
    runs: usize,
    /// Without their trials: five years of them are not needed at once.
    records: Vec<Record>,
}

impl Kind {
    fn add(&mut self, lane: Lane, month: Month, records: Vec<Record>) {
        self.months.insert(month, Series::from_records(lane, month, &records));
        let runs = records.iter().map(Run::from_record).chain(self.newest.take());
        self.newest = runs.max_by(|one, other| one.order().cmp(&other.order()));
        self.runs += records.len();
        let scaling = records.iter().filter_map(Scaling::of).chain(self.scaling.take());
        self.scaling = scaling.reduce(Scaling::newer);
        self.records.extend(records.into_iter().map(|record| Record {
            trials: Vec::new(),
            ..record
        }));
    }

    /// Writes its series, below `of` where it is not the principal one; `None` if it has no run.
    fn put(&self, tree: &mut Overlay, lane: Lane, of: Option<&str>) -> Result<Option<KindIndex>, PublishError> {
        let Some(newest) = self.newest.clone() else {
            return Ok(None);
        };
        let months: BTreeSet<Month> = self.months.keys().copied().collect();
        let years = finished(&months);
        for series in self.months.values() {
            put_all(tree, series.files(of))?;
        }
        for year in &years {
            let months = self.months.iter().filter(|(month, _)| month.year() == *year);
            let months: Vec<&Series> = months.map(|(_, series)| series).collect();
            put_all(tree, Series::from_months(lane, *year, &months).files(of))?;
        }
        Ok(Some(KindIndex {
            runs: u32::try_from(self.runs).unwrap_or(u32::MAX),
            newest,
            months,
            years,
        }))
    }
}

/// From what, beside the records, files are derived.
#[derive(Clone, Copy)]
pub struct Given<'a> {
    /// Lockfiles of old runs. Without them the history is left as it is.
    pub lockfiles: Option<&'a dyn Lockfiles>,
    /// The time now. A record of a later run is left out: it would be the newest for ever.
    pub now: Timestamp,
}

/// Writes what follows from the records of a lane, and its part of the index; gives the number of records. What is `broken` may end
/// it. The places of records of the future go to `left_out`.
pub fn lane(
    tree: &mut Overlay,
    index: &mut Index,
    lane: Lane,
    given: Given<'_>,
    left_out: &mut Vec<String>,
    broken: &mut dyn FnMut(PublishError) -> Result<(), PublishError>,
) -> Result<usize, PublishError> {
    let mut kinds: BTreeMap<String, Kind> = BTreeMap::new();
    let mut partial = Vec::new();
    for (month, ids) in months(tree, tree.known(), lane, broken)? {
        let mut of_month: BTreeMap<String, Vec<Record>> = BTreeMap::new();
        for id in ids {
            match record(tree, lane, &id) {
                Ok(record) if record.is_after(given.now) => left_out.push(tree.place(&path_of(lane, &id))),
                Ok(record) if record.is_whole() => of_month.entry(record.profile.clone()).or_default().push(record),
                Ok(record) => partial.push(Run::from_record(&record)),
                Err(error @ PublishError::File { .. }) => return Err(error),
                Err(error) => broken(error)?,
            }
        }
        for (profile, records) in of_month {
            kinds.entry(profile).or_default().add(lane, month, records);
        }
    }
    let count = partial.len() + kinds.values().map(|kind| kind.runs).sum::<usize>();
    index.lanes.remove(&lane);
    let partial = Partial::from_runs(partial, MOST_PARTIAL);
    let principal = principal(&kinds);
    let mut others = BTreeMap::new();
    let mut first = None;
    for (profile, kind) in &kinds {
        let of = (Some(profile) != principal.as_ref()).then_some(profile.as_str());
        let known = kind.put(tree, lane, of)?;
        if let Some(lockfiles) = given.lockfiles {
            changes::put(tree, lane, of, &kind.records, lockfiles)?;
        }
        match (of, known) {
            (None, known) => first = known.map(|known| (profile.clone(), known)),
            (Some(_), Some(known)) => drop(others.insert(profile.clone(), known)),
            (Some(_), None) => {}
        }
    }
    if let Some(kind) = principal.as_ref().and_then(|profile| kinds.get(profile)) {
        let figures = kind.months.values().rev();
        let figures = figures.filter_map(|month| month.figures.get(badge::SCENARIO));
        for (app, badge) in badges(figures) {
            tree.put(&badge::path_of(lane, &app), badge.text().into_bytes())?;
        }
    }
    let scaling = kinds.into_values().filter_map(|kind| kind.scaling);
    if let Some(newest) = scaling.reduce(Scaling::newer) {
        tree.put(&scaling::path_of(lane), super::json::text(&newest).into_bytes())?;
    }
    if let Some(published) = LaneIndex::new(first, others, partial) {
        index.lanes.insert(lane, published);
    }
    Ok(count)
}

/// Number of the records of a lane that are of the future.
pub fn left_out(tree: &dyn Tree, paths: &BTreeSet<String>, lane: Lane, now: Timestamp) -> Result<usize, PublishError> {
    let mut count = 0;
    for path in paths.iter().filter(|path| lane_of(path) == Some(lane)) {
        count += usize::from(record(tree, lane, id_of(path))?.is_after(now));
    }
    Ok(count)
}

/// What a lane is about: the weekly profile where it has a whole run of it; otherwise the one with the most runs that drive a load.
/// It follows from the records alone, so that the order of publishing leaves no trace.
fn principal(kinds: &BTreeMap<String, Kind>) -> Option<String> {
    let weight = |profile: &str, kind: &Kind| {
        let drives_load = !kind.records.iter().all(Record::is_of_costs);
        (profile == WEEKLY, drives_load, kind.runs)
    };
    // Of several the first by name: `max_by_key` takes the last of those that are equal.
    let kinds = kinds.iter().rev();
    let most = kinds.max_by_key(|(profile, kind)| weight(profile, kind));
    most.map(|(profile, _)| profile.clone())
}

fn put_all(tree: &mut Overlay, files: super::Files) -> Result<(), PublishError> {
    files
        .into_iter()
        .try_for_each(|(path, content)| tree.put(&path, content))
}

/// Writes the feed: of the changes of all series. An address that it has keeps standing in it.
pub fn feed(tree: &mut Overlay, index: &Index, base: Option<&SiteUrl>) -> Result<(), PublishError> {
    let mut stories = Vec::new();
    for (lane, published) in &index.lanes {
        let others = published.others.keys().map(|profile| Some(profile.as_str()));
        for of in [None].into_iter().chain(others) {
            let path = changes::path_of(*lane, of);
            if let Some(text) = tree.text(&path)? {
                let read = changes::read(*lane, &text);
                let story = read.map_err(|reason| PublishError::derived(tree.place(&path), &reason))?;
                stories.push((*lane, story));
            }
        }
    }
    let known = tree.text(FEED)?.and_then(|text| feed::base_of(&text));
    match feed::feed(index, &stories, base.or(known.as_ref())) {
        Some(text) => tree.put(FEED, text.into_bytes()),
        None => Ok(()),
    }
}
