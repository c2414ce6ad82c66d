//! Makes all derived files again from the records, to repair them or to check them.

use super::PublishError;
use super::additions::Files;
use super::derive;
use super::derive::Given;
use super::feed::SiteUrl;
use super::index::{INDEX, Index};
use super::landing;
use super::overlay::Overlay;
use super::probes;
use super::tree::Tree;
use jiff::Timestamp;
use judge::history::Lockfiles;
use record::Lane;

/// The result of a rebuild.
#[derive(Debug)]
pub struct Rebuilt {
    /// The files that change.
    pub files: Files,
    /// The new index.
    pub index: Index,
    /// Number of records and probes that were read.
    pub records: usize,
    /// Records that are left out, because they are of the future.
    pub left_out: Vec<String>,
    /// Why a record cannot be read, for each such record. They stay where they are and are left out of the derived files.
    pub broken: Vec<PublishError>,
}

/// The derived files of a tree that differ from what is there. The history of a lane also depends on lockfiles: without them it is
/// left as it is.
pub fn rebuild(
    tree: &dyn Tree,
    site_url: Option<&SiteUrl>,
    lockfiles: Option<&dyn Lockfiles>,
    now: Timestamp,
) -> Result<Rebuilt, PublishError> {
    let mut overlay = Overlay::over(tree)?;
    let mut index = Index::empty();
    let (mut count, mut broken, mut left_out) = (0, Vec::new(), Vec::new());
    let given = Given { lockfiles, now };
    for lane in Lane::ALL {
        let mut keep = |error| {
            broken.push(error);
            Ok(())
        };
        count += derive::lane(&mut overlay, &mut index, lane, given, &mut left_out, &mut keep)?;
    }
    let mut keep = |error| {
        broken.push(error);
        Ok(())
    };
    count += probes::derive(&mut overlay, given, &mut left_out, &mut keep)?;
    derive::feed(&mut overlay, &index, site_url)?;
    if !index.lanes.is_empty() || tree.read(INDEX)?.is_some() {
        overlay.put(INDEX, index.text().into_bytes())?;
        landing::put(&mut overlay, &index)?;
    }
    Ok(Rebuilt {
        files: overlay.into_files(),
        index,
        records: count,
        left_out,
        broken,
    })
}

#[cfg(test)]
mod tests {
    use super::super::additions::tests::nothing;
    use super::super::additions::{Additions, prepare};
    use super::super::check::lane_of;
    use super::super::published::Published;
    use super::super::tree::Memory;
    use super::super::{SiteUrl, check};
    use super::*;
    use judge::history::NoLockfiles;
    use judge::sample;

    fn tree() -> Memory {
        let records = ["20261121T110000Z-2a", "20261114T110000Z-1"].map(|id| {
            let mut record = sample::record();
            record.id = id.into();
            Published::parse("record.json".as_ref(), &serde_json::to_string(&record).unwrap()).unwrap()
        });
        let mut tree = Memory::default();
        let additions = Additions {
            records: records.into(),
            ..nothing()
        };
        tree.0 = prepare(&tree, &additions).unwrap().files;
        tree
    }

    #[test]
    fn an_index_of_another_time_is_made_anew() {
        let good = tree();
        for index in [&b"{\"schema_version\": 1, \"lanes\": {}}"[..], b"", b"\xff"] {
            let mut broken = good.clone();
            broken.0.insert(INDEX.into(), index.to_vec());
            let error = check::check(&broken, nothing().now).unwrap_err().to_string();
            assert!(
                error.contains("data/index.json is broken") && error.contains("--rebuild"),
                "{error}"
            );
            let rebuilt = rebuild(&broken, None, Some(&NoLockfiles), nothing().now).unwrap();
            assert_eq!(rebuilt.files.keys().collect::<Vec<_>>(), [INDEX]);
            broken.0.extend(rebuilt.files);
            assert_eq!(broken.0, good.0);
        }
        assert!(
            rebuild(&good, None, Some(&NoLockfiles), nothing().now)
                .unwrap()
                .files
                .is_empty()
        );
        assert!(
            rebuild(&Memory::default(), None, Some(&NoLockfiles), nothing().now)
                .unwrap()
                .files
                .is_empty()
        );
    }

    #[test]
    fn a_record_that_cannot_be_read_is_named_and_left_where_it_is() {
        let mut tree = tree();
        tree.0
            .insert("data/hosted-x64/20261114T110000Z-1.json".into(), b"{".to_vec());
        tree.0
            .insert("data/hosted-x64/20251114T110000Z-1.json".into(), b"{".to_vec());
        tree.0.insert("data/hosted-x64/1.json".into(), b"{".to_vec());
        let rebuilt = rebuild(&tree, None, Some(&NoLockfiles), nothing().now).unwrap();
        let told: Vec<String> = rebuilt.broken.iter().map(ToString::to_string).collect();
        for name in [
            "/1.json is broken",
            "20251114T110000Z-1.json is broken",
            "20261114T110000Z-1.json is broken",
        ] {
            assert!(told.iter().any(|told| told.contains(name)), "{name}: {told:?}");
        }
        let lane = &rebuilt.index.lanes[&Lane::HostedX64];
        assert_eq!((rebuilt.records, lane.runs, lane.months.len()), (1, 1, 1));
        assert!(
            !rebuilt.files.keys().any(|path| lane_of(path).is_some()),
            "no record is touched"
        );
    }

    #[test]
    fn the_address_of_the_feed_stays_until_another_is_given() {
        let mut tree = tree();
        let url: SiteUrl = "https://owner.github.io/repo/".parse().unwrap();
        let rebuilt = rebuild(&tree, Some(&url), Some(&NoLockfiles), nothing().now).unwrap();
        assert_eq!(rebuilt.files.keys().collect::<Vec<_>>(), ["feed.xml"]);
        tree.0.extend(rebuilt.files);
        check::check(&tree, nothing().now).unwrap();
        assert!(
            rebuild(&tree, None, Some(&NoLockfiles), nothing().now)
                .unwrap()
                .files
                .is_empty()
        );
    }
}
