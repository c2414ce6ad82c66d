//! Absurd documents that are still JSON. A fuzzer that changes bytes breaks the syntax nearly every time, and never gets to what is
//! behind the parser. Here its bytes are instructions instead: which node of a good document to replace, by what.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::LazyLock;

use serde_json::{Value, json};

/// Most instructions that are followed: a handful finds what a hundred would.
const MOST: usize = 24;
/// Largest text of a node that is copied. Copies of copies made executions of seconds.
const LARGEST_COPY: usize = 8_192;

/// The bytes themselves if they look like a document or list; otherwise `good`, changed as they say.
pub fn document(data: &[u8], good: &Value) -> Vec<u8> {
    if matches!(data.first(), Some(b'{' | b'[')) {
        return data.to_vec();
    }
    let mut changed = good.clone();
    operate(data, &mut changed);
    let bytes = changed.to_string().into_bytes();
    // Instructions mean another document as soon as the good one changes, so what is kept in `corpus/` is the document.
    if let Some(path) = std::env::var_os("FUZZ_DOCUMENT") {
        std::fs::write(path, &bytes).expect("the file that FUZZ_DOCUMENT names can be written");
    }
    bytes
}

/// Follows the instructions in `data`, of five bytes each: what to do with which node, and with which other one.
fn operate(data: &[u8], document: &mut Value) {
    for [what, low, high, other_low, other_high] in data.as_chunks().0.iter().take(MOST) {
        let other = usize::from(u16::from_le_bytes([*other_low, *other_high]));
        let copy = node_at(document, other).clone();
        let is_small = copy.to_string().len() <= LARGEST_COPY;
        match (
            what % 4,
            node_at(document, usize::from(u16::from_le_bytes([*low, *high]))),
        ) {
            (0, node) if is_small => *node = copy,
            (1, Value::Array(items)) if !items.is_empty() => drop(items.remove(other % items.len())),
            (1, Value::Object(fields)) if !fields.is_empty() => {
                let name = fields.keys().nth(other % fields.len()).cloned();
                drop(name.and_then(|name| fields.remove(&name)));
            }
            (2, Value::Array(items)) if is_small => items.push(copy),
            (2, Value::Object(fields)) if is_small => {
                let name = absurd(other).as_str().unwrap_or("bogus");
                drop(fields.insert(name.to_owned(), copy));
            }
            (_, node) => *node = absurd(other).clone(),
        }
    }
}

/// The node that this number chooses: at each parent on the way down, one of its children or the parent itself. (To number the nodes, all
/// would have to be counted for each instruction.)
fn node_at(mut node: &mut Value, number: usize) -> &mut Value {
    let mut choice = DefaultHasher::new();
    loop {
        number.hash(&mut choice);
        let children = match &*node {
            Value::Array(items) => items.len(),
            Value::Object(fields) => fields.len(),
            _ => 0,
        };
        let place = usize::try_from(choice.finish() % (children as u64 + 1)).expect("no more than children");
        if place == children {
            return node;
        }
        node = match node {
            Value::Array(items) => &mut items[place],
            Value::Object(fields) => fields.values_mut().nth(place).expect("one of the fields"),
            _ => unreachable!("it has children"),
        };
    }
}

/// What types allow and nobody expects.
fn absurd(number: usize) -> &'static Value {
    static ABSURD: LazyLock<Vec<Value>> = LazyLock::new(|| {
        let all = json!([
            null,
            true,
            [],
            {},
            "x".repeat(70_000),
            0,
            -0.0,
            -1,
            1,
            0.5,
            1e-300,
            1e300,
            f64::MAX,
            u64::MAX,
            i64::MIN,
            u32::MAX,
            1_u64 << 53,
            99_999_999_999_u64,
            "",
            " ",
            "axum",
            "plaintext",
            "latest",
            "..",
            "../../etc/passwd",
            "a/b",
            "-x",
            "\u{1b}[31m\u{202e}",
            "<script>|`x`\n@octocat",
            "--> <!-- results:end -->",
            "=cmd()",
            "javascript:alert(1)",
            "https://evil.example/)",
            "ß\u{301}\u{1f468}\u{200d}\u{1f469}",
            "9999-12-31T23:59:59Z",
            "-009999-01-01T00:00:00Z",
            "2026-02-30T00:00:00Z",
            "99991231T235959Z-2a",
            "20261121T110000Z-2a",
            "18446744073709551616",
            "NaN",
            "0123456789abcdef0123456789abcdef01234567",
        ]);
        all.as_array().cloned().unwrap_or_default()
    });
    &ABSURD[number % ABSURD.len()]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_node_can_be_reached() {
        let mut document = json!({"a": [1, {"b": 2}], "c": "d"});
        let all = document.to_string();
        let seen: BTreeSet<String> = (0..100)
            .map(|number| node_at(&mut document, number).to_string())
            .collect();
        let nodes = [all.as_str(), "[1,{\"b\":2}]", "1", "{\"b\":2}", "2", "\"d\""];
        assert_eq!(seen, nodes.map(str::to_owned).into());
    }

    /// The number that chooses the node that `wanted` is true of.
    fn number_of(good: &Value, wanted: impl Fn(&Value) -> bool) -> u16 {
        let chosen = (0..=u16::MAX).find(|number| wanted(node_at(&mut good.clone(), usize::from(*number))));
        chosen.expect("a number that chooses it")
    }

    /// An instruction for that node.
    fn at(good: &Value, what: u8, wanted: impl Fn(&Value) -> bool, other: u16) -> Vec<u8> {
        let [low, high] = number_of(good, wanted).to_le_bytes();
        let [detail, more] = other.to_le_bytes();
        vec![what, low, high, detail, more]
    }

    #[test]
    fn the_same_bytes_are_the_same_document_and_others_another() {
        let good = json!({"a": [1, 2, 3], "b": "c"});
        assert_eq!(document(b"", &good), good.to_string().into_bytes());
        assert_eq!(document(b"{\"raw\"", &good), b"{\"raw\"");
        let absurd = at(&good, 3, |node| *node == json!(1), 11);
        assert_eq!(document(&absurd, &good), br#"{"a":[1e+300,2,3],"b":"c"}"#);
        let removed = at(&good, 1, Value::is_array, 0);
        assert_eq!(document(&removed, &good), br#"{"a":[2,3],"b":"c"}"#);
        let copied = at(&good, 0, Value::is_string, number_of(&good, Value::is_array));
        assert_eq!(document(&copied, &good), br#"{"a":[1,2,3],"b":[1,2,3]}"#);
        let added = at(&good, 2, Value::is_array, number_of(&good, Value::is_string));
        assert_eq!(document(&added, &good), br#"{"a":[1,2,3,"c"],"b":"c"}"#);
    }

    #[test]
    fn copies_of_copies_end() {
        let good = json!([["x".repeat(1_000)], [2], {"a": [3]}]);
        let length = |document: &Value| document.to_string().len();
        let grown = (0..2_000_u32).map(|seed| {
            let byte = |at: u32| {
                let mut hash = DefaultHasher::new();
                (seed, at).hash(&mut hash);
                hash.finish().to_le_bytes()[0]
            };
            let mut grown = good.clone();
            operate(&(0..200).map(byte).collect::<Vec<u8>>(), &mut grown);
            length(&grown)
        });
        let most = grown.max().unwrap();
        assert!(most > 2 * length(&good), "{most}");
        // Besides copies, a text of 70,000 letters is the largest that replaces a node.
        assert!(most <= length(&good) + MOST * 71_000, "{most}");
    }
}
