//! What is to be added, and which files of a tree change by it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::PublishError;
use super::check::{self, data_js, is_data_js};
use super::data_js::DataJs;
use super::index::{INDEX, Run, path_of};
use super::landing::{self, LANDING};
use super::tree::{Folder, Tree};
use crate::record::Lane;
use crate::store;

/// Tells GitHub Pages to serve the files as they are.
pub(super) const NO_JEKYLL: &str = ".nojekyll";

/// Files by path, with their content.
pub type Files = BTreeMap<String, Vec<u8>>;

/// A record that is to be published, as it lies on disk: it is evidence, and not written anew.
#[derive(Debug, Clone)]
pub struct Published {
    /// Its lane.
    pub lane: Lane,
    /// Its line in the index.
    pub run: Run,
    /// Its text.
    pub text: String,
}

/// What is to be added to a tree.
#[derive(Debug, Default)]
pub struct Additions {
    /// Records.
    pub records: Vec<Published>,
    /// Entries by the path of their `data.js`.
    pub charts: BTreeMap<String, DataJs>,
    /// The pages that show them; a page that is there already stays.
    pub pages: Files,
}

impl Published {
    /// Reads and checks a record.
    pub fn read(path: &Path) -> Result<Self, PublishError> {
        let text = store::read_text(path, super::tree::LARGEST).map_err(|error| PublishError::File {
            path: path.to_owned(),
            error,
        })?;
        Self::parse(path, text)
    }

    /// Checks the text of a record, which was found at `path`.
    pub(super) fn parse(path: &Path, text: String) -> Result<Self, PublishError> {
        let record = store::parse(path, &text)?;
        Ok(Self {
            lane: record.lane,
            run: Run::of(&record),
            text,
        })
    }

    /// Where it is published.
    pub fn path(&self) -> String {
        path_of(self.lane, &self.run.id)
    }
}

/// The files that change when `additions` are added to `tree`: none if all of it is there. Nothing is overwritten that
/// another program wrote; a tree that holds something else in the same place is an error.
pub fn prepare(tree: &dyn Tree, additions: &Additions) -> Result<Files, PublishError> {
    let mut files = Files::new();
    let mut index = check::index(tree)?;
    for record in &additions.records {
        let path = record.path();
        match tree.read(&path)?.as_ref().or(files.get(&path)) {
            Some(there) if there == record.text.as_bytes() => {}
            Some(_) => {
                return Err(PublishError::Differs {
                    place: tree.place(&path),
                });
            }
            None => drop(files.insert(path, record.text.clone().into_bytes())),
        }
        index.add(record.lane, record.run.clone());
    }
    for (path, added) in &additions.charts {
        let mut data = data_js(tree, path)?;
        let changed = data
            .add(added)
            .map_err(|reason| PublishError::broken(tree.place(path), &reason))?;
        if changed {
            files.insert(path.clone(), data.text().into_bytes());
        }
    }
    for (path, page) in &additions.pages {
        if tree.read(path)?.is_none() {
            files.insert(path.clone(), page.clone());
        }
    }
    let mut charts: BTreeSet<String> = tree.paths()?;
    charts.extend(files.keys().cloned());
    let charts: BTreeSet<Lane> = charts.iter().filter_map(|path| lane_of_charts(path)).collect();
    let page = landing::page(&index, &charts);
    for (path, content) in [(INDEX, index.text()), (LANDING, page), (NO_JEKYLL, String::new())] {
        let there = tree.text(path)?;
        let is_site = path == LANDING && there.as_deref().is_some_and(|page| !landing::is_ours(page));
        if !is_site && there.as_ref() != Some(&content) {
            files.insert(path.to_owned(), content.into_bytes());
        }
    }
    Ok(files)
}

/// The lane whose charts a path belongs to.
fn lane_of_charts(path: &str) -> Option<Lane> {
    let charts = |lane: &Lane| is_data_js(path) && *path == format!("{}data.js", landing::charts_of(*lane));
    Lane::ALL.into_iter().find(charts)
}

/// Adds to a folder; gives the paths of the files that were written. The index is the last: what it names is there.
pub fn write(folder: &Folder, additions: &Additions) -> Result<Vec<String>, PublishError> {
    check::check(folder)?;
    let mut files: Vec<(String, Vec<u8>)> = prepare(folder, additions)?.into_iter().collect();
    files.sort_by_key(|(path, _)| path == INDEX);
    for (path, content) in &files {
        folder.write(path, content)?;
    }
    Ok(files.into_iter().map(|(path, _)| path).collect())
}

#[cfg(test)]
mod tests {
    use super::super::tree::tests::Memory;
    use super::*;
    use crate::report::sample;

    fn record(change: impl FnOnce(&mut crate::record::Record)) -> Published {
        let mut record = sample::record();
        change(&mut record);
        let text = serde_json::to_string(&record).unwrap();
        Published::parse(Path::new("record.json"), text).unwrap()
    }

