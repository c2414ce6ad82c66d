//! Rows of the tables, as the harness reads and changes them to prove what servers answer.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Database;

/// A fortune: id and message.
pub type Fortune = (i32, String);

impl Database {
    /// Gives all rows of `world` new numbers, which a server cannot know without a query.
    pub fn scatter(&self, seed: u32) -> anyhow::Result<()> {
        let query = "UPDATE world SET random_number = \
                     1 + (abs(hashint8(id::bigint * 4294967296 + $1)::bigint) % 10000)::integer";
        self.rows(query, &[&i64::from(seed)]).map(drop)
    }

    /// The numbers in these rows of `world`, as far as they are there.
    pub fn numbers(&self, ids: &[i32]) -> anyhow::Result<BTreeMap<i32, i32>> {
        let rows = self.rows("SELECT id, random_number FROM world WHERE id = ANY ($1)", &[&ids])?;
        Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
    }

    /// All fortunes.
    pub fn fortunes(&self) -> anyhow::Result<Vec<Fortune>> {
        let rows = self.rows("SELECT id, message FROM fortune", &[])?;
        Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
    }

    /// Adds a fortune.
    pub fn add_fortune(&self, id: i32, message: &str) -> anyhow::Result<()> {
        let query = "INSERT INTO fortune (id, message) VALUES ($1, $2)";
        self.rows(query, &[&id, &message]).map(drop)
    }

    /// Removes it.
    pub fn remove_fortune(&self, id: i32) -> anyhow::Result<()> {
        self.rows("DELETE FROM fortune WHERE id = $1", &[&id]).map(drop)
    }

    /// The order of this id, as a server answers it; `null` if there is none.
    pub fn order(&self, id: i32) -> anyhow::Result<Value> {
        let lines = "SELECT coalesce(json_agg(json_build_object('product', product, 'quantity', quantity) ORDER BY product), '[]') \
                     FROM order_line WHERE order_id = orders.id";
        let order = format!("json_build_object('id', id, 'customer', customer, 'lines', ({lines}))::text");
        let rows = self.rows(&format!("SELECT {order} FROM orders WHERE id = $1"), &[&id])?;
        Ok(rows
            .first()
            .map_or(Ok(Value::Null), |row| serde_json::from_str(row.get(0)))?)
    }

    /// How many transactions these rows of `world` were last written by.
    pub fn writers_of_worlds(&self, ids: &[i32]) -> anyhow::Result<i64> {
        let query = "SELECT count(DISTINCT xmin::text) FROM world WHERE id = ANY ($1)";
        self.value(query, &[&ids])
    }

    /// How many transactions this order and its lines were written by.
    pub fn writers_of_order(&self, id: i32) -> anyhow::Result<i64> {
        self.value(
            "SELECT count(DISTINCT writer) FROM (SELECT xmin::text AS writer FROM orders WHERE id = $1 \
             UNION ALL SELECT xmin::text FROM order_line WHERE order_id = $1) AS written",
            &[&id],
        )
    }

    /// How many orders there are, and how many lines.
    pub fn orders(&self) -> anyhow::Result<(i64, i64)> {
        let orders = self.value("SELECT count(*) FROM orders", &[])?;
        Ok((orders, self.value("SELECT count(*) FROM order_line", &[])?))
    }
}
