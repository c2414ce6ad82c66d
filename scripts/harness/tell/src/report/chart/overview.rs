//! The overview: CPU per request of every framework relative to the reference, one small chart per scenario.
//!
//! CPU per request and not goodput, because it holds even where the load generator is the limit; the ratio and not
//! the figure, because it moves less from machine to machine; and one logarithmic axis for all, so that columns can be compared.

use super::axis::Logarithmic;
use super::svg::{Anchor, Canvas, MARGIN, WIDTH, fit, width};
use crate::report::figure;
use crate::report::labels;
use crate::report::view;
use crate::report::view::{Subject, Table};
use record::escape::{NAME, clean};
use record::{Metric, Ratio, Record};

/// Where the names of the frameworks end.
const NAMES: f64 = 164.0;

/// Scenarios side by side; more of them go into further bands.
const COLUMNS: usize = 5;

/// Space between two columns.
const GUTTER: f64 = 14.0;

/// Heights: of the title, of a band's heading, of a row, of a band's axis.
const TITLE: f64 = 56.0;
const HEADING: f64 = 26.0;
const ROW: f64 = 22.0;
const AXIS: f64 = 34.0;

const HEADLINE: &str = "CPU time per request, relative to the reference";
const SUBTITLE: &str = "Less is better, left of the line costs less than the reference; logarithmic. Frameworks, then \
    engines without a framework, then legacy ones";

/// One scenario's place.
struct Column<'a> {
    table: &'a Table<'a>,
    left: f64,
    width: f64,
    top: f64,
}

/// The chart.
pub fn svg(record: &Record, tables: &[Table]) -> String {
    let frameworks = view::frameworks(record, tables);
    let tables = view::plain(tables);
    let axis = Logarithmic::holding(tables.iter().flat_map(|table| ends(table, &frameworks)));
    let bands = tables.len().div_ceil(COLUMNS).max(1);
    let columns = tables.len().div_ceil(bands).max(1);
    let band_height = HEADING + ROW * frameworks.len() as f64 + AXIS;
    let mut canvas = Canvas::default();
    canvas.text("b-title", Anchor::Start, (MARGIN, 28.0), HEADLINE);
    canvas.text("b-note", Anchor::Start, (MARGIN, 46.0), SUBTITLE);
    for (at, band) in tables.chunks(columns).enumerate() {
        let top = TITLE + band_height * at as f64;
        names(&mut canvas, &frameworks, top + HEADING);
        for column in columns_of(band, columns, top) {
            column.draw(&mut canvas, &frameworks, &axis);
        }
    }
    let bottom = TITLE + band_height * bands as f64;
    legend(&mut canvas, bottom + 8.0);
    canvas.finish(bottom + 24.0, HEADLINE, &description(&frameworks, &tables))
}

/// What the axis must hold: the trusted ratios and their intervals.
fn ends(table: &Table, frameworks: &[Subject]) -> Vec<f64> {
    let trusted = frameworks
        .iter()
        .filter_map(|&subject| ratio(table, subject))
        .filter(|(_, trusted)| *trusted);
    let ends = trusted.flat_map(|(ratio, _)| {
        let interval = ratio
            .interval
            .map_or([ratio.estimate; 2], |interval| [interval.low, interval.high]);
        [ratio.estimate, interval[0], interval[1]]
    });
    ends.collect()
}

fn ratio<'a>(table: &Table<'a>, subject: Subject) -> Option<(&'a Ratio, bool)> {
    let summary = table.row(subject)?.metric(Metric::ServerCpuUsPerRequest)?;
    let ratio = summary
        .ratio
        .as_ref()
        .filter(|ratio| ratio.estimate.is_finite() && ratio.estimate > 0.0)?;
    Some((ratio, summary.trusted))
}

fn names(canvas: &mut Canvas, frameworks: &[Subject], top: f64) {
    for (at, subject) in frameworks.iter().enumerate() {
        let y = top + ROW * (at as f64 + 0.5);
        if at % 2 == 1 {
            canvas.rect("b-stripe", (0.0, y - ROW / 2.0), (WIDTH, ROW));
        }
        if at > 0 && frameworks[at - 1].tier() != subject.tier() {
            canvas.line("b-grid", (MARGIN, y - ROW / 2.0), (WIDTH - MARGIN, y - ROW / 2.0));
        }
        canvas.text(
            "b-text",
            Anchor::End,
            (NAMES, y + 4.0),
            &fit(&subject.label(), NAMES - MARGIN),
        );
    }
}

fn columns_of<'a>(band: &'a [&'a Table<'a>], columns: usize, top: f64) -> impl Iterator<Item = Column<'a>> {
    let pitch = (WIDTH - NAMES - MARGIN) / columns as f64;
    band.iter().enumerate().map(move |(at, table)| {
        let left = NAMES + GUTTER + pitch * at as f64;
        Column {
            table,
            left,
            width: pitch - GUTTER,
            top,
        }
    })
}

