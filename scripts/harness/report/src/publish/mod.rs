//! Publishing: facts, which are records, are added to a checkout of gh-pages. All else is made from them when the site is
//! deployed ([`crate::site`]).

mod prune;

use std::fs;
use std::path::{Path, PathBuf};

use analyze::reading::{self, Head};
use anyhow::{Context, ensure};
use model::store;
use model::store::StoreError;
use model::{Lane, Record};
use serde::Serialize;

pub use prune::{Pruned, prune};

/// The folder of the facts in a checkout of gh-pages: results, compressed.
pub const RUNS: &str = "runs";
/// Most earlier runs that a new one is held against: two months of a weekly series.
const MOST_BEFORE: usize = 8;

/// The folder of the facts in the checkout `pages`.
pub fn runs(pages: &Path) -> anyhow::Result<PathBuf> {
    ensure!(
        pages.is_dir(),
        "{} is not a folder; --pages takes a checkout of the published branch",
        pages.display()
    );
    Ok(pages.join(RUNS))
}

/// The runs before `record` of its lane and profile that it is held against, the last first.
pub fn before(runs: &Path, record: &Record) -> Result<Vec<Record>, StoreError> {
    let mut found = Vec::new();
    for path in store::of_lane(runs, record.lane).into_iter().rev() {
        let is_before = store::id_of(&path) < Some(&record.id) && found.len() < MOST_BEFORE;
        if is_before && Head::of(&path)?.record.profile == record.profile {
            found.push(reading::read(&path)?);
        }
    }
    Ok(found)
}

/// Folders below a lane's whose runs are as good as those in it; others hold experiments.
const KINDS: [&str; 8] = [
    "database",
    "drivers",
    "latency",
    "protocols",
    "releases",
    "services",
    "sessions",
    "variants",
];

/// Every record of the folder of results, of all lanes and kinds of runs, in the order of their ids.
pub fn all(results: &Path) -> Vec<PathBuf> {
    let mut paths = store::all(results);
    let kinds = |lane: &Lane| KINDS.map(|kind| results.join(lane.name()).join(kind));
    for folder in Lane::ALL.iter().flat_map(kinds) {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let entries = entries.map(|entry| entry.path());
        paths.extend(entries.filter(|path| store::id_of(path).is_some()));
    }
    paths.sort_by_key(|path| path.file_name().map(ToOwned::to_owned));
    paths
}

/// Where a published record is, for who has only what follows from it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Published {
    /// Address of the file.
    pub url: String,
    /// SHA-256 of the file, in hexadecimal digits.
    pub sha256: String,
}

impl Published {
    /// The file `path` of a checkout, which has the address `url` below [`RUNS`].
    pub fn at(path: &Path, url: &str) -> anyhow::Result<Self> {
        let content = fs::read(path).with_context(|| path.display().to_string())?;
        let places = path.iter().rev().take(2).collect::<Vec<_>>();
        let places: Vec<_> = places.iter().rev().map(|place| place.to_string_lossy()).collect();
        Ok(Self {
            url: format!("{}/{}", url.trim_end_matches('/'), places.join("/")),
            sha256: store::sha256([&*content]),
        })
    }
}

/// Address of the site of the repository that has a file, with a `/` at its end; `None` where that is not one of GitHub.
pub fn site_of(file: &str) -> Option<String> {
    let (owner, rest) = file.strip_prefix("https://github.com/")?.split_once('/')?;
    let (repository, _) = rest.split_once('/')?;
    let host = format!("{}.github.io", owner.to_lowercase());
    // That which has its owner's address as its name is at the root.
    let path = (!repository.eq_ignore_ascii_case(&host)).then(|| format!("{repository}/"));
    Some(format!("https://{host}/{}", path.unwrap_or_default()))
}

/// What is published: a text with its place below [`RUNS`].
#[derive(Debug, Clone, PartialEq)]
pub struct Fact {
    /// Where it belongs.
    pub path: PathBuf,
    text: String,
}

impl Fact {
    /// A record, without its slices: its figures summarise them, and the artifact of the run has them.
    pub fn of_record(runs: &Path, mut record: Record) -> Self {
        record.summary.clear();
        let of_controls = record.controls.iter_mut().flat_map(|control| &mut control.trials);
        let trials = record.trials.iter_mut().chain(of_controls);
        trials.for_each(|trial| trial.slices = None);
        Self {
            path: store::path_of(runs, &record).with_extension("json.gz"),
            text: text(&record),
        }
    }

    /// A comparison of releases, at `path` in the folder of `results`.
    pub fn of_comparison(runs: &Path, results: &Path, path: &Path) -> Result<Self, StoreError> {
        let below = path.strip_prefix(results).unwrap_or(path).display().to_string();
        let below = below.strip_suffix(".gz").unwrap_or(&below);
        let below = below.strip_suffix(".json").unwrap_or(below);
        Ok(Self {
            path: runs.join(format!("{below}.json.gz")),
            text: text(&reading::comparison(path)?),
        })
    }

