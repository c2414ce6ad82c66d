//! What is to be added, and which files of a tree change by it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::PublishError;
use super::changes::{self, Changes};
use super::check::{self, data_js};
use super::data_js::DataJs;
use super::derive;
use super::feed::SiteUrl;
use super::index::{INDEX, path_of};
use super::landing::{self, LANDING};
use super::overlay::Overlay;
use super::period::Month;
use super::series::RUNS;
use super::site;
use super::tree::{Folder, Tree};
use crate::compact::Compact;
use crate::record::{Lane, Record};
use crate::store::{self, StoreError};

/// Tells GitHub Pages to serve the files as they are.
pub(super) const NO_JEKYLL: &str = ".nojekyll";

/// Files by path, with their content.
pub type Files = BTreeMap<String, Vec<u8>>;

/// A record that is to be published.
#[derive(Debug, Clone)]
pub struct Published {
    /// Its lane.
    pub lane: Lane,
    /// The month that it is in.
    pub month: Month,
    /// The record, with no more digits than are published.
    pub record: Record,
    /// Its text, compact.
    pub text: String,
}

/// What is to be added to a tree.
#[derive(Debug, Default)]
pub struct Additions {
    /// Records.
    pub records: Vec<Published>,
    /// What `bench history` has found, which takes the place of what it found before.
    pub changes: BTreeMap<Lane, Changes>,
    /// Entries by the path of their `data.js`.
    pub charts: BTreeMap<String, DataJs>,
    /// The pages that show them; a page that is there already stays.
    pub pages: Files,
    /// A built site ([`super::read_site`]), which takes the place of the one before.
    pub site: Files,
    /// Address of the site, for the feed; without one the feed keeps what it has.
    pub site_url: Option<SiteUrl>,
}

impl Additions {
    /// Adds what another has.
    pub fn extend(&mut self, other: Self) {
        self.records.extend(other.records);
        self.changes.extend(other.changes);
        self.charts.extend(other.charts);
        self.pages.extend(other.pages);
        self.site.extend(other.site);
        self.site_url = other.site_url.or(self.site_url.take());
    }
}

impl Published {
    /// Reads and checks a record, compact or not.
    pub fn read(path: &Path) -> Result<Self, PublishError> {
        let text = store::read_text(path, super::tree::LARGEST).map_err(|error| PublishError::File {
            path: path.to_owned(),
            error,
        })?;
        Self::parse(path, &text)
    }

    /// Checks the text of a record, which was found at `path`.
    pub(super) fn parse(path: &Path, text: &str) -> Result<Self, PublishError> {
        let invalid = |reason: &str| StoreError::Invalid {
            path: path.to_owned(),
            reason: reason.to_owned(),
        };
        let text = Compact::of(&store::parse(path, text)?).text();
        // What is published is what is read again, not what was rounded in passing.
        let record = store::parse(path, &text)?;
        let month = Month::of(&record.id).ok_or_else(|| invalid("its id does not begin with the time of its run"))?;
        if record.scenarios.iter().any(|scenario| scenario.id == RUNS) {
            return Err(invalid("no scenario may be called `runs`").into());
        }
        Ok(Self {
            lane: record.lane,
            month,
            record,
            text,
        })
    }

    /// Where it is published.
    pub fn path(&self) -> String {
        path_of(self.lane, &self.record.id)
    }

    /// Whether it is in a tree; the error says that another one is. One that is not compact is compared by what it would be.
    pub(super) fn is_in(&self, tree: &dyn Tree) -> Result<bool, PublishError> {
        let path = self.path();
        let Some(there) = tree.text(&path)? else {
            return Ok(false);
        };
        let same = there == self.text
            || Self::parse(Path::new(&tree.place(&path)), &there).is_ok_and(|there| there.text == self.text);
        if same {
            return Ok(true);
        }
        Err(PublishError::Differs {
            place: tree.place(&path),
        })
    }
}

/// The files that change when `additions` are added to `tree`: none if all of it is there. Nothing is overwritten that
/// another program wrote; a tree that holds something else in the same place is an error.
pub fn prepare(tree: &dyn Tree, additions: &Additions) -> Result<Files, PublishError> {
    let mut index = check::index(tree)?;
    let mut overlay = Overlay::over(tree)?;
    let mut added: BTreeMap<Lane, BTreeSet<Month>> = BTreeMap::new();
    for record in &additions.records {
        if !record.is_in(&overlay)? {
            overlay.put(&record.path(), record.text.clone().into_bytes())?;
            added.entry(record.lane).or_default().insert(record.month);
        }
    }
    for (lane, changed) in &added {
        let months = derive::months(&overlay, overlay.known(), *lane)?;
        let mut newest = Vec::new();
        for month in changed {
            let ids = months.get(month).into_iter().flatten();
            let records = ids.map(|id| derive::record(&overlay, *lane, id));
            let records = records.collect::<Result<Vec<_>, _>>()?;
            newest.extend(derive::month(&mut overlay, *lane, *month, &records)?);
        }
        let counts = months.iter().map(|(month, ids)| (*month, ids.len())).collect();
        derive::lane(&mut overlay, &mut index, *lane, &counts, changed, newest)?;
    }
    for (lane, changes) in &additions.changes {
        overlay.put(&changes::path_of(*lane), changes.text().into_bytes())?;
    }
    for (path, added) in &additions.charts {
        let mut data = data_js(tree, path)?;
        let changed = data
            .add(added)
            .map_err(|reason| PublishError::broken(tree.place(path), &reason))?;
        if changed {
            overlay.put(path, data.text().into_bytes())?;
        }
    }
    for (path, page) in &additions.pages {
        if tree.read(path)?.is_none() {
            overlay.put(path, page.clone())?;
        }
    }
    derive::feed(&mut overlay, &index, additions.site_url.as_ref())?;
    put_site(&mut overlay, &additions.site)?;
    landing::put(&mut overlay, &index)?;
    overlay.put(INDEX, index.text().into_bytes())?;
    overlay.put(NO_JEKYLL, Vec::new())?;
    Ok(overlay.into_files())
}

/// Puts a site in the place of our page or of an earlier site. A page of somebody else is left alone, and so is all beside it.
fn put_site(tree: &mut Overlay, site: &Files) -> Result<(), PublishError> {
    let there = tree.text(LANDING)?;
    if !site.is_empty() && there.is_some_and(|page| !landing::is_ours(&page) && !site::is_ours(&page)) {
        return Err(PublishError::Unfit(format!(
            "{} is neither a page nor a site of ours, and is left alone; take it away, or publish without --site",
            tree.place(LANDING)
        )));
    }
    site.iter()
        .try_for_each(|(path, content)| tree.put(path, content.clone()))
}

/// Adds to a folder; gives the paths of the files that were written.
pub fn write(folder: &Folder, additions: &Additions) -> Result<Vec<String>, PublishError> {
    check::fit(folder)?;
    let files = prepare(folder, additions)?;
    write_files(folder, &files)?;
    Ok(files.into_keys().collect())
}

/// Writes files into a folder. The index is the last: what it names is there.
pub(super) fn write_files(folder: &Folder, files: &Files) -> Result<(), PublishError> {
    let mut files: Vec<(&String, &Vec<u8>)> = files.iter().collect();
    files.sort_by_key(|(path, _)| *path == INDEX);
    files
        .into_iter()
        .try_for_each(|(path, content)| folder.write(path, content))
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
        Published::parse(Path::new("record.json"), &text).unwrap()
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
