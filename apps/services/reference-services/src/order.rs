//! An order, read and checked.

use serde::{Deserialize, Serialize};

#[derive(Deserialize)]
pub struct Order {
    customer: Customer,
    lines: Vec<Line>,
    note: String,
}

#[derive(Deserialize)]
struct Customer {
    name: String,
    email: String,
}

#[derive(Deserialize)]
struct Line {
    article: String,
    title: String,
    quantity: u32,
    cents: u32,
}

/// What an order costs, in cents.
#[derive(Serialize)]
pub struct Total {
    total: u64,
}

/// The fields that are wrong, sorted.
#[derive(Serialize)]
pub struct WrongFields {
    fields: Vec<String>,
}

impl Order {
    pub fn total(&self) -> Result<Total, WrongFields> {
        let mut fields = Vec::new();
        let mut check = |right: bool, field: &dyn Fn() -> String| {
            if !right {
                fields.push(field());
            }
        };
        let is_long = |text: &str, least: usize, most: usize| (least..=most).contains(&text.chars().count());
        check(is_email(&self.customer.email), &|| "customer.email".into());
        check(is_long(&self.customer.name, 1, 100), &|| "customer.name".into());
        check((1..=100).contains(&self.lines.len()), &|| "lines".into());
        for (number, line) in self.lines.iter().enumerate() {
            check(is_long(&line.article, 8, 8), &|| format!("lines[{number}].article"));
            check((1..=1_000_000).contains(&line.cents), &|| {
                format!("lines[{number}].cents")
            });
            check((1..=1000).contains(&line.quantity), &|| {
                format!("lines[{number}].quantity")
            });
            check(is_long(&line.title, 1, 80), &|| format!("lines[{number}].title"));
        }
        check(is_long(&self.note, 0, 4000), &|| "note".into());
        if !fields.is_empty() {
            fields.sort();
            return Err(WrongFields { fields });
        }
        let lines = self.lines.iter();
        Ok(Total {
            total: lines.map(|line| u64::from(line.quantity) * u64::from(line.cents)).sum(),
        })
    }
}

/// Something before the only `@`, and a name with a dot after it.
fn is_email(text: &str) -> bool {
    let is_label = |label: &str| {
        !label.is_empty() && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') && !label.starts_with('-')
    };
    text.split_once('@').is_some_and(|(user, host)| {
        !user.is_empty()
            && user
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || ".!#$%&'*+/=?^_`{|}~-".contains(c))
            && host.contains('.')
            && host.split('.').all(is_label)
    })
}
