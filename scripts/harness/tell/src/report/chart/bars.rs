//! The chart of one scenario: the ranked metric as a ratio to the reference, and the other figure beside it; both with the apps in
//! the order of the table.

use super::axis::Linear;
use super::svg::{Anchor, Canvas, MARGIN, WIDTH, fit, width};
use crate::report::figure;
use crate::report::labels;
use crate::report::view;
use crate::report::view::{Missing, Row, Subject, Table};
use record::escape::{NAME, clean};
use record::{Interval, Metric, Role, Summary, Tier};

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

/// A line of the chart.
enum BarLine<'a> {
    Figures(&'a Row<'a>),
    Missing(&'a Missing<'a>),
}

impl BarLine<'_> {
    /// Key of the group: apps that are ranked among themselves, failed ones, and those to compare with.
    fn group(&self) -> (bool, bool, Tier) {
        let subject = self.subject();
        let is_ranked = subject.role() == Role::Framework;
        let is_missing = matches!(self, Self::Missing(_));
        let tier = if is_ranked && !is_missing {
            subject.tier()
        } else {
            Tier::Maintained
        };
        (is_missing, is_ranked, tier)
    }

    fn subject(&self) -> Subject<'_> {
        match self {
            Self::Figures(row) => row.subject,
            Self::Missing(missing) => missing.subject,
        }
    }
}

/// One of the two panels.
struct Panel {
    metric: Metric,
    /// Whether it shows the ratio to the reference and not the figure itself.
    is_ratio: bool,
    left: f64,
    axis: Linear,
}

/// The chart.
pub fn svg(table: &Table) -> String {
    let ranked = table.ranked.iter().map(BarLine::Figures);
    let missing = table.missing.iter().map(BarLine::Missing);
    let lines: Vec<_> = ranked
        .chain(missing)
        .chain(table.anchors.iter().map(BarLine::Figures))
        .collect();
    let bottom = TOP + ROW * lines.len().max(1) as f64;
    let mut canvas = Canvas::default();
    let title = heading(&mut canvas, table);
    for (at, line) in lines.iter().enumerate() {
        name(&mut canvas, line, at);
        if at > 0 && lines[at - 1].group() != line.group() {
            let y = middle(at) - ROW / 2.0;
            canvas.line("b-grid", (MARGIN, y), (WIDTH - MARGIN, y));
        }
    }
    for panel in panels(table) {
        panel.frame(&mut canvas, bottom);
        for (at, line) in lines.iter().enumerate() {
            panel.line(&mut canvas, line, middle(at));
        }
    }
    legend(&mut canvas, bottom + 44.0);
    canvas.finish(bottom + 60.0, &title, &description(&lines, table))
}

fn middle(at: usize) -> f64 {
    TOP + ROW * (at as f64 + 0.5)
}

fn heading(canvas: &mut Canvas, table: &Table) -> String {
    let scenario = table.scenario;
    let title = format!("{}: {}", clean(&scenario.id, NAME), clean(&scenario.title, 2 * NAME));
    let subtitle = format!("{} {}", labels::request(scenario), labels::load(scenario));
    let room = WIDTH - 2.0 * MARGIN;
    // The title is set in a font a quarter larger and bold.
    canvas.text("b-title", Anchor::Start, (MARGIN, 28.0), &fit(&title, room / 1.4));
    canvas.text("b-note", Anchor::Start, (MARGIN, 46.0), &fit(&subtitle, room));
    title
}

