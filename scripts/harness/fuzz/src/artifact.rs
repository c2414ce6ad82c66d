//! The artifact of a pull request, which is an attacker's.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use analyze::compare::gates::Gates;
use analyze::compare::outcome::SCHEMA_VERSION;
use apps::profile::Profiles;
use measure::probe::Case;
use report::Comment;
use report::artifact::{CommitId, Known, check};
use serde_json::{Value, json};

use crate::{shown, surgery};

/// A comparison that `bench compare` wrote, as if by the rules and cases of today.
static GOOD: LazyLock<Value> = LazyLock::new(|| {
    let mut good: Value = serde_json::from_str(include_str!("../corpus/artifact/good.json")).expect("JSON");
    good["schema_version"] = SCHEMA_VERSION.into();
    good["gates"] = json!(Gates::built_in());
    good["probes"]["made"] = KNOWN.cases.len().into();
    good
});

/// The commit that it is about.
static HEAD: LazyLock<CommitId> = LazyLock::new(|| {
    let commit = GOOD["head"]["commit"].as_str().expect("a commit");
    commit.parse().expect("a commit")
});

/// What an artifact may speak of.
static KNOWN: LazyLock<Known> = LazyLock::new(|| Known {
    apps: BTreeMap::from([("axum".into(), vec!["default".into()])]),
    probed: ["axum".to_owned()].into(),
    scenarios: Profiles::built_in().scenario_names().map(str::to_owned).collect(),
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

/// What is refused at once would show nothing.
#[test]
fn the_good_artifact_is_accepted() {
    check(GOOD.to_string().as_bytes(), &HEAD, &KNOWN).unwrap();
}
