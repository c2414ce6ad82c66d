//! Records, read defensively.

mod heads;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use model::probe;
use model::store;
use model::store::{LARGEST, StoreError, check, read_text};
use model::{Cell, Lane, Record, SCHEMA_VERSION, runner_labels};
use serde::Deserialize;
use serde_json::Value;

use crate::analysis::{Sessions, is_same_kind, is_same_work};
use crate::compare::outcome::Comparison;
use crate::mostly_failed::mostly_failed;
use crate::releases::{PROFILE, Releases};
use crate::{analysis, machine_state};

pub use heads::{Head, Heads, without_trials};

/// Folder of the comparisons of releases, beside their records.
pub const COMPARED: &str = "compare";

/// Reads and checks a record.
pub fn read(path: &Path) -> Result<Record, StoreError> {
    read_unjudged(path).map(summed)
}

/// Checks the text of a record, which was found at `path`.
pub fn parse(path: &Path, text: &str) -> Result<Record, StoreError> {
    unjudged(path, text).map(summed)
}

fn summed(mut record: Record) -> Record {
    record.summary = analysis::summary_among(&record, &Sessions::default());
    record
}

/// The same as [`read`], but with no summary: for who only needs the trials.
pub fn read_unjudged(path: &Path) -> Result<Record, StoreError> {
    unjudged(path, &text_of(path)?)
}

fn text_of(path: &Path) -> Result<String, StoreError> {
    read_text(path, LARGEST).map_err(|error| StoreError::file(path, error))
}

fn unjudged(path: &Path, text: &str) -> Result<Record, StoreError> {
    let parsed = serde_json::from_str::<Record>(text);
    let mut record = match parsed {
        Ok(record) if record.schema_version == SCHEMA_VERSION => record,
        parsed => probe::from_document(text).ok_or_else(|| why_not(path, text, parsed.err()))?,
    };
    check(&record).map_err(|reason| StoreError::invalid(path, &reason))?;
    machine_state::figures_in_good_state(&mut record);
    record.summary.clear(); // of a record that was shown with what follows from it
    Ok(record)
}

/// Why a text is no record of this version: another one's, or the place that is wrong in it.
fn why_not(path: &Path, text: &str, error: Option<serde_json::Error>) -> StoreError {
    #[derive(Deserialize)]
    struct Version {
        schema_version: Option<Value>,
    }
    let version = match serde_json::from_str::<Version>(text) {
        Ok(version) => version.schema_version.as_ref().and_then(Value::as_u64),
        Err(error) => return StoreError::invalid(path, &error),
    };
    match (version, error) {
        (None, _) => StoreError::invalid(path, &"it has no `schema_version`"),
        (Some(found), _) if found > u64::from(SCHEMA_VERSION) => StoreError::Newer {
            path: path.to_owned(),
            found,
        },
        (Some(_), Some(error)) if version == Some(SCHEMA_VERSION.into()) => {
            let mut text = serde_json::Deserializer::from_str(text);
            let place = serde_path_to_error::deserialize::<_, Record>(&mut text);
            let reason = place.map_or_else(|place| place.to_string(), |_| error.to_string());
            StoreError::invalid(path, &reason)
        }
        (Some(found), _) => {
            let reason = format!("schema version {found} is no longer read; use the bench that wrote it");
            StoreError::invalid(path, &reason)
        }
    }
}

/// The cells of a record whose summary was written down by itself.
pub fn cells(path: &Path) -> Result<Vec<Cell>, StoreError> {
    #[derive(Deserialize)]
    struct Summary {
        cells: Vec<Cell>,
    }
    let text = text_of(path)?;
    let summary = serde_json::from_str::<Summary>(&text);
    Ok(summary.map_err(|error| StoreError::invalid(path, &error))?.cells)
}

/// Every record of a lane without its trials, the oldest first. A file that is not a record is an error: it could be the one that matters.
pub fn records_of_lane(results: &Path, lane: Lane) -> Result<Vec<Record>, StoreError> {
    let without_trials = |path: &PathBuf| {
        let mut record = read(path)?;
        (record.trials, record.controls) = Default::default(); // years of them are not needed at once
        Ok(record)
    };
    store::of_lane(results, lane).iter().map(without_trials).collect()
}

/// Every record of `bench probe` of all apps and cases, none after `now`, the oldest first.
pub fn whole_probes(results: &Path, now: Timestamp) -> Result<Vec<Record>, StoreError> {
    let all = all_probes(results, now)?.into_iter();
    Ok(all.filter(Record::is_whole).collect())
}

/// Every record of `bench probe`, none after `now`, the oldest first.
pub fn all_probes(results: &Path, now: Timestamp) -> Result<Vec<Record>, StoreError> {
    store::of_probes(results, now).iter().map(|path| read(path)).collect()
}

