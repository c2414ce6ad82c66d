//! The result of a run for a terminal of 100 columns.
//!
//! Each table gives the figure that is ranked first, its ratio to the reference with the interval, and the absolute one small
//! beside it. What is not trusted stands in parentheses, dimmed where colour is wanted; why, is one line below the table.
//! Columns are aligned by the number of characters, not bytes.

use std::collections::BTreeMap;

use crate::report::figure;
use crate::report::matrix;
use crate::report::matrix::Matrix;
use crate::report::view;
use crate::report::view::{Failure, Row, Table};
use crate::report::{conclusion, costs, instructions, orders, surroundings, words};
use record::escape::{NAME, SENTENCE, clean, cut};
use record::scenario::{LoadModel, Scenario};
use record::{Metric, Record, Summary};

/// Columns of the terminal that the table fits into.
const WIDTH: usize = 100;

/// Characters of an app's name.
const NAME_WIDTH: usize = 24;

/// Heading of the names.
const NAMES: &str = "app";

const HOW_TO_READ: &str = "rank: the places that the proven differences leave; ÷ reference: ratio to the reference server with \
    its 95 % interval; busy: share of its cpus that the server used; in flight: requests under way on average; (…) is not \
    trusted and not ranked";

const DIM: &str = "\u{1b}[2m";
const BOLD: &str = "\u{1b}[1m";
const RED: &str = "\u{1b}[31m";
const RESET: &str = "\u{1b}[0m";

/// How a terminal is written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// With ANSI colours.
    Colour,
    /// Without: for pipes, logs and `NO_COLOR`.
    Plain,
}

impl Style {
    fn paint(self, code: &str, text: &str) -> String {
        match self {
            Self::Colour if !text.is_empty() => format!("{code}{text}{RESET}"),
            _ => text.to_owned(),
        }
    }
}

/// One cell of a table: what it says, and whether it is set apart.
struct Field {
    text: String,
    apart: bool,
}

impl Field {
    fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            apart: false,
        }
    }

    fn width(&self) -> usize {
        self.text.chars().count()
    }
}

/// One column of a table: figures to the right, words and intervals to the left.
struct Column {
    title: &'static str,
    is_left: bool,
    fields: Vec<Field>,
}

impl Column {
    fn width(&self) -> usize {
        let widest = self.fields.iter().map(Field::width).max();
        widest.unwrap_or(0).max(self.title.chars().count())
    }
}

/// The whole run: what it was, what failed, and one table per scenario.
#[must_use]
pub fn terminal(record: &Record, style: Style) -> String {
    let tables = view::tables(record);
    let mut blocks = vec![head(record, style)];
    let failures = view::failures(record, &tables);
    blocks[0].extend(failures.iter().flat_map(|failure| failed(failure, style)));
    blocks.extend(tables.iter().map(|table| section(table, style)));
    let matrices = matrix::matrices(record, &tables);
    blocks.extend(matrices.iter().map(|matrix| varied(matrix, style)));
    blocks.push(
        orders::orders(record, &tables)
            .iter()
            .flat_map(|line| wrapped("", line))
            .collect(),
    );
    let counted = instructions::terminal(record, &tables);
    blocks.extend(counted.iter().map(|rows| aligned(rows)));
    blocks.push(costs::terminal(record, WIDTH, |text| wrapped("", text)));
    if !record.is_of_costs() {
        let idle = surroundings::idle(record);
        let mut last: Vec<String> = idle.iter().flat_map(|line| wrapped("", line)).collect();
        last.extend(wrapped("", HOW_TO_READ));
        blocks.push(last);
    }
    blocks.retain(|block| !block.is_empty());
    blocks
        .iter()
        .map(|block| block.join("\n"))
        .collect::<Vec<_>>()
        .join("\n\n")
        + "\n"
}

