//! Instructions per request of every app and request, where a run counted them.

use crate::report::figure;
use crate::report::table;
use crate::report::table::NAME_WIDTH;
use crate::report::view;
use crate::report::view::{Subject, Table};
use record::escape;
use record::escape::{NAME, clean, cut};
use record::{Metric, Record};

/// Columns of a table in a terminal.
const MOST_COLUMNS: usize = 4;

/// How to read the table.
const ABOUT: &str = "Instructions in user space for one request, counted under callgrind: ratio to the reference, and the \
    count. They hardly depend on the machine. They are not times: a cheaper mix of instructions, or less work in the kernel, \
    does not show.";

const METRIC: Metric = Metric::InstructionsPerRequest;

/// Apps with a count, in groups and in the order of the geometric mean, and the scenarios with a count.
fn counted<'a, 'b>(record: &'a Record, tables: &'b [Table<'a>]) -> (Vec<Subject<'a>>, Vec<&'b Table<'a>>) {
    let has = |table: &Table, subject: Subject| table.row(subject).is_some_and(|row| row.metric(METRIC).is_some());
    let mut subjects = view::subjects(record);
    subjects.retain(|subject| tables.iter().any(|table| has(table, *subject)));
    let columns = tables
        .iter()
        .filter(|table| subjects.iter().any(|subject| has(table, *subject)));
    let columns: Vec<_> = columns.collect();
    let mean = |subject: &Subject| view::mean_ratio(*subject, &columns, METRIC).unwrap_or(f64::INFINITY);
    subjects.sort_by(|one, other| {
        let role = one.role().cmp(&other.role());
        let group = role.then(one.tier().cmp(&other.tier()));
        group.then(mean(one).total_cmp(&mean(other)))
    });
    (subjects, columns)
}

/// Ratio with its interval, and the count.
fn field(table: &Table, subject: Subject) -> Option<(String, String)> {
    let row = table.row(subject)?;
    let summary = row.metric(METRIC).filter(|summary| summary.trusted)?;
    let ratio = row.ratio(METRIC).map_or(figure::NONE.to_owned(), |ratio| {
        let spread = figure::ratio_spread(&ratio);
        format!("{} {spread}", figure::ratio(ratio.estimate))
            .trim_end()
            .to_owned()
    });
    Some((ratio, figure::number(METRIC, summary.median)))
}

/// The section of the report; nothing where nothing was counted.
pub fn markdown<'a>(record: &'a Record, tables: &[Table<'a>]) -> Option<String> {
    let (subjects, columns) = counted(record, tables);
    if subjects.is_empty() {
        return None;
    }
    let ids = columns.iter().map(|table| escape::markdown_name(&table.scenario.id));
    let header: Vec<String> = std::iter::once("App".to_owned()).chain(ids).collect();
    let row = |subject: &Subject| -> Vec<String> {
        let fields = columns.iter().map(|table| match field(table, *subject) {
            Some((ratio, count)) => format!("{ratio}<br><sub>{count}</sub>"),
            None => figure::NONE.to_owned(),
        });
        std::iter::once(escape::markdown(&subject.label()))
            .chain(fields)
            .collect()
    };
    Some(format!(
        "## Instructions per request\n\n{ABOUT}\n\n{}",
        table::markdown(&header, &[0], subjects.iter().map(row))
    ))
}

/// The tables for a terminal, a few columns each.
pub fn terminal<'a>(record: &'a Record, tables: &[Table<'a>]) -> Vec<Vec<String>> {
    let (subjects, columns) = counted(record, tables);
    let some = columns.chunks(MOST_COLUMNS).map(|columns| {
        let ids: Vec<String> = columns.iter().map(|table| clean(&table.scenario.id, NAME)).collect();
        let header = std::iter::once("instructions ÷ reference").chain(ids.iter().map(String::as_str));
        let row = |subject: &Subject| {
            let fields = columns.iter().map(|table| match field(table, *subject) {
                Some((ratio, count)) => format!("{ratio} ({count})"),
                None => figure::NONE.to_owned(),
            });
            std::iter::once(cut(&subject.label(), NAME_WIDTH))
                .chain(fields)
                .collect()
        };
        table::terminal(header, &[0], subjects.iter().map(row))
    });
    some.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge::sample;
    use record::{Interval, Ratio, Summary};

    fn record() -> Record {
        let mut record = sample::record();
        let counts = [("actix-web", 12_345.0), ("axum", 14_000.0), ("reference", 13_000.0)];
        for (app, count) in counts {
            let cells = record
                .summary
                .iter_mut()
                .filter(|cell| cell.app == app && cell.scenario == "plaintext");
            for cell in cells.filter(|cell| cell.variant == "default") {
                let summary = Summary {
                    median: count,
                    interval: None,
                    trials: 1,
                    ratio: Some(Ratio {
                        estimate: count / 13_000.0,
                        interval: Some(Interval {
                            low: count / 13_010.0,
                            high: count / 12_990.0,
                        }),
                    }),
                    rank: None,
                    behind: Vec::new(),
                    trusted: true,
                };
                cell.metrics.insert(METRIC, summary);
            }
        }
        record
    }

    #[test]
    fn counts_are_a_table_in_both_formats() {
        let record = record();
        let tables = view::tables(&record);
        let rows = terminal(&record, &tables).concat();
        insta::assert_snapshot!(format!(
            "{}\n\n{}",
            markdown(&record, &tables).unwrap(),
            rows.join("\n")
        ));
    }

    #[test]
    fn without_counts_there_is_no_table() {
        let record = sample::record();
        let tables = view::tables(&record);
        assert!(markdown(&record, &tables).is_none() && terminal(&record, &tables).is_empty());
    }
}
