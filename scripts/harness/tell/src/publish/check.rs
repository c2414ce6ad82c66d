//! Checks that everything published can be read, before anything is added.

use std::collections::BTreeSet;

use super::PublishError;
use super::data_js;
use super::derive;
use super::index::{INDEX, Index, LaneIndex};
use super::landing::LANDING;
use super::rebuild::rebuild;
use super::tree::Tree;
use jiff::Timestamp;
use record::Lane;

/// What was found.
#[derive(Debug)]
pub struct CheckedTree {
    /// The index.
    pub index: Index,
    /// Number of records, all of which are in the index.
    pub records: usize,
    /// Records that are left out of what is derived, because they are of the future.
    pub left_out: Vec<String>,
    /// Number of `data.js`.
    pub charts: usize,
}

/// Reads every `data.js` and every record of a tree, and compares what follows from the records with what is there; the first
/// that is broken is the error. A tree without any of them is fine.
pub fn check(tree: &dyn Tree, now: Timestamp) -> Result<CheckedTree, PublishError> {
    let charts = charts(tree, &tree.paths()?)?;
    index(tree)?;
    let rebuilt = rebuild(tree, None, None, now)?;
    if let Some(broken) = rebuilt.broken.into_iter().next() {
        return Err(broken);
    }
    // The page for people may be of another program of ours; nothing is computed from it.
    if let Some(path) = rebuilt.files.keys().find(|path| *path != LANDING) {
        let reason = match tree.read(path)? {
            Some(_) => "it does not match the records",
            None => "there is no such file",
        };
        return Err(PublishError::derived(tree.place(path), reason));
    }
    Ok(CheckedTree {
        index: rebuilt.index,
        records: rebuilt.records,
        left_out: rebuilt.left_out,
        charts,
    })
}

/// Whether something can be added to a tree: every `data.js` can be read, and the index names what is there. What is added reads
/// the records that it needs.
pub(super) fn fit(tree: &dyn Tree, now: Timestamp) -> Result<(), PublishError> {
    let paths = tree.paths()?;
    charts(tree, &paths)?;
    let index = index(tree)?;
    for lane in Lane::ALL {
        let runs = paths.iter().filter(|path| lane_of(path) == Some(lane)).count();
        let listed = index.lanes.get(&lane).map_or(0, LaneIndex::records);
        // Records are read only where some may be of the future.
        if listed != runs && listed + derive::left_out(tree, &paths, lane, now)? != runs {
            let reason = format!("it does not list the {runs} existing records of lane {}", lane.name());
            return Err(PublishError::derived(tree.place(INDEX), &reason));
        }
    }
    Ok(())
}

/// Reads every `data.js`; gives their number.
fn charts(tree: &dyn Tree, paths: &BTreeSet<String>) -> Result<usize, PublishError> {
    let charts = paths.iter().filter(|path| is_data_js(path));
    charts
        .map(|path| {
            let text = tree.text(path)?.unwrap_or_default();
            data_js::check(&text).map_err(|reason| PublishError::broken(tree.place(path), &reason))
        })
        .collect::<Result<Vec<()>, _>>()
        .map(|read| read.len())
}

/// The index of a tree; an empty one if there is none.
pub(super) fn index(tree: &dyn Tree) -> Result<Index, PublishError> {
    match tree.text(INDEX) {
        Ok(Some(text)) => Index::read(&text).map_err(|reason| PublishError::derived(tree.place(INDEX), &reason)),
        Ok(None) => Ok(Index::empty()),
        Err(PublishError::Broken { place, reason }) => Err(PublishError::Derived { place, reason }),
        Err(error) => Err(error),
    }
}

/// Whether a path is that of a file of charts.
fn is_data_js(path: &str) -> bool {
    path.starts_with("charts/") && path.ends_with("/data.js")
}

/// The lane of which a path holds a record. Their names begin with a digit; what else lies beside them is not ours.
pub(super) fn lane_of(path: &str) -> Option<Lane> {
    let (lane, name) = path.strip_prefix("data/")?.split_once('/')?;
    let id = name.strip_suffix(".json")?;
    let record = id.starts_with(|c: char| c.is_ascii_digit()) && !id.contains('/');
    let lane = Lane::ALL.into_iter().find(|known| known.name() == lane);
    lane.filter(|_| record)
}
