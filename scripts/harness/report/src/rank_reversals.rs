//! Where the order at a common rate contradicts the order at full load.
//!
//! In a closed loop a faster server gets more requests, a less loaded one needs more wake-ups per answer, and one that lets requests
//! queue looks cheap. At a common rate all do the same work, so a framework that leads only at full load is mentioned.

use crate::labels;
use crate::table::{self, Row, Table};
use analyze::variations::families;
use model::escape::{NAME, clean};
use model::scenario::{Dimension, LoadModel, Scenario};
use model::{Metric, Record};

/// Comparisons of scenarios with the same request at a common rate, as plain text that is not escaped yet.
pub fn rank_reversals(record: &Record, tables: &[Table]) -> Vec<String> {
    let table = |scenario: &Scenario| tables.iter().find(|table| table.scenario.id == scenario.id);
    let mut found = Vec::new();
    for family in families(&record.scenarios) {
        let closed = family
            .plain
            .filter(|plain| family.by == Dimension::Rate && plain.load == LoadModel::Closed);
        let Some(closed) = closed.and_then(table) else { continue };
        let open = family.variations.into_iter();
        let open = open.filter(|scenario| matches!(scenario.load, LoadModel::Open { .. }));
        found.extend(open.filter_map(table).map(|open| compared(closed, open)));
    }
    found
}

fn compared(closed: &Table, open: &Table) -> String {
    let [full, rate] = [closed, open].map(|table| clean(&table.scenario.id, NAME));
    let mut reversed = Vec::new();
    for one in &closed.ranked {
        let contradicts = |other: &&Row| is_before(closed, one, other) && is_before(open, other, one);
        for other in closed.ranked.iter().filter(contradicts) {
            reversed.push(format!("{} before {}", table::label(one.app), table::label(other.app)));
        }
    }
    match reversed.as_slice() {
        [] => format!("CPU per request: no order found in {full} is reversed at the common rate of {rate}"),
        pairs => format!(
            "CPU per request: {full} puts {}; the common rate of {rate} puts the reverse",
            labels::list(pairs)
        ),
    }
}

/// Whether this scenario found that one needs less CPU time than another.
fn is_before(table: &Table, one: &Row, other: &Row) -> bool {
    let [one, other] = [one, other].map(|row| table.row(row.app));
    let both = one.zip(other);
    both.is_some_and(|(one, other)| other.is_behind(Metric::ServerCpuUsPerRequest, one))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table;
    use model::Rank;
    use model::scenario::Varies;

    fn at_a_rate() -> Record {
        let mut record = samples::record();
        record.scenarios[2].varies = Some(Varies {
            like: "plaintext".to_owned(),
            by: Dimension::Rate,
        });
        record
    }

    #[test]
    fn a_proven_order_that_is_reversed_is_named() {
        let mut record = at_a_rate();
        let found = |record: &Record| rank_reversals(record, &table::tables(record));
        assert_eq!(
            found(&record),
            ["CPU per request: no order found in plaintext is reversed at the common rate of cpu-open"]
        );
        let tuned = |cell: &&mut model::Cell| cell.variant == "tuned" && cell.scenario == "cpu-open";
        let cell = record.summary.iter_mut().find(tuned).unwrap();
        let cpu = cell.metrics.get_mut(&Metric::ServerCpuUsPerRequest).unwrap();
        cpu.rank = Some(Rank { best: 3, worst: 3 });
        assert_eq!(
            found(&record),
            [
                "CPU per request: plaintext puts axum (tuned) before axum and axum (tuned) before actix-web; the common rate of \
              cpu-open puts the reverse"
            ]
        );
    }

    #[test]
    fn without_a_common_rate_nothing_is_said() {
        let record = samples::record();
        assert!(rank_reversals(&record, &table::tables(&record)).is_empty());
    }
}
