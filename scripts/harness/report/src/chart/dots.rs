//! A chart of dots: a row for each app, a column for a metric of a scenario, and in it the ratio to the reference with its interval.
//!
//! The ratio and not the figure, because it moves less from machine to machine. Each column has a logarithmic axis of its own, from the
//! maintained frameworks that lie together, so that intervals can be seen; what lies outside has an arrow and its number.

use model::escape::{NAME, clean};
use model::{AppRecord, Metric, Ratio, Record, Role};

use super::axis::{Axis, together};
use super::svg::{AXIS, Canvas, GUTTER, HEADING, MARGIN, ROOM, TITLE, WIDTH, described, dot_of, fit, width};
use crate::table::{self, Table, is_maintained};
use crate::{figure, labels};

/// Where the names of the apps end.
const NAMES: f64 = 164.0;

/// Columns side by side; more of them go into further bands.
const COLUMNS: usize = 5;

/// Height of a row.
const ROW: f64 = 22.0;

const LEGEND: [(&str, &str); 3] = [
    ("b-framework", "no other of its group was ahead"),
    ("b-behind", "another was"),
    ("b-hollow", "not ranked"),
];

/// One metric of one scenario.
struct Column<'a> {
    table: &'a Table<'a>,
    metric: Metric,
    title: String,
}

/// The overview: CPU per request, because it holds even where the load generator is the limit, of every framework in each scenario.
pub fn overview(record: &Record, tables: &[Table]) -> String {
    let metric = Metric::ServerCpuUsPerRequest;
    let tables = table::plain(tables);
    let mut frameworks = table::ordered(record, &tables, metric);
    frameworks.retain(|app| app.role == Role::Framework);
    let column = |table| Column {
        table,
        metric,
        title: clean(&table.scenario.id, NAME),
    };
    let columns: Vec<Column> = tables.into_iter().map(column).collect();
    let subtitle = "Less is better, left of the line costs less than the reference; logarithmic. Frameworks, then engines without a \
                    framework, then legacy ones";
    let title = "CPU time per request, relative to the reference";
    svg(title, subtitle, &frameworks, &columns)
}

/// The chart of one scenario: the metric that orders its table, and the other one.
pub fn scenario(table: &Table) -> String {
    let scenario = table.scenario;
    let missing = table.missing.iter().map(|missing| missing.app);
    let apps = table.ranked.iter().map(|row| row.app).chain(missing);
    let apps: Vec<_> = apps.chain(table.anchors.iter().map(|row| row.app)).collect();
    let title = format!("{}: {}", clean(&scenario.id, NAME), clean(&scenario.title, 2 * NAME));
    let subtitle = format!("{} {}", labels::request(scenario), labels::load(scenario));
    let column = |metric: Metric| Column {
        table,
        metric,
        title: format!("{} ÷ reference: {}", metric.name(), figure::direction(metric)),
    };
    let columns = [table::leading(scenario.load), table::second(scenario.load)].map(column);
    svg(&title, &fit(&subtitle, ROOM), &apps, &columns)
}

fn svg(title: &str, subtitle: &str, apps: &[&AppRecord], all: &[Column]) -> String {
    let bands = all.len().div_ceil(COLUMNS).max(1);
    let in_band = all.len().div_ceil(bands).max(1);
    let pitch = (WIDTH - NAMES - MARGIN) / in_band as f64;
    let band_height = HEADING + ROW * apps.len() as f64 + AXIS;
    let names = apps.iter().map(|app| (table::label(app), (app.role, app.tier)));
    let names: Vec<_> = names.collect();
    let mut canvas = Canvas::of(WIDTH);
    canvas.heading(title, subtitle);
    for (band, columns) in all.chunks(in_band).enumerate() {
        let top = TITLE + band_height * band as f64;
        canvas.names(&names, (NAMES, top + HEADING), ROW);
        for (at, column) in columns.iter().enumerate() {
            let place = (NAMES + GUTTER + pitch * at as f64, pitch - GUTTER);
            let axis = Axis::new(place, column.extent(apps).into_iter());
            column.draw(&mut canvas, &axis, apps, top);
        }
    }
    let bottom = TITLE + band_height * bands as f64;
    canvas.legend(&LEGEND, bottom + 8.0);
    let said = described(apps, |app| all.iter().map(|column| column.said(app)).collect());
    canvas.finish(bottom + 24.0, title, &said)
}

