//! The statements of a server, counted by the database itself (`pg_stat_statements`), and those that its answers need.
//!
//! Status and size of an answer do not say where it came from. Here a server that keeps rows in memory lacks rows, one that reads
//! twenty rows with one statement lacks statements, and one that forgets the transaction lacks commits.

use std::collections::BTreeMap;

use postgres::Row;
use serde_json::Value;

use super::FORTUNES;
use model::count;
use model::scenario::{Method, Scenario};

/// Kinds of statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::Display)]
pub enum Kind {
    #[strum(to_string = "reads of `world`")]
    ReadWorld,
    #[strum(to_string = "writes of `world`")]
    WriteWorld,
    #[strum(to_string = "reads of `fortune`")]
    ReadFortunes,
    #[strum(to_string = "reads of `orders`")]
    ReadOrder,
    #[strum(to_string = "inserts into `orders`")]
    NewOrder,
    #[strum(to_string = "inserts into `order_line`")]
    NewLines,
    /// Ends a transaction and keeps it.
    #[strum(to_string = "commits")]
    Commit,
    #[strum(to_string = "other statements on its tables")]
    Other,
}

/// How often a kind of statement was executed, and how many rows it read or wrote.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Executions.
    pub calls: u64,
    /// Rows of all of them.
    pub rows: u64,
}

/// Statements by kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Work(BTreeMap<Kind, Tally>);

impl Work {
    /// From rows of `pg_stat_statements`: statement, calls and rows.
    pub(super) fn counted(rows: &[Row]) -> Self {
        let mut work = Self::default();
        for row in rows {
            if let Some(kind) = kind_of(row.get(0)) {
                let tally = work.0.entry(kind).or_default();
                tally.calls += u64::try_from(row.get::<_, i64>(1)).unwrap_or(0);
                tally.rows += u64::try_from(row.get::<_, i64>(2)).unwrap_or(0);
            }
        }
        work
    }

    /// What one answer to the request of `scenario` needs, on the rows as they are under load; `None` if it needs no database.
    pub fn of_scenario(scenario: &Scenario) -> Option<Self> {
        let body = scenario.body.as_deref().unwrap_or_default();
        Self::of_request(scenario.method, &scenario.path, body, FORTUNES)
    }

    /// The same by the parts of a request, with so many `fortunes` in the table.
    pub fn of_request(method: Method, path: &str, body: &str, fortunes: u64) -> Option<Self> {
        let tally = |calls, rows| Tally { calls, rows };
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let n = query.strip_prefix("n=").map_or(Some(1), |n| n.parse().ok())?;
        let kinds = match (method, path) {
            (Method::Get, "/db") => vec![(Kind::ReadWorld, tally(1, 1))],
            (Method::Get, "/queries") => vec![(Kind::ReadWorld, tally(n, n))],
            (Method::Get, "/fortunes") => vec![(Kind::ReadFortunes, tally(1, fortunes))],
            (Method::Post, "/orders") => vec![
                (Kind::NewOrder, tally(1, 1)),
                (Kind::NewLines, tally(1, lines_of(body)?)),
                (Kind::Commit, tally(1, 0)),
            ],
            // Every order that is there from the beginning has three lines.
            (Method::Get, path) if path.starts_with("/orders/") => vec![(Kind::ReadOrder, tally(1, 3))],
            (Method::Post, "/updates") => vec![
                (Kind::ReadWorld, tally(n, n)),
                (Kind::WriteWorld, tally(n, n)),
                (Kind::Commit, tally(1, 0)),
            ],
            _ => return None,
        };
        Some(Self(kinds.into_iter().collect()))
    }

    /// What came after `before`.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        let mut since = self.clone();
        for (kind, earlier) in &before.0 {
            let tally = since.0.entry(*kind).or_default();
            tally.calls = tally.calls.saturating_sub(earlier.calls);
            tally.rows = tally.rows.saturating_sub(earlier.rows);
        }
        since.0.retain(|_, tally| *tally != Tally::default());
        since
    }

    /// Why this is not the work for that many answers that need `one` each; `None` if it is.
    pub fn reason_against(&self, one: &Self, answers: u64) -> Option<String> {
        let answered = |what| format!("{}: {what}", plural(answers, "answer"));
        self.0.keys().chain(one.0.keys()).find_map(|kind| {
            let did = self.0.get(kind).copied().unwrap_or_default();
            let must = one.0.get(kind).copied().unwrap_or_default();
            let (calls, rows) = (must.calls * answers, must.rows * answers);
            // Begun or undone transactions are the driver's affair; a commit that wrote nothing is as well.
            if *kind == Kind::Commit {
                let words = format!("{kind}: {calls} needed, {} counted", did.calls);
                return (did.calls < calls).then(|| answered(words));
            }
            let words = |calls, rows| format!("{calls} with {}", plural(rows, "row"));
            let (needed, counted) = (words(calls, rows), words(did.calls, did.rows));
            (needed != counted).then(|| answered(format!("{kind}: {needed} needed, {counted} counted")))
        })
    }
}

/// How many lines an order has.
fn lines_of(order: &str) -> Option<u64> {
    let order: Value = serde_json::from_str(order).ok()?;
    Some(order["lines"].as_array()?.len() as u64)
}

/// So many of them, in words.
fn plural(number: u64, what: &str) -> String {
    count(usize::try_from(number).unwrap_or(usize::MAX), what)
}

