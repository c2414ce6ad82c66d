//! Absurd documents that are still JSON. A fuzzer that changes bytes breaks the syntax nearly every time, and never gets to what is
//! behind the parser. Here its bytes are instructions instead: which node of a good document to replace, by what.

use std::path::PathBuf;
use std::sync::LazyLock;
use std::{env, fs};

use serde_json::{Map, Value, json};

/// Most instructions that are followed: a handful finds what a hundred would.
const MOST: usize = 24;
/// Most copies of an element that are put beside it.
const MOST_COPIES: usize = 32;
/// Most that one instruction puts into a document, as `weight` weighs it. Copies of copies made executions of seconds.
const MOST_WEIGHT: usize = 8_192;

/// Where to write the document that an input makes. Instructions mean another one as soon as the good one changes, so what is kept in
/// `corpus/` is the document.
static WRITTEN: LazyLock<Option<PathBuf>> = LazyLock::new(|| env::var_os("FUZZ_DOCUMENT").map(PathBuf::from));

fn written(bytes: Vec<u8>) -> Vec<u8> {
    if let Some(path) = &*WRITTEN {
        fs::write(path, &bytes).expect("the file that FUZZ_DOCUMENT names can be written");
    }
    bytes
}

/// The bytes themselves if they look like a document or list; otherwise `good`, changed as they say.
pub fn document(data: &[u8], good: &Value) -> Vec<u8> {
    if matches!(data.first(), Some(b'{' | b'[')) {
        return data.to_vec();
    }
    let mut changed = good.clone();
    operate(data, &mut changed);
    written(changed.to_string().into_bytes())
}

/// Follows the instructions in `data`: five bytes each, and eight more where a number is given.
fn operate(data: &[u8], document: &mut Value) {
    let mut rest = data;
    for _ in 0..MOST {
        let Some(([what, node @ .., detail, more], after)) = rest.split_first_chunk::<5>() else {
            return;
        };
        rest = after;
        let place = usize::from(u16::from_le_bytes(*node));
        let other = usize::from(u16::from_le_bytes([*detail, *more]));
        let new = match what % 8 {
            0 => Some(absurd(other)),
            1 => {
                let Some((bytes, after)) = rest.split_first_chunk::<8>() else {
                    return;
                };
                rest = after;
                Some(json!(f64::from_le_bytes(*bytes)))
            }
            2 => Some(node_at(document, other))
                .filter(|node| weight(node) <= MOST_WEIGHT)
                .map(|node| node.clone()),
            _ => None,
        };
        match (new, node_at(document, place)) {
            (Some(new), node) => *node = new,
            (None, Value::Array(items)) => change_items(*what, other, items),
            (None, Value::Object(fields)) => change_fields(*what, other, fields),
            (None, node) => *node = absurd(other),
        }
    }
}

fn change_items(what: u8, other: usize, items: &mut Vec<Value>) {
    if items.is_empty() {
        return;
    }
    let place = other % items.len();
    match what % 3 {
        0 => drop(items.remove(place)),
        1 => items.reverse(),
        _ => {
            let copies = (1 + other % MOST_COPIES).min(MOST_WEIGHT / weight(&items[place]));
            items.extend(vec![items[place].clone(); copies]);
        }
    }
}

fn change_fields(what: u8, other: usize, fields: &mut Map<String, Value>) {
    let Some(name) = fields.keys().nth(other % fields.len().max(1)).cloned() else {
        return;
    };
    match what % 3 {
        0 => drop(fields.remove(&name)),
        1 => drop(fields.insert("bogus".into(), json!(1))),
        _ => {
            let value = fields.remove(&name).unwrap_or_default();
            fields.insert(STRINGS[other / 7 % STRINGS.len()].into(), value);
        }
    }
}

/// The node that this number chooses: at each parent on the way down, one of its children or the parent itself. (To number the nodes, all
/// would have to be counted for each instruction.)
fn node_at(document: &mut Value, number: usize) -> &mut Value {
    let (mut node, mut choice) = (document, number as u64);
    loop {
        choice = mixed(choice);
        let children = match &*node {
            Value::Array(items) => items.len(),
            Value::Object(fields) => fields.len(),
            _ => 0,
        };
        let place = usize::try_from(choice % (children as u64 + 1)).expect("no more than children");
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

/// Another number, in which every bit depends on every bit of this one (the finaliser of `SplitMix64`).
fn mixed(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// How much it is to copy: its nodes, and one for every 32 bytes of a text.
fn weight(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(weight).sum(),
        Value::Object(fields) => fields.values().map(weight).sum(),
        Value::String(text) => text.len() / 32,
        _ => 0,
    }
}

/// What types allow and nobody expects.
fn absurd(number: usize) -> Value {
    let numbers = [
        json!(0),
        json!(-0.0),
        json!(-1),
        json!(1),
        json!(0.5),
        json!(1e-300),
        json!(1e300),
        json!(f64::MAX),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(u32::MAX),
        json!(1_u64 << 53),
        json!(99_999_999_999_u64),
    ];
    let others = [
        Value::Null,
        json!(true),
        json!([]),
        json!({}),
        json!("x".repeat(70_000)),
    ];
    let all = numbers.len() + others.len() + STRINGS.len();
    match number % all {
        number if number < numbers.len() => numbers[number].clone(),
        number if number < numbers.len() + others.len() => others[number - numbers.len()].clone(),
        number => json!(STRINGS[number - numbers.len() - others.len()]),
    }
}

const STRINGS: [&str; 24] = [
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
];

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
        let absurd = at(&good, 0, |node| *node == json!(1), 6);
        assert_eq!(document(&absurd, &good), br#"{"a":[1e+300,2,3],"b":"c"}"#);
        let removed = at(&good, 3, Value::is_array, 0);
        assert_eq!(document(&removed, &good), br#"{"a":[2,3],"b":"c"}"#);
        let mut number = at(&good, 1, Value::is_string, 0);
        number.extend(2.5_f64.to_le_bytes());
        assert_eq!(document(&number, &good), br#"{"a":[1,2,3],"b":2.5}"#);
        let copied = at(&good, 2, Value::is_string, number_of(&good, Value::is_array));
        assert_eq!(document(&copied, &good), br#"{"a":[1,2,3],"b":[1,2,3]}"#);
    }

    #[test]
    fn copies_of_copies_end() {
        let good = json!([["x".repeat(1_000)], [2], {"a": [3]}]);
        let grown = (0..2_000).map(|seed| {
            let bytes = (0..40).flat_map(|at| mixed(seed * 40 + at).to_le_bytes());
            let mut grown = good.clone();
            operate(&bytes.collect::<Vec<u8>>(), &mut grown);
            weight(&grown)
        });
        let most = grown.max().unwrap();
        assert!(most > 10 * weight(&good), "{most}");
        assert!(most <= weight(&good) + MOST * MOST_WEIGHT, "{most}");
    }
}
