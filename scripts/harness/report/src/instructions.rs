//! Instructions per request of every app and request, where a run counted them.

use model::{AppRecord, Metric, Record};

use super::document::Medium::{Markdown, Terminal};
use super::document::{Block, Cell, Rows, name, own};
use super::table::{Row, Table};
use super::{figure, table};

/// Columns of a table in a terminal.
const MOST_COLUMNS: usize = 4;

/// How to read the table.
const ABOUT: &str = "Instructions in user space for one request, counted under callgrind: ratio to the reference, and the \
    count. They hardly depend on the machine. They are not times: a cheaper mix of instructions, or less work in the kernel, \
    does not show.";

const METRIC: Metric = Metric::InstructionsPerRequest;

/// Apps with a count, in groups and in the order of the geometric mean, and the scenarios with a count.
fn counted<'a, 'b>(record: &'a Record, tables: &'b [Table<'a>]) -> (Vec<&'a AppRecord>, Vec<&'b Table<'a>>) {
    let is_counted = |row: &Row| row.metric(METRIC).is_some();
    let columns = tables.iter().filter(|table| table.rows().any(is_counted));
    let columns: Vec<_> = columns.collect();
    let mut apps = table::ordered(record, &columns, METRIC);
    apps.retain(|app| columns.iter().any(|table| table.row(app).is_some_and(is_counted)));
    (apps, columns)
}

/// Ratio with its interval, and the count.
fn field(table: &Table, app: &AppRecord) -> Option<Cell> {
    let row = table.row(app)?;
    let ratio = row.ratio(METRIC).map(|ratio| own(figure::ratio_and_spread(&ratio)));
    let count = figure::number(METRIC, row.trusted(METRIC)?.median);
    Some(Cell::new(ratio, own(count)))
}

/// The section of the report; nothing where nothing was counted.
pub fn section<'a>(record: &'a Record, tables: &[Table<'a>]) -> Vec<Block> {
    let (apps, columns) = counted(record, tables);
    if apps.is_empty() {
        return Vec::new();
    }
    let grid = |columns: &[&Table]| {
        let mut rows = Rows::of(&apps).words("App", |app| table::label(app));
        for table in columns {
            let title = Cell::new(name(&table.scenario.id), "count");
            rows = rows.figures(title, |app| field(table, app).unwrap_or_default());
        }
        rows.table()
    };
    vec![
        Block::Heading(2, "Instructions per request".into()),
        Block::paragraph(ABOUT),
        Block::Only(Markdown, vec![grid(&columns)]),
        Block::Only(Terminal, columns.chunks(MOST_COLUMNS).map(grid).collect()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::markdown;
    use crate::terminal::{Style, terminal};
    use model::{Interval, Ratio, Summary};

    fn record() -> Record {
        let mut record = samples::record();
        let counts = [("actix-web", 12_345.0), ("axum", 14_000.0), ("reference", 13_000.0)];
        for (app, count) in counts {
            let (low, estimate, high) = (count / 13_010.0, count / 13_000.0, count / 12_990.0);
            let interval = Some(Interval { low, high });
            let summary = Summary {
                median: count,
                trials: 1,
                ratio: Some(Ratio {
                    estimate,
                    interval,
                    ..Ratio::default()
                }),
                trusted: true,
                ..Summary::default()
            };
            let is_of =
                |cell: &&mut model::Cell| [&cell.app, &cell.variant, &cell.scenario] == [app, "default", "plaintext"];
            let cell = record.summary.iter_mut().find(is_of).unwrap();
            cell.metrics.insert(METRIC, summary);
        }
        record
    }

    #[test]
    fn counts_are_a_table_in_both_formats() {
        let record = record();
        let tables = table::tables(&record);
        let section = section(&record, &tables);
        let (markdown, terminal) = (markdown(&section), terminal(&section, Style::PLAIN));
        insta::assert_snapshot!(format!("{markdown}\n{terminal}"));
    }

    #[test]
    fn without_counts_there_is_no_table() {
        let record = samples::record();
        let tables = table::tables(&record);
        assert!(section(&record, &tables).is_empty());
    }
}
