//! The document that `POST /json` reads and writes back.

use serde::{Deserialize, Serialize};

/// A list of things with text, numbers, lists and what may be absent. Fields that it does not know are dropped.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Document {
    title: String,
    items: Vec<Item>,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
struct Item {
    id: u64,
    name: String,
    active: bool,
    score: f64,
    tags: Vec<String>,
    position: Position,
    note: Option<String>,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
struct Position {
    latitude: f64,
    longitude: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_comes_back_without_what_is_not_of_it() {
        let text = r#"{ "title": "a", "more": [1, {}], "items": [
            {"id": 1, "name": "\u00e9", "active": true, "score": 0.25, "tags": ["x"],
             "position": {"latitude": -1.5, "longitude": 2e2}, "note": null}
        ] }"#;
        let document: Document = serde_json::from_str(text).unwrap();
        assert_eq!(
            serde_json::to_string(&document).unwrap(),
            "{\"title\":\"a\",\"items\":[{\"id\":1,\"name\":\"\u{e9}\",\"active\":true,\"score\":0.25,\"tags\":[\"x\"],\
             \"position\":{\"latitude\":-1.5,\"longitude\":200.0},\"note\":null}]}"
        );
    }
}
