//! The rows, as they go over the wire.

use serde::{Deserialize, Serialize};

/// A row of `world`.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
pub struct World {
    pub id: i32,
    #[serde(rename = "randomNumber")]
    pub random_number: i32,
}

impl World {
    /// Rows of the table; their ids begin at 1.
    pub const ROWS: i32 = 10_000;
}

/// A row of `fortune`.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Fortune {
    pub id: i32,
    pub message: String,
}

/// Adds the fortune that is in no table, and sorts all by their message: the work that the server does on its rows.
#[must_use]
pub fn with_one_more(mut fortunes: Vec<Fortune>) -> Vec<Fortune> {
    fortunes.push(Fortune {
        id: 0,
        message: "Additional fortune added at request time.".into(),
    });
    fortunes.sort_by(|one, other| one.message.cmp(&other.message));
    fortunes
}

/// What `POST /orders` takes. A product that is named twice is a conflict.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
pub struct NewOrder {
    pub customer: i32,
    pub lines: Vec<Line>,
}

/// A line of an order.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Line {
    pub product: i32,
    pub quantity: i32,
}

/// What `POST /orders` answers.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
pub struct OrderId {
    pub id: i32,
}

/// What `GET /orders/{id}` answers: the order with its lines, sorted by product.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Order {
    pub id: i32,
    pub customer: i32,
    pub lines: Vec<Line>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_written_as_the_contract_says() {
        let world = World {
            id: 1,
            random_number: 2,
        };
        assert_eq!(serde_json::to_string(&world).unwrap(), r#"{"id":1,"randomNumber":2}"#);
        let order = Order {
            id: 7,
            customer: 3,
            lines: vec![Line {
                product: 1,
                quantity: 2,
            }],
        };
        let text = r#"{"id":7,"customer":3,"lines":[{"product":1,"quantity":2}]}"#;
        assert_eq!(serde_json::to_string(&order).unwrap(), text);
    }

    #[test]
    fn fortunes_are_sorted_by_bytes_with_one_more() {
        let fortune = |id, message: &str| Fortune {
            id,
            message: message.into(),
        };
        let sorted = with_one_more(vec![fortune(1, "b"), fortune(2, "\u{30d5}"), fortune(3, "A")]);
        assert_eq!(
            sorted.iter().map(|fortune| fortune.id).collect::<Vec<_>>(),
            [3, 0, 1, 2]
        );
    }
}
