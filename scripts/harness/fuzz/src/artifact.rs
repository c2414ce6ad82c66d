//! The artifact of a pull request, which is an attacker's.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use measure::probe::Case;
use report::Comment;
use report::artifact::{CommitId, Known, check};
use serde_json::Value;

use crate::{shown, surgery};

/// A comparison that `bench compare` wrote.
static GOOD: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("../corpus/artifact/good.json")).expect("JSON"));

/// The commit that it is about.
static HEAD: LazyLock<CommitId> = LazyLock::new(|| {
    let commit = GOOD["head"]["commit"].as_str().expect("a commit");
    commit.parse().expect("a commit")
});

/// What an artifact may speak of.
static KNOWN: LazyLock<Known> = LazyLock::new(|| Known {
    apps: BTreeMap::from([("axum".into(), vec!["default".into()])]),
    probed: ["axum".to_owned()].into(),
    scenarios: ["plaintext", "hello", "json"].map(str::to_owned).into(),
    cases: Case::quick().into_iter().map(|case| case.about).collect(),
});

/// An artifact, as `bench comment` takes it, and its comment.
pub fn artifact(data: &[u8]) {
    let Ok(comparison) = check(&surgery::document(data, &GOOD), &HEAD, &KNOWN) else {
        return;
    };
    let comment = Comment::new(&comparison);
    for body in comment.after.values().chain([&comment.body]) {
        shown::inert(body);
        assert!(body.len() <= 65_536, "GitHub refuses {} bytes", body.len());
    }
}