fn name(canvas: &mut Canvas, line: &BarLine, at: usize) {
    if at % 2 == 1 {
        canvas.rect("b-stripe", (0.0, middle(at) - ROW / 2.0), (WIDTH, ROW));
    }
    let name = fit(&line.subject().label(), NAMES - MARGIN);
    canvas.text("b-text", Anchor::End, (NAMES, middle(at) + 4.0), &name);
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
            left,
            axis: Linear::reaching(ends),
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
        let name = self.metric.name();
        let name = if self.is_ratio {
            format!("{name} ÷ reference")
        } else {
            format!("{name}, {}", self.metric.unit())
        };
        let heading = format!("{name}: {}", figure::direction(self.metric));
        canvas.text("b-text", Anchor::Start, (self.left, 74.0), &heading);
        for tick in self.axis.ticks() {
            let x = self.x(tick);
            canvas.line("b-grid", (x, TOP - 6.0), (x, bottom + 4.0));
            canvas.text("b-note", Anchor::Middle, (x, bottom + 18.0), &short(tick));
        }
        if self.is_ratio {
            canvas.line("b-one", (self.x(1.0), TOP - 6.0), (self.x(1.0), bottom + 4.0));
        }
    }

    fn x(&self, value: f64) -> f64 {
        self.left + BARS * self.axis.place(value)
    }

    fn line(&self, canvas: &mut Canvas, line: &BarLine, y: f64) {
        match line {
            BarLine::Missing(missing) => {
                canvas.text("b-note", Anchor::Start, (self.left + 6.0, y + 4.0), missing.word());
            }
            BarLine::Figures(row) => {
                let found = row.metric(self.metric);
                match found.and_then(|summary| Some((summary, drawn(summary, self.metric, self.is_ratio)?))) {
                    Some((summary, (figure, interval))) => self.bar(canvas, row, summary, (figure, interval), y),
                    None => canvas.text("b-note", Anchor::Start, (self.left + 6.0, y + 4.0), figure::NONE),
                }
            }
        }
    }

    fn bar(
        &self,
        canvas: &mut Canvas,
        row: &Row,
        summary: &Summary,
        (figure, interval): (f64, Option<Interval>),
        y: f64,
    ) {
        let class = if summary.trusted {
            colour(row.subject.role())
        } else {
            "b-apart"
        };
        canvas.rect(class, (self.left, y - BAR / 2.0), (self.x(figure) - self.left, BAR));
        let mut end = self.x(figure);
        if let Some(Interval { low, high }) = interval.filter(|_| summary.trusted) {
            canvas.whisker((self.x(low), self.x(high)), y);
            end = end.max(self.x(high));
        }
        let (text, small) = self.label(row, summary);
        let class = if summary.trusted {
            "b-text b-halo"
        } else {
            "b-note b-halo"
        };
        let text = fit(&text, FIGURES);
        canvas.text(class, Anchor::Start, (end + 7.0, y + 4.0), &text);
        if !small.is_empty() {
            let after = end + 7.0 + width(&text) + 8.0;
            canvas.text("b-note b-halo", Anchor::Start, (after, y + 4.0), &small);
        }
    }

    /// The text beside a bar, and the small text after it. Untrusted figures are in parentheses, because a hatched bar alone is
    /// easily overlooked.
    fn label(&self, row: &Row, summary: &Summary) -> (String, String) {
        let figure = figure::number(self.metric, summary.median);
        match (row.ratio(self.metric).filter(|_| self.is_ratio), &summary.ratio) {
            (Some(ratio), _) => {
                let text = format!("{} {}", figure::ratio(ratio.estimate), figure::ratio_spread(&ratio));
                (text.trim_end().to_owned(), figure::value(self.metric, summary.median))
            }
            (None, Some(ratio)) if self.is_ratio => {
                let why = labels::verdict(row.cell.verdict);
                (format!("({}) {why}", figure::ratio(ratio.estimate)), String::new())
            }
            _ if summary.trusted => (figure, String::new()),
            _ => (format!("({figure})"), String::new()),
        }
    }
}

fn colour(role: Role) -> &'static str {
    match role {
        Role::Framework => "b-framework",
        Role::Reference => "b-reference",
        Role::Ceiling => "b-ceiling",
    }
}

/// A tick's number, with thousands as `k` so that several fit side by side.
fn short(tick: f64) -> String {
    match tick {
        _ if tick >= 1e6 => format!("{}M", tick / 1e6),
        _ if tick >= 1e3 => format!("{}k", tick / 1e3),
        _ => format!("{}", (tick * 1e6).round() / 1e6),
    }
}

fn legend(canvas: &mut Canvas, y: f64) {
    let entries = [
        ("b-framework", "framework"),
        ("b-reference", "reference"),
        ("b-ceiling", "ceiling"),
        ("b-apart", "not trusted, not ranked"),
    ];
    let mut x = MARGIN;
    for (class, text) in entries {
        canvas.rect(class, (x, y - 9.0), (14.0, 10.0));
        canvas.text("b-note", Anchor::Start, (x + 19.0, y), text);
        x += 19.0 + width(text) + 16.0;
    }
    canvas.whisker((x, x + 16.0), y - 4.0);
    canvas.text("b-note", Anchor::Start, (x + 22.0, y), "95 % interval");
}

fn description(lines: &[BarLine], table: &Table) -> String {
    let (lead, second) = (view::leading(table.scenario.load), view::second(table.scenario.load));
    let said = lines.iter().map(|line| match line {
        BarLine::Missing(missing) => format!("{}: {}", missing.subject.label(), missing.word()),
        BarLine::Figures(row) => {
            let ratio = row.metric(lead).and_then(|summary| summary.ratio.as_ref());
            let ratio = ratio.map(|ratio| format!("{} × reference", figure::ratio(ratio.estimate)));
            let figures = [lead, second]
                .into_iter()
                .filter_map(|metric| Some(said(metric, row.metric(metric)?)));
            let figures: Vec<_> = ratio.into_iter().chain(figures).collect();
            format!("{}: {}", row.subject.label(), figures.join(", "))
        }
    });
    said.collect::<Vec<_>>().join("; ")
}

fn said(metric: Metric, summary: &Summary) -> String {
    let figure = figure::value(metric, summary.median);
    if summary.trusted {
        figure
    } else {
        format!("{figure} (not trusted)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_short() {
        assert_eq!(
            [0.0, 0.25, 500.0, 2500.0, 150_000.0, 1e6].map(short),
            ["0", "0.25", "500", "2.5k", "150k", "1M"]
        );
    }
}
