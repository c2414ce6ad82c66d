//! The result of a run for a terminal of 100 columns.
//!
//! Untrusted figures stand in parentheses with a mark, and are dimmed where colour is wanted; why, stands once below
//! each table. Columns are aligned by the number of characters, not bytes.

use crate::record::{Metric, Record, Role};
use crate::report::costs;
use crate::report::escape::{NAME, SENTENCE, clean, cut};
use crate::report::figure;
use crate::report::matrix::{self, Matrix};
use crate::report::view::{self, Failure, Note, Row, Table};
use crate::report::words;

/// Columns of the terminal that the table fits into.
const WIDTH: usize = 100;

/// Characters of an app's name.
const NAME_WIDTH: usize = 24;

/// What marks a figure that is not trusted.
const MARK: char = '!';

const HEADER: [&str; 10] = [
    "tier",
    "app",
    HEADLINE,
    "",
    "ratio",
    "CPU µs/req",
    "tier",
    "p99 ms",
    "peak MiB",
    "verdict",
];

/// Stands for what the load of the scenario is about.
const HEADLINE: &str = "headline";

/// Place of the names in it.
const NAME_COLUMN: usize = 1;

const HOW_TO_READ: &str = "median of the trials, ± the 95 % interval; ratio to the reference; equal tiers cannot be \
    told apart; (…)! is not trusted and not ranked";

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

/// One cell of a table: what it says, and how it is set apart.
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
}

/// The whole run: what it was, what failed, and one table per scenario.
#[must_use]
pub fn terminal(record: &Record, style: Style) -> String {
    let tables = view::tables(record);
    let mut lines = head(record, style);
    lines.extend(
        view::failures(record, &tables)
            .iter()
            .flat_map(|failure| failed(failure, style)),
    );
    for table in &tables {
        lines.push(String::new());
        lines.extend(section(table, style));
    }
    for matrix in matrix::matrices(record, &tables) {
        lines.push(String::new());
        lines.extend(varied(&matrix, style));
    }
    let costs = costs::terminal(record, WIDTH, |text| wrapped("", text));
    if !costs.is_empty() {
        lines.push(String::new());
        lines.extend(costs);
    }
    if !record.is_of_costs() {
        lines.push(String::new());
        lines.extend(wrapped("", HOW_TO_READ));
    }
    lines.join("\n") + "\n"
}

/// CPU per request of each variation, with its ratio to the first.
fn varied(matrix: &Matrix, style: Style) -> Vec<String> {
    let rows = matrix::terminal(matrix);
    let columns = rows.first().map_or(0, Vec::len);
    let widest = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    // What does not fit is cut: the names first, which need the least, and the rest is shared.
    let share = (WIDTH - NAME_WIDTH) / columns.saturating_sub(1).max(1) - 2;
    let most = |column: usize| if column == 0 { NAME_WIDTH } else { share };
    let widths: Vec<usize> = (0..columns).map(|column| widest(column).min(most(column))).collect();
    let mut lines = vec![style.paint(BOLD, &format!("{}: CPU µs/req", matrix.title))];
    for row in &rows {
        let fields = row.iter().zip(&widths).enumerate().map(|(column, (text, width))| {
            let text = cut(text, *width);
            let gap = " ".repeat(width - text.chars().count());
            if column == 0 {
                format!("{text}{gap}")
            } else {
                format!("{gap}{text}")
            }
        });
        lines.push(fields.collect::<Vec<_>>().join("  ").trim_end().to_owned());
    }
    lines
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
    lines.extend(view::notes(table).iter().flat_map(note));
    lines
}

fn note(note: &Note) -> Vec<String> {
    let names = note.labels.join(", ");
    let metrics: Vec<_> = note.metrics.iter().map(|&metric| figure::name(metric)).collect();
    let metrics = if metrics.is_empty() {
        String::new()
    } else {
        format!(" [{}]", metrics.join(", "))
    };
    wrapped(
        &format!("  {MARK} {}: ", words::verdict(note.verdict)),
        &format!("{names}{metrics}: {}", note.reason),
    )
}

fn grid(table: &Table, style: Style) -> Vec<String> {
    let headline = Metric::headline(table.scenario.load);
    let name = match headline {
        Metric::GoodputRps => "req/s",
        other => figure::name(other),
    };
    let header = HEADER.map(|column| Field::new(if column == HEADLINE { name } else { column }));
    let mut rows: Vec<Vec<Field>> = vec![header.into_iter().collect()];
    rows.extend(table.rows().map(|row| fields(row, headline)));
    for column in 0..HEADER.len() {
        make_room_for_marks(&mut rows, column);
    }
    let widths = fitting_widths(&mut rows);
    let mut lines: Vec<String> = rows.iter().map(|row| line(row, &widths, style)).collect();
    let width = lines_width(&widths);
    lines[0] = style.paint(BOLD, &lines[0]);
    lines.insert(1, "─".repeat(width));
    if !table.anchors.is_empty() && !table.ranked.is_empty() {
        lines.insert(2 + table.ranked.len(), "┄".repeat(width));
    }
    lines
}

/// Keeps the digits of trusted and untrusted figures one below the other.
fn make_room_for_marks(rows: &mut [Vec<Field>], column: usize) {
    let is_marked = |row: &Vec<Field>| row[column].apart && row[column].text.ends_with(MARK);
    if rows.iter().any(is_marked) {
        for row in rows.iter_mut().filter(|row| !is_marked(row)) {
            row[column].text.push_str("  ");
        }
    }
}