/// CPU per request of each variation, with its ratio to the first.
fn varied(matrix: &Matrix, style: Style) -> Vec<String> {
    let mut lines = vec![style.paint(BOLD, &format!("{}: CPU µs/req", matrix.title))];
    lines.extend(aligned(&matrix::terminal(matrix)));
    lines
}

/// Rows of fields below each other, the first field to the left. What does not fit is cut: names first, which need the least,
/// and the rest is shared.
fn aligned(rows: &[Vec<String>]) -> Vec<String> {
    let columns = rows.first().map_or(0, Vec::len);
    let widest = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let share = (WIDTH - NAME_WIDTH) / columns.saturating_sub(1).max(1) - 2;
    let most = |column: usize| if column == 0 { NAME_WIDTH } else { share };
    let widths: Vec<usize> = (0..columns).map(|column| widest(column).min(most(column))).collect();
    let line = |row: &Vec<String>| {
        let fields = row.iter().zip(&widths).enumerate().map(|(column, (text, width))| {
            let text = cut(text, *width);
            let gap = " ".repeat(width - text.chars().count());
            if column == 0 {
                format!("{text}{gap}")
            } else {
                format!("{gap}{text}")
            }
        });
        fields.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

fn head(record: &Record, style: Style) -> Vec<String> {
    let environment = &record.environment;
    let rounds = words::count(record.harness.rounds as usize, "round");
    let date = record.started_at.strftime("%Y-%m-%d %H:%M UTC");
    let (profile, lane) = (clean(&record.profile, NAME), words::lane(record.lane));
    let title = format!("{profile} on {lane}, {date}, {rounds}, seed {}", record.seed);
    let cpus = words::count(environment.logical_cpus as usize, "cpu");
    let (cpu, rustc) = (clean(&environment.cpu_model, 2 * NAME), clean(&environment.rustc, NAME));
    let mut lines = vec![style.paint(BOLD, &title)];
    lines.extend(wrapped(
        "",
        &format!("{cpu}, {cpus}; {rustc}; {}", words::driven_by(record)),
    ));
    for warning in &environment.warnings {
        lines.extend(wrapped("warning: ", &clean(warning, SENTENCE)));
    }
    lines
}

fn failed(failure: &Failure, style: Style) -> Vec<String> {
    let place = if failure.scenarios.is_empty() {
        "every scenario".to_owned()
    } else {
        failure.scenarios.join(", ")
    };
    let reasons = failure.reasons.join("; ");
    let text = format!(
        "{} in {place}: {}: {reasons}",
        failure.label,
        words::verdict(failure.verdict)
    );
    let mut lines = wrapped("failed: ", text.trim_end_matches(": "));
    for line in &mut lines {
        *line = style.paint(RED, line);
    }
    lines
}

fn section(table: &Table, style: Style) -> Vec<String> {
    let (id, title) = (clean(&table.scenario.id, NAME), clean(&table.scenario.title, NAME));
    let mut lines = vec![style.paint(BOLD, &format!("{id}: {title}"))];
    lines.extend(wrapped(
        "",
        &format!("{} {}", words::request(table.scenario), words::load(table.scenario)),
    ));
    if table.rows().next().is_some() {
        lines.extend(grid(table, style));
    }
    if !table.missing.is_empty() {
        let missing = table
            .missing
            .iter()
            .map(|missing| format!("{} ({})", missing.subject.label(), missing.word()));
        lines.extend(wrapped("  no figures: ", &missing.collect::<Vec<_>>().join(", ")));
    }
    let proven = conclusion::conclusion(table);
    lines.extend(
        proven
            .iter()
            .flat_map(|proven| wrapped("  ", &proven.text(view::leading(table.scenario.load)))),
    );
    if let Some(doubts) = not_trusted(table) {
        let quiet = wrapped("  ", &doubts);
        lines.extend(quiet.iter().map(|line| style.paint(DIM, line)));
    }
    lines
}

/// What of a table is not trusted and why, in one line for all.
fn not_trusted(table: &Table) -> Option<String> {
    let mut grouped: BTreeMap<Vec<Metric>, Vec<String>> = BTreeMap::new();
    for note in view::doubts(table, &shown(table.scenario)) {
        let reason = format!("{} ({})", note.reason, note.who);
        grouped.entry(note.metrics).or_default().push(reason);
    }
    let doubts = grouped.into_iter().map(|(metrics, reasons)| {
        let names: Vec<_> = metrics
            .into_iter()
            .map(|metric| words::lower_first(figure::name(metric)))
            .collect();
        let are = if names.len() == 1 { "is" } else { "are" };
        format!("{} {are} not trusted: {}", words::list(&names), reasons.join(", "))
    });
    let doubts: Vec<_> = doubts.collect();
    (!doubts.is_empty()).then(|| doubts.join("; "))
}

/// The metrics that a table shows. In a closed loop latency is the length of the queue and has no place.
fn shown(scenario: &Scenario) -> Vec<Metric> {
    let load = scenario.load;
    let mut shown = vec![view::leading(load), view::second(load)];
    if load != LoadModel::Closed {
        shown.push(Metric::LatencyP99Ms);
    }
    shown.push(Metric::RssPeakBytes);
    shown
}

fn grid(table: &Table, style: Style) -> Vec<String> {
    let mut columns = columns(table);
    let gap = fit(&mut columns);
    let width = lines_width(&columns, gap);
    let titles = columns
        .iter()
        .map(|column| (column, column.title.to_owned(), column.title.chars().count()));
    let mut lines = vec![style.paint(BOLD, &line(titles, gap)), "─".repeat(width)];
    let mut before = table.rows().next().map(group);
    for (at, row) in table.rows().enumerate() {
        let group = group(row);
        if before.is_some_and(|before| before != group) {
            lines.push(format!("{:┄<width$}", format!("┄┄ {group} ")));
        }
        before = Some(group);
        let fields = columns.iter().map(|column| {
            let field = &column.fields[at];
            let text = if field.apart {
                style.paint(DIM, &field.text)
            } else {
                field.text.clone()
            };
            (column, text, field.width())
        });
        lines.push(line(fields, gap));
    }
    lines
}

fn group(row: &Row) -> &'static str {
    words::group(row.subject.role(), row.subject.tier())
}

/// What is known of each app; a column in which nobody has anything is left out.
fn columns(table: &Table) -> Vec<Column> {
    let load = table.scenario.load;
    let (first, second) = (view::leading(load), view::second(load));
    let name = match first {
        Metric::ServerCpuUsPerRequest => "CPU",
        other => figure::name(other),
    };
    let column = |title, of: &dyn Fn(&Row) -> Field| Column {
        title,
        is_left: false,
        fields: table.rows().map(of).collect(),
    };
    let left = |title, of: &dyn Fn(&Row) -> Field| Column {
        is_left: true,
        ..column(title, of)
    };
    let of_trials = |text: Option<String>| Field::new(text.unwrap_or_default());
    let mut columns = vec![
        column("rank", &|row| rank(row, first)),
        left(NAMES, &|row| Field::new(cut(&row.subject.label(), NAME_WIDTH))),
        column(name, &|row| ratio(row, first)),
        left("÷ reference", &|row| interval(row, first)),
        column(unit(first), &|row| value(row, first)),
        column(unit(second), &|row| value(row, second)),
        column("", &|row| spread(row, second)),
        column("rank", &|row| rank(row, second)),
        column("busy", &|row| of_trials(row.trials.server_share.map(figure::share))),
        column("in flight", &|row| {
            of_trials(row.trials.in_flight.map(figure::significant))
        }),
        column("peak MiB", &|row| value(row, Metric::RssPeakBytes)),
        left("", &|row| of_trials(row.trials.rounds())),
    ];
    if load != LoadModel::Closed {
        columns.insert(8, column("p99 ms", &|row| value(row, Metric::LatencyP99Ms)));
    }
    columns.retain(|column| column.fields.iter().any(|field| !field.text.is_empty()));
    columns
}

fn unit(metric: Metric) -> &'static str {
    match metric {
        Metric::ServerCpuUsPerRequest => "µs/req",
        Metric::LatencyP50Ms => "p50 ms",
        other => figure::unit(other),
    }
}

