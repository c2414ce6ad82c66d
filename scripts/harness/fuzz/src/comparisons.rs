//! A comparison: from the artifact of a pull request, which is an attacker's, and from a file of one's own.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use judge::compare::gates::Gates;
use judge::compare::outcome::Comparison;
use judge::compare::recording::Recording;
use measure::probe::Case;
use serde_json::Value;
use tell::artifact::{CommitId, Known, Unchecked};
use tell::report::{Comment, comparison_markdown};

use crate::{Parts, shown, surgery};

/// A comparison that `bench compare` wrote.
static GOOD: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("../corpus/comparison/good.json")).expect("JSON"));

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
    gates: Gates::built_in(),
});

/// An artifact, as `bench comment` takes it, and its comment.
pub fn artifact(data: &[u8], _: Parts) {
    let Ok(unchecked) = Unchecked::parse(&surgery::document(data, &GOOD)) else {
        return;
    };
    let Ok(comparison) = unchecked.check(&HEAD, &KNOWN) else {
        return;
    };
    let comment = Comment::new(&comparison);
    for body in comment.after.values().chain([&comment.body]) {
        shown::inert(body);
        assert!(body.len() <= 65_536, "GitHub refuses {} bytes", body.len());
    }
}

/// A comparison or recording, as `bench compare --self-test` takes it, and a comparison as its summary is made.
pub fn comparison(data: &[u8], parts: Parts) {
    let bytes = surgery::document(data, &GOOD);
    let read = || serde_json::from_slice::<Comparison>(&bytes).ok();
    parts.run(&[
        &|| {
            read()
                .map(|read| shown::inert(&comparison_markdown(&read)))
                .unwrap_or_default();
        },
        &|| {
            let _ = read().map(|read| read.decide());
        },
        &|| recording(&bytes),
    ]);
}

fn recording(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    if let Ok(recording) = Recording::parse(text) {
        let again = serde_json::to_string(&recording).expect("a recording is JSON");
        assert_eq!(Recording::parse(&again).as_ref(), Ok(&recording));
    }
}