/// Reads a record with what the other sessions of its lane say of it ([`sessions`]).
pub fn among_sessions(results: &Path, path: &Path) -> Result<(Record, Sessions), StoreError> {
    let mut record = read_unjudged(path)?;
    let others = sessions(results, &record)?;
    record.summary = analysis::summary_among(&record, &others);
    Ok((record, others))
}

/// The other sessions of a record's kind: those in its lane's folder of `results`, and in `sessions/` there. Of those that do not count,
/// only the heads are read.
pub fn sessions(results: &Path, record: &Record) -> Result<Sessions, StoreError> {
    Heads::with_sessions(results, record.lane)?.sessions_of(record)
}

/// This run and those of its lane that began before it, the last `most` of them, the oldest first.
pub fn until(results: &Path, record: &Record, most: usize) -> Result<Vec<Record>, StoreError> {
    let heads = Heads::with_sessions(results, record.lane)?;
    let is_earlier = |head: &&Head| head.record.id != record.id && head.record.started_at <= record.started_at;
    let mut paths: Vec<&PathBuf> = heads.iter().filter(is_earlier).map(|head| &head.path).collect();
    let records = paths.split_off(paths.len().saturating_sub(most - 1)).into_iter();
    let mut records = records.map(|path| read(path)).collect::<Result<Vec<_>, _>>()?;
    let place = records.partition_point(|other| (other.started_at, &other.id) < (record.started_at, &record.id));
    records.insert(place, record.clone());
    Ok(records)
}

/// The newest runs of a lane, the oldest first, that measured what this one did on other kinds of machines; at most `most`.
pub fn on_other_machines(results: &Path, record: &Record, most: usize) -> Result<Vec<Record>, StoreError> {
    let heads = Heads::with_sessions(results, record.lane)?;
    let is_other = |head: &&Head| is_same_work(record, &head.record) && !is_same_kind(record, &head.record);
    let newest = heads.iter().rev().filter(is_other).take(most);
    let mut records = newest.map(|head| read(&head.path)).collect::<Result<Vec<_>, _>>()?;
    records.reverse();
    Ok(records)
}

/// The record that `name` means to somebody who wants to see a result: as in [`store::find`], but `latest` is the newest whole run
/// ([`model::Harness::whole`]), the newest partial one where there is no other, and never one that is [no result](mostly_failed).
pub fn find(results: &Path, name: &str, now: Timestamp) -> Result<PathBuf, StoreError> {
    if name != store::LATEST || Path::new(name).is_file() {
        return store::find(results, name, now);
    }
    let mut newest = None;
    for path in store::until(results, now).into_iter().rev() {
        if Head::of(&path)?.record.is_whole() {
            return Ok(path);
        }
        if newest.is_none() && mostly_failed(&read(&path)?).is_none() {
            newest = Some(path);
        }
    }
    newest.ok_or_else(|| StoreError::Missing(name.to_owned()))
}

/// A lane's runs of servers with a database, which lie in `database/` in its folder, the newest first.
pub fn with_database(results: &Path, lane: Lane) -> Vec<PathBuf> {
    let mut paths = store::in_folder(&results.join(lane.name()).join("database"));
    paths.reverse();
    paths
}

/// The records of `bench releases`, which lie in the folders of lanes or in `releases/` there; none of a run after `now`.
pub fn releases(results: &Path, now: Timestamp) -> Result<Vec<Record>, StoreError> {
    let lanes = Lane::ALL.map(|lane| results.join(lane.name()));
    let folders = lanes.into_iter().flat_map(|lane| [lane.join(PROFILE), lane]);
    let mut found = Vec::new();
    for path in folders.flat_map(|folder| store::in_folder(&folder)) {
        let head = Head::of(&path)?.record;
        if head.profile == PROFILE && !head.is_after(now) {
            found.push(without_trials(&path)?);
        }
    }
    found.sort_by_key(|record| record.started_at);
    Ok(found)
}

/// The files of comparisons of releases: all in `releases/compare/` of the folders of lanes.
pub fn compared_releases(results: &Path) -> Vec<PathBuf> {
    let folders = Lane::ALL.map(|lane| results.join(lane.name()).join(PROFILE).join(COMPARED));
    let files = folders.iter().filter_map(|folder| folder.read_dir().ok()).flatten();
    let mut files: Vec<PathBuf> = files.flatten().map(|file| file.path()).collect();
    files.sort();
    files
}

/// Reads a comparison.
pub fn comparison(path: &Path) -> Result<Comparison, StoreError> {
    Comparison::parse(text_of(path)?.as_bytes()).map_err(|reason| StoreError::invalid(path, &reason))
}

