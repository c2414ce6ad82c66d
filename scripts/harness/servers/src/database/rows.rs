//! Rows of the tables, as the harness reads and changes them to prove what servers answer.

use serde::Deserialize;

use super::{Database, DatabaseError};

/// A fortune: id and message.
pub type Fortune = (i32, String);
/// A line of an order.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    pub product: i32,
    pub quantity: i32,
}

/// An order with its lines, sorted by product; a new one has no id.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Order {
    pub id: Option<i32>,
    pub customer: i32,
    pub lines: Vec<Line>,
}

impl Database {
    /// Gives all rows of `world` new numbers, which a server cannot know without asking.
    pub fn scatter(&self, seed: u32) -> Result<(), DatabaseError> {
        self.admin().execute(
            "UPDATE world SET random_number = 1 + (abs(hashint8(id::bigint * 4294967296 + $1)::bigint) % 10000)::integer",
            &[&i64::from(seed)],
        )?;
        Ok(())
    }

    /// The numbers in these rows of `world`, in their order; `None` for a row that is not there.
    pub fn numbers(&self, ids: &[i32]) -> Result<Vec<Option<i32>>, DatabaseError> {
        let rows = self.admin().query(
            "SELECT world.random_number FROM unnest($1::integer[]) WITH ORDINALITY AS asked (id, place) \
             LEFT JOIN world ON world.id = asked.id ORDER BY asked.place",
            &[&ids],
        )?;
        Ok(rows.iter().map(|row| row.get(0)).collect())
    }

    /// All fortunes.
    pub fn fortunes(&self) -> Result<Vec<Fortune>, DatabaseError> {
        let rows = self.admin().query("SELECT id, message FROM fortune", &[])?;
        Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
    }

    /// Adds a fortune.
    pub fn add_fortune(&self, id: i32, message: &str) -> Result<(), DatabaseError> {
        self.admin()
            .execute("INSERT INTO fortune (id, message) VALUES ($1, $2)", &[&id, &message])?;
        Ok(())
    }

    /// Removes it.
    pub fn remove_fortune(&self, id: i32) -> Result<(), DatabaseError> {
        self.admin().execute("DELETE FROM fortune WHERE id = $1", &[&id])?;
        Ok(())
    }

    /// The order of this id.
    pub fn order(&self, id: i32) -> Result<Option<Order>, DatabaseError> {
        let rows = self.admin().query(
            "SELECT orders.customer, order_line.product, order_line.quantity FROM orders \
             LEFT JOIN order_line ON order_line.order_id = orders.id WHERE orders.id = $1 ORDER BY order_line.product",
            &[&id],
        )?;
        let line = |row: &postgres::Row| {
            Some(Line {
                product: row.get::<_, Option<i32>>(1)?,
                quantity: row.get::<_, Option<i32>>(2)?,
            })
        };
        Ok(rows.first().map(|first| Order {
            id: Some(id),
            customer: first.get(0),
            lines: rows.iter().filter_map(line).collect(),
        }))
    }

    /// How many transactions these rows of `world` were last written by.
    pub fn writers_of_worlds(&self, ids: &[i32]) -> Result<i64, DatabaseError> {
        let query = "SELECT count(DISTINCT xmin::text) FROM world WHERE id = ANY ($1)";
        self.value(query, &[&ids])
    }

    /// How many transactions this order and its lines were written by.
    pub fn writers_of_order(&self, id: i32) -> Result<i64, DatabaseError> {
        self.value(
            "SELECT count(DISTINCT writer) FROM (SELECT xmin::text AS writer FROM orders WHERE id = $1 \
             UNION ALL SELECT xmin::text FROM order_line WHERE order_id = $1) AS written",
            &[&id],
        )
    }

    /// How many orders there are, and how many lines.
    pub fn orders(&self) -> Result<(i64, i64), DatabaseError> {
        let orders = self.value("SELECT count(*) FROM orders", &[])?;
        Ok((orders, self.value("SELECT count(*) FROM order_line", &[])?))
    }
}