/// The kind of a statement, as `pg_stat_statements` shows it; `None` for what touches none of the tables.
fn kind_of(query: &str) -> Option<Kind> {
    let text = query.to_ascii_lowercase().replace('"', "");
    let words: Vec<&str> = text
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .collect();
    let names = |table: &str| words.contains(&table);
    let kind = match *words.first()? {
        "commit" | "end" => return Some(Kind::Commit),
        "select" if names("world") => Kind::ReadWorld,
        "update" if names("world") => Kind::WriteWorld,
        "select" if names("fortune") => Kind::ReadFortunes,
        "insert" if names("order_line") => Kind::NewLines,
        "insert" if names("orders") => Kind::NewOrder,
        "select" if names("orders") && names("order_line") => Kind::ReadOrder,
        _ => Kind::Other,
    };
    let of_contract = ["world", "fortune", "orders", "order_line"];
    of_contract.iter().any(|table| names(table)).then_some(kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_known_by_what_they_do() {
        for (query, kind) in [
            (
                "SELECT id, random_number FROM world WHERE id = $1",
                Some(Kind::ReadWorld),
            ),
            (
                "SELECT \"world\".\"id\", \"world\".\"random_number\" FROM \"world\" WHERE \"world\".\"id\" = $1 LIMIT $2",
                Some(Kind::ReadWorld),
            ),
            (
                "UPDATE world SET random_number = $2 WHERE id = $1",
                Some(Kind::WriteWorld),
            ),
            ("SELECT id, message FROM fortune", Some(Kind::ReadFortunes)),
            (
                "INSERT INTO orders (customer) VALUES ($1) RETURNING id",
                Some(Kind::NewOrder),
            ),
            (
                "INSERT INTO order_line (order_id, product, quantity) SELECT $1, * FROM unnest($2::int[], $3::int[])",
                Some(Kind::NewLines),
            ),
            (
                "SELECT o.customer, l.product FROM orders o JOIN order_line l ON l.order_id = o.id WHERE o.id = $1",
                Some(Kind::ReadOrder),
            ),
            ("COMMIT", Some(Kind::Commit)),
            ("BEGIN", None),
            ("SELECT $1", None),
            ("SELECT customer FROM orders WHERE id = $1", Some(Kind::Other)),
            ("TABLE world", Some(Kind::Other)),
            ("COPY world TO STDOUT", Some(Kind::Other)),
        ] {
            assert_eq!(kind_of(query), kind, "{query}");
        }
    }

    impl Work {
        /// The first thing of it, in words.
        pub fn first(&self) -> Option<String> {
            let (kind, tally) = self.0.first_key_value()?;
            Some(format!("{kind}: {}", tally.calls))
        }
    }

    fn work(kinds: &[(Kind, u64, u64)]) -> Work {
        let tally = |&(kind, calls, rows): &(Kind, u64, u64)| (kind, Tally { calls, rows });
        Work(kinds.iter().map(tally).collect())
    }

    fn against(work: &Work, method: Method, path: &str) -> Option<String> {
        let line = r#"{"product":1,"quantity":1}"#;
        let order = format!(r#"{{"customer":1,"lines":[{line},{line},{line}]}}"#);
        work.reason_against(&Work::of_request(method, path, &order, 12).unwrap(), 10)
    }

    #[test]
    fn a_server_that_did_its_work_is_believed() {
        let reads = work(&[(Kind::ReadWorld, 10, 10)]);
        assert_eq!(against(&reads, Method::Get, "/db"), None);
        let reads = work(&[(Kind::ReadWorld, 200, 200)]);
        assert_eq!(against(&reads, Method::Get, "/queries?n=20"), None);
        let orders = work(&[
            (Kind::NewOrder, 10, 10),
            (Kind::NewLines, 10, 30),
            (Kind::Commit, 11, 0),
        ]);
        assert_eq!(against(&orders, Method::Post, "/orders"), None);
        let updates = work(&[
            (Kind::ReadWorld, 50, 50),
            (Kind::WriteWorld, 50, 50),
            (Kind::Commit, 10, 0),
        ]);
        assert_eq!(against(&updates, Method::Post, "/updates?n=5"), None);
    }

    #[test]
    fn one_that_did_not_is_told_what_is_missing() {
        let told = |kinds: &[(Kind, u64, u64)], method, path| against(&work(kinds), method, path).unwrap();
        assert_eq!(
            told(&[], Method::Get, "/db"),
            "10 answers: reads of `world`: 10 with 10 rows needed, 0 with 0 rows counted"
        );
        assert_eq!(
            told(&[(Kind::ReadWorld, 10, 200)], Method::Get, "/queries?n=20"),
            "10 answers: reads of `world`: 200 with 200 rows needed, 10 with 200 rows counted"
        );
        let without = [(Kind::NewOrder, 10, 10), (Kind::NewLines, 10, 30)];
        assert_eq!(
            told(&without, Method::Post, "/orders"),
            "10 answers: commits: 10 needed, 0 counted"
        );
        let also = [(Kind::ReadWorld, 10, 10), (Kind::Other, 1, 10_000)];
        assert!(
            told(&also, Method::Get, "/db")
                .contains("other statements on its tables: 0 with 0 rows needed, 1 with 10000 rows counted")
        );
    }

    #[test]
    fn only_what_came_later_counts() {
        let before = work(&[(Kind::ReadWorld, 5, 5), (Kind::Commit, 1, 0)]);
        let now = work(&[(Kind::ReadWorld, 15, 15), (Kind::Commit, 1, 0)]);
        assert_eq!(now.since(&before), work(&[(Kind::ReadWorld, 10, 10)]));
    }
}
