//! The journal: what a run has found so far, one line for each trial, so that a run that is killed loses at most the
//! trial under way.
//!
//! The first line says what the run is; each further line is a trial. A line is written with one call and a line end;
//! a last line without one was cut off by the kill and is left out.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::plan::Plan;
use crate::record::{AppRecord, Environment, Lane, Trial};

/// Version of the journal's shape: another one cannot be resumed.
const VERSION: u32 = 2;
/// What a journal's name ends with.
const SUFFIX: &str = ".journal.jsonl";
/// Largest journal that is read.
const LARGEST: u64 = 64 << 20;

/// What a run is: the first line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Head {
    /// Version of the journal's shape.
    pub journal_version: u32,
    /// Id of the run.
    pub id: String,
    /// Lane of the run.
    pub lane: Lane,
    /// When it began.
    pub started_at: Timestamp,
    /// What it does.
    pub plan: Plan,
    /// Seconds of its time budget.
    pub time_budget_seconds: Option<f64>,
    /// Cargo profile of the apps.
    pub cargo_profile: String,
    /// Machine, as it was at the start.
    pub environment: Environment,
    /// Apps, as they were built.
    pub apps: Vec<AppRecord>,
}

impl Head {
    /// The head of a journal of this program.
    pub const VERSION: u32 = VERSION;
}

/// A journal that is open for writing.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
}

/// Why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// Nothing to resume.
    #[error("there is no unfinished run {0}")]
    Missing(String),
    /// Which one?
    #[error("several runs are unfinished; name one of them: --resume={}", .0.join(", --resume="))]
    Several(Vec<String>),
    /// It cannot be read or written.
    #[error("{path}: {error}", path = path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        error: io::Error,
    },
    /// It is not what it should be.
    #[error("{path} cannot be resumed: {reason}", path = path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}

impl Journal {
    /// Begins the journal of a new run.
    pub fn create(results: &Path, head: &Head) -> Result<Self, JournalError> {
        let folder = results.join(head.lane.name());
        let path = folder.join(format!("{}{SUFFIX}", head.id));
        let create = || {
            fs::create_dir_all(&folder)?;
            let mut file = OpenOptions::new().append(true).create_new(true).open(&path)?;
            write_line(&mut file, head)?;
            Ok(file)
        };
        let file = create().map_err(|error| JournalError::File {
            path: path.clone(),
            error,
        })?;
        Ok(Self { path, file })
    }

    /// Opens the journal of an unfinished run: the one with this id or path, or the only one there is.
    pub fn resume(results: &Path, name: Option<&str>) -> Result<(Self, Head, Vec<Trial>), JournalError> {
        let path = find(results, name)?;
        let fail = |error| JournalError::File {
            path: path.clone(),
            error,
        };
        if fs::metadata(&path).map_err(fail)?.len() > LARGEST {
            return Err(JournalError::Invalid {
                path,
                reason: format!("it has more than {LARGEST} bytes"),
            });
        }
        let text = fs::read_to_string(&path).map_err(fail)?;
        let (head, trials, whole) = read(&text).map_err(|reason| JournalError::Invalid {
            path: path.clone(),
            reason,
        })?;
        let file = OpenOptions::new().append(true).open(&path).map_err(fail)?;
        file.set_len(whole as u64).map_err(fail)?; // half a line at the end would spoil the next one
        Ok((Self { path, file }, head, trials))
    }

    /// Adds a trial.
    pub fn add(&mut self, trial: &Trial) -> io::Result<()> {
        write_line(&mut self.file, trial)
    }

    /// Removes it: its record is written.
    pub fn finished(self) -> io::Result<()> {
        fs::remove_file(self.path)
    }
}

fn write_line(file: &mut File, value: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    file.write_all(&line)?;
    file.sync_data()
}

