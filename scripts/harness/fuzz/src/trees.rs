//! The published branch, which another program, another version or a person may have written to.

use std::sync::LazyLock;

use jiff::Timestamp;
use judge::sample;
use serde_json::{Map, Value};
use tell::publish::{Additions, Files, Memory, Published, Tree, check, prepare, rebuild};

use crate::{Parts, surgery};

/// A tree with one run.
static GOOD: LazyLock<Value> = LazyLock::new(|| {
    let prepared = prepare(&Memory::default(), &additions()).expect("an empty tree takes a good record");
    prepared
        .files
        .iter()
        .map(|(path, content)| (path.clone(), embedded(content)))
        .collect::<Map<_, _>>()
        .into()
});

/// A run that is added.
static SAMPLED: LazyLock<Published> = LazyLock::new(|| {
    let text = serde_json::to_string(&sample::full()).expect("a record is JSON");
    Published::parse("record.json".as_ref(), &text).expect("the sample is good")
});

fn additions() -> Additions {
    Additions {
        records: vec![SAMPLED.clone()],
        ..Additions::nothing(Timestamp::MAX)
    }
}

/// JSON as it is, so that every part of it can be changed; other files as a string.
fn embedded(content: &[u8]) -> Value {
    serde_json::from_slice(content).unwrap_or_else(|_| String::from_utf8_lossy(content).into())
}

/// A tree of files as an object of paths and contents: it is checked, its derived files are made again, and a record is added.
pub fn tree(data: &[u8], parts: Parts) {
    let Ok(Value::Object(files)) = serde_json::from_slice(&surgery::document(data, &GOOD)) else {
        return;
    };
    let content = |value: Value| match value {
        Value::String(text) => text.into_bytes(),
        other => other.to_string().into_bytes(),
    };
    let files: Files = files.into_iter().map(|(path, value)| (path, content(value))).collect();
    let tree = Memory(files);
    parts.run(&[
        &|| {
            let _ = check(&tree, Timestamp::MAX);
        },
        &|| made_again(&tree),
        &|| added(&tree),
    ]);
}

fn made_again(tree: &Memory) {
    let Ok(rebuilt) = rebuild(tree, None, None, Timestamp::MAX) else {
        return;
    };
    let broken = rebuilt.broken.is_empty();
    let mut after = tree.0.clone();
    after.extend(rebuilt.files);
    let again = rebuild(&Memory(after), None, None, Timestamp::MAX).expect("what was made again can be made again");
    assert_eq!(again.broken.is_empty(), broken);
    let changed: Vec<&String> = again.files.keys().collect();
    assert!(changed.is_empty(), "{changed:?} change each time");
}

fn added(tree: &Memory) {
    let Ok(prepared) = prepare(tree, &additions()) else {
        return;
    };
    // Nothing is lost: a record that was there is there.
    let paths = tree.paths().expect("memory");
    for path in paths.iter().filter(|path| prepared.files.contains_key(*path)) {
        assert!(!is_record(path), "{path} is overwritten");
    }
}

fn is_record(path: &str) -> bool {
    path.starts_with("data/")
        && path
            .rsplit('/')
            .next()
            .is_some_and(|name| name.len() > 16 && name.starts_with("20"))
}
