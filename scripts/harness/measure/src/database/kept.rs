//! What a load has left in the tables: statements that were counted may have been undone afterwards.

use super::work::{Demand, Kind, plural};
use super::{Database, DatabaseError, ROWS};

/// Share of the rows that chance would let writes at random meet, below which some were undone.
const MET: f64 = 0.5;

/// The tables before a load.
#[derive(Debug, Clone, Copy)]
pub struct Mark {
    last_order: i32,
    transaction: i64,
}

/// What was written since and not undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kept {
    /// Orders.
    pub orders: u64,
    /// Lines of them.
    pub lines: u64,
    /// Different rows of `world`.
    pub worlds: u64,
}

impl Database {
    /// The tables as they are now.
    pub fn mark(&self) -> Result<Mark, DatabaseError> {
        let row = self.admin().query_one(
            "SELECT coalesce(max(id), 0), pg_current_xact_id()::text::bigint FROM orders",
            &[],
        )?;
        Ok(Mark {
            last_order: row.get(0),
            transaction: row.get(1),
        })
    }

    /// What was kept since `mark`. Orders are numbered by a sequence, and a row says which transaction wrote it (`xmin`).
    pub fn kept_since(&self, mark: Mark) -> Result<Kept, DatabaseError> {
        let row = self.admin().query_one(
            "SELECT (SELECT count(*) FROM orders WHERE id > $1), (SELECT count(*) FROM order_line WHERE order_id > $1), \
             (SELECT count(*) FROM world WHERE xmin::text::bigint >= $2)",
            &[&mark.last_order, &mark.transaction],
        )?;
        let number = |column| u64::try_from(row.get::<_, i64>(column)).unwrap_or(0);
        Ok(Kept {
            orders: number(0),
            lines: number(1),
            worlds: number(2),
        })
    }
}

impl Kept {
    /// Why this is not what that many answers to `demand` leave behind; `None` if it can be.
    pub fn reason_against(self, demand: &Demand, answers: u64) -> Option<String> {
        let rows = |kind| demand.rows(kind) * answers;
        let counted = [
            ("order", rows(Kind::NewOrder), self.orders),
            ("order line", rows(Kind::NewLines), self.lines),
        ];
        let lost = counted.into_iter().find(|(_, must, did)| must != did);
        if let Some((what, must, did)) = lost {
            return Some(format!(
                "{}: {} needed, {did} kept",
                plural(answers, "answer"),
                plural(must, what)
            ));
        }
        // Writes meet the same row again and again.
        let all = f64::from(ROWS);
        let met = all * (1.0 - (-(rows(Kind::WriteWorld) as f64) / all).exp());
        ((self.worlds as f64) < met * MET).then(|| {
            format!(
                "{}: about {met:.0} rows of `world` with new numbers needed, {} kept",
                plural(answers, "answer"),
                self.worlds
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::scenario::Method;

    fn against(path: &str, n: u64, answers: u64, (orders, lines, worlds): (u64, u64, u64)) -> Option<String> {
        let demand = Demand::of_request(Method::Post, path, n, 3, 12).unwrap();
        Kept { orders, lines, worlds }.reason_against(&demand, answers)
    }

    #[test]
    fn every_order_and_every_line_must_be_kept() {
        assert_eq!(against("/orders", 1, 10, (10, 30, 0)), None);
        assert_eq!(
            against("/orders", 1, 10, (0, 0, 0)).unwrap(),
            "10 answers: 10 orders needed, 0 kept"
        );
        assert_eq!(
            against("/orders", 1, 10, (10, 20, 0)).unwrap(),
            "10 answers: 30 order lines needed, 20 kept"
        );
    }

    #[test]
    fn writes_at_random_leave_about_as_many_rows_as_chance_does() {
        assert_eq!(against("/updates", 5, 100, (0, 0, 490)), None);
        // 50,000 writes meet all but seventy rows.
        assert_eq!(against("/updates", 5, 10_000, (0, 0, 9_930)), None);
        assert_eq!(
            against("/updates", 5, 100, (0, 0, 0)).unwrap(),
            "100 answers: about 488 rows of `world` with new numbers needed, 0 kept"
        );
    }
}