/// Head, trials, and how many bytes of the text are whole lines.
fn read(text: &str) -> Result<(Head, Vec<Trial>, usize), String> {
    let whole = text.rfind('\n').map_or(0, |at| at + 1);
    let mut lines = text[..whole].lines();
    let head = lines.next().ok_or("it is empty")?;
    let head: Head = serde_json::from_str(head).map_err(|error| format!("line 1: {error}"))?;
    if head.journal_version != VERSION {
        return Err(format!(
            "it has version {}, and this program resumes version {VERSION}",
            head.journal_version
        ));
    }
    let trials = lines
        .enumerate()
        .map(|(index, line)| serde_json::from_str(line).map_err(|error| format!("line {}: {error}", index + 2)))
        .collect::<Result<_, _>>()?;
    Ok((head, trials, whole))
}

fn find(results: &Path, name: Option<&str>) -> Result<PathBuf, JournalError> {
    if let Some(path) = name.map(Path::new).filter(|path| path.is_file()) {
        return Ok(path.to_owned());
    }
    let lanes = fs::read_dir(results)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path());
    let files = lanes
        .flat_map(fs::read_dir)
        .flatten()
        .flatten()
        .map(|entry| entry.path());
    let id = |path: &Path| Some(path.file_name()?.to_string_lossy().strip_suffix(SUFFIX)?.to_owned());
    let mut found: Vec<(String, PathBuf)> = files.filter_map(|path| Some((id(&path)?, path))).collect();
    found.sort();
    if let Some(name) = name {
        found.retain(|(id, _)| id == name);
    }
    match found.len() {
        0 => Err(JournalError::Missing(
            name.map(|name| format!("`{name}`"))
                .unwrap_or_default()
                .trim()
                .to_owned(),
        )),
        1 => Ok(found.remove(0).1),
        _ => Err(JournalError::Several(found.into_iter().map(|(id, _)| id).collect())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    use crate::report::sample;

    fn head() -> Head {
        let record = sample::record();
        let plan = Plan {
            profile: record.profile,
            seed: record.seed,
            rounds: 5,
            subjects: Vec::new(),
            speaks: BTreeMap::new(),
            only: BTreeMap::new(),
            scenarios: record.scenarios,
        };
        Head {
            journal_version: VERSION,
            id: record.id,
            lane: record.lane,
            started_at: record.started_at,
            plan,
            time_budget_seconds: None,
            cargo_profile: "release".into(),
            environment: record.environment,
            apps: record.apps,
        }
    }

    #[test]
    fn what_was_written_before_a_kill_is_there_after_it() {
        let folder = tempfile::tempdir().unwrap();
        let trials = sample::record().trials;
        let mut journal = Journal::create(folder.path(), &head()).unwrap();
        journal.add(&trials[0]).unwrap();
        journal.add(&trials[1]).unwrap();
        let path = journal.path.clone();
        // The third was being written.
        fs::OpenOptions::new()
            .append(true)
            .open(&path)
            .unwrap()
            .write_all(b"{\"app\":\"ax")
            .unwrap();
        drop(journal);
        let (mut journal, found, made) = Journal::resume(folder.path(), None).unwrap();
        assert_eq!((found, made.as_slice()), (head(), &trials[..2]));
        journal.add(&trials[2]).unwrap();
        let (journal, _, made) = Journal::resume(folder.path(), Some(&head().id)).unwrap();
        assert_eq!(made, &trials[..3]);
        journal.finished().unwrap();
        assert!(matches!(
            Journal::resume(folder.path(), None),
            Err(JournalError::Missing(_))
        ));
    }

    #[test]
    fn one_of_several_has_to_be_named_and_another_version_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        Journal::create(folder.path(), &head()).unwrap();
        assert!(
            matches!(Journal::create(folder.path(), &head()), Err(JournalError::File { .. })),
            "not overwritten"
        );
        let other = Head {
            id: "other".into(),
            journal_version: 9,
            ..head()
        };
        Journal::create(folder.path(), &other).unwrap();
        let error = Journal::resume(folder.path(), None).unwrap_err().to_string();
        assert!(error.contains("--resume=other"), "{error}");
        let error = Journal::resume(folder.path(), Some("other")).unwrap_err().to_string();
        assert!(error.contains("version 9"), "{error}");
    }
}
