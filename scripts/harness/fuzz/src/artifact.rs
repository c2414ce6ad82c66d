//! The artifact of a pull request, which is an attacker's.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use judge::compare::gates::Gates;
use judge::compare::merge::merge;
use measure::probe::Case;
use serde_json::{Value, json};
use tell::artifact::{CommitId, Known, Unchecked};
use tell::report::{Comment, comparison_markdown};

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
    gates: Gates::built_in(),
});

/// The same as the first of two shards.
static SHARD: LazyLock<Value> = LazyLock::new(|| {
    let shard = |app: &str| json!({"apps": [app], "series": 2, "seconds": 500});
    let mut document = GOOD.clone();
    document["sharding"] = json!({
        "shards": [shard("axum"), shard("viz")], "number": 1,
        "measured": [{
            "number": 1, "environment": document["environment"],
            "started_at": document["started_at"], "finished_at": document["finished_at"],
        }],
    });
    document
});

/// A shard, as `bench compare --merge` takes it, and what is merged of it.
fn shard(data: &[u8]) {
    let Ok(unchecked) = Unchecked::parse(&surgery::document(data, &SHARD)) else {
        return;
    };
    if let Ok(shard) = unchecked.check_shard(KNOWN.cases.clone(), KNOWN.scenarios.clone())
        && let Ok(merged) = merge(vec![("a shard".into(), shard)])
    {
        shown::inert(&comparison_markdown(&merged));
    }
}

/// An artifact, as `bench comment` takes it, and its comment; and one that is a shard.
pub fn artifact(data: &[u8]) {
    whole(data);
    shard(data);
}

fn whole(data: &[u8]) {
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
