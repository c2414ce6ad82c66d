//! The chart of one scenario: the ranked metric as a ratio to the reference, and the other figure beside it; both with the apps in
//! the order of the table.

use model::escape::{NAME, clean};
use model::{AppRecord, Interval, Metric, Role, Summary, Tier};

use super::axis::Axis;
use super::svg::{Canvas, ROOM, fit, width};
use crate::view::{self, Row, Table};
use crate::{figure, labels};

/// Where the names of the apps end.
const NAMES: f64 = 176.0;
/// Room of one panel's bars.
const BARS: f64 = 158.0;
/// Room beside the longest bar, for its figure and a word.
const FIGURES: f64 = 170.0;
/// Height of a row and of the bar in it.
const ROW: f64 = 24.0;
const BAR: f64 = 14.0;
/// Where the first row begins.
const TOP: f64 = 92.0;

const LEGEND: [(&str, &str); 4] = [
    ("b-framework", "framework"),
    ("b-reference", "reference"),
    ("b-ceiling", "ceiling"),
    ("b-apart", "not trusted, not ranked"),
];

/// A line of the chart: an app and its row, or why it has none.
type Line<'a> = (&'a AppRecord, Result<&'a Row<'a>, &'static str>);

/// One of the two panels.
struct Panel {
    metric: Metric,
    /// Whether it shows the ratio to the reference and not the figure itself.
    is_ratio: bool,
    axis: Axis,
}

/// The chart.
pub fn svg(table: &Table) -> String {
    let missing = table.missing.iter().map(|missing| (missing.app, Err(missing.word())));
    let ranked = table.ranked.iter().map(line).chain(missing);
    let lines: Vec<Line> = ranked.chain(table.anchors.iter().map(line)).collect();
    let bottom = TOP + ROW * lines.len().max(1) as f64;
    let scenario = table.scenario;
    let title = format!("{}: {}", clean(&scenario.id, NAME), clean(&scenario.title, 2 * NAME));
    let mut canvas = Canvas::default();
    let subtitle = format!("{} {}", labels::request(scenario), labels::load(scenario));
    canvas.heading(&title, &fit(&subtitle, ROOM));
    let names: Vec<_> = lines.iter().map(|line| (view::label(line.0), group(line))).collect();
    canvas.names(&names, (NAMES, TOP), ROW);
    for panel in panels(table) {
        panel.frame(&mut canvas, bottom);
        for (at, (_, found)) in lines.iter().enumerate() {
            let y = TOP + ROW * (at as f64 + 0.5);
            let bar = match found {
                Ok(row) => panel.bar(&mut canvas, row, y).ok_or(figure::NONE),
                Err(word) => Err(*word),
            };
            if let Err(word) = bar {
                canvas.text("b-note", (panel.axis.left + 6.0, y + 4.0), word);
            }
        }
    }
    let swatch = |canvas: &mut Canvas, class: &str, x| canvas.rect(class, (x, bottom + 35.0), (14.0, 10.0));
    canvas.legend(&LEGEND, bottom + 44.0, swatch);
    canvas.finish(bottom + 60.0, &title, &description(&lines, table))
}

fn line<'a>(row: &'a Row<'_>) -> Line<'a> {
    (row.app, Ok(row))
}

/// Apps that are ranked among themselves, failed ones, and those to compare with.
fn group((app, found): &Line) -> (bool, bool, Tier) {
    let is_ranked = app.role == Role::Framework;
    let tier = if is_ranked && found.is_ok() {
        app.tier
    } else {
        Tier::Maintained
    };
    (found.is_err(), is_ranked, tier)
}

fn panels(table: &Table) -> [Panel; 2] {
    let panel = |metric, is_ratio, left| {
        let figures = table
            .rows()
            .filter_map(|row| drawn(row.metric(metric)?, metric, is_ratio));
        let ends = figures.map(|(figure, interval)| interval.map_or(figure, |interval| interval.high.max(figure)));
        Panel {
            metric,
            is_ratio,
            axis: Axis::linear((left, BARS), ends),
        }
    };
    let first = NAMES + 10.0;
    let lead = view::leading(table.scenario.load);
    let has_ratio = |row: &Row| row.metric(lead).is_some_and(|summary| summary.ratio.is_some());
    [
        panel(lead, table.rows().any(has_ratio), first),
        panel(view::second(table.scenario.load), false, first + BARS + FIGURES + 8.0),
    ]
}