    /// The fact that is published under its id, if there is one.
    fn published(&self, runs: &Path) -> Result<Option<Self>, StoreError> {
        if !self.path.exists() {
            return Ok(None);
        }
        let folder = self.path.parent();
        let is_comparison = folder.is_some_and(|folder| folder.ends_with(reading::COMPARED));
        Ok(Some(if is_comparison {
            Self::of_comparison(runs, runs, &self.path)?
        } else {
            Self::of_record(runs, reading::read(&self.path)?)
        }))
    }
}

/// The text of a document: minified, with a line feed at its end.
pub fn text(document: &impl Serialize) -> String {
    serde_json::to_string(document).expect("it has no key that JSON lacks") + "\n"
}

/// Writes the facts that are not there yet, and gives their places; none if one of them is there with other content.
pub fn add(runs: &Path, facts: &[Fact]) -> anyhow::Result<Vec<PathBuf>> {
    let mut new: Vec<&Fact> = Vec::new();
    for fact in facts {
        let there = fact.published(runs)?;
        let added = new.iter().copied().find(|other| other.path == fact.path);
        match there.as_ref().or(added) {
            None => new.push(fact),
            Some(there) => ensure!(
                there == fact,
                "{} exists already with other content, and is not overwritten",
                fact.path.display()
            ),
        }
    }
    for Fact { path, text } in &new {
        store::write_whole(path, &store::gzip(text)).with_context(|| path.display().to_string())?;
    }
    Ok(new.into_iter().map(|fact| fact.path.clone()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(change: impl FnOnce(&mut Record)) -> Record {
        let mut record = samples::record();
        change(&mut record);
        record
    }

    #[test]
    fn a_comparison_of_releases_is_published_once_and_never_changed() {
        let folder = tempfile::tempdir().unwrap();
        let [results, runs] = ["results", RUNS].map(|name| folder.path().join(name));
        let path = results.join("local/releases/compare/warp-0.4.3.json");
        let mut comparison = analyze::compare::outcome::Comparison::default();
        let mut add = |warning: &str| {
            comparison.warnings = vec![warning.to_owned()];
            store::write_whole(&path, serde_json::to_string(&comparison).unwrap().as_bytes()).unwrap();
            let fact = Fact::of_comparison(&runs, &results, &reading::compared_releases(&results)[0]).unwrap();
            super::add(&runs, &[fact])
        };
        let there = runs.join("local/releases/compare/warp-0.4.3.json.gz");
        assert_eq!(add("one").unwrap(), [there]);
        assert!(add("one").unwrap().is_empty());
        assert!(add("another").unwrap_err().to_string().contains("other content"));
    }

    #[test]
    fn what_was_added_is_read_back_and_a_second_time_nothing_changes() {
        let folder = tempfile::tempdir().unwrap();
        let runs = runs(folder.path()).unwrap();
        let facts = [
            Fact::of_record(&runs, samples::record()),
            Fact::of_record(&runs, samples::probes()),
        ];
        let added = add(&runs, &facts).unwrap();
        assert_eq!(added[0], runs.join("hosted-x64/20261121T110000Z-2a.json.gz"));
        let read = reading::read(&added[0]).unwrap();
        assert_eq!(
            (read.seed, read.trials.len()),
            (samples::record().seed, samples::record().trials.len())
        );
        assert!(read.trials.iter().all(|trial| trial.slices.is_none()) && !read.summary.is_empty());
        assert_eq!(reading::read(&added[1]).unwrap(), samples::probes());
        assert!(add(&runs, &facts).unwrap().is_empty());
    }

    #[test]
    fn other_content_under_the_same_id_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let runs = runs(folder.path()).unwrap();
        let (one, other) = (record(|_| {}), record(|record| record.seed = 7));
        let facts = [one, other].map(|record| Fact::of_record(&runs, record));
        let refused = |facts: &[Fact]| add(&runs, facts).unwrap_err().to_string();
        assert!(refused(&facts).contains("other content"), "within one call");
        assert_eq!(add(&runs, &facts[..1]).unwrap().len(), 1);
        assert!(refused(&facts[1..]).contains("other content"));
    }

    #[test]
    fn a_repository_of_github_has_its_site() {
        assert_eq!(
            site_of("https://github.com/Owner/Repo/blob/gh-pages/runs/local/1.json.gz").unwrap(),
            "https://owner.github.io/Repo/"
        );
        assert_eq!(
            site_of("https://github.com/owner/Owner.github.io/blob/x").unwrap(),
            "https://owner.github.io/"
        );
        assert_eq!(site_of("https://example.org/owner/repo/"), None);
    }

    #[test]
    fn a_run_is_held_against_the_newest_of_its_profile() {
        let folder = tempfile::tempdir().unwrap();
        let runs = runs(folder.path()).unwrap();
        let of_day = |day: u32, profile: &str| {
            record(|record| {
                record.id = format!("202610{day:02}T110000Z-2a");
                profile.clone_into(&mut record.profile);
            })
        };
        let records = (1..=12).map(|day| of_day(day, if day == 11 { "quick" } else { "weekly" }));
        let facts: Vec<Fact> = records.map(|record| Fact::of_record(&runs, record)).collect();
        add(&runs, &facts).unwrap();
        let found = before(&runs, &of_day(12, "weekly")).unwrap();
        let ids: Vec<&str> = found.iter().map(|record| &record.id[6..8]).collect();
        assert_eq!(ids, ["10", "09", "08", "07", "06", "05", "04", "03"]);
    }
}