fn rank(row: &Row, metric: Metric) -> Field {
    Field::new(row.rank(metric).map(|rank| rank.to_string()).unwrap_or_default())
}

fn value(row: &Row, metric: Metric) -> Field {
    let Some(summary) = row.metric(metric) else {
        return Field::new("");
    };
    marked(figure::number(metric, summary.median), summary.trusted)
}

fn ratio(row: &Row, metric: Metric) -> Field {
    let of = |summary: &Summary| Some(marked(figure::ratio(summary.ratio.as_ref()?.estimate), summary.trusted));
    row.metric(metric)
        .and_then(of)
        .unwrap_or_else(|| Field::new(figure::NONE))
}

fn interval(row: &Row, metric: Metric) -> Field {
    let ratio = row.ratio(metric);
    Field::new(ratio.as_ref().map(figure::ratio_interval).unwrap_or_default())
}

fn spread(row: &Row, metric: Metric) -> Field {
    let trusted = |summary: &&Summary| summary.trusted;
    let summary = row.metric(metric).filter(trusted);
    Field::new(
        summary
            .map(|summary| figure::spread(summary.median, summary.interval))
            .unwrap_or_default(),
    )
}

fn marked(figure: String, trusted: bool) -> Field {
    Field {
        text: if trusted { figure } else { format!("({figure})") },
        apart: !trusted,
    }
}

