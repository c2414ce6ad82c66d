//! Has everything arrived? Asked after a push, of what the remote then has.

use super::PublishError;
use super::additions::Additions;
use super::check::data_js;
use super::json;
use super::series::{self, Runs};
use super::tree::Tree;

/// What of the additions is not in the tree.
pub fn missing(tree: &dyn Tree, additions: &Additions) -> Result<Vec<String>, PublishError> {
    let mut missing = Vec::new();
    for record in &additions.records {
        let path = record.path();
        if !record.is_in(tree)? {
            missing.push(tree.place(&path));
        }
        let runs = series::runs_path(record.lane, &record.month.to_string());
        let named = match tree.text(&runs)? {
            Some(text) => json::read::<Runs>(&text, series::SCHEMA_VERSION)
                .map_err(|reason| PublishError::derived(tree.place(&runs), &reason))?
                .runs
                .iter()
                .any(|run| run.id == record.record.id),
            None => false,
        };
        if !named {
            missing.push(format!("run {} in {}", record.record.id, tree.place(&runs)));
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