impl Column<'_> {
    /// A trusted ratio; or where an untrusted one is, if there is one, and the word for it.
    fn ratio(&self, app: &AppRecord) -> Result<&Ratio, (Option<f64>, &'static str)> {
        let Some(row) = self.table.row(app) else {
            let missing = self.table.missing(app);
            return Err((None, missing.map_or(figure::NONE, |missing| missing.word())));
        };
        let summary = row.metric(self.metric);
        let ratio = summary.and_then(|summary| Some((summary, summary.ratio.as_ref()?)));
        match ratio.filter(|(_, ratio)| ratio.estimate.is_finite() && ratio.estimate > 0.0) {
            Some((summary, ratio)) if summary.trusted => Ok(ratio),
            Some((_, ratio)) => Err((Some(ratio.estimate), row.cell.verdict.name())),
            None => Err((None, figure::NONE)),
        }
    }

    /// The values that the axis shows: the intervals of the maintained frameworks without those that lie apart; of all apps where there are
    /// none.
    fn extent(&self, apps: &[&AppRecord]) -> Vec<f64> {
        let trusted = apps
            .iter()
            .filter_map(|app| Some((*app, self.ratio(app).ok()?.clone())));
        let trusted: Vec<_> = trusted.collect();
        let has_maintained = trusted.iter().any(|(app, _)| is_maintained(app));
        let shown = trusted
            .into_iter()
            .filter(|(app, _)| !has_maintained || is_maintained(app));
        let ratios: Vec<Ratio> = shown.map(|(_, ratio)| ratio).collect();
        if ratios.is_empty() {
            return apps.iter().filter_map(|app| self.ratio(app).err()?.0).collect();
        }
        together(&ratios)
    }

    fn draw(&self, canvas: &mut Canvas, axis: &Axis, apps: &[&AppRecord], top: f64) {
        let rows = top + HEADING;
        let bottom = rows + ROW * apps.len() as f64;
        let title = fit(&self.title, axis.width);
        canvas.text("b-text b-middle", (axis.left + axis.width / 2.0, top + 16.0), &title);
        axis.grid(canvas, (rows - 2.0, bottom + 2.0), GUTTER / 2.0, |tick| {
            format!("{tick}")
        });
        for (at, app) in apps.iter().enumerate() {
            self.cell(canvas, axis, app, rows + ROW * (at as f64 + 0.5));
        }
    }

    fn cell(&self, canvas: &mut Canvas, axis: &Axis, app: &AppRecord, y: f64) {
        let ratio = match self.ratio(app) {
            Ok(ratio) if axis.is_beyond(ratio.estimate) => return arrow(canvas, axis, ratio.estimate, y),
            Ok(ratio) => ratio,
            Err((Some(ratio), word)) => return doubt(canvas, axis, word, (axis.x(ratio), y)),
            Err((None, word)) => {
                let middle = axis.left + axis.width / 2.0;
                return canvas.text("b-note b-middle", (middle, y + 4.0), &fit(word, axis.width));
            }
        };
        if let Some(interval) = ratio.interval {
            canvas.whisker((axis.x(interval.low), axis.x(interval.high)), y);
        }
        let rank = self.table.row(app).and_then(|row| row.rank(self.metric));
        canvas.dot(dot_of(rank), (axis.x(ratio.estimate), y));
    }

    /// What its cell shows, in words.
    fn said(&self, app: &AppRecord) -> String {
        let cell = match self.ratio(app) {
            Ok(ratio) => figure::ratio_and_spread(ratio),
            Err((_, word)) => word.to_owned(),
        };
        format!("{} {cell}", self.title)
    }
}

/// A figure outside the axis.
fn arrow(canvas: &mut Canvas, axis: &Axis, ratio: f64, y: f64) {
    let number = figure::ratio(ratio);
    if axis.x(ratio) > axis.left {
        let end = axis.left + axis.width;
        canvas.text("b-note b-halo b-end", (end, y + 4.0), &format!("{number} →"));
    } else {
        canvas.text("b-note b-halo", (axis.left, y + 4.0), &format!("← {number}"));
    }
}

/// A figure that is not trusted: an empty dot, and the verdict where there is room for it.
fn doubt(canvas: &mut Canvas, axis: &Axis, word: &str, (x, y): (f64, f64)) {
    canvas.dot("b-hollow", (x, y));
    let needed = width(word) + 8.0;
    if x - needed >= axis.left {
        canvas.text("b-note b-halo b-end", (x - 8.0, y + 4.0), word);
    } else if x + needed <= axis.left + axis.width {
        canvas.text("b-note b-halo", (x + 8.0, y + 4.0), word);
    }
}
