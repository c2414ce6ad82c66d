//! Has everything arrived? Asked after a push, of what the remote then has.

use super::PublishError;
use super::additions::Additions;
use super::check;
use super::check::data_js;
use super::index::{INDEX, Index};
use super::json;
use super::published::Published;
use super::series;
use super::series::Runs;
use super::tree::Tree;

/// What of the additions is not in the tree.
pub fn missing(tree: &dyn Tree, additions: &Additions) -> Result<Vec<String>, PublishError> {
    let index = check::index(tree)?;
    let mut missing = Vec::new();
    for record in &additions.records {
        let path = record.path();
        if !record.is_in(tree)? {
            missing.push(tree.place(&path));
        }
        let place = named_in(&index, record);
        let named = match tree.text(&place)? {
            Some(text) if place != INDEX => json::read::<Runs>(&text, series::SCHEMA_VERSION)
                .map_err(|reason| PublishError::derived(tree.place(&place), &reason))?
                .runs
                .iter()
                .any(|run| run.id == record.record.id),
            // Of partial runs the index names the newest.
            Some(_) => index.lanes.get(&record.lane).is_some_and(|lane| lane.partial.is_some()),
            None => false,
        };
        if !named {
            missing.push(format!("run {} in {}", record.record.id, tree.place(&place)));
        }
    }
    for (path, added) in &additions.charts {
        let there = data_js(tree, path)?;
        for (suite, entry) in added.entries().filter(|(suite, entry)| !there.has(suite, entry)) {
            missing.push(format!("{} of {suite} in {}", entry.key(), tree.place(path)));
        }
    }
    for path in additions.pages.keys().chain(additions.site.keys()) {
        if tree.read(path)?.is_none() {
            missing.push(tree.place(path));
        }
    }
    Ok(missing)
}

/// The file that names a run: that of its month in its series, or the index where it is in none.
fn named_in(index: &Index, of: &Published) -> String {
    if !of.record.is_whole() {
        return INDEX.to_owned();
    }
    let lane = index.lanes.get(&of.lane);
    let is_other = lane.is_some_and(|lane| lane.others.contains_key(&of.record.profile));
    let other = is_other.then_some(of.record.profile.as_str());
    format!(
        "{}{}.json",
        series::folder(of.lane, other, &of.month.to_string()),
        series::RUNS
    )
}
