//! Pruning: a record keeps its trials for a year, and for ever what follows from them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use analyze::analysis::{Analyzed, summary_among, unsteady};
use analyze::reading::{self, Head, Heads};
use anyhow::Context;
use jiff::{SignedDuration, Timestamp};
use model::{Lane, store};

/// How long a record keeps its trials.
const KEPT: SignedDuration = SignedDuration::from_hours(365 * 24);

/// A record that lost its trials.
#[derive(Debug, PartialEq, Eq)]
pub struct Pruned {
    /// Where it is.
    pub path: PathBuf,
    /// The number of trials that it had.
    pub trials: usize,
    /// Bytes that the file has lost.
    pub saved: u64,
}

/// Takes the trials out of each record that is older than a year and not the newest of its series, or of the partial runs of its lane and
/// profile, and writes down what follows from them. Documents of probes stay as they are.
pub fn prune(runs: &Path, now: Timestamp) -> anyhow::Result<Vec<Pruned>> {
    let (mut pruned, mut new) = (Vec::new(), Vec::new());
    for lane in Lane::ALL {
        let mut seen = BTreeSet::new();
        let mut heads = Heads::of(store::of_lane(runs, lane))?;
        let mut old = Vec::new();
        for Head { path, record } in heads.iter().rev() {
            if record.is_after(now) {
                continue; // a wrong clock made it, and it would be the newest for ever
            }
            let is_newest = seen.insert((record.profile.clone(), record.is_whole()));
            if !is_newest && now.duration_since(record.started_at) > KEPT {
                old.push(path.clone());
            }
        }
        for path in old {
            let mut record = reading::read_unjudged(&path)?;
            if record.trials.is_empty() {
                continue;
            }
            record.environment.warnings.extend(unsteady(&record));
            record.summary = summary_among(&record, &heads.sessions_of(&record)?);
            record.controls.clear();
            let trials = std::mem::take(&mut record.trials).len();
            let content = store::gzip(&(serde_json::to_string(&Analyzed::of(&record))? + "\n"));
            let file = store::temporary(&path, &content).with_context(|| path.display().to_string())?;
            new.push(file.into_temp_path());
            let saved = path.metadata()?.len().saturating_sub(content.len() as u64);
            pruned.push(Pruned { path, trials, saved });
        }
    }
    // Each is a session of others until their summaries are written.
    for (new, Pruned { path, .. }) in new.into_iter().zip(&pruned) {
        new.persist(path).with_context(|| path.display().to_string())?;
    }
    Ok(pruned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::publish::{Fact, add};
    use analyze::analysis::Sessions;
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
        let others: Vec<Record> = store::of_lane(folder, Lane::HostedX64)
            .iter()
            .map(|path| reading::read(path).unwrap())
            .collect();
        let among_sessions = summary_among(&before, &Sessions::of(&before, &others));
        assert_ne!(among_sessions, before.summary);
        let later = "2026-02-01T12:00:00Z".parse().unwrap();
        assert_eq!(names(&prune(folder, later).unwrap()), ["20240201"]);
        assert_eq!(prune(folder, later).unwrap(), [], "once");

        let after = read(folder, "2024-02-01");
        assert!(after.trials.is_empty());
        assert!(
            after.summary == among_sessions,
            "every figure, verdict and reason, and what other sessions say"
        );
        assert!(after.controls.is_empty());
        assert!(!read(folder, "2025-06-01").trials.is_empty());
    }
}
