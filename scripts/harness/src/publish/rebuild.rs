//! All that follows from the records, made anew from them: to mend it, and to see whether it is as it should be.

use std::collections::BTreeMap;

use super::PublishError;
use super::additions::Files;
use super::check::lane_of;
use super::derive;
use super::feed::SiteUrl;
use super::index::{INDEX, Index};
use super::landing;
use super::overlay::Overlay;
use super::period::Month;
use super::tree::{Folder, Tree};
use crate::record::Lane;

/// What was made.
#[derive(Debug)]
pub struct Rebuilt {
    /// The files that change by it.
    pub files: Files,
    /// The index as it is then.
    pub index: Index,
    /// Number of records that were read.
    pub records: usize,
    /// Why a record cannot be read, for each of those. They stay where they are, and in nothing that is made.
    pub broken: Vec<PublishError>,
}

/// What follows from the records of a tree, where that is not what is there.
pub fn rebuild(tree: &dyn Tree, site_url: Option<&SiteUrl>) -> Result<Rebuilt, PublishError> {
    let mut overlay = Overlay::over(tree)?;
    let mut index = Index::empty();
    let (mut count, mut broken) = (0, Vec::new());
    for lane in Lane::ALL {
        let paths: Vec<String> = overlay
            .known()
            .iter()
            .filter(|path| lane_of(path) == Some(lane))
            .cloned()
            .collect();
        let mut months: BTreeMap<Month, Vec<String>> = BTreeMap::new();
        for path in paths {
            let id = derive::id_of(&path).to_owned();
            match Month::of(&id) {
                Some(month) => months.entry(month).or_default().push(id),
                None => {
                    // Whose record it is says more than that the name is none.
                    let named = PublishError::broken(tree.place(&path), "its name is no id of a run");
                    broken.push(derive::record(tree, lane, &id).err().unwrap_or(named));
                }
            }
        }
        let (mut newest, mut good) = (Vec::new(), BTreeMap::new());
        for (month, ids) in months {
            let mut records = Vec::new();
            for id in ids {
                match derive::record(tree, lane, &id) {
                    Ok(record) => records.push(record),
                    Err(error @ PublishError::File { .. }) => return Err(error),
                    Err(error) => broken.push(error),
                }
            }
            if !records.is_empty() {
                count += records.len();
                newest.extend(derive::month(&mut overlay, lane, month, &records)?);
                good.insert(month, records.len());
            }
        }
        let changed = good.keys().copied().collect();
        derive::lane(&mut overlay, &mut index, lane, &good, &changed, newest)?;
    }
    derive::feed(&mut overlay, &index, site_url)?;
    if !index.lanes.is_empty() || tree.read(INDEX)?.is_some() {
        overlay.put(INDEX, index.text().into_bytes())?;
        landing::put(&mut overlay, &index)?;
    }
    Ok(Rebuilt {
        files: overlay.into_files(),
        index,
        records: count,
        broken,
    })
}

/// Makes it anew in a folder; gives what was made. Nothing is removed.
pub fn rebuild_in(folder: &Folder, site_url: Option<&SiteUrl>) -> Result<Rebuilt, PublishError> {
    let rebuilt = rebuild(folder, site_url)?;
    super::additions::write_files(folder, &rebuilt.files)?;
    Ok(rebuilt)
}