/// The gap between the columns: two characters where the line then fits into the terminal, else one; and where that does not
/// do, names are cut.
fn fit(columns: &mut [Column]) -> usize {
    let gap = if lines_width(columns, 2) <= WIDTH { 2 } else { 1 };
    let excess = lines_width(columns, gap).saturating_sub(WIDTH);
    if let Some(names) = columns.iter_mut().find(|column| column.title == NAMES && excess > 0) {
        let width = names.width().saturating_sub(excess).max(NAMES.len());
        for name in &mut names.fields {
            name.text = cut(&name.text, width);
        }
    }
    gap
}

fn lines_width(columns: &[Column], gap: usize) -> usize {
    columns.iter().map(Column::width).sum::<usize>() + gap * columns.len().saturating_sub(1)
}

/// A line of fields, each with its column and the characters that it takes on the screen.
fn line<'a>(fields: impl Iterator<Item = (&'a Column, String, usize)>, gap: usize) -> String {
    let padded = fields.map(|(column, text, width)| {
        let room = " ".repeat(column.width() - width);
        if column.is_left {
            format!("{text}{room}")
        } else {
            format!("{room}{text}")
        }
    });
    padded.collect::<Vec<_>>().join(&" ".repeat(gap)).trim_end().to_owned()
}

/// Text in lines of at most [`WIDTH`] characters; the first begins with `start`, the others are indented as far.
pub(super) fn wrapped(start: &str, text: &str) -> Vec<String> {
    let indent = " ".repeat(start.chars().count());
    let (mut lines, mut line) = (Vec::new(), start.to_owned());
    let mut empty = true;
    for word in text.split(' ').flat_map(|word| pieces(word, WIDTH / 2)) {
        let room = WIDTH.saturating_sub(line.chars().count() + 1);
        if !empty && word.chars().count() > room {
            lines.push(std::mem::replace(&mut line, indent.clone()));
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        line.push_str(&word);
        empty = false;
    }
    lines.push(line);
    lines
}

/// A word that would not fit into any line, in pieces that do.
fn pieces(word: &str, longest: usize) -> Vec<String> {
    let characters: Vec<char> = word.chars().collect();
    characters.chunks(longest).map(|piece| piece.iter().collect()).collect()
}

#[cfg(test)]
mod tests;