impl Column<'_> {
    fn draw(&self, canvas: &mut Canvas, frameworks: &[Subject], axis: &Logarithmic) {
        let rows = self.top + HEADING;
        let bottom = rows + ROW * frameworks.len() as f64;
        let id = fit(&clean(&self.table.scenario.id, NAME), self.width);
        canvas.text(
            "b-text",
            Anchor::Middle,
            (self.left + self.width / 2.0, self.top + 16.0),
            &id,
        );
        self.grid(canvas, axis, (rows - 2.0, bottom + 2.0));
        for (at, &subject) in frameworks.iter().enumerate() {
            self.cell(canvas, axis, subject, rows + ROW * (at as f64 + 0.5));
        }
    }

    fn x(&self, axis: &Logarithmic, value: f64) -> f64 {
        self.left + self.width * axis.place(value)
    }

    fn grid(&self, canvas: &mut Canvas, axis: &Logarithmic, (top, bottom): (f64, f64)) {
        let mut free_from = self.left - GUTTER / 2.0;
        for tick in axis.ticks() {
            let x = self.x(axis, tick);
            let is_one = (tick - 1.0).abs() < f64::EPSILON;
            canvas.line(if is_one { "b-one" } else { "b-grid" }, (x, top), (x, bottom));
            let text = tick.to_string();
            let half = width(&text) / 2.0;
            // In a narrow column not every line has room for its number, and numbers must not overlap.
            if x - half >= free_from && x + half <= self.left + self.width + GUTTER / 2.0 {
                canvas.text("b-note", Anchor::Middle, (x, bottom + 14.0), &text);
                free_from = x + half + 4.0;
            }
        }
    }

    fn cell(&self, canvas: &mut Canvas, axis: &Logarithmic, subject: Subject, y: f64) {
        let Some((ratio, trusted)) = ratio(self.table, subject) else {
            let word = self
                .table
                .missing(subject)
                .map_or(figure::NONE, |missing| missing.word());
            let middle = self.left + self.width / 2.0;
            return canvas.text("b-note", Anchor::Middle, (middle, y + 4.0), &fit(word, self.width));
        };
        let x = self.x(axis, ratio.estimate);
        if !trusted {
            return self.doubt(canvas, subject, (x, y));
        }
        if let Some(interval) = ratio.interval {
            canvas.whisker((self.x(axis, interval.low), self.x(axis, interval.high)), y);
        }
        let rank = self
            .table
            .row(subject)
            .and_then(|row| row.rank(Metric::ServerCpuUsPerRequest));
        let class = match rank {
            Some(rank) if rank.best == 1 => "b-framework",
            Some(_) => "b-behind",
            None => "b-hollow",
        };
        canvas.dot(class, (x, y));
    }

    /// A figure that is not trusted: an empty dot, and the verdict where there is room for it.
    fn doubt(&self, canvas: &mut Canvas, subject: Subject, (x, y): (f64, f64)) {
        canvas.dot("b-hollow", (x, y));
        let word = self
            .table
            .row(subject)
            .map_or("", |row| labels::verdict(row.cell.verdict));
        let needed = width(word) + 8.0;
        if x - needed >= self.left {
            canvas.text("b-note b-halo", Anchor::End, (x - 8.0, y + 4.0), word);
        } else if x + needed <= self.left + self.width {
            canvas.text("b-note b-halo", Anchor::Start, (x + 8.0, y + 4.0), word);
        }
    }
}

fn legend(canvas: &mut Canvas, y: f64) {
    let mut x = MARGIN + 5.0;
    for (class, text) in [
        ("b-framework", "no other of its group was ahead"),
        ("b-behind", "another was"),
        ("b-hollow", "not ranked"),
    ] {
        canvas.dot(class, (x, y - 4.0));
        canvas.text("b-note", Anchor::Start, (x + 10.0, y), text);
        x += 10.0 + width(text) + 20.0;
    }
    canvas.whisker((x, x + 16.0), y - 4.0);
    canvas.text("b-note", Anchor::Start, (x + 22.0, y), "95 % interval");
}

fn description(frameworks: &[Subject], tables: &[&Table]) -> String {
    let said = frameworks.iter().map(|&subject| {
        let cells = tables
            .iter()
            .map(|table| format!("{} {}", clean(&table.scenario.id, NAME), said(table, subject)));
        format!("{}: {}", subject.label(), cells.collect::<Vec<_>>().join(", "))
    });
    said.collect::<Vec<_>>().join("; ")
}

fn said(table: &Table, subject: Subject) -> String {
    match ratio(table, subject) {
        Some((ratio, true)) => format!("{} {}", figure::ratio(ratio.estimate), figure::ratio_spread(ratio))
            .trim_end()
            .to_owned(),
        Some((_, false)) => table
            .row(subject)
            .map_or("", |row| labels::verdict(row.cell.verdict))
            .to_owned(),
        None => table
            .missing(subject)
            .map_or(figure::NONE, |missing| missing.word())
            .to_owned(),
    }
}