/// What a bar shows: a ratio, or a figure in its unit, with the interval.
fn drawn(summary: &Summary, metric: Metric, is_ratio: bool) -> Option<(f64, Option<Interval>)> {
    let (figure, interval) = if is_ratio {
        let ratio = summary.ratio.as_ref()?;
        (ratio.estimate, ratio.interval)
    } else {
        let scaled = |value| figure::in_units(metric, value);
        let interval = summary.interval.map(|Interval { low, high }| Interval {
            low: scaled(low),
            high: scaled(high),
        });
        (scaled(summary.median), interval)
    };
    figure.is_finite().then_some((figure, interval))
}

impl Panel {
    /// Heading, grid and ticks.
    fn frame(&self, canvas: &mut Canvas, bottom: f64) {
        let (name, unit) = (self.metric.name(), self.metric.unit());
        let name = if self.is_ratio {
            format!("{name} ÷ reference")
        } else {
            format!("{name}, {unit}")
        };
        let heading = format!("{name}: {}", figure::direction(self.metric));
        canvas.text("b-text", (self.axis.left, 74.0), &heading);
        let (top, bottom) = (TOP - 6.0, bottom + 4.0);
        self.axis.grid(canvas, (top, bottom), FIGURES);
        if self.is_ratio {
            let one = self.axis.x(1.0);
            canvas.line("b-one", (one, top), (one, bottom));
        }
    }

    fn bar(&self, canvas: &mut Canvas, row: &Row, y: f64) -> Option<()> {
        let summary = row.metric(self.metric)?;
        let (figure, interval) = drawn(summary, self.metric, self.is_ratio)?;
        let (bar, label) = match (summary.trusted, row.app.role) {
            (false, _) => ("b-apart", "b-note b-halo"),
            (true, Role::Framework) => ("b-framework", "b-text b-halo"),
            (true, Role::Reference) => ("b-reference", "b-text b-halo"),
            (true, Role::Ceiling) => ("b-ceiling", "b-text b-halo"),
        };
        let mut end = self.axis.x(figure);
        canvas.rect(bar, (self.axis.left, y - BAR / 2.0), (end - self.axis.left, BAR));
        if let Some(Interval { low, high }) = interval.filter(|_| summary.trusted) {
            canvas.whisker((self.axis.x(low), self.axis.x(high)), y);
            end = end.max(self.axis.x(high));
        }
        let (text, small) = self.label(row, summary);
        let text = fit(&text, FIGURES);
        canvas.text(label, (end + 7.0, y + 4.0), &text);
        if !small.is_empty() {
            let after = end + 7.0 + width(&text) + 8.0;
            canvas.text("b-note b-halo", (after, y + 4.0), &small);
        }
        Some(())
    }

    /// The text beside a bar, and the small text after it. Untrusted figures are in parentheses, because a hatched bar alone is
    /// easily overlooked.
    fn label(&self, row: &Row, summary: &Summary) -> (String, String) {
        let figure = figure::number(self.metric, summary.median);
        let text = match (row.ratio(self.metric).filter(|_| self.is_ratio), &summary.ratio) {
            (Some(ratio), _) => {
                let small = figure::value(self.metric, summary.median);
                return (figure::ratio_and_spread(&ratio), small);
            }
            (None, Some(ratio)) if self.is_ratio => {
                format!("({}) {}", figure::ratio(ratio.estimate), row.cell.verdict.name())
            }
            _ if summary.trusted => figure,
            _ => format!("({figure})"),
        };
        (text, String::new())
    }
}

fn description(lines: &[Line], table: &Table) -> String {
    let load = table.scenario.load;
    let shown = [view::leading(load), view::second(load)];
    let figure = |row: &Row, metric: Metric| {
        let summary = row.metric(metric)?;
        let doubt = if summary.trusted { "" } else { " (not trusted)" };
        Some(format!("{}{doubt}", figure::value(metric, summary.median)))
    };
    let said = lines.iter().map(|(app, found)| {
        let text = match found {
            Err(word) => (*word).to_owned(),
            Ok(row) => {
                let ratio = row.metric(shown[0]).and_then(|summary| summary.ratio.as_ref());
                let ratio = ratio.map(|ratio| format!("{} × reference", figure::ratio(ratio.estimate)));
                let figures = shown.into_iter().filter_map(|metric| figure(row, metric));
                ratio.into_iter().chain(figures).collect::<Vec<_>>().join(", ")
            }
        };
        format!("{}: {text}", view::label(app))
    });
    said.collect::<Vec<_>>().join("; ")
}
