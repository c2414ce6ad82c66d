//! Runs by their heads. A record begins with what decides where it counts: when it ran, on what machine, how it was built. Of years of
//! records only that is read, and whole are only those from which something follows.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use model::store::{LARGEST, StoreError, check, in_folder, of_lane, read_before};
use model::{Lane, Record, SCHEMA_VERSION};

use super::read_unjudged;
use crate::analysis::{Session, Sessions, nearest};

/// A run of which only the head was read.
#[derive(Debug)]
pub struct Head {
    /// Its file.
    pub path: PathBuf,
    /// The record, without apps, scenarios and trials.
    pub record: Record,
}

impl AsRef<Record> for Head {
    fn as_ref(&self) -> &Record {
        &self.record
    }
}

impl Head {
    /// Of the record in this file. What follows in it is not checked.
    pub fn of(path: &Path) -> Result<Self, StoreError> {
        let rest = r#""apps":[],"scenarios":[],"trials":[]}"#;
        let mut record = beginning(path, r#""apps":"#, rest)?;
        (record.apps, record.scenarios) = Default::default();
        let path = path.to_owned();
        Ok(Self { path, record })
    }
}

/// Reads a record up to its trials. What follows from them is not there, and not checked.
pub fn without_trials(path: &Path) -> Result<Record, StoreError> {
    beginning(path, r#""trials":"#, r#""trials":[]}"#)
}

/// A record up to its member `end`, with `rest` for what would follow. A quote within a string has a backslash before it, so that nothing
/// else reads like a key, and the order of members is the program's own. Where it is not, the whole record is read.
fn beginning(path: &Path, end: &str, rest: &str) -> Result<Record, StoreError> {
    let text = read_before(path, end, LARGEST).map_err(|error| StoreError::file(path, error))?;
    let mut text = text.trim_ascii_end().to_vec();
    text.extend_from_slice(rest.as_bytes());
    let parsed: Option<Record> = serde_json::from_slice(&text).ok();
    let known = parsed.filter(|record| record.schema_version == SCHEMA_VERSION && check(record).is_ok());
    let mut record = known.map_or_else(|| read_unjudged(path), Ok)?;
    (record.trials, record.controls, record.summary) = Default::default();
    Ok(record)
}

/// Runs of a lane by their heads, the oldest first.
#[derive(Debug)]
pub struct Heads {
    heads: Vec<Head>,
    /// Those that were read, once each.
    sessions: BTreeMap<PathBuf, Rc<Session>>,
}

impl Heads {
    /// Of these files.
    pub fn of(paths: impl IntoIterator<Item = PathBuf>) -> Result<Self, StoreError> {
        let heads = paths.into_iter().map(|path| Head::of(&path));
        let mut heads = heads.collect::<Result<Vec<_>, _>>()?;
        heads.sort_by_cached_key(|Head { record, .. }| (record.started_at, record.id.clone()));
        let sessions = BTreeMap::new();
        Ok(Self { heads, sessions })
    }

    /// Of a lane's folder of `results`, and of `sessions/` there.
    pub fn with_sessions(results: &Path, lane: Lane) -> Result<Self, StoreError> {
        let more = in_folder(&results.join(lane.name()).join("sessions"));
        Self::of(of_lane(results, lane).into_iter().chain(more))
    }

    /// The heads.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Head> {
        self.heads.iter()
    }

    /// Those that count as other sessions of a record's kind.
    pub fn sessions_of(&mut self, record: &Record) -> Result<Sessions, StoreError> {
        let session = |Head { path, .. }: &Head| {
            if let Some(read) = self.sessions.get(path) {
                return Ok(read.clone());
            }
            let read = Rc::new(Session::of(&read_unjudged(path)?));
            self.sessions.insert(path.clone(), read.clone());
            Ok(read)
        };
        nearest(record, &self.heads).into_iter().map(session).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_head_is_read_without_what_follows() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record.json");
        let mut record = samples::sensible();
        (record.profile, record.harness.version) = ("apps".into(), r#""apps":[], "trials""#.into());
        let text = serde_json::to_string(&record).unwrap();
        let until = |key: &str| &text[..text.rfind(key).unwrap() + key.len()];
        fs::write(&path, until(r#""apps":["#)).unwrap();
        let head = Head::of(&path).unwrap().record;
        let nothing = Record {
            apps: Vec::new(),
            scenarios: Vec::new(),
            trials: Vec::new(),
            summary: Vec::new(),
            ..record.clone()
        };
        assert_eq!(head, nothing);
        assert!(without_trials(&path).is_err());
        fs::write(&path, until(r#""trials":["#)).unwrap();
        assert_eq!(without_trials(&path).unwrap().apps, record.apps);
    }

    #[test]
    fn a_record_in_another_order_is_read_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record.json");
        let record = samples::sensible();
        // Of a value, the members are in the order of their names.
        let text = serde_json::to_value(&record).unwrap().to_string();
        assert!(text.starts_with(r#"{"apps""#));
        fs::write(&path, &text).unwrap();
        assert_eq!(Head::of(&path).unwrap().record.id, record.id);
        fs::write(&path, text.replace(r#""schema_version":4"#, r#""schema_version":3"#)).unwrap();
        let refused = Head::of(&path).unwrap_err().to_string();
        assert!(refused.contains("no longer read"), "{refused}");
    }
}
