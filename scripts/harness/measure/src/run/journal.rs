//! The journal: what a run has found so far, one line for each trial, so that a run that is killed loses at most the
//! trial under way.
//!
//! The first line says what the run is; each further line is a trial, with the time that the run had measured by then. A line is
//! written with one call and a line end; a last line without one was cut off by the kill, maybe inside a character, and is left
//! out. Nobody else goes on with the run meanwhile: who measures holds the machine's lock.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};
use serde::{Deserialize, Serialize};

use super::request::RunRequest;
use crate::plan::Plan;
use model::{Record, Trial};

/// What a journal's name ends with.
const SUFFIX: &str = ".journal.jsonl";

/// What a run is: the first line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Head {
    /// Its record, as far as it is known: without trials, in the file.
    pub record: Record,
    /// What it does.
    pub plan: Plan,
    /// What was requested.
    pub request: RunRequest,
}

/// A trial: each further line.
#[derive(Debug, Serialize, Deserialize)]
struct JournalLine<T> {
    /// Time that the run had measured when the trial was over, that before an interrupt included.
    spent: Duration,
    trial: T,
}

/// A journal that is open for writing.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    /// Time of measuring before this process.
    before: Duration,
    /// Since when this process measures.
    measuring: Option<Instant>,
}

impl Journal {
    /// Begins the journal of a new run.
    pub fn create(results: &Path, head: &Head) -> anyhow::Result<Self> {
        let folder = results.join(head.record.lane.name());
        let path = folder.join(format!("{}{SUFFIX}", head.record.id));
        let create = || -> io::Result<File> {
            fs::create_dir_all(&folder)?;
            let mut file = OpenOptions::new().append(true).create_new(true).open(&path)?;
            write_line(&mut file, head)?;
            Ok(file)
        };
        let file = create().with_context(|| path.display().to_string())?;
        Ok(Self {
            path,
            file,
            before: Duration::ZERO,
            measuring: None,
        })
    }

    /// Opens the journal of an unfinished run: the one with this id or path, or the only one.
    pub fn resume(results: &Path, name: Option<&str>) -> anyhow::Result<(Self, Head)> {
        let path = find(results, name)?;
        let opened = OpenOptions::new().read(true).append(true).open(&path);
        let file = opened.with_context(|| path.display().to_string())?;
        let (head, before) = read(&file).with_context(|| format!("{} cannot be resumed", path.display()))?;
        let journal = Self {
            path,
            file,
            before,
            measuring: None,
        };
        Ok((journal, head))
    }

    /// Starts the clock of measuring: time spent earlier, such as for building, is not part of a time budget.
    pub fn measuring(&mut self) {
        self.measuring = Some(Instant::now());
    }

    /// Time that the run has measured: up to the last trial before the interrupt, and since [`Self::measuring`] in this
    /// process.
    pub fn spent(&self) -> Duration {
        self.before + self.measuring.map_or(Duration::ZERO, |began| began.elapsed())
    }

    /// Adds a trial.
    pub fn add(&mut self, trial: &Trial) -> io::Result<()> {
        let line = JournalLine {
            spent: self.spent(),
            trial,
        };
        write_line(&mut self.file, &line)
    }

    /// Removes the journal, after the record is written.
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

/// The run with its trials, and the time that they took together. An incomplete last line is cut off: it would break the next one.
fn read(mut file: &File) -> anyhow::Result<(Head, Duration)> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    file.set_len(whole as u64)?;
    let mut lines = bytes[..whole].split_inclusive(|byte| *byte == b'\n');
    let head = serde_json::from_slice(lines.next().context("it is empty")?);
    let mut head: Head = head.context("it is not of this program's version")?;
    let mut spent = Duration::ZERO;
    for (number, line) in (2..).zip(lines) {
        let line: JournalLine<Trial> = serde_json::from_slice(line).with_context(|| format!("line {number}"))?;
        spent = line.spent;
        head.record.trials.push(line.trial);
    }
    Ok((head, spent))
}

fn missing(name: Option<&str>) -> anyhow::Error {
    anyhow!(
        "there is no unfinished run{}",
        name.map(|name| format!(" `{name}`")).unwrap_or_default()
    )
}

