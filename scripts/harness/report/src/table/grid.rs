//! The table of one scenario, with what to know of it below.

use model::{AppRecord, Metric, Ratio, Role, Verdict};

use super::findings;
use super::{Note, Row, Table};
use crate::document::Medium::{Markdown, Terminal};
use crate::document::{Block, Cell, Mark, NONE, Rows, Text, joined, listed, name, own, text};
use crate::{figure, labels};

/// A scenario's section: its request, its picture, its table and what to know of it.
pub fn section(table: &Table, picture: Option<Block>) -> Vec<Block> {
    let scenario = table.scenario;
    let request = Text::from(labels::request(scenario)).code();
    let load = text![request, " ", labels::load(scenario)];
    let mut blocks = vec![
        Block::Heading(2, text![name(&scenario.id), ": ", labels::cpu(&scenario.title)]),
        Block::Paragraph(load),
    ];
    blocks.extend(picture);
    if table.rows().next().is_some() {
        blocks.push(grid(table));
    }
    let found = findings::of_scenario(table).map(Text::from);
    let notes = super::notes(table).into_iter().map(|one| note(one).only(Markdown));
    let caveats = super::caveats(table).into_iter();
    let notes = notes.chain(caveats.map(|one| note(one).only(Terminal)));
    let no_tails = labels::too_few_requests(scenario).map(Text::from);
    blocks.extend(Block::list(
        found.into_iter().chain(notes).chain(no_figures(table)).chain(no_tails),
    ));
    blocks
}

fn grid(table: &Table) -> Block {
    let load = table.scenario.load;
    let (first, second) = (super::leading(load), super::second(load));
    let has_database = table
        .rows()
        .any(|row| row.metric(Metric::DatabaseCpuUsPerRequest).is_some());
    let title = |metric: Metric| {
        let unit = match metric {
            Metric::ServerCpuUsPerRequest if has_database => "µs/req + DB",
            Metric::ServerCpuUsPerRequest => "µs/req",
            other => other.unit(),
        };
        Cell::new(text![metric.short().unwrap_or(metric.name()), " ÷ reference"], unit)
    };
    let heading = |metric: Metric| {
        let name = metric.column().map(|name| text![name, ", "]);
        text![name, metric.unit()]
    };
    let unit = Cell::new(heading(second), "±");
    let group = |row: &&Row| labels::group(row.app.role, row.app.tier);
    let rows = Rows::of(table.rows())
        .figures("Rank", |row| rank(row, first))
        .words("App", |row| app(row.app))
        .words(title(first), |row| ratio(row, first))
        .figures("Own work", |row| Some(figure::own_work(row.trusted(first)?.own_work?)))
        .figures("Rank", |row| rank(row, second))
        .spare()
        .words(title(second), |row| ratio(row, second))
        .only(Markdown)
        .figures(unit, |row| Cell::new(figure(row, second), spread(row, second)))
        .only(Terminal)
        .spare()
        .figures("Busy", |row| row.server_share.map(|share| figure::percent(share, 0)))
        .spare()
        .figures("In flight", |row| row.in_flight.map(figure::significant))
        .spare();
    let columns = table.columns().fold(rows, |rows, metric| {
        let rows = rows.figures(heading(metric), |row| figure(row, metric));
        rows.only((!metric.fits_terminals()).then_some(Markdown))
    });
    let rows = columns
        .figures("Rounds", |row| {
            row.rounds().or(Some(row.metric(first)?.trials.to_string()))
        })
        .only(Markdown)
        .words("", |row| row.rounds())
        .only(Terminal)
        .words("Verdict", |row| row.cell.verdict.name())
        .only(Markdown);
    let begin = table.rows().next().map_or("", |row| group(&row));
    rows.groups(begin, group).table()
}

/// The rank, bold for an app that may be first.
fn rank(row: &Row, metric: Metric) -> Option<Text> {
    let rank = row.rank(metric)?;
    Some(own(rank.to_string()).marked_if(rank.best == 1, Mark::Bold))
}

/// An app with its version and its standing below it.
pub fn app(app: &AppRecord) -> Cell {
    let label = super::label(app);
    let standing = labels::standing(app.role, app.tier).filter(|standing| *standing != label);
    let below = [Text::from(labels::version(&app.framework_version)), standing.into()];
    let label = Text::from(label).marked_if(app.role != Role::Framework, Mark::Italic);
    Cell::new(label, joined(below, ", "))
}

fn figure(row: &Row, metric: Metric) -> Option<Text> {
    let summary = row.metric(metric)?;
    Some(own(figure::number(metric, summary.median)).trusted(summary.trusted))
}

fn spread(row: &Row, metric: Metric) -> Option<String> {
    let summary = row.metric(metric).filter(|summary| summary.trusted)?;
    Some(figure::spread(summary.median, summary.interval))
}

/// The ratio to the reference with its interval, and below it the figure itself; with CPU time also what the database took.
fn ratio(row: &Row, metric: Metric) -> Cell {
    let Some(summary) = row.metric(metric) else {
        return NONE.into();
    };
    let mut number = figure::number(metric, summary.median);
    let database = Metric::DatabaseCpuUsPerRequest;
    if let Some(other) = row.metric(database).filter(|_| metric == Metric::ServerCpuUsPerRequest) {
        number = format!("{number}\u{a0}+\u{a0}{}", figure::number(database, other.median));
    }
    let number = own(number).trusted(summary.trusted);
    let is_disturbed = row.cell.verdict == Verdict::EnvironmentFailed && row.app.role != Role::Reference;
    let with_interval = |ratio: &Ratio| own(figure::ratio_and_interval(ratio).replace(' ', "\u{a0}"));
    let ratio = match (row.ratio(metric), &summary.ratio) {
        (Some(ratio), _) => with_interval(&ratio),
        (None, Some(ratio)) if is_disturbed => with_interval(ratio).trusted(false),
        (None, Some(ratio)) => own(figure::ratio(ratio.estimate)).trusted(false),
        (None, None) => NONE.into(),
    };
    Cell::new(ratio, number)
}

fn note(note: Note) -> Text {
    let metrics = note.metrics.iter().map(|metric| labels::lower_first(metric.name()));
    let metrics = listed(metrics);
    let of = if metrics.is_empty() { "" } else { " of " };
    text![note.verdict.name(), ": ", metrics, of, note.who, ": ", note.reason]
}

fn no_figures(table: &Table) -> Option<Text> {
    let named = table.missing.iter().map(|missing| {
        let reason = missing.reasons.first().filter(|_| missing.not_offered).cloned();
        let reason = reason.map(|reason| text![": ", reason].only(Markdown));
        text![super::label(missing.app), " (", missing.word(), reason, ")"]
    });
    let named = joined(named, ", ");
    (!named.is_empty()).then(|| text!["No figures: ", named])
}
