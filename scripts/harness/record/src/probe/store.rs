//! Probes on disk: one document for each time that all were made.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::{PROBES_VERSION, Probes};
use crate::id_is_after;
use crate::store::{self, MOST_APPS, StoreError, is_name};

/// Folder below that of the results.
pub const FOLDER: &str = "probes";
/// Largest document that is read: five times that of all apps and cases.
pub const LARGEST: u64 = 32 << 20;
/// Most cases: three times those that there are.
const MOST_CASES: usize = 1000;
/// Longest text in it, in bytes: 2 KiB that were received, each escaped by four characters.
const LONGEST: usize = 12 << 10;

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
    let text = store::read_text(path, LARGEST).map_err(|error| StoreError::File {
        path: path.to_owned(),
        error,
    })?;
    parse(path, &text)
}

/// The document in a text; `path` is for errors.
pub fn parse(path: &Path, text: &str) -> Result<Probes, StoreError> {
    let invalid = |reason: String| StoreError::Invalid {
        path: path.to_owned(),
        reason,
    };
    let probes: Probes = serde_json::from_str(text).map_err(|error| invalid(error.to_string()))?;
    check(&probes).map_err(invalid)?;
    Ok(probes)
}

/// Writes a document to its place, which must be free.
pub fn write(results: &Path, probes: &Probes) -> Result<PathBuf, StoreError> {
    let path = path_of(results, &probes.id);
    let invalid = |reason: String| StoreError::Invalid {
        path: path.clone(),
        reason,
    };
    check(probes).map_err(invalid)?;
    let mut text = serde_json::to_string(probes).map_err(|error| invalid(error.to_string()))?;
    text.push('\n');
    store::write_new(path, &text)
}

/// What types cannot express: names are plain, texts have a bound, results are of its apps and cases, each once.
pub fn check(probes: &Probes) -> Result<(), String> {
    if probes.schema_version != PROBES_VERSION {
        return Err(format!(
            "it has schema_version {}, and this program reads {PROBES_VERSION}",
            probes.schema_version
        ));
    }
    for (what, count, most) in [
        ("apps", probes.apps.len(), MOST_APPS),
        ("cases", probes.cases.len(), MOST_CASES),
        ("tools", probes.origin.tools.len(), MOST_APPS),
    ] {
        if count > most {
            return Err(format!("it has {count} {what}, and at most {most} can be"));
        }
    }
    let ids = probes.apps.iter().flat_map(|one| [&one.app.id, &one.app.variant]);
    let ids = ids.chain(probes.cases.iter().map(|case| &case.id)).chain([&probes.id]);
    if let Some(id) = ids.into_iter().find(|id| !is_name(id)) {
        return Err(format!("{:?} is not a name", id.chars().take(60).collect::<String>()));
    }
    let mut apps = HashSet::new();
    for one in &probes.apps {
        if !apps.insert((one.app.id.as_str(), one.app.variant.as_str())) {
            return Err(format!("it has {} twice", one.app.label()));
        }
    }
    let mut cases = HashSet::new();
    for case in &probes.cases {
        let texts = [&case.title, &case.source, &case.demand, &case.sent];
        if texts.iter().any(|text| text.len() > LONGEST) {
            return Err(format!("a text of case {} is too long", case.id));
        }
        if !cases.insert(case.id.as_str()) {
            return Err(format!("it has case {} twice", case.id));
        }
    }
    let mut seen = HashSet::new();
    for one in &probes.results {
        let (app, case) = ((one.app.as_str(), one.variant.as_str()), one.case.as_str());
        if !apps.contains(&app) || !cases.contains(case) {
            return Err("it has a result of no app and case of its own".into());
        }
        if !seen.insert((app, one.protocol, case)) {
            return Err(format!("it has case {case} on {} twice", one.app));
        }
        if one.got.len() > LONGEST || one.received.len() > LONGEST {
            return Err(format!("a text of {} in case {case} is too long", one.app));
        }
        let mut figures = one.figures.values().chain([&one.milliseconds]);
        if figures.any(|figure| !figure.is_finite() || *figure < 0.0) {
            return Err(format!("a figure of {} in case {case} is no figure", one.app));
        }
    }
    Ok(())
}
