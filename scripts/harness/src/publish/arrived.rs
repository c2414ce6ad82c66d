//! Has everything arrived? Asked after a push, of what the remote then has.

use super::PublishError;
use super::additions::Additions;
use super::check::{data_js, index};
use super::index::INDEX;
use super::tree::Tree;

/// What of the additions is not in the tree.
pub fn missing(tree: &dyn Tree, additions: &Additions) -> Result<Vec<String>, PublishError> {
    let mut missing = Vec::new();
    let index = index(tree)?;
    for record in &additions.records {
        let path = record.path();
        if tree.read(&path)?.as_deref() != Some(record.text.as_bytes()) {
            missing.push(tree.place(&path));
        }
        if !index
            .runs()
            .any(|(lane, run)| lane == record.lane && *run == record.run)
        {
            missing.push(format!("run {} in {}", record.run.id, tree.place(INDEX)));
        }
    }
    for (path, added) in &additions.charts {
        let there = data_js(tree, path)?;
        for (suite, entry) in added.entries().filter(|(suite, entry)| !there.has(suite, entry)) {
            missing.push(format!("{} of {suite} in {}", entry.key(), tree.place(path)));
        }
    }
    for path in additions.pages.keys() {
        if tree.read(path)?.is_none() {
            missing.push(tree.place(path));
        }
    }
    Ok(missing)
}
