//! The statements of a server, counted by the database itself (`pg_stat_statements`), and those that its answers need.
//!
//! Status and size of an answer do not say where it came from. Here a server that keeps rows in memory lacks rows, one that reads
//! twenty rows with one statement lacks statements, and one that forgets the transaction lacks commits.

use std::collections::{BTreeMap, BTreeSet};

use postgres::Row;
use serde_json::Value;

use super::FORTUNES;
use model::count;
use model::scenario::{Method, Scenario};

/// What kinds of statements are called.
const READ_WORLD: &str = "reads of `world`";
const WRITE_WORLD: &str = "writes of `world`";
const READ_FORTUNES: &str = "reads of `fortune`";
const READ_ORDER: &str = "reads of `orders`";
const NEW_ORDER: &str = "inserts into `orders`";
const NEW_LINES: &str = "inserts into `order_line`";
/// Ends a transaction and keeps it.
const COMMIT: &str = "commits";
const OTHER: &str = "other statements on its tables";

/// How a statement on tables of the contract begins, the tables that it names, and its kind: the first that fits.
const KINDS: [(&str, &[&str], &str); 6] = [
    ("select", &["world"], READ_WORLD),
    ("update", &["world"], WRITE_WORLD),
    ("select", &["fortune"], READ_FORTUNES),
    ("insert", &["order_line"], NEW_LINES),
    ("insert", &["orders"], NEW_ORDER),
    ("select", &["orders", "order_line"], READ_ORDER),
];
const TABLES: [&str; 4] = ["world", "fortune", "orders", "order_line"];

/// Statements by kind: how often each was executed, and how many rows that read or wrote.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Work(BTreeMap<&'static str, (u64, u64)>);

