//! What is to be added to a tree, and the files that it changes.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::PublishError;
use super::check;
use super::derive;
use super::derive::Given;
use super::feed::SiteUrl;
use super::index::INDEX;
use super::landing;
use super::landing::LANDING;
use super::overlay::Overlay;
use super::probes;
use super::published::Published;
use super::site;
use super::tree::Tree;
use jiff::Timestamp;
use judge::history::{Lockfiles, NoLockfiles};
use record::Lane;
use record::probe::Probes;

/// Tells GitHub Pages to serve the files as they are.
const NO_JEKYLL: &str = ".nojekyll";

/// Files by path, with their content.
pub type Files = BTreeMap<String, Vec<u8>>;

/// What is to be added to a tree.
#[derive(Debug)]
pub struct Additions {
    /// The time now: records of later runs are left out of what is derived.
    pub now: Timestamp,
    /// Records.
    pub records: Vec<Published>,
    /// Probes, which have no lane.
    pub probes: Vec<Probes>,
    /// The lockfiles of old runs, so that history can name what changed; `None` where they are not available.
    pub lockfiles: Option<Rc<dyn Lockfiles>>,
    /// A built site ([`super::read_site`]), which replaces the earlier one.
    pub site: Files,
    /// Address of the site, for the feed; without one the feed keeps what it has.
    pub site_url: Option<SiteUrl>,
}

impl Additions {
    /// Nothing to add, at this time.
    pub fn nothing(now: Timestamp) -> Self {
        Self {
            now,
            records: Vec::new(),
            probes: Vec::new(),
            lockfiles: None,
            site: Files::new(),
            site_url: None,
        }
    }
}

/// What a tree becomes.
#[derive(Debug)]
pub struct Prepared {
    /// The files that change.
    pub files: Files,
    /// Records that are left out of what is derived, because they are of the future.
    pub left_out: Vec<String>,
}

/// The files that change when `additions` are added to `tree`: none if everything is there already. Files of other programs are
/// never overwritten; a tree with something else in the same place is an error.
pub fn prepare(tree: &dyn Tree, additions: &Additions) -> Result<Prepared, PublishError> {
    check::fit(tree, additions.now)?;
    let mut index = check::index(tree)?;
    let mut overlay = Overlay::over(tree)?;
    let mut added: BTreeSet<Lane> = BTreeSet::new();
    for record in &additions.records {
        if !record.is_in(&overlay)? {
            overlay.put(&record.path(), record.text.clone().into_bytes())?;
            added.insert(record.lane);
        }
    }
    let given = Given {
        lockfiles: Some(additions.lockfiles.as_deref().unwrap_or(&NoLockfiles)),
        now: additions.now,
    };
    let mut left_out = Vec::new();
    for lane in added {
        derive::lane(&mut overlay, &mut index, lane, given, &mut left_out, &mut Err)?;
    }
    if !additions.probes.is_empty() {
        probes::put(&mut overlay, &additions.probes)?;
        probes::derive(&mut overlay, given, &mut left_out, &mut Err)?;
    }
    derive::feed(&mut overlay, &index, additions.site_url.as_ref())?;
    put_site(&mut overlay, &additions.site)?;
    landing::put(&mut overlay, &index)?;
    overlay.put(INDEX, index.text().into_bytes())?;
    overlay.put(NO_JEKYLL, Vec::new())?;
    Ok(Prepared {
        files: overlay.into_files(),
        left_out,
    })
}

