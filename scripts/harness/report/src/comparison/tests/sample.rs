//! Comparisons for the tests of what is written of them.

use std::sync::LazyLock;

use analyze::compare::outcome::Comparison;
use serde_json::{Value, json};

/// A series with each decision, and an example of whatever else a comparison may hold.
static SAMPLE: LazyLock<Value> = LazyLock::new(|| serde_json::from_str(include_str!("sample.json")).unwrap());

fn read(document: &Value) -> Result<Comparison, String> {
    Comparison::parse(document.to_string().as_bytes())
}

pub fn comparison() -> Comparison {
    read(&SAMPLE).unwrap()
}

/// Texts with which an attacker may try to make a comment do more than inform.
pub fn attacks() -> Vec<String> {
    let mut attacks: Vec<String> = [
        "@org/team",
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "![x](http://example.org/x.png)",
        "[x](https://example.org)",
        "<https://example.org>",
        "#1",
        "GH-1",
        "owner/name#1",
        "a\u{202e}b\u{2066}c\u{200b}d",
        "`` ` ```\n# code\n```",
        "https://example.org/x",
        "www.example.org",
        "me@example.org",
        "\n\n# heading\n\n| a | b |\n| - | - |",
        "--> <!-- told: improvement -->",
        "</details><h1>x</h1>",
        "\u{1b}[31mred\u{0}\u{7}",
        "$\\frac{1}{2}$ ~~x~~ **y**",
        "0123456789abcdef0123456789abcdef01234567",
        "&lt;b&gt; &#64;org",
        "\\<b>\\@org",
    ]
    .map(str::to_owned)
    .to_vec();
    attacks.push("<b>@x ".repeat(20_000 / 6));
    attacks
}

/// The places of all strings below `value`, which is at `place`.
fn strings(value: &Value, place: &str, found: &mut Vec<String>) {
    match value {
        Value::String(_) => found.push(place.to_owned()),
        Value::Array(all) => (0..)
            .zip(all)
            .for_each(|(key, one)| strings(one, &format!("{place}/{key}"), found)),
        Value::Object(all) => all
            .iter()
            .for_each(|(key, one)| strings(one, &format!("{place}/{key}"), found)),
        _ => {}
    }
}

/// The sample with this text in place of every string that may be any.
pub fn all_strings(attack: &str) -> Comparison {
    static WHOLE: LazyLock<(Value, Vec<String>)> = LazyLock::new(|| {
        let mut whole = SAMPLE.clone();
        for side in ["base", "head"] {
            whole[side]["patches"] = json!(["a", "b"]);
            whole[side]["sources"] = json!([{"before": ["a"], "after": ["b", "c"], "commit": "d", "dirty": true}]);
        }
        whole["apps"][0]["reason"] = "a".into();
        whole["warnings"] = json!(["a"]);
        let mut places = Vec::new();
        strings(&whole, "", &mut places);
        places.retain(|place| {
            let mut document = whole.clone();
            *document.pointer_mut(place).unwrap() = "any".into();
            read(&document).is_ok()
        });
        (whole, places)
    });
    let (mut document, places) = WHOLE.clone();
    for place in places {
        *document.pointer_mut(&place).unwrap() = attack.into();
    }
    read(&document).unwrap()
}
