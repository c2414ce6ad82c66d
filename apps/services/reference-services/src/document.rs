//! The document that `POST /json` reads and writes back.

use serde::{Deserialize, Serialize};

/// A list of things with text, numbers, lists and what may be absent. Fields that it does not know are dropped.
#[derive(Deserialize, Serialize)]
pub struct Document {
    title: String,
    items: Vec<Item>,
}

#[derive(Deserialize, Serialize)]
struct Item {
    id: u64,
    name: String,
    active: bool,
    score: f64,
    tags: Vec<String>,
    position: Position,
    note: Option<String>,
}

#[derive(Deserialize, Serialize)]
struct Position {
    latitude: f64,
    longitude: f64,
}
