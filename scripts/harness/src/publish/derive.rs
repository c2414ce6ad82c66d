//! What follows from the records of a lane: series, index, badges.
//!
//! Publishing a run reads the records of its month and nothing older; where it finishes a year, the months of that year.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::PublishError;
use super::badge::{self, badges};
use super::changes;
use super::check::lane_of;
use super::feed::{self, FEED, SiteUrl};
use super::index::{Index, LaneIndex, path_of};
use super::json;
use super::overlay::Overlay;
use super::period::{Month, finished};
use super::record::Published;
use super::run::Run;
use super::series::{self, Figures, Series};
use super::tree::Tree;
use crate::record::{Lane, Record};
use crate::store::{self, StoreError};

/// Ids of the records of a lane by their months. The error names a file that is called as no run is.
pub fn months(
    tree: &dyn Tree,
    paths: &BTreeSet<String>,
    lane: Lane,
) -> Result<BTreeMap<Month, Vec<String>>, PublishError> {
    let mut months: BTreeMap<Month, Vec<String>> = BTreeMap::new();
    for path in paths.iter().filter(|path| lane_of(path) == Some(lane)) {
        let id = id_of(path);
        let Some(month) = Month::of(id) else {
            return Err(PublishError::broken(tree.place(path), "its name is no id of a run"));
        };
        months.entry(month).or_default().push(id.to_owned());
    }
    Ok(months)
}

/// The id that a record's file is named by.
pub fn id_of(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.strip_suffix(".json").unwrap_or(name)
}

/// A published record, looked at as a whole, with no more digits than are published.
pub fn record(tree: &dyn Tree, lane: Lane, id: &str) -> Result<Record, PublishError> {
    let path = path_of(lane, id);
    let broken = |reason: &str| PublishError::broken(tree.place(&path), reason);
    let text = tree.text(&path)?.unwrap_or_default();
    let place = tree.place(&path);
    let place = Path::new(&place);
    let read = || match store::parse_either(place, &text)? {
        (record, true) => Ok(record),
        (record, false) => Ok(Published::of(place, &record)?.record),
    };
    let record = read().map_err(|error| match error {
        PublishError::Store(StoreError::Invalid { reason, .. }) => broken(&reason),
        other => other,
    })?;
    if record.lane != lane || record.id != id {
        let reason = format!("it is the record of run {} in lane {}", record.id, record.lane.name());
        return Err(broken(&reason));
    }
    Ok(record)
}

/// Writes the series of a month anew, from its records; gives the newest of them.
pub fn month(tree: &mut Overlay, lane: Lane, month: Month, records: &[Record]) -> Result<Option<Run>, PublishError> {
    for (path, content) in Series::of_month(lane, month, records).files() {
        tree.put(&path, content)?;
    }
    let newest = records.iter().max_by_key(|record| (record.started_at, &record.id));
    Ok(newest.map(Run::of))
}

/// Writes what follows from the months of a lane (with their numbers of runs), of which these have changed: its finished years,
/// its badges, its part of the index. `newest` are runs of which one may be the newest.
pub fn lane(
    tree: &mut Overlay,
    index: &mut Index,
    lane: Lane,
    months: &BTreeMap<Month, usize>,
    changed: &BTreeSet<Month>,
    newest: impl IntoIterator<Item = Run>,
) -> Result<(), PublishError> {
    let known = index.lanes.remove(&lane);
    let years_before = known.as_ref().map(|known| known.years.clone()).unwrap_or_default();
    let runs = newest.into_iter().chain(known.map(|known| known.newest));
    let Some(newest) = runs.max_by(|one, other| one.order().cmp(&other.order())) else {
        return Ok(());
    };
    let runs: usize = months.values().sum();
    let months: BTreeSet<Month> = months.keys().copied().collect();
    let years = finished(&months);
    for year in &years {
        let is_changed = changed.iter().any(|month| month.year() == *year);
        if years_before.contains(year) && !is_changed {
            continue;
        }
        let of_year = months.iter().filter(|month| month.year() == *year);
        let of_year = of_year.map(|month| read(tree, lane, &month.to_string()));
        let of_year = of_year.collect::<Result<Vec<_>, _>>()?;
        for (path, content) in Series::of_year(lane, *year, &of_year).files() {
            tree.put(&path, content)?;
        }
    }
    put_badges(tree, lane, &months, changed)?;
    let published = LaneIndex {
        runs: u32::try_from(runs).unwrap_or(u32::MAX),
        newest,
        months,
        years,
    };
    index.lanes.insert(lane, published);
    Ok(())
}

/// Badges of the apps that the changed months have. For each of them the newest month that has it decides.
fn put_badges(
    tree: &mut Overlay,
    lane: Lane,
    months: &BTreeSet<Month>,
    changed: &BTreeSet<Month>,
) -> Result<(), PublishError> {
    let Some(oldest) = changed.first() else {
        return Ok(());
    };
    let mut figures = Vec::new();
    for month in months.range(oldest..).rev() {
        let path = series::figures_path(lane, &month.to_string(), badge::SCENARIO);
        if let Some(text) = tree.text(&path)? {
            let read = json::read(&text, series::SCHEMA_VERSION).and_then(Figures::checked);
            figures.push(read.map_err(|reason| PublishError::derived(tree.place(&path), &reason))?);
        }
    }
    for (app, badge) in badges(figures.into_iter()) {
        tree.put(&badge::path_of(lane, &app), badge.text().into_bytes())?;
    }
    Ok(())
}

fn read(tree: &Overlay, lane: Lane, period: &str) -> Result<Series, PublishError> {
    let text = |path: &str| {
        let missing = || PublishError::derived(tree.place(path), "there is no such file");
        tree.text(path)?.ok_or_else(missing)
    };
    Series::read(lane, period, text, |path, reason| {
        PublishError::derived(tree.place(path), reason)
    })
}

/// Writes the feed: of the changes of all lanes. An address that it has keeps standing in it.
pub fn feed(tree: &mut Overlay, index: &Index, base: Option<&SiteUrl>) -> Result<(), PublishError> {
    let mut changes = BTreeMap::new();
    for lane in index.lanes.keys() {
        let path = changes::path_of(*lane);
        if let Some(text) = tree.text(&path)? {
            let read = changes::read(*lane, &text);
            changes.insert(
                *lane,
                read.map_err(|reason| PublishError::derived(tree.place(&path), &reason))?,
            );
        }
    }
    let known = tree.text(FEED)?.and_then(|text| feed::base_of(&text));
    match feed::feed(index, &changes, base.or(known.as_ref())) {
        Some(text) => tree.put(FEED, text.into_bytes()),
        None => Ok(()),
    }
}
