//! The result of a run for a terminal of 100 columns.
//!
//! Each table gives the figure that is ranked first, its ratio to the reference with the interval, and the absolute figure
//! beside it. What is not trusted stands in parentheses, dimmed where colour is wanted; one line below the table says why.

use std::collections::BTreeMap;

use crate::report::figure;
use crate::report::matrix;
use crate::report::matrix::Matrix;
use crate::report::table;
use crate::report::table::{NAME_WIDTH, wrapped};
use crate::report::view;
use crate::report::view::{AppFailure, Row, Table};
use crate::report::{conclusion, costs, instructions, orders, scaling, surroundings, words};
use judge::analysis;
use record::escape::{NAME, SENTENCE, clean, cut};
use record::scenario::{LoadModel, Scenario};
use record::{Metric, Record, Summary};

const HOW_TO_READ: &str = "rank: the places that the differences of this session allow; ÷ reference: ratio to the reference server with \
    its 95 % interval; busy: share of its cpus that the server used; in flight: requests under way on average; (…) is not \
    trusted and not ranked";

const DIM: &str = "\u{1b}[2m";
const BOLD: &str = "\u{1b}[1m";
const RED: &str = "\u{1b}[31m";
const RESET: &str = "\u{1b}[0m";

/// Begin and end of a figure that is to be dimmed, while its table is laid out: characters without width, which [`clean`] removes
/// from other text.
const APART: char = '\u{200b}';
const APART_END: char = '\u{2060}';

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

/// One column of a table.
struct Column {
    title: &'static str,
    /// Whether it holds words or intervals, which are flush left, and not figures.
    is_words: bool,
    fields: Vec<String>,
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
    let scaling = scaling::sections(record);
    blocks.extend(
        scaling
            .iter()
            .flat_map(scaling::terminal)
            .map(|lines| titled(lines, style)),
    );
    blocks.push(
        orders::orders(record, &tables)
            .iter()
            .flat_map(|line| wrapped("", line))
            .collect(),
    );
    let counted = instructions::terminal(record, &tables);
    blocks.extend(counted);
    blocks.push(costs::terminal(record));
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

/// The same lines, the first of which is the title.
fn titled(mut lines: Vec<String>, style: Style) -> Vec<String> {
    if let Some(title) = lines.first_mut() {
        *title = style.paint(BOLD, title);
    }
    lines
}

/// CPU per request of each variation, with its ratio to the first.
fn varied(matrix: &Matrix, style: Style) -> Vec<String> {
    let mut lines = vec![style.paint(BOLD, &format!("{}: CPU µs/req", matrix.title))];
    lines.extend(matrix::terminal(matrix));
    lines
}

fn head(record: &Record, style: Style) -> Vec<String> {
    let environment = &record.environment;
    let rounds = words::count(record.harness.rounds as usize, "round");
    let date = record.started_at.strftime("%Y-%m-%d %H:%M UTC");
    let (profile, lane) = (clean(&record.profile, NAME), record.lane.name());
    let partial = words::partial(record);
    let kind = if partial.is_some() { " (partial)" } else { "" };
    let title = format!("{profile}{kind} on {lane}, {date}, {rounds}, seed {}", record.seed);
    let cpus = words::count(environment.logical_cpus as usize, "cpu");
    let (cpu, rustc) = (clean(&environment.cpu_model, 2 * NAME), clean(&environment.rustc, NAME));
    let mut lines = vec![style.paint(BOLD, &title)];
    lines.extend(partial.iter().flat_map(|why| wrapped("partial: ", why)));
    lines.extend(wrapped(
        "",
        &format!("{cpu}, {cpus}; {rustc}; {}", words::driven_by(record)),
    ));
    for warning in environment.warnings.iter().cloned().chain(analysis::unsteady(record)) {
        lines.extend(wrapped("warning: ", &clean(&warning, SENTENCE)));
    }
    lines
}

fn failed(failure: &AppFailure, style: Style) -> Vec<String> {
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
    let found = conclusion::conclusion(table);
    lines.extend(
        found
            .iter()
            .flat_map(|found| wrapped("  ", &found.text(view::leading(table.scenario.load)))),
    );
    if let Some(doubts) = not_trusted(table) {
        let quiet = wrapped("  ", &doubts);
        lines.extend(quiet.iter().map(|line| style.paint(DIM, line)));
    }
    lines
}

/// What is not trusted in a table and why, in one line.
fn not_trusted(table: &Table) -> Option<String> {
    let mut grouped: BTreeMap<Vec<Metric>, Vec<String>> = BTreeMap::new();
    for note in view::doubts(table, &shown_metrics(table.scenario)) {
        let reason = format!("{} ({})", note.reason, note.who);
        grouped.entry(note.metrics).or_default().push(reason);
    }
    let doubts = grouped.into_iter().map(|(metrics, reasons)| {
        let names: Vec<_> = metrics
            .into_iter()
            .map(|metric| words::lower_first(metric.name()))
            .collect();
        let are = if names.len() == 1 { "is" } else { "are" };
        format!("{} {are} not trusted: {}", words::list(&names), reasons.join(", "))
    });
    let doubts: Vec<_> = doubts.collect();
    (!doubts.is_empty()).then(|| doubts.join("; "))
}

/// The metrics that a table shows. In a closed loop latency is the length of the queue and is left out.
fn shown_metrics(scenario: &Scenario) -> Vec<Metric> {
    let load = scenario.load;
    let mut metrics = vec![view::leading(load), view::second(load)];
    if load != LoadModel::Closed {
        metrics.push(Metric::LatencyP99Ms);
    }
    metrics.push(Metric::RssPeakBytes);
    metrics
}

fn grid(table: &Table, style: Style) -> Vec<String> {
    let columns = columns(table);
    let titles = columns.iter().map(|column| column.title);
    let words: Vec<usize> = (0..columns.len()).filter(|place| columns[*place].is_words).collect();
    let field = |column: &Column, row: usize| column.fields[row].clone();
    let rows = (0..table.rows().count()).map(|row| columns.iter().map(|column| field(column, row)).collect());
    let laid_out = table::terminal(titles, &words, rows);
    let plain = |line: &str| line.replace([APART, APART_END], "");
    let width = laid_out
        .iter()
        .map(|line| plain(line).chars().count())
        .max()
        .unwrap_or(0);
    let mut lines = vec![style.paint(BOLD, &laid_out[0]), "─".repeat(width)];
    let mut before = table.rows().next().map(group);
    for (row, line) in table.rows().zip(&laid_out[1..]) {
        let group = group(row);
        if before.is_some_and(|before| before != group) {
            lines.push(format!("{:┄<width$}", format!("┄┄ {group} ")));
        }
        before = Some(group);
        lines.push(match style {
            Style::Colour => line.replace(APART, DIM).replace(APART_END, RESET),
            Style::Plain => plain(line),
        });
    }
    lines
}

fn group(row: &Row) -> &'static str {
    words::group(row.subject.role(), row.subject.tier())
}

