//! Probes on disk: one document for each time that all were made.

use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::{PROBES_VERSION, Probes};
use crate::id_is_after;
use crate::store::{self, StoreError};

/// Its folder, below the results'.
pub const FOLDER: &str = "probes";
/// Largest document that is read: five times one of all apps and cases.
pub const LARGEST: u64 = 32 << 20;

/// Where a document is.
pub fn path_of(results: &Path, id: &str) -> PathBuf {
    results.join(FOLDER).join(format!("{id}.json"))
}

/// All documents in the folder of results, the newest last; none of the future.
pub fn all(results: &Path, now: Timestamp) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(results.join(FOLDER)).into_iter().flatten();
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut paths: Vec<PathBuf> = paths
        .filter(|path| store::id_of(path).is_some_and(|id| !id_is_after(id, now)))
        .collect();
    paths.sort_unstable();
    paths
}

/// Reads a document, strictly.
pub fn read(path: &Path) -> Result<Probes, StoreError> {
    let path = || path.to_owned();
    let text = store::read_text(&path(), LARGEST).map_err(|error| StoreError::File { path: path(), error })?;
    let invalid = |reason| StoreError::Invalid { path: path(), reason };
    let probes: Probes = serde_json::from_str(&text).map_err(|error| invalid(error.to_string()))?;
    match probes.schema_version {
        PROBES_VERSION => Ok(probes),
        other => Err(invalid(format!(
            "it has schema_version {other}, and this program reads {PROBES_VERSION}"
        ))),
    }
}

/// All documents in the folder of results whose probes are whole, the newest last.
pub fn whole(results: &Path, now: Timestamp) -> Result<Vec<Probes>, StoreError> {
    let read = all(results, now).into_iter().map(|path| read(&path));
    let whole = read.filter(|one| one.as_ref().map_or(true, |probes| probes.origin.whole));
    whole.collect()
}

/// Writes a document to its place, which must be free.
pub fn write(results: &Path, probes: &Probes) -> Result<PathBuf, StoreError> {
    let text = serde_json::to_string(probes).expect("it has no keys but texts");
    store::write_new(path_of(results, &probes.id), &format!("{text}\n"))
}
