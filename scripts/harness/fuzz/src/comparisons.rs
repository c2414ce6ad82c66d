//! A comparison: from the artifact of a pull request, which is an attacker's, and from a file of one's own.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use judge::compare::gates::Gates;
use judge::compare::outcome::Comparison;
use judge::compare::recording::Recording;
use measure::probe::Case;
use serde_json::Value;
use tell::artifact::{CommitId, Known, Unchecked};
use tell::report::{Comment, comparison_markdown};

use crate::{shown, surgery};

/// A comparison that `bench compare` wrote.
fn good() -> &'static Value {
    static GOOD: OnceLock<Value> = OnceLock::new();
    GOOD.get_or_init(|| serde_json::from_str(include_str!("../corpus/comparison/good.json")).expect("JSON"))
}

/// The commit that it is about.
fn head() -> CommitId {
    let commit = good()["head"]["commit"].as_str().expect("a commit");
    commit.parse().expect("a commit")
}

/// An artifact, as `bench comment` takes it, and its comment.
pub fn artifact(data: &[u8]) {
    let known = Known {
        apps: BTreeMap::from([("axum".into(), vec!["default".into()])]),
        scenarios: ["plaintext", "hello", "json"].map(str::to_owned).into(),
        cases: Case::quick().into_iter().map(|case| case.about).collect(),
        gates: Gates::built_in(),
    };
    let Ok(unchecked) = Unchecked::parse(&surgery::document(data, good())) else {
        return;
    };
    let Ok(comparison) = unchecked.check(&head(), &known) else {
        return;
    };
    let comment = Comment::new(&comparison);
    for body in comment.after.values().chain([&comment.body]) {
        shown::inert(body);
        assert!(body.len() <= 65_536, "GitHub refuses {} bytes", body.len());
    }
}

/// A comparison or recording, as `bench compare --self-test` takes it, and a comparison as its summary is made.
pub fn comparison(data: &[u8]) {
    let bytes = surgery::document(data, good());
    if let Ok(comparison) = serde_json::from_slice::<Comparison>(&bytes) {
        shown::inert(&comparison_markdown(&comparison));
        let _ = comparison.decide();
    }
    let Ok(text) = str::from_utf8(&bytes) else { return };
    if let Ok(recording) = Recording::parse(text) {
        let again = serde_json::to_string(&recording).expect("a recording is JSON");
        assert_eq!(Recording::parse(&again).as_ref(), Ok(&recording));
    }
}