/// Widths of the columns; names are cut so that the line fits into the terminal.
fn fitting_widths(rows: &mut [Vec<Field>]) -> Vec<usize> {
    let mut widths: Vec<usize> = (0..HEADER.len()).map(|column| widest(rows, column)).collect();
    let excess = lines_width(&widths).saturating_sub(WIDTH);
    if excess > 0 {
        widths[NAME_COLUMN] = widths[NAME_COLUMN].saturating_sub(excess).max(3);
        for row in rows {
            row[NAME_COLUMN].text = cut(&row[NAME_COLUMN].text, widths[NAME_COLUMN]);
        }
    }
    widths
}

fn fields(row: &Row, headline: Metric) -> Vec<Field> {
    let tier = row
        .rank(headline)
        .map_or(figure::NONE.to_owned(), |tier| tier.to_string());
    let cpu_tier = row
        .rank(Metric::ServerCpuUsPerRequest)
        .map_or(figure::NONE.to_owned(), |tier| tier.to_string());
    let anchor = row.subject.role() != Role::Framework;
    vec![
        Field::new(if anchor { String::new() } else { tier }),
        Field::new(cut(&row.subject.label(), NAME_WIDTH)),
        value(row, headline),
        spread(row, headline),
        ratio(row, headline),
        value(row, Metric::ServerCpuUsPerRequest),
        Field::new(if anchor { String::new() } else { cpu_tier }),
        value(row, Metric::LatencyP99Ms),
        value(row, Metric::RssPeakBytes),
        Field::new(words::verdict(row.cell.verdict)),
    ]
}

fn value(row: &Row, metric: Metric) -> Field {
    let Some(summary) = row.metric(metric) else {
        return Field::new(figure::NONE);
    };
    marked(&figure::number(metric, summary.median), summary.trusted)
}

fn ratio(row: &Row, metric: Metric) -> Field {
    let summary = row.metric(metric);
    let Some((summary, ratio)) = summary.and_then(|summary| Some((summary, summary.ratio.as_ref()?))) else {
        return Field::new(figure::NONE);
    };
    marked(&figure::ratio(ratio.estimate), summary.trusted)
}

fn spread(row: &Row, metric: Metric) -> Field {
    let Some(summary) = row.metric(metric) else {
        return Field::new("");
    };
    Field {
        text: figure::spread(summary.median, summary.interval),
        apart: !summary.trusted,
    }
}

fn marked(figure: &str, trusted: bool) -> Field {
    if trusted {
        Field::new(figure)
    } else {
        Field {
            text: format!("({figure}){MARK}"),
            apart: true,
        }
    }
}

fn widest(rows: &[Vec<Field>], column: usize) -> usize {
    rows.iter()
        .map(|row| row[column].text.chars().count())
        .max()
        .unwrap_or(0)
}

fn lines_width(widths: &[usize]) -> usize {
    widths.iter().sum::<usize>() + widths.len() - 1
}

fn line(row: &[Field], widths: &[usize], style: Style) -> String {
    let last = widths.len() - 1;
    let padded = row.iter().zip(widths).enumerate().map(|(column, (field, width))| {
        let gap = " ".repeat(width - field.text.chars().count());
        let text = if field.apart {
            style.paint(DIM, &field.text)
        } else {
            field.text.clone()
        };
        // Words to the left, figures to the right.
        if column == NAME_COLUMN || column == last {
            format!("{text}{gap}")
        } else {
            format!("{gap}{text}")
        }
    });
    padded.collect::<Vec<_>>().join(" ").trim_end().to_owned()
}

/// Text in lines of at most [`WIDTH`] characters; the first begins with `start`, the others are indented as far.
fn wrapped(start: &str, text: &str) -> Vec<String> {
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
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn plain() {
        insta::assert_snapshot!(terminal(&sample::record(), Style::Plain));
    }

    #[test]
    fn colour() {
        let text = terminal(&sample::record(), Style::Colour);
        insta::assert_snapshot!(text.replace('\u{1b}', "␛"));
    }

    #[test]
    fn no_control_character_of_the_record_reaches_the_terminal() {
        let text = terminal(&sample::record(), Style::Plain);
        assert!(
            text.chars()
                .all(|character| character == '\n' || !character.is_control())
        );
        assert!(!text.contains('\u{202e}'));
        let text = terminal(&sample::record(), Style::Colour);
        let ours = [DIM, BOLD, RED, RESET]
            .iter()
            .fold(text, |text, code| text.replace(code, ""));
        assert!(
            ours.chars()
                .all(|character| character == '\n' || !character.is_control())
        );
    }

    #[test]
    fn it_fits_into_the_terminal() {
        let mut record = sample::record();
        for app in &mut record.apps {
            app.name = format!("{} {}", app.name, "long".repeat(50));
        }
        for summary in record.summary.iter_mut().flat_map(|cell| cell.metrics.values_mut()) {
            (summary.median, summary.trusted) = (1_234_567.0, false);
        }
        let text = terminal(&record, Style::Plain);
        for line in text.lines() {
            assert!(line.chars().count() <= WIDTH, "{line}");
        }
    }

    #[test]
    fn colours_change_no_column() {
        let text = terminal(&sample::record(), Style::Colour);
        let bare = [DIM, BOLD, RED, RESET]
            .iter()
            .fold(text, |text, code| text.replace(code, ""));
        assert_eq!(bare, terminal(&sample::record(), Style::Plain));
    }

    #[test]
    fn variations_fit_too() {
        let text = terminal(&sample::varied(), Style::Plain);
        let from = text.find("plaintext by isolation").unwrap();
        insta::assert_snapshot!(&text[from..]);
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH));
    }

    #[test]
    fn an_empty_record_is_no_panic() {
        let mut record = sample::record();
        record.apps.clear();
        record.summary.clear();
        assert!(terminal(&record, Style::Plain).contains("plaintext"));
    }
}