    fn with(records: Vec<Published>) -> Additions {
        Additions {
            records,
            ..Additions::default()
        }
    }

    fn added(tree: &Memory, additions: &Additions) -> Memory {
        let mut tree = tree.clone();
        tree.0.extend(prepare(&tree, additions).unwrap());
        check::check(&tree).unwrap();
        tree
    }

    #[test]
    fn what_was_added_is_there_and_a_second_time_nothing_changes() {
        let one = with(vec![record(|_| {})]);
        let tree = added(&Memory::default(), &one);
        let paths: Vec<&str> = tree.0.keys().map(String::as_str).collect();
        assert_eq!(
            paths,
            [
                ".nojekyll",
                "data/hosted-x64/20261121T110000Z-2a.json",
                "data/index.json",
                "index.html"
            ]
        );
        assert!(prepare(&tree, &one).unwrap().is_empty(), "twice is once");
        let other = with(vec![record(|record| record.lane = Lane::HostedArm64)]);
        assert_eq!(check::check(&added(&tree, &other)).unwrap().records, 2);
    }

    #[test]
    fn the_order_of_publishing_leaves_no_trace() {
        let one = with(vec![record(|_| {})]);
        let other = with(vec![record(|record| {
            record.id = "20261114T110000Z-1".into();
            record.started_at = "2026-11-14T11:00:00Z".parse().unwrap();
        })]);
        let forth = added(&added(&Memory::default(), &one), &other);
        let back = added(&added(&Memory::default(), &other), &one);
        assert_eq!(forth.0, back.0);
    }

    #[test]
    fn a_record_with_other_content_is_refused() {
        let tree = added(&Memory::default(), &with(vec![record(|_| {})]));
        let other = record(|record| record.seed = 7);
        let error = prepare(&tree, &with(vec![other.clone()])).unwrap_err();
        assert!(matches!(error, PublishError::Differs { .. }), "{error}");
        let both = with(vec![record(|_| {}), other]);
        assert!(prepare(&Memory::default(), &both).is_err(), "also within one call");
    }

    #[test]
    fn a_site_is_left_alone_and_our_page_is_renewed() {
        let mut tree = added(&Memory::default(), &Additions::default());
        let page = tree.0["index.html"].clone();
        let one = with(vec![record(|_| {})]);
        assert_ne!(added(&tree, &one).0["index.html"], page);
        tree.0.insert("index.html".into(), b"<h1>The site</h1>".to_vec());
        assert_eq!(added(&tree, &one).0["index.html"], b"<h1>The site</h1>");
    }

    #[test]
    fn charts_and_their_pages_are_carried_and_linked() {
        let data = DataJs::read(include_str!("fixtures/data.js")).unwrap();
        let path = "charts/hosted-x64/data.js".to_owned();
        let additions = Additions {
            records: vec![record(|_| {})],
            charts: BTreeMap::from([(path.clone(), data)]),
            pages: BTreeMap::from([("charts/hosted-x64/index.html".into(), b"chart".to_vec())]),
        };
        let mut tree = added(&Memory::default(), &additions);
        assert_eq!(tree.0["charts/hosted-x64/index.html"], b"chart");
        assert!(String::from_utf8_lossy(&tree.0["index.html"]).contains("href=\"charts/hosted-x64/\""));
        tree.0.insert("charts/hosted-x64/index.html".into(), b"newer".to_vec());
        assert!(
            prepare(&tree, &additions).unwrap().is_empty(),
            "a page that is there stays"
        );
        tree.0.insert(path, b"window.BENCHMARK_DATA = {".to_vec());
        let error = prepare(&tree, &additions).unwrap_err().to_string();
        assert!(error.starts_with("charts/hosted-x64/data.js is broken"), "{error}");
    }

    #[test]
    fn what_does_not_fit_together_is_broken() {
        type Change = fn(&mut Files, &str);
        let good = added(&Memory::default(), &with(vec![record(|_| {})]));
        let path = "data/hosted-x64/20261121T110000Z-2a.json";
        let changes: [(Change, &str); 6] = [
            (|files, _| drop(files.remove(INDEX)), "data/index.json is broken"),
            (|files, path| drop(files.remove(path)), "no such file"),
            (
                |files, path| files.get_mut(path).unwrap().truncate(100),
                "2a.json is broken",
            ),
            (
                |files, _| drop(files.insert(INDEX.into(), b"{}".to_vec())),
                "data/index.json is broken",
            ),
            (
                |files, _| drop(files.insert(INDEX.into(), b"\xff".to_vec())),
                "it is no text",
            ),
            (
                |files, path| {
                    let record = files.remove(path).unwrap();
                    files.insert("data/hosted-x64/1.json".into(), record);
                },
                "it is the record of run 20261121T110000Z-2a",
            ),
        ];
        for (change, told) in changes {
            let mut tree = good.clone();
            change(&mut tree.0, path);
            let error = check::check(&tree).unwrap_err().to_string();
            assert!(error.contains(told), "{told}: {error}");
        }
    }
}