impl Work {
    /// From rows of `pg_stat_statements`: statement, calls and rows.
    pub(super) fn counted(rows: &[Row]) -> Self {
        let mut work = Self::default();
        for row in rows {
            if let Some(kind) = kind_of(row.get(0)) {
                let (calls, rows) = work.0.entry(kind).or_default();
                *calls += u64::try_from(row.get::<_, i64>(1)).unwrap_or(0);
                *rows += u64::try_from(row.get::<_, i64>(2)).unwrap_or(0);
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
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let n = query.strip_prefix("n=").map_or(Some(1), |n| n.parse().ok())?;
        let kinds = match (method, path) {
            (Method::Get, "/db") => vec![(READ_WORLD, (1, 1))],
            (Method::Get, "/queries") => vec![(READ_WORLD, (n, n))],
            (Method::Get, "/fortunes") => vec![(READ_FORTUNES, (1, fortunes))],
            (Method::Post, "/orders") => vec![(NEW_ORDER, (1, 1)), (NEW_LINES, (1, lines_of(body)?)), (COMMIT, (1, 0))],
            // Every order that is there from the beginning has three lines.
            (Method::Get, path) if path.starts_with("/orders/") => vec![(READ_ORDER, (1, 3))],
            (Method::Post, "/updates") => vec![(READ_WORLD, (n, n)), (WRITE_WORLD, (n, n)), (COMMIT, (1, 0))],
            _ => return None,
        };
        Some(Self(kinds.into_iter().collect()))
    }

    /// What came after `before`.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        let mut since = self.clone();
        for (kind, earlier) in &before.0 {
            let (calls, rows) = since.0.entry(kind).or_default();
            *calls = calls.saturating_sub(earlier.0);
            *rows = rows.saturating_sub(earlier.1);
        }
        since.0.retain(|_, counted| *counted != (0, 0));
        since
    }

    /// Why this is not the work for that many answers that need `one` each; `None` if it is.
    pub fn reason_against(&self, one: &Self, answers: u64) -> Option<String> {
        let answered = |what| format!("{}: {what}", plural(answers, "answer"));
        self.0.keys().chain(one.0.keys()).find_map(|kind| {
            let did = self.0.get(kind).copied().unwrap_or_default();
            let must = one.0.get(kind).copied().unwrap_or_default();
            let (calls, rows) = (must.0 * answers, must.1 * answers);
            // Begun or undone transactions are the driver's affair; a commit that wrote nothing is as well.
            if *kind == COMMIT {
                let words = format!("{kind}: {calls} needed, {} counted", did.0);
                return (did.0 < calls).then(|| answered(words));
            }
            let words = |calls, rows| format!("{calls} with {}", plural(rows, "row"));
            let (needed, counted) = (words(calls, rows), words(did.0, did.1));
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
fn kind_of(query: &str) -> Option<&'static str> {
    let text = query.to_ascii_lowercase().replace('"', "");
    let mut words = text
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty());
    let verb = words.next()?;
    if ["commit", "end"].contains(&verb) {
        return Some(COMMIT);
    }
    let named: BTreeSet<&str> = words.filter(|word| TABLES.contains(word)).collect();
    let fits =
        |(begins, tables, _): &&(&str, &[&str], _)| *begins == verb && tables.iter().all(|one| named.contains(one));
    let kind = KINDS.iter().find(fits).map_or(OTHER, |(.., kind)| kind);
    (!named.is_empty()).then_some(kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_known_by_what_they_do() {
        for (query, kind) in [
            ("SELECT id, random_number FROM world WHERE id = $1", Some(READ_WORLD)),
            (
                "SELECT \"world\".\"id\", \"world\".\"random_number\" FROM \"world\" WHERE \"world\".\"id\" = $1 LIMIT $2",
                Some(READ_WORLD),
            ),
            ("UPDATE world SET random_number = $2 WHERE id = $1", Some(WRITE_WORLD)),
            ("SELECT id, message FROM fortune", Some(READ_FORTUNES)),
            (
                "INSERT INTO orders (customer) VALUES ($1) RETURNING id",
                Some(NEW_ORDER),
            ),
            (
                "INSERT INTO order_line (order_id, product, quantity) SELECT $1, * FROM unnest($2::int[], $3::int[])",
                Some(NEW_LINES),
            ),
            (
                "SELECT o.customer, l.product FROM orders o JOIN order_line l ON l.order_id = o.id WHERE o.id = $1",
                Some(READ_ORDER),
            ),
            ("COMMIT", Some(COMMIT)),
            ("BEGIN", None),
            ("SELECT $1", None),
            ("SELECT customer FROM orders WHERE id = $1", Some(OTHER)),
            ("TABLE world", Some(OTHER)),
            ("COPY world TO STDOUT", Some(OTHER)),
        ] {
            assert_eq!(kind_of(query), kind, "{query}");
        }
    }

    impl Work {
        /// The first thing of it, in words.
        pub fn first(&self) -> Option<String> {
            let (kind, (calls, _)) = self.0.first_key_value()?;
            Some(format!("{kind}: {calls}"))
        }
    }

    fn work(kinds: &[(&'static str, u64, u64)]) -> Work {
        Work(
            kinds
                .iter()
                .map(|(kind, calls, rows)| (*kind, (*calls, *rows)))
                .collect(),
        )
    }

    fn against(work: &Work, method: Method, path: &str) -> Option<String> {
        let line = r#"{"product":1,"quantity":1}"#;
        let order = format!(r#"{{"customer":1,"lines":[{line},{line},{line}]}}"#);
        work.reason_against(&Work::of_request(method, path, &order, 12).unwrap(), 10)
    }

    #[test]
    fn a_server_that_did_its_work_is_believed() {
        let reads = work(&[(READ_WORLD, 10, 10)]);
        assert_eq!(against(&reads, Method::Get, "/db"), None);
        let reads = work(&[(READ_WORLD, 200, 200)]);
        assert_eq!(against(&reads, Method::Get, "/queries?n=20"), None);
        let orders = work(&[(NEW_ORDER, 10, 10), (NEW_LINES, 10, 30), (COMMIT, 11, 0)]);
        assert_eq!(against(&orders, Method::Post, "/orders"), None);
        let updates = work(&[(READ_WORLD, 50, 50), (WRITE_WORLD, 50, 50), (COMMIT, 10, 0)]);
        assert_eq!(against(&updates, Method::Post, "/updates?n=5"), None);
    }

    #[test]
    fn what_a_server_left_undone_is_named() {
        let reason = |kinds: &[(&'static str, u64, u64)], method, path| against(&work(kinds), method, path).unwrap();
        assert_eq!(
            reason(&[], Method::Get, "/db"),
            "10 answers: reads of `world`: 10 with 10 rows needed, 0 with 0 rows counted"
        );
        assert_eq!(
            reason(&[(READ_WORLD, 10, 200)], Method::Get, "/queries?n=20"),
            "10 answers: reads of `world`: 200 with 200 rows needed, 10 with 200 rows counted"
        );
        let without = [(NEW_ORDER, 10, 10), (NEW_LINES, 10, 30)];
        assert_eq!(
            reason(&without, Method::Post, "/orders"),
            "10 answers: commits: 10 needed, 0 counted"
        );
        let also = [(READ_WORLD, 10, 10), (OTHER, 1, 10_000)];
        assert!(
            reason(&also, Method::Get, "/db")
                .contains("other statements on its tables: 0 with 0 rows needed, 1 with 10000 rows counted")
        );
    }

    #[test]
    fn only_what_came_later_counts() {
        let before = work(&[(READ_WORLD, 5, 5), (COMMIT, 1, 0)]);
        let now = work(&[(READ_WORLD, 15, 15), (COMMIT, 1, 0)]);
        assert_eq!(now.since(&before), work(&[(READ_WORLD, 10, 10)]));
    }
}