/// Replaces our page or an earlier site by a site. A foreign page, and everything beside it, is left alone.
fn put_site(tree: &mut Overlay, site: &Files) -> Result<(), PublishError> {
    let there = tree.text(LANDING)?;
    if !site.is_empty() && there.is_some_and(|page| !landing::is_ours(&page) && !site::is_ours(&page)) {
        return Err(PublishError::Unfit(format!(
            "{} is neither a page nor a site of ours, and is left alone; remove it, or publish without --site",
            tree.place(LANDING)
        )));
    }
    site.iter()
        .try_for_each(|(path, content)| tree.put(path, content.clone()))
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::tree::Memory;
    use super::super::{changes, json, rebuild, site};
    use super::*;
    use judge::sample;
    use record::Record;

    fn record(change: impl FnOnce(&mut Record)) -> Published {
        let mut record = sample::record();
        change(&mut record);
        let text = serde_json::to_string(&record).unwrap();
        Published::parse("record.json".as_ref(), &text).unwrap()
    }

    /// A run that began at noon of that day.
    fn of_day(day: &str) -> Published {
        record(|record| {
            record.id = format!("{}T120000Z-1", day.replace('-', ""));
            record.started_at = format!("{day}T12:00:00Z").parse().unwrap();
        })
    }

    /// Nothing to add, at a time after all records.
    pub(in crate::publish) fn nothing() -> Additions {
        Additions::nothing("2027-01-01T00:00:00Z".parse().unwrap())
    }

    fn with(records: Vec<Published>) -> Additions {
        Additions { records, ..nothing() }
    }

    fn added(tree: &Memory, additions: &Additions) -> Memory {
        let mut tree = tree.clone();
        tree.0.extend(prepare(&tree, additions).unwrap().files);
        check::check(&tree, nothing().now).unwrap();
        check::fit(&tree, nothing().now).unwrap();
        tree
    }

    #[test]
    fn what_was_added_is_there_and_a_second_time_nothing_changes() {
        let one = with(vec![record(|_| {})]);
        let tree = added(&Memory::default(), &one);
        let paths: Vec<&str> = tree.0.keys().map(String::as_str).collect();
        let lane = "data/hosted-x64";
        let badges = [
            "actix-web",
            "axum",
            "ceiling",
            "hyper",
            "reference",
            "rocket",
            "zz-hostile",
        ];
        let series = ["cpu-open", "json", "plaintext", "runs"];
        let mut expected = vec![".nojekyll".to_owned(), format!("{lane}/20261121T110000Z-2a.json")];
        expected.extend(badges.map(|app| format!("{lane}/badges/{app}.json")));
        expected.push(format!("{lane}/changes.json"));
        expected.extend(series.map(|file| format!("{lane}/series/2026-11/{file}.json")));
        expected.extend(["data/index.json", "feed.xml", "index.html"].map(ToOwned::to_owned));
        assert_eq!(paths, expected);
        assert!(prepare(&tree, &one).unwrap().files.is_empty(), "twice is once");
        let other = with(vec![record(|record| record.lane = Lane::HostedArm64)]);
        let both = added(&tree, &other);
        assert_eq!(check::check(&both, nothing().now).unwrap().records, 2);
        for (path, content) in &tree.0 {
            let own = path.starts_with(lane);
            assert!(
                !own || both.0[path] == *content,
                "{path} is of a lane that did not change"
            );
        }
    }

    #[test]
    fn the_order_of_publishing_leaves_no_trace() {
        // Two years that are finished, a month with three runs, and one run that is late.
        let days = [
            "2024-12-30",
            "2025-01-06",
            "2025-02-03",
            "2025-02-10",
            "2025-02-17",
            "2026-03-02",
            "2026-11-21",
        ];
        let publish = |days: &[&str]| {
            let steps = days
                .iter()
                .fold(Memory::default(), |tree, day| added(&tree, &with(vec![of_day(day)])));
            let all = with(days.iter().map(|day| of_day(day)).collect());
            assert_eq!(added(&Memory::default(), &all).0, steps.0, "one by one or at once");
            steps
        };
        let forth = publish(&days);
        let mut other = days;
        for _ in 0..days.len() {
            other.rotate_left(3);
            other.swap(0, 4);
            assert_eq!(publish(&other).0, forth.0, "{other:?}");
        }
        assert!(forth.0.contains_key("data/hosted-x64/series/2025/plaintext.json"));
        assert!(forth.0.contains_key("data/hosted-x64/series/2024/runs.json"));
        assert!(
            !forth.0.contains_key("data/hosted-x64/series/2026/runs.json"),
            "it is not finished"
        );

        // And all that follows from the records can be lost.
        let mut lost = forth.clone();
        lost.0
            .retain(|path, _| check::lane_of(path).is_some() || path == NO_JEKYLL);
        assert!(check::fit(&lost, nothing().now).is_err());
        lost.0.extend(
            rebuild::rebuild(&lost, None, Some(&NoLockfiles), nothing().now)
                .unwrap()
                .files,
        );
        assert_eq!(lost.0, forth.0);
    }

    /// A run of that day of another profile, or of a part of it.
    fn beside(day: &str, change: impl FnOnce(&mut Record)) -> Published {
        let mut record = of_day(day).record;
        // As if the run had made all apps slower: that must not show in the figures of other series.
        for summary in record.summary.iter_mut().flat_map(|cell| cell.metrics.values_mut()) {
            summary.median *= 10.0;
        }
        change(&mut record);
        Published::new("record.json".as_ref(), record).unwrap()
    }

    #[test]
    fn a_run_of_another_kind_leaves_the_series_of_the_lane_as_it_is() {
        let weekly = with(vec![of_day("2026-10-05"), of_day("2026-11-02")]);
        let tree = added(&Memory::default(), &weekly);
        let quick = || beside("2026-11-03", |record| record.profile = "quick".into());
        let partial = || beside("2026-12-04", |record| record.harness.whole = false);
        let both = added(&tree, &with(vec![quick(), partial()]));
        let lane = "data/hosted-x64/";
        for (path, content) in tree.0.iter().filter(|(path, _)| path.starts_with(lane)) {
            assert_eq!(both.0[path], *content, "{path}");
        }
        let new: Vec<&str> = both
            .0
            .keys()
            .filter(|path| !tree.0.contains_key(*path))
            .map(String::as_str)
            .collect();
        let expected = [
            "20261103T120000Z-1.json",
            "20261204T120000Z-1.json",
            "changes/quick.json",
            "series/quick/2026-11/cpu-open.json",
            "series/quick/2026-11/json.json",
            "series/quick/2026-11/plaintext.json",
            "series/quick/2026-11/runs.json",
        ];
        assert_eq!(new, expected.map(|path| format!("{lane}{path}")));
        let index = check::index(&both).unwrap();
        let known = &index.lanes[&Lane::HostedX64];
        assert_eq!(
            (known.profile.as_str(), known.runs, known.newest.id.as_str()),
            ("weekly", 2, "20261102T120000Z-1")
        );
        assert_eq!((known.others["quick"].runs, known.others["quick"].months.len()), (1, 1));
        let partial_runs = known.partial.as_ref().unwrap();
        assert_eq!(
            (partial_runs.runs, partial_runs.newest[0].id.as_str()),
            (1, "20261204T120000Z-1")
        );

        // In whichever order they come: what a lane is about follows from the records.
        let first = added(&Memory::default(), &with(vec![partial()]));
        let alone = check::index(&first).unwrap().lanes[&Lane::HostedX64].clone();
        assert_eq!((alone.runs, alone.months.len(), alone.records()), (0, 0, 1));
        assert_eq!(added(&added(&first, &weekly), &with(vec![quick()])).0, both.0);
    }

    #[test]
    fn the_newest_run_at_several_widths_is_shown_by_its_curves() {
        let of = |day: &str| {
            let mut record = sample::scaled();
            record.id = format!("{}T120000Z-1", day.replace('-', ""));
            record.started_at = format!("{day}T12:00:00Z").parse().unwrap();
            Published::new("record.json".as_ref(), record).unwrap()
        };
        let path = "data/hosted-x64/scaling.json";
        let weekly = added(&Memory::default(), &with(vec![of_day("2026-11-02")]));
        assert!(!weekly.0.contains_key(path));
        let forth = added(
            &added(&weekly, &with(vec![of("2026-10-09")])),
            &with(vec![of("2026-11-13")]),
        );
        let back = added(
            &added(&weekly, &with(vec![of("2026-11-13")])),
            &with(vec![of("2026-10-09")]),
        );
        assert_eq!(forth.0, back.0);
        let text = String::from_utf8(forth.0[path].clone()).unwrap();
        assert!(
            text.contains("20261113T120000Z-1") && !text.contains("20261009T120000Z-1"),
            "{text}"
        );
        let mut partial = of("2026-11-20").record;
        partial.harness.whole = false;
        let partial = Published::new("record.json".as_ref(), partial).unwrap();
        assert_eq!(added(&forth, &with(vec![partial])).0[path], forth.0[path]);
    }

    #[test]
    fn a_record_of_the_future_mutes_nothing_and_freezes_nothing() {
        // As somebody pushed it: it is there, and in no derived file.
        let mut hostile = added(&Memory::default(), &with(vec![of_day("2026-10-05")]));
        let clean = hostile.clone();
        let far = record(|record| {
            record.id = "99991230T220000Z-2a".into();
            record.started_at = "9999-12-30T22:00:00Z".parse().unwrap();
        });
        // Its id is of today, and its start is not.
        let hidden = record(|record| record.started_at = "9999-12-30T22:00:00Z".parse().unwrap());
        for record in [&far, &hidden] {
            hostile.0.insert(record.path(), record.text.clone().into_bytes());
        }
        let week = with(vec![of_day("2026-11-02")]);
        let prepared = prepare(&hostile, &week).unwrap();
        assert_eq!(prepared.left_out, [hidden.path(), far.path()]);
        let (told, muted) = (added(&clean, &week), added(&hostile, &week));
        for (path, content) in &told.0 {
            assert_eq!(muted.0[path], *content, "{path}");
        }
        let index = check::index(&muted).unwrap();
        assert_eq!(index.lanes[&Lane::HostedX64].newest.id, "20261102T120000Z-1");
        let rebuilt = rebuild::rebuild(&muted, None, Some(&NoLockfiles), nothing().now).unwrap();
        assert!(rebuilt.files.is_empty() && rebuilt.broken.is_empty());
        assert_eq!((rebuilt.records, rebuilt.left_out.len()), (2, 2));
    }

    #[test]
    fn a_record_with_other_content_is_refused() {
        let tree = added(&Memory::default(), &with(vec![record(|_| {})]));
        let other = record(|record| record.seed = 7);
        let error = prepare(&tree, &with(vec![other.clone()])).unwrap_err();
        assert!(matches!(error, PublishError::Differs { .. }), "{error}");
        let both = with(vec![record(|_| {}), other]);
        assert!(prepare(&Memory::default(), &both).is_err(), "also within one call");
        // A digit that is not published makes no difference; one that is does.
        let digits = |by: f64| record(|record| record.trials[0].goodput_rps = Some(123_456.0 + by));
        assert!(prepare(&tree, &with(vec![digits(0.4)])).unwrap().files.is_empty());
        assert!(prepare(&tree, &with(vec![digits(400.0)])).is_err());
    }

    #[test]
    fn a_record_in_rows_that_was_published_before_stays_as_it_is() {
        let mut tree = added(&Memory::default(), &with(vec![record(|_| {})]));
        let path = "data/hosted-x64/20261121T110000Z-2a.json";
        tree.0
            .insert(path.into(), serde_json::to_vec(&sample::record()).unwrap());
        check::check(&tree, nothing().now).unwrap();
        assert!(prepare(&tree, &with(vec![record(|_| {})])).unwrap().files.is_empty());
    }

    #[test]
    fn a_page_of_somebody_else_is_left_alone_and_ours_is_renewed() {
        let mut tree = added(&Memory::default(), &nothing());
        let page = tree.0["index.html"].clone();
        let one = with(vec![record(|_| {})]);
        assert_ne!(added(&tree, &one).0["index.html"], page);
        tree.0.insert("index.html".into(), b"<h1>The site</h1>".to_vec());
        assert_eq!(added(&tree, &one).0["index.html"], b"<h1>The site</h1>");
    }

    #[test]
    fn a_site_takes_the_place_of_our_page_and_of_an_earlier_site() {
        let with_site = |files: &[(&str, &str)]| Additions {
            site: site::read(site::tests::site(files).path()).unwrap(),
            ..nothing()
        };
        let one = with(vec![record(|_| {})]);
        let begun = added(&Memory::default(), &one);
        let first = added(&begun, &with_site(&[("assets/a.js", "1"), ("icon.svg", "1")]));
        assert_ne!(first.0["index.html"], begun.0["index.html"]);
        let second = added(&first, &with_site(&[("assets/b.js", "2"), ("icon.svg", "2")]));
        assert_eq!(
            (&*second.0["assets/a.js"], &*second.0["icon.svg"]),
            (&b"1"[..], &b"2"[..])
        );
        let other = with(vec![of_day("2026-11-14")]);
        assert_eq!(
            added(&second, &other).0["index.html"],
            second.0["index.html"],
            "no landing page replaces a site"
        );
        let mut foreign = begun;
        foreign.0.insert("index.html".into(), b"<h1>Mine</h1>".to_vec());
        let error = prepare(&foreign, &with_site(&[])).unwrap_err().to_string();
        assert!(
            error.contains("index.html is neither a page nor a site of ours"),
            "{error}"
        );
    }

    #[test]
    fn what_history_tells_comes_into_the_feed() {
        let mut tree = added(&Memory::default(), &with(vec![record(|_| {})]));
        let story = changes::read(
            Lane::HostedX64,
            &String::from_utf8_lossy(&tree.0["data/hosted-x64/changes.json"]),
        );
        assert_eq!(story.unwrap().runs, 1);
        let entries = |tree: &Memory| String::from_utf8_lossy(&tree.0["feed.xml"]).matches("<entry>").count();
        assert_eq!(entries(&tree), 0);
        let told = json::text(&changes::tests::changes());
        tree.0.insert("data/hosted-x64/changes.json".into(), told.into_bytes());
        let other = with(vec![record(|record| record.lane = Lane::HostedArm64)]);
        assert_eq!(entries(&added(&tree, &other)), 1, "of all lanes");
    }

    #[test]
    fn what_does_not_fit_together_is_broken() {
        type Change = fn(&mut Files, &str);
        let good = added(&Memory::default(), &with(vec![record(|_| {}), of_day("2026-11-14")]));
        let path = "data/hosted-x64/20261121T110000Z-2a.json";
        let changes: [(Change, &str); 9] = [
            (
                |files, _| drop(files.remove(INDEX)),
                "data/index.json is broken: there is no such file",
            ),
            (|files, path| drop(files.remove(path)), "it does not match the records"),
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
                "it is not text",
            ),
            (
                |files, path| {
                    let record = files.remove(path).unwrap();
                    files.insert("data/hosted-x64/1.json".into(), record);
                },
                "it is the record of run 20261121T110000Z-2a",
            ),
            (
                |files, _| drop(files.remove("data/hosted-x64/series/2026-11/json.json")),
                "json.json is broken: there is no such file; `bench publish --pages DIR --rebuild`",
            ),
            (
                |files, _| drop(files.insert("data/hosted-x64/badges/axum.json".into(), b"{}".to_vec())),
                "axum.json is broken: it does not match the records; `bench publish",
            ),
            (
                |files, _| files.get_mut("feed.xml").unwrap().truncate(300),
                "feed.xml is broken",
            ),
        ];
        for (change, told) in changes {
            let mut tree = good.clone();
            change(&mut tree.0, path);
            let error = check::check(&tree, nothing().now).unwrap_err().to_string();
            assert!(error.contains(told), "{told}: {error}");
        }
    }
}
