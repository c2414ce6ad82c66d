//! The overview: CPU per request of every framework relative to the reference, one small chart per scenario.
//!
//! CPU per request and not goodput, because it holds even where the load generator is the limit; the ratio and not
//! the figure, because it moves less from machine to machine; and one logarithmic axis for all, so that columns can be compared.

use model::escape::{NAME, clean};
use model::{AppRecord, Metric, Ratio, Record, Role};

use super::axis::Axis;
use super::svg::{Canvas, MARGIN, WIDTH, fit, width};
use crate::figure;
use crate::view::{self, Table};

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

const LEGEND: [(&str, &str); 3] = [
    ("b-framework", "no other of its group was ahead"),
    ("b-behind", "another was"),
    ("b-hollow", "not ranked"),
];

/// One scenario's place.
struct Column<'a> {
    table: &'a Table<'a>,
    axis: Axis,
}

/// The chart.
pub fn svg(record: &Record, tables: &[Table]) -> String {
    let tables = view::plain(tables);
    let mut frameworks = view::ordered(record, &tables, Metric::ServerCpuUsPerRequest);
    frameworks.retain(|app| app.role == Role::Framework);
    let cells = tables
        .iter()
        .flat_map(|table| frameworks.iter().map(move |app| ratio(table, app)));
    let trusted = cells.filter_map(Result::ok);
    let bands = tables.len().div_ceil(COLUMNS).max(1);
    let columns = tables.len().div_ceil(bands).max(1);
    let pitch = (WIDTH - NAMES - MARGIN) / columns as f64;
    let ends = trusted.flat_map(|ratio| {
        let ends = ratio.interval.map(|interval| [interval.low, interval.high]);
        ends.into_iter().flatten().chain([ratio.estimate])
    });
    let axis = Axis::logarithmic((0.0, pitch - GUTTER), ends);
    let band_height = HEADING + ROW * frameworks.len() as f64 + AXIS;
    let names: Vec<_> = frameworks.iter().map(|app| (view::label(app), app.tier)).collect();
    let mut canvas = Canvas::default();
    canvas.heading(HEADLINE, SUBTITLE);
    for (band, tables) in tables.chunks(columns).enumerate() {
        let top = TITLE + band_height * band as f64;
        canvas.names(&names, (NAMES, top + HEADING), ROW);
        for (at, table) in tables.iter().enumerate() {
            let left = NAMES + GUTTER + pitch * at as f64;
            let mut axis = axis.clone();
            axis.left = left;
            Column { table, axis }.draw(&mut canvas, &frameworks, top);
        }
    }
    let bottom = TITLE + band_height * bands as f64;
    let dot = |canvas: &mut Canvas, class: &str, x| canvas.dot(class, (x + 5.0, bottom + 4.0));
    canvas.legend(&LEGEND, bottom + 8.0, dot);
    canvas.finish(bottom + 24.0, HEADLINE, &description(&frameworks, &tables))
}

/// A trusted ratio; or where an untrusted one is, if there is one, and the word for it.
fn ratio<'a>(table: &Table<'a>, app: &AppRecord) -> Result<&'a Ratio, (Option<f64>, &'static str)> {
    let Some(row) = table.row(app) else {
        let missing = table.missing(app);
        return Err((None, missing.map_or(figure::NONE, |missing| missing.word())));
    };
    let summary = row.metric(Metric::ServerCpuUsPerRequest);
    let ratio = summary.and_then(|summary| Some((summary, summary.ratio.as_ref()?)));
    match ratio.filter(|(_, ratio)| ratio.estimate.is_finite() && ratio.estimate > 0.0) {
        Some((summary, ratio)) if summary.trusted => Ok(ratio),
        Some((_, ratio)) => Err((Some(ratio.estimate), row.cell.verdict.name())),
        None => Err((None, figure::NONE)),
    }
}

impl Column<'_> {
    fn draw(&self, canvas: &mut Canvas, frameworks: &[&AppRecord], top: f64) {
        let rows = top + HEADING;
        let bottom = rows + ROW * frameworks.len() as f64;
        let id = fit(&clean(&self.table.scenario.id, NAME), self.axis.width);
        canvas.text(
            "b-text b-middle",
            (self.axis.left + self.axis.width / 2.0, top + 16.0),
            &id,
        );
        self.axis.grid(canvas, (rows - 2.0, bottom + 2.0), GUTTER / 2.0);
        for (at, app) in frameworks.iter().enumerate() {
            self.cell(canvas, app, rows + ROW * (at as f64 + 0.5));
        }
    }

    fn cell(&self, canvas: &mut Canvas, app: &AppRecord, y: f64) {
        let ratio = match ratio(self.table, app) {
            Ok(ratio) => ratio,
            Err((Some(ratio), word)) => return self.doubt(canvas, word, (self.axis.x(ratio), y)),
            Err((None, word)) => {
                let middle = self.axis.left + self.axis.width / 2.0;
                return canvas.text("b-note b-middle", (middle, y + 4.0), &fit(word, self.axis.width));
            }
        };
        if let Some(interval) = ratio.interval {
            canvas.whisker((self.axis.x(interval.low), self.axis.x(interval.high)), y);
        }
        let row = self.table.row(app);
        let class = match row.and_then(|row| row.rank(Metric::ServerCpuUsPerRequest)) {
            Some(rank) if rank.best == 1 => "b-framework",
            Some(_) => "b-behind",
            None => "b-hollow",
        };
        canvas.dot(class, (self.axis.x(ratio.estimate), y));
    }

    /// A figure that is not trusted: an empty dot, and the verdict where there is room for it.
    fn doubt(&self, canvas: &mut Canvas, word: &str, (x, y): (f64, f64)) {
        canvas.dot("b-hollow", (x, y));
        let needed = width(word) + 8.0;
        if x - needed >= self.axis.left {
            canvas.text("b-note b-halo b-end", (x - 8.0, y + 4.0), word);
        } else if x + needed <= self.axis.left + self.axis.width {
            canvas.text("b-note b-halo", (x + 8.0, y + 4.0), word);
        }
    }
}

fn description(frameworks: &[&AppRecord], tables: &[&Table]) -> String {
    let cell = |table: &Table, app: &AppRecord| match ratio(table, app) {
        Ok(ratio) => figure::ratio_and_spread(ratio),
        Err((_, word)) => word.to_owned(),
    };
    let said = frameworks.iter().map(|app| {
        let cells = tables
            .iter()
            .map(|table| format!("{} {}", clean(&table.scenario.id, NAME), cell(table, app)));
        format!("{}: {}", view::label(app), cells.collect::<Vec<_>>().join(", "))
    });
    said.collect::<Vec<_>>().join("; ")
}