/// What these records of releases say, and the comparisons that lie beside them; none that began after `now`.
pub fn with_comparisons(records: &[Record], results: &Path, now: Timestamp) -> Result<Releases, StoreError> {
    let compared: Result<Vec<_>, _> = compared_releases(results).iter().map(|path| comparison(path)).collect();
    let compared: Vec<Comparison> = compared?.into_iter().filter(|one| one.started_at <= now).collect();
    Ok(crate::releases::releases(records).with(&compared))
}

/// The newest whole run of a lane that has a scenario with a database and of which something is true.
pub fn newest_with_database(
    results: &Path,
    lane: Lane,
    is_meant: impl Fn(&Record) -> bool,
) -> Result<Option<PathBuf>, StoreError> {
    for path in store::of_lane(results, lane).into_iter().rev() {
        let run = without_trials(&path)?;
        let mut scenarios = run.scenarios.iter();
        if run.is_whole() && scenarios.any(|scenario| scenario.database.is_some()) && is_meant(&read(&path)?) {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

/// The newest published record of each scenario, in whatever folder below `results`. What is no record of a run is passed over.
pub fn newest_of_scenarios(results: &Path) -> BTreeMap<String, PathBuf> {
    let runs = store::published(results).into_iter();
    let mut runs: Vec<_> = runs
        .filter_map(|path| Some((without_trials(&path).ok()?, path)))
        .collect();
    runs.sort_by_key(|(run, _)| run.started_at);
    let mut newest = BTreeMap::new();
    for (run, path) in runs {
        newest.extend(run.scenarios.into_iter().map(|scenario| (scenario.id, path.clone())));
    }
    newest
}

/// Most runs before one that are searched for one of the same kind: half a year of weeks.
const MOST_BEFORE: usize = 26;

/// The newest run before this one of the same lane and profile, whole as this one is, if there is any: of the same runner and kind of machine
/// where one is, because a hosted runner has another cpu in most weeks.
pub fn previous(results: &Path, record: &Record) -> Result<Option<PathBuf>, StoreError> {
    let (mut newest, mut left) = (None, MOST_BEFORE);
    for path in store::of_lane(results, record.lane).into_iter().rev() {
        if store::id_of(&path).is_none_or(|id| id >= &*record.id) {
            continue;
        }
        let other = Head::of(&path)?.record;
        if other.profile != record.profile || other.is_whole() != record.is_whole() {
            continue;
        }
        let labels = |record: &Record| runner_labels(&record.environment.runner);
        if labels(&other) == labels(record) && is_same_kind(&other, record) {
            return Ok(Some(path));
        }
        newest = newest.or(Some(path));
        left -= 1;
        if left == 0 {
            break;
        }
    }
    Ok(newest)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use model::store::write;

    use super::*;
    use crate::analysis::tests_of_sessions::{MOVING, days};
    use model::{Metric, Verdict};

    fn stored(change: impl FnOnce(&mut Value)) -> Result<Record, StoreError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record.json");
        let mut value = serde_json::to_value(samples::record()).unwrap();
        change(&mut value);
        fs::write(&path, value.to_string()).unwrap();
        read(&path)
    }

    #[test]
    fn the_summary_is_derived_from_the_trials() {
        let record = samples::sensible();
        let read = stored(|value| *value = serde_json::to_value(&record).unwrap()).unwrap();
        assert!(!read.summary.is_empty());
        assert_eq!(read, record);
    }

    #[test]
    fn figures_that_are_withdrawn_in_a_record_are_gone() {
        let found = stored(|value| value["apps"][0]["withdrawn"] = "it wrote an access log".into()).unwrap();
        let id = &found.apps[0].id;
        for cell in found.summary.iter().filter(|cell| cell.app == *id) {
            assert_eq!((cell.verdict, cell.metrics.len()), (Verdict::ContractFailed, 0));
            assert_eq!(cell.reasons, ["it wrote an access log"]);
        }
    }

    #[test]
    fn the_latest_is_whole_where_one_is() {
        let folder = tempfile::tempdir().unwrap();
        let add = |id: &str, whole| {
            let mut record = samples::sensible();
            (record.id, record.harness.whole) = (id.into(), whole);
            write(folder.path(), &record).unwrap()
        };
        let latest = || find(folder.path(), store::LATEST, Timestamp::MAX).unwrap();
        let partial = add("20261107T110000Z-1", false);
        assert_eq!(latest(), partial, "there is no other");
        let whole = add("20261106T110000Z-1", true);
        assert_eq!(latest(), whole);
        add("20261109T110000Z-1", false);
        assert_eq!(latest(), whole);
        let mut failed = samples::sensible();
        for trial in &mut failed.trials {
            (trial.verdict, trial.reasons) = (Verdict::EnvironmentFailed, vec!["the disk is full".into()]);
        }
        (failed.id, failed.harness.whole) = ("20261110T110000Z-1".into(), false);
        let elsewhere = tempfile::tempdir().unwrap();
        write(elsewhere.path(), &failed).unwrap();
        let none = find(elsewhere.path(), store::LATEST, Timestamp::MAX).unwrap_err();
        assert_eq!(
            none.to_string(),
            "there is no record latest; `bench run` makes one",
            "it is no result"
        );
        let as_named = find(folder.path(), "20261107T110000Z-1", Timestamp::MAX).unwrap();
        assert_eq!(as_named, partial);
    }

    #[test]
    fn the_run_before_is_of_the_same_lane_and_profile() {
        let folder = tempfile::tempdir().unwrap();
        let record = samples::record();
        let add = |id: &str, lane, profile: &str| {
            let mut other = record.clone();
            (other.id, other.lane, other.profile) = (id.into(), lane, profile.into());
            write(folder.path(), &other).unwrap()
        };
        write(folder.path(), &record).unwrap();
        assert_eq!(previous(folder.path(), &record).unwrap(), None);
        let before = add("20261107T110000Z-1", record.lane, &record.profile);
        add("20261114T110000Z-1", record.lane, "another");
        add("20261115T110000Z-1", Lane::Local, &record.profile);
        add("20261128T110000Z-1", record.lane, &record.profile);
        assert_eq!(previous(folder.path(), &record).unwrap(), Some(before.clone()));
        let mut other = record.clone();
        (other.id, other.environment.runner) = ("20261120T110000Z-1".into(), vec!["another".into()]);
        write(folder.path(), &other).unwrap();
        (other.id, other.environment) = ("20261114T120000Z-1".into(), record.environment.clone());
        other.environment.cpu_model = "another cpu".into();
        let newer = write(folder.path(), &other).unwrap();
        let mut tidied = record;
        tidied
            .environment
            .runner
            .iter_mut()
            .for_each(|label| *label = label.to_uppercase());
        assert_eq!(
            previous(folder.path(), &tidied).unwrap(),
            Some(before),
            "the same runner and kind of machine"
        );
        other.id = "20261128T120000Z-1".into();
        other.environment.cpu_model = "a third".into();
        assert_ne!(
            previous(folder.path(), &other).unwrap(),
            Some(newer),
            "or else the newest"
        );
    }

    #[test]
    fn what_is_broken_is_refused_with_its_place() {
        type Change = fn(&mut Value);
        let changes: [(Change, &str); 4] = [
            (
                |value| value["trials"][0]["slices"] = serde_json::json!({"sub_round": [0], "place": [1], "answers": [1], "length_us": [1], "server_cpu_us": [1], "generator_cpu_us": [1], "other_cpu_us": [0]}),
                "a slice of no sub-round",
            ),
            (|value| value["trials"][0]["app"] = "nobody".into(), "trial 1"),
            (
                |value| value["environment"]["runner"] = Value::Null,
                "environment.runner: invalid type: null",
            ),
            (|value| value["trials"][0]["verdict"] = "splendid".into(), "splendid"),
        ];
        for (change, message) in changes {
            let error = stored(change).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }

    #[test]
    fn neither_nothing_nor_a_maze_is_a_record() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record.json");
        let deep = format!("{{\"trials\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
        for broken in [deep.as_str(), ""] {
            fs::write(&path, broken).unwrap();
            assert!(matches!(read(&path), Err(StoreError::Invalid { .. })));
        }
    }

    #[test]
    fn a_record_is_read_among_the_sessions_of_its_lane() {
        let folder = tempfile::tempdir().unwrap();
        let days = days(&MOVING);
        let paths: Vec<_> = days.iter().map(|day| write(folder.path(), day).unwrap()).collect();
        let more = paths[0].parent().unwrap().join("sessions");
        fs::create_dir(&more).unwrap();
        fs::rename(&paths[0], more.join(paths[0].file_name().unwrap())).unwrap();
        let (found, _) = among_sessions(folder.path(), &paths[3]).unwrap();
        let cell = found.cell("axum", "default", "plaintext").unwrap();
        let ratio = cell.metrics[&Metric::ServerCpuUsPerRequest].ratio.as_ref().unwrap();
        assert_eq!(ratio.sessions, Some(4));
        let ids = |most| -> Vec<String> {
            let runs = until(folder.path(), &days[2], most).unwrap();
            runs.into_iter().map(|run| run.id).collect()
        };
        let days: Vec<String> = days.iter().map(|day| day.id.clone()).collect();
        assert_eq!((ids(9), ids(2)), (days[..3].to_vec(), days[1..3].to_vec()));
    }
}
