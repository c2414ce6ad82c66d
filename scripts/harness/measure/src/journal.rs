//! The journal: what a run has found so far, one line for each trial, so that a run that is killed loses at most the
//! trial under way.
//!
//! The first line says what the run is; each further line is a trial, with the time that the run had measured by then. A line is
//! written with one call and a line end; a last line without one was cut off by the kill, maybe inside a character, and is left
//! out. While a run goes on it holds a lock on its journal, which the kernel releases when the process ends, however it ends: no
//! two processes go on with one run.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail, ensure};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::plan::Plan;
use model::{AppRecord, Environment, Lane, Trial};

/// Version of the journal's shape: another one cannot be resumed.
pub const VERSION: u32 = 3;
/// What a journal's name ends with.
const SUFFIX: &str = ".journal.jsonl";

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
    /// Seconds of its time budget; how many of them are spent, [`Journal::spent`] says.
    pub time_budget_seconds: Option<f64>,
    /// Cargo profile of the apps.
    pub cargo_profile: String,
    /// Machine, as it was at the start.
    pub environment: Environment,
    /// Apps, as they were built.
    pub apps: Vec<AppRecord>,
}

/// The part of the first line that names its version.
#[derive(Deserialize)]
struct Version {
    journal_version: u32,
}

/// A trial: each further line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct JournalLine<T> {
    /// Seconds that the run had measured when the trial was over, those before an interrupt included.
    spent_seconds: f64,
    trial: T,
}

/// A journal that is open for writing, and locked.
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
        let folder = results.join(head.lane.name());
        let path = folder.join(format!("{}{SUFFIX}", head.id));
        let create = || -> io::Result<File> {
            fs::create_dir_all(&folder)?;
            let mut file = OpenOptions::new().append(true).create_new(true).open(&path)?;
            file.try_lock()?;
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
    pub fn resume(results: &Path, name: Option<&str>) -> anyhow::Result<(Self, Head, Vec<Trial>)> {
        let path = find(results, name)?;
        let opened = OpenOptions::new().read(true).append(true).open(&path);
        let file = opened.with_context(|| path.display().to_string())?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => bail!(
                "{} is in use: another bench goes on with this run; wait for its end",
                path.display()
            ),
            Err(TryLockError::Error(error)) => return Err(error).with_context(|| path.display().to_string()),
        }
        // The run may have ended before we got the lock.
        if file.metadata()?.nlink() == 0 {
            return Err(missing(name));
        }
        let (head, trials, before) = read(&file).with_context(|| format!("{} cannot be resumed", path.display()))?;
        let journal = Self {
            path,
            file,
            before,
            measuring: None,
        };
        Ok((journal, head, trials))
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
            spent_seconds: self.spent().as_secs_f64(),
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

/// Head, trials, and the time that they took together. An incomplete last line is cut off: it would break the next one.
fn read(mut file: &File) -> anyhow::Result<(Head, Vec<Trial>, Duration)> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    file.set_len(whole as u64)?;
    let mut lines = (1..).zip(bytes[..whole].split_inclusive(|byte| *byte == b'\n'));
    // The version first: the head of another version may have other fields.
    let (_, head) = lines.next().context("it is empty")?;
    let Version { journal_version } = serde_json::from_slice(head).context("line 1")?;
    ensure!(
        journal_version == VERSION,
        "it has version {journal_version}, and this program resumes version {VERSION}"
    );
    let head = serde_json::from_slice(head).context("line 1")?;
    let (mut trials, mut spent) = (Vec::new(), Duration::ZERO);
    for (number, line) in lines {
        let line: JournalLine<Trial> = serde_json::from_slice(line).with_context(|| format!("line {number}"))?;
        spent = Duration::try_from_secs_f64(line.spent_seconds).with_context(|| format!("line {number}"))?;
        trials.push(line.trial);
    }
    Ok((head, trials, spent))
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
        let plan = Plan::of_sample(&record);
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

    /// As [`Journal::resume`]. A process that another test starts shares our lock until it has become its own program.
    fn resume(results: &Path, name: Option<&str>) -> anyhow::Result<(Journal, Head, Vec<Trial>)> {
        let until = Instant::now() + Duration::from_secs(10);
        loop {
            match Journal::resume(results, name) {
                Err(error) if error.to_string().contains("is in use") && Instant::now() < until => {}
                other => return other,
            }
        }
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
        let (mut journal, found, made) = resume(folder.path(), None).unwrap();
        assert_eq!((found, made.as_slice()), (head(), &trials[..2]));
        journal.add(&trials[2]).unwrap();
        drop(journal);
        let (journal, _, made) = resume(folder.path(), Some(&head().id)).unwrap();
        assert_eq!(made, &trials[..3]);
        journal.finished().unwrap();
        refused(folder.path(), "there is no unfinished run");
    }

    #[test]
    fn one_of_several_has_to_be_named_and_another_version_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        Journal::create(folder.path(), &head()).unwrap();
        let error = Journal::create(folder.path(), &head()).unwrap_err();
        assert!(
            format!("{error:#}").contains("File exists"),
            "not overwritten: {error:#}"
        );
        let other = Head {
            id: "other".into(),
            journal_version: 9,
            ..head()
        };
        Journal::create(folder.path(), &other).unwrap();
        let error = resume(folder.path(), None).unwrap_err().to_string();
        assert!(error.contains("--resume=other"), "{error}");
        let error = format!("{:#}", resume(folder.path(), Some("other")).unwrap_err());
        assert!(error.contains("version 9"), "{error}");
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_named() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("local"), "in the way").unwrap();
        let head = Head {
            lane: Lane::Local,
            ..head()
        };
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
        let (journal, _, made) = resume(folder.path(), None).unwrap();
        assert_eq!(made, &trials[..1]);
        assert_eq!(fs::metadata(&journal.path).unwrap().len(), whole);
        // A broken line in the middle was not cut by a kill.
        drop(journal);
        let broken = [&bytes[..cut], b"\n"].concat();
        fs::write(&path, broken).unwrap();
        refused(folder.path(), "cannot be resumed");
    }

    #[test]
    fn nobody_else_goes_on_with_a_run_that_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let in_use = || {
            let error = Journal::resume(folder.path(), None).unwrap_err().to_string();
            assert!(error.contains("is in use"), "{error}");
        };
        let begun = Journal::create(folder.path(), &head()).unwrap();
        in_use();
        drop(begun);
        let resumed = resume(folder.path(), None).unwrap();
        in_use();
        drop(resumed);
        resume(folder.path(), None).unwrap();
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
        let (mut journal, _, _) = resume(folder.path(), None).unwrap();
        let before = journal.spent();
        assert!(before >= Duration::from_mins(2), "{before:?}");
        journal.measuring();
        journal.add(&trials[2]).unwrap();
        drop(journal);
        let (journal, _, _) = resume(folder.path(), None).unwrap();
        assert!(journal.spent() > before);
        let path = journal.path.clone();
        drop(journal);
        // What no clock shows is refused.
        let text = fs::read_to_string(&path).unwrap();
        for broken in ["-1.0", "1e300"] {
            let (head, rest) = text.split_once("\"spent_seconds\":").unwrap();
            let (_, rest) = rest.split_once(',').unwrap();
            fs::write(&path, format!("{head}\"spent_seconds\":{broken},{rest}")).unwrap();
            refused(folder.path(), "line 2");
        }
    }
}