/// What is known of each app; columns without any figure are left out.
fn columns(table: &Table) -> Vec<Column> {
    let load = table.scenario.load;
    let (first, second) = (view::leading(load), view::second(load));
    let name = match first {
        Metric::ServerCpuUsPerRequest => "CPU",
        other => other.name(),
    };
    let column = |title, field: &dyn Fn(&Row) -> Option<String>| Column {
        title,
        is_words: false,
        fields: table.rows().map(|row| field(row).unwrap_or_default()).collect(),
    };
    let words = |title, field: &dyn Fn(&Row) -> Option<String>| Column {
        is_words: true,
        ..column(title, field)
    };
    let mut columns = vec![
        column("rank", &|row| rank(row, first)),
        words("app", &|row| Some(cut(&row.subject.label(), NAME_WIDTH))),
        column(name, &|row| Some(ratio(row, first))),
        words("÷ reference", &|row| {
            row.ratio(first).as_ref().map(figure::ratio_interval)
        }),
        column(unit(first), &|row| value(row, first)),
        column(unit(second), &|row| value(row, second)),
        column("", &|row| spread(row, second)),
        column("rank", &|row| rank(row, second)),
        column("DB µs/req", &|row| value(row, Metric::DatabaseCpuUsPerRequest)),
        column("busy", &|row| row.trials.server_share.map(figure::share)),
        column("in flight", &|row| row.trials.in_flight.map(figure::significant)),
        column("peak MiB", &|row| value(row, Metric::RssPeakBytes)),
        words("", &|row| row.trials.rounds()),
    ];
    if load != LoadModel::Closed {
        columns.insert(8, column("p99 ms", &|row| value(row, Metric::LatencyP99Ms)));
    }
    columns.retain(|column| column.fields.iter().any(|field| !field.is_empty()));
    columns
}

fn unit(metric: Metric) -> &'static str {
    match metric {
        Metric::ServerCpuUsPerRequest => "µs/req",
        Metric::LatencyP50Ms => "p50 ms",
        other => other.unit(),
    }
}

fn rank(row: &Row, metric: Metric) -> Option<String> {
    Some(row.rank(metric)?.to_string())
}

fn value(row: &Row, metric: Metric) -> Option<String> {
    let summary = row.metric(metric)?;
    Some(marked(figure::number(metric, summary.median), summary.trusted))
}

fn ratio(row: &Row, metric: Metric) -> String {
    let shown = |summary: &Summary| Some(marked(figure::ratio(summary.ratio.as_ref()?.estimate), summary.trusted));
    let ratio = row.metric(metric).and_then(shown);
    ratio.unwrap_or_else(|| figure::NONE.to_owned())
}

fn spread(row: &Row, metric: Metric) -> Option<String> {
    let summary = row.metric(metric).filter(|summary| summary.trusted)?;
    Some(figure::spread(summary.median, summary.interval))
}

fn marked(figure: String, trusted: bool) -> String {
    if trusted {
        figure
    } else {
        format!("{APART}({figure}){APART_END}")
    }
}

#[cfg(test)]
mod tests;