fn find(results: &Path, name: Option<&str>) -> anyhow::Result<PathBuf> {
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
    let mut journals: Vec<(String, PathBuf)> = files.filter_map(|path| Some((id(&path)?, path))).collect();
    journals.sort();
    if let Some(name) = name {
        journals.retain(|(id, _)| id == name);
    }
    match journals.len() {
        0 => Err(missing(name)),
        1 => Ok(journals.remove(0).1),
        _ => {
            let ids: Vec<String> = journals.into_iter().map(|(id, _)| id).collect();
            bail!(
                "several runs are unfinished; name one of them: --resume={}",
                ids.join(", --resume=")
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head() -> Head {
        let record = samples::record();
        Head {
            plan: Plan::of_sample(&record),
            record: Record {
                trials: Vec::new(),
                summary: Vec::new(),
                ..record
            },
            request: RunRequest::default(),
        }
    }

    fn resume(results: &Path, name: Option<&str>) -> anyhow::Result<(Journal, Vec<Trial>)> {
        let (journal, mut found) = Journal::resume(results, name)?;
        let made = std::mem::take(&mut found.record.trials);
        assert_eq!(found, head());
        Ok((journal, made))
    }

    fn refused(results: &Path, reason: &str) {
        let error = format!("{:#}", resume(results, None).unwrap_err());
        assert!(error.contains(reason), "{error}");
    }

    #[test]
    fn what_was_written_before_a_kill_is_there_after_it() {
        let folder = tempfile::tempdir().unwrap();
        let trials = samples::record().trials;
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
        let (mut journal, made) = resume(folder.path(), None).unwrap();
        assert_eq!(made, &trials[..2]);
        journal.add(&trials[2]).unwrap();
        drop(journal);
        let (journal, made) = resume(folder.path(), Some(&head().record.id)).unwrap();
        assert_eq!(made, &trials[..3]);
        journal.finished().unwrap();
        refused(folder.path(), "there is no unfinished run");
    }

    #[test]
    fn one_of_several_has_to_be_named_and_none_is_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        Journal::create(folder.path(), &head()).unwrap();
        let error = Journal::create(folder.path(), &head()).unwrap_err();
        assert!(
            format!("{error:#}").contains("File exists"),
            "not overwritten: {error:#}"
        );
        let mut other = head();
        other.record.id = "other".into();
        Journal::create(folder.path(), &other).unwrap();
        let error = resume(folder.path(), None).unwrap_err().to_string();
        assert!(error.contains("--resume=other"), "{error}");
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_named() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("local"), "in the way").unwrap();
        let mut head = head();
        head.record.lane = model::Lane::Local;
        let error = Journal::create(folder.path(), &head).unwrap_err();
        assert!(format!("{error:#}").contains("/local/"), "{error:#}");
        assert_eq!(fs::read_to_string(folder.path().join("local")).unwrap(), "in the way");
    }

    #[test]
    fn a_journal_that_was_cut_inside_a_character_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let mut trials = samples::record().trials;
        trials[1].reasons = vec!["it said: größer".into()];
        let mut journal = Journal::create(folder.path(), &head()).unwrap();
        journal.add(&trials[0]).unwrap();
        let whole = fs::metadata(&journal.path).unwrap().len();
        journal.add(&trials[1]).unwrap();
        let path = journal.path.clone();
        drop(journal);
        let bytes = fs::read(&path).unwrap();
        let cut = bytes.iter().position(|byte| *byte == 0xc3).unwrap() + 1;
        fs::write(&path, &bytes[..cut]).unwrap();
        assert!(fs::read_to_string(&path).is_err(), "half a character");
        let (journal, made) = resume(folder.path(), None).unwrap();
        assert_eq!(made, &trials[..1]);
        assert_eq!(fs::metadata(&journal.path).unwrap().len(), whole);
        // A broken line in the middle was not cut by a kill.
        drop(journal);
        let broken = [&bytes[..cut], b"\n"].concat();
        fs::write(&path, broken).unwrap();
        refused(folder.path(), "cannot be resumed");
    }

    #[test]
    fn time_that_was_spent_is_spent_after_an_interrupt() {
        let folder = tempfile::tempdir().unwrap();
        let trials = samples::record().trials;
        let mut journal = Journal::create(folder.path(), &head()).unwrap();
        assert_eq!(journal.spent(), Duration::ZERO, "building is not measuring");
        journal.before = Duration::from_secs(100); // as of a process before
        journal.measuring();
        journal.add(&trials[0]).unwrap();
        journal.before += Duration::from_secs(20);
        journal.add(&trials[1]).unwrap();
        drop(journal);
        let (mut journal, _) = resume(folder.path(), None).unwrap();
        let before = journal.spent();
        assert!(before >= Duration::from_mins(2), "{before:?}");
        journal.measuring();
        journal.add(&trials[2]).unwrap();
        drop(journal);
        let (journal, _) = resume(folder.path(), None).unwrap();
        assert!(journal.spent() > before);
    }
}
