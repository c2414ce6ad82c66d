//! Pruning: a year after a run, its record keeps of each trial only what something is made of. Whatever is said of this run or of others, whose
//! intervals it widens or narrows as a session of theirs, stays as it is.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use analyze::reading::{self, Head, Heads};
use anyhow::Context;
use jiff::{SignedDuration, Timestamp};
use model::scenario::{LoadModel, Scenario};
use model::{Lane, store};

use super::text;

/// How long a record keeps its trials whole.
const KEPT: SignedDuration = SignedDuration::from_hours(365 * 24);

/// A record whose trials were pruned.
#[derive(Debug, PartialEq, Eq)]
pub struct Pruned {
    /// Where it is.
    pub path: PathBuf,
    /// The number of trials that lost something.
    pub trials: usize,
    /// Bytes that the file has lost.
    pub saved: u64,
}

/// [Prunes](Trial::prune) the trials of each record that is older than a year and not the newest of its series, or of the partial runs of its
/// lane and profile. Those of `bench probe` stay as they are.
pub fn prune(runs: &Path, now: Timestamp) -> anyhow::Result<Vec<Pruned>> {
    let mut pruned = Vec::new();
    for lane in Lane::ALL {
        let mut seen = BTreeSet::new();
        for Head { path, record } in Heads::of(store::of_lane(runs, lane))?.iter().rev() {
            if record.is_after(now) {
                continue; // a wrong clock made it, and it would be the newest for ever
            }
            let is_newest = seen.insert((record.profile.clone(), record.is_whole()));
            if is_newest || now.duration_since(record.started_at) <= KEPT {
                continue;
            }
            let mut record = reading::read_unjudged(path)?;
            let is_open = |scenario: &&Scenario| matches!(scenario.load, LoadModel::Open { .. });
            let open: BTreeSet<&String> = record.scenarios.iter().filter(is_open).map(|one| &one.id).collect();
            let of_controls = record.controls.iter_mut().flat_map(|control| &mut control.trials);
            let trials = record.trials.iter_mut().chain(of_controls);
            let trials = trials.map(|trial| trial.prune(open.contains(&trial.scenario)));
            let trials = trials.filter(|is_less| *is_less).count();
            if trials == 0 {
                continue;
            }
            let content = store::gzip(&text(&record));
            let saved = path.metadata()?.len().saturating_sub(content.len() as u64);
            store::write_whole(path, &content).with_context(|| path.display().to_string())?;
            let path = path.clone();
            pruned.push(Pruned { path, trials, saved });
        }
    }
    Ok(pruned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::publish::{Fact, add};
    use model::Record;

    /// A checkout with runs that began at noon of these days, of a profile and whole or not.
    fn runs(folder: &Path, runs: &[(&str, &str, bool)]) {
        let facts = runs.iter().map(|(day, profile, whole)| {
            let mut record = samples::sensible();
            record.id = format!("{}T120000Z-1", day.replace('-', ""));
            record.started_at = format!("{day}T12:00:00Z").parse().unwrap();
            (record.profile, record.harness.whole) = ((*profile).to_owned(), *whole);
            Fact::of_record(folder, record)
        });
        add(folder, &facts.collect::<Vec<_>>()).unwrap();
    }

    fn read(folder: &Path, day: &str) -> Record {
        reading::read(&folder.join(format!("hosted-x64/{}T120000Z-1.json.gz", day.replace('-', "")))).unwrap()
    }

    #[test]
    fn trials_go_after_a_year_and_never_those_of_the_newest() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        runs(
            folder,
            &[
                ("2024-01-01", "weekly", true),
                ("2024-02-01", "weekly", true),
                ("2024-03-01", "weekly", false),
                ("2024-04-01", "database", true),
                ("2025-06-01", "weekly", true),
                ("2099-01-01", "database", true),
            ],
        );
        let before = read(folder, "2024-02-01");
        let now = "2025-02-01T12:00:00Z".parse().unwrap();
        let first = prune(folder, now).unwrap();
        let names = |pruned: &[Pruned]| -> Vec<String> {
            let names = pruned
                .iter()
                .map(|one| one.path.file_name().unwrap().to_string_lossy()[..8].to_owned());
            names.collect()
        };
        assert_eq!(
            names(&first),
            ["20240101"],
            "not what has a year to the second, the only partial one, the newest of its profile by now, or what is to come"
        );
        assert_eq!(first[0].trials, before.trials.len());
        assert!(first[0].saved > 0, "{first:?}");
        let later = "2026-02-01T12:00:00Z".parse().unwrap();
        assert_eq!(names(&prune(folder, later).unwrap()), ["20240201"]);
        assert_eq!(prune(folder, later).unwrap(), [], "once");

        let after = read(folder, "2024-02-01");
        assert!(after.summary == before.summary, "every figure, verdict and reason");
        let trial = |record: &Record| record.trials[0].clone();
        assert_eq!((trial(&before).seconds.is_some(), trial(&after).seconds), (true, None));
        assert_eq!(read(folder, "2025-06-01").trials, before.trials, "the newest");
    }
}
