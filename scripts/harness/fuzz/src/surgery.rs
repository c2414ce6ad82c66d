//! Absurd documents that are still JSON. A fuzzer that changes bytes breaks the syntax nearly every time, and never gets to what is
//! behind the parser. Here its bytes are instructions instead: which node of a good document to replace, by what.

use serde_json::{Map, Value, json};

/// Most instructions that are followed: a handful finds what a hundred would.
const MOST: usize = 24;
/// Most copies of an element that are put beside it.
const MOST_COPIES: usize = 32;

/// The bytes themselves if they look like a document or list; otherwise `good`, changed as they say.
pub fn document(data: &[u8], good: &Value) -> Vec<u8> {
    if matches!(data.first(), Some(b'{' | b'[')) {
        return data.to_vec();
    }
    let mut changed = good.clone();
    operate(data, &mut changed);
    changed.to_string().into_bytes()
}

/// The same of a file with a document in each line.
pub fn lines(data: &[u8], good: &[Value]) -> Vec<u8> {
    if data.first() == Some(&b'{') {
        return data.to_vec();
    }
    let mut changed = Value::Array(good.to_vec());
    operate(data, &mut changed);
    let lines = match changed {
        Value::Array(lines) => lines,
        other => vec![other],
    };
    lines.iter().flat_map(|line| format!("{line}\n").into_bytes()).collect()
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
            2 => node_at(document, other).map(|node| node.clone()),
            _ => None,
        };
        let Some(node) = node_at(document, place) else { return };
        match (new, node) {
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
        _ => items.extend(vec![items[place].clone(); 1 + other % MOST_COPIES]),
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

/// The node with this number, modulo how many there are; a parent comes before its children.
fn node_at(document: &mut Value, number: usize) -> Option<&mut Value> {
    let mut left = number % count(document);
    find(document, &mut left)
}

fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Object(fields) => fields.values().map(count).sum(),
        _ => 0,
    }
}

fn find<'a>(value: &'a mut Value, left: &mut usize) -> Option<&'a mut Value> {
    if *left == 0 {
        return Some(value);
    }
    *left -= 1;
    match value {
        Value::Array(items) => items.iter_mut().find_map(|item| find(item, left)),
        Value::Object(fields) => fields.values_mut().find_map(|field| find(field, left)),
        _ => None,
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
    use super::*;

    #[test]
    fn every_node_can_be_reached() {
        let mut document = json!({"a": [1, {"b": 2}], "c": "d"});
        assert_eq!(count(&document), 6);
        let seen: Vec<String> = (0..6)
            .map(|number| node_at(&mut document, number).unwrap().to_string())
            .collect();
        assert_eq!(seen[1..], ["[1,{\"b\":2}]", "1", "{\"b\":2}", "2", "\"d\""]);
    }

    #[test]
    fn the_same_bytes_are_the_same_document_and_others_another() {
        let good = json!({"a": [1, 2, 3], "b": "c"});
        assert_eq!(document(b"", &good), good.to_string().into_bytes());
        assert_eq!(document(b"{\"raw\"", &good), b"{\"raw\"");
        assert_eq!(document(&[0, 2, 0, 6, 0], &good), br#"{"a":[1e+300,2,3],"b":"c"}"#);
        let removed = document(&[3, 1, 0, 0, 0], &good);
        assert_eq!(removed, br#"{"a":[2,3],"b":"c"}"#);
        let number = document(&[&[1, 5, 0, 0, 0][..], &2.5_f64.to_le_bytes()].concat(), &good);
        assert_eq!(number, br#"{"a":[1,2,3],"b":2.5}"#);
    }
}
