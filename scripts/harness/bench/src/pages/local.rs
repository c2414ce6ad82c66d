//! What a checkout has that the remote's branch does not: found as additions, so that they can be put on any later tip.
//!
//! github-action-benchmark commits its charts locally. Those commits are never rebased: their entries are taken out of
//! them and added again, to the letter, wherever the branch has gone meanwhile.

use std::path::Path;

use super::commit::Commit;
use record::Lane;
use tell::publish::additions::{Additions, NO_JEKYLL};
use tell::publish::check::{data_js, is_data_js, lane_of};
use tell::publish::feed::FEED;
use tell::publish::index::INDEX;
use tell::publish::landing::{LANDING, is_ours};
use tell::publish::published::Published;
use tell::publish::tree::Tree;
use tell::publish::{DataJs, PublishError};

/// What `local` has and `base` has not. A change that is no addition is an error: it would be lost.
pub fn additions(local: &Commit, base: &Commit) -> Result<Additions, PublishError> {
    let mut additions = Additions::default();
    for (path, file) in local.files() {
        let before = base.files().get(path);
        if before == Some(file) || is_made(local, path)? {
            continue;
        }
        if is_data_js(path) {
            let before = data_js(base, path)?;
            let added = data_js(local, path)?.added_to(&before);
            additions
                .charts
                .extend(added.map(|added: DataJs| (path.clone(), added)));
        } else if before.is_none() && lane_of(path).is_some() {
            let text = local.text(path)?.unwrap_or_default();
            let record = Published::parse(Path::new(&local.place(path)), &text)?;
            if record.path() != *path {
                return Err(PublishError::broken(
                    local.place(path),
                    "it is the record of another run",
                ));
            }
            additions.records.push(record);
        } else if before.is_none() && is_page_of_charts(path) {
            additions
                .pages
                .extend(local.read(path)?.map(|page| (path.clone(), page)));
        } else {
            return Err(foreign(path, "changes"));
        }
    }
    match base.files().keys().find(|path| !local.files().contains_key(*path)) {
        Some(path) => Err(foreign(path, "removes")),
        None => Ok(additions),
    }
}

/// Whether a file is made anew from what is added. A site in the place of our page is not.
fn is_made(local: &Commit, path: &str) -> Result<bool, PublishError> {
    match path {
        LANDING => Ok(local.text(path)?.is_some_and(|page| is_ours(&page))),
        other => Ok([INDEX, FEED, NO_JEKYLL].contains(&other) || follows_from_records(other)),
    }
}

/// Whether a path is that of series, badges or changes.
fn follows_from_records(path: &str) -> bool {
    let below = |lane: Lane| path.strip_prefix("data/")?.strip_prefix(lane.name());
    let mut below = Lane::ALL.into_iter().filter_map(below);
    below.any(|path| {
        path.starts_with("/series/")
            || path.starts_with("/badges/")
            || path == "/changes.json"
            || path.starts_with("/changes/")
    })
}

fn is_page_of_charts(path: &str) -> bool {
    path.starts_with("charts/") && path.ends_with("/index.html")
}

fn foreign(path: &str, what: &str) -> PublishError {
    PublishError::Unfit(format!(
        "the local branch {what} {path}, which is no addition of records or charts; push or drop that commit first"
    ))
}
