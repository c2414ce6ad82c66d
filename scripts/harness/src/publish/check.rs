//! Can everything that is published be read? Asked before anything is written beside it.

use std::path::Path;

use super::PublishError;
use super::data_js::DataJs;
use super::index::{INDEX, Index, Run, path_of};
use super::tree::Tree;
use crate::record::Lane;
use crate::store::{self, StoreError};

/// What was found.
#[derive(Debug)]
pub struct Checked {
    /// The index.
    pub index: Index,
    /// Number of records, all of which are in the index.
    pub records: usize,
    /// Number of `data.js`.
    pub charts: usize,
}

/// Reads every `data.js`, every record and the index of a tree, which must fit together; the first that is broken is the
/// error. A tree without any of them is fine.
pub fn check(tree: &dyn Tree) -> Result<Checked, PublishError> {
    let mut records = 0;
    let mut charts = 0;
    let index = index(tree)?;
    let paths = tree.paths()?;
    for path in &paths {
        if is_data_js(path) {
            data_js(tree, path)?;
            charts += 1;
        } else if let Some(lane) = lane_of(path) {
            let run = run(tree, path, lane)?;
            if !index.runs().any(|(of, known)| of == lane && *known == run) {
                let reason = format!("{path} is not in it, or not as the record says");
                return Err(PublishError::broken(tree.place(INDEX), &reason));
            }
            records += 1;
        }
    }
    if let Some((_, run)) = index.runs().find(|(_, run)| !paths.contains(&run.path)) {
        let reason = "it is in the index, and there is no such file";
        return Err(PublishError::broken(tree.place(&run.path), reason));
    }
    Ok(Checked { index, records, charts })
}

/// The index of a tree; an empty one if there is none.
pub(super) fn index(tree: &dyn Tree) -> Result<Index, PublishError> {
    match tree.text(INDEX)? {
        Some(text) => Index::read(&text).map_err(|reason| PublishError::broken(tree.place(INDEX), &reason)),
        None => Ok(Index::empty()),
    }
}

/// A `data.js` of a tree; an empty one if there is none.
pub(super) fn data_js(tree: &dyn Tree, path: &str) -> Result<DataJs, PublishError> {
    match tree.text(path)? {
        Some(text) => DataJs::read(&text).map_err(|reason| PublishError::broken(tree.place(path), &reason)),
        None => Ok(DataJs::empty()),
    }
}

/// Whether a path is that of a file of charts.
pub(super) fn is_data_js(path: &str) -> bool {
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

/// The line of a record in the index, after a look at the whole of it.
fn run(tree: &dyn Tree, path: &str, lane: Lane) -> Result<Run, PublishError> {
    let broken = |reason: &str| PublishError::broken(tree.place(path), reason);
    let text = tree.text(path)?.unwrap_or_default();
    let place = tree.place(path);
    let record = store::parse(Path::new(&place), &text).map_err(|error| match error {
        StoreError::Invalid { reason, .. } => broken(&reason),
        other => PublishError::from(other),
    })?;
    if record.lane != lane || path_of(lane, &record.id) != path {
        let reason = format!("it is the record of run {} in lane {}", record.id, record.lane.name());
        return Err(broken(&reason));
    }
    Ok(Run::of(&record))
}
