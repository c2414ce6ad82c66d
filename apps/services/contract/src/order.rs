//! The order that `POST /validate` reads and checks.

use serde::{Deserialize, Serialize};
use validator::{Validate, ValidationErrors, ValidationErrorsKind};

/// An order, as it arrives. The crate keeps wrong values with its errors, for which it requires `Serialize`.
#[derive(Clone, Debug, Deserialize, Serialize, Validate)]
pub struct Order {
    #[validate(nested)]
    customer: Customer,
    #[validate(length(min = 1, max = 100), nested)]
    lines: Vec<Line>,
    #[validate(length(max = 4000))]
    note: String,
}

#[derive(Clone, Debug, Deserialize, Serialize, Validate)]
struct Customer {
    #[validate(length(min = 1, max = 100))]
    name: String,
    #[validate(email)]
    email: String,
}

#[derive(Clone, Debug, Deserialize, Serialize, Validate)]
struct Line {
    #[validate(length(equal = 8))]
    article: String,
    #[validate(length(min = 1, max = 80))]
    title: String,
    #[validate(range(min = 1, max = 1000))]
    quantity: u32,
    #[validate(range(min = 1, max = 1_000_000))]
    cents: u32,
}

/// What an order costs.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
pub struct Total {
    /// In cents.
    pub total: u64,
}

/// The fields of an order that are wrong, sorted: `lines[2].quantity`. Answered with status 422.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct WrongFields {
    /// Their paths.
    pub fields: Vec<String>,
}

impl Order {
    /// The sum of its lines, if all of its fields are right.
    pub fn total(&self) -> Result<Total, WrongFields> {
        self.validate().map_err(|errors| wrong_fields(&errors))?;
        let lines = self.lines.iter();
        Ok(Total {
            total: lines.map(|line| u64::from(line.quantity) * u64::from(line.cents)).sum(),
        })
    }
}

fn wrong_fields(errors: &ValidationErrors) -> WrongFields {
    let mut fields = Vec::new();
    collect(errors, "", &mut fields);
    fields.sort();
    WrongFields { fields }
}

fn collect(errors: &ValidationErrors, prefix: &str, fields: &mut Vec<String>) {
    for (name, kind) in errors.errors() {
        let path = format!("{prefix}{name}");
        match kind {
            ValidationErrorsKind::Field(_) => fields.push(path),
            ValidationErrorsKind::Struct(inner) => collect(inner, &format!("{path}."), fields),
            ValidationErrorsKind::List(entries) => {
                for (index, inner) in entries {
                    collect(inner, &format!("{path}[{index}]."), fields);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn order(change: impl FnOnce(&mut Value)) -> Order {
        let line = json!({"article": "12345678", "title": "Tea", "quantity": 2, "cents": 350});
        let mut value =
            json!({"customer": {"name": "Ada", "email": "ada@example.org"}, "lines": [line, line], "note": ""});
        change(&mut value);
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn an_order_costs_the_sum_of_its_lines() {
        assert_eq!(order(|_| {}).total(), Ok(Total { total: 1400 }));
    }

    #[test]
    fn every_wrong_field_is_named() {
        let wrong = order(|value| {
            value["customer"] = json!({"name": "", "email": "ada"});
            value["lines"][0]["article"] = json!("1234567");
            value["lines"][1]["quantity"] = json!(0);
            value["lines"][1]["cents"] = json!(1_000_001);
            value["note"] = json!("x".repeat(4001));
        });
        let fields = [
            "customer.email",
            "customer.name",
            "lines[0].article",
            "lines[1].cents",
            "lines[1].quantity",
            "note",
        ];
        assert_eq!(wrong.total().unwrap_err().fields, fields);
        let empty = order(|value| value["lines"] = json!([]));
        assert_eq!(empty.total().unwrap_err().fields, ["lines"]);
    }
}
