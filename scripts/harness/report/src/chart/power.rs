//! Power of comparisons: a panel for each metric and a line for each scenario, the share of comparisons that name a change over
//! the size of that change.

use super::svg::{Canvas, MARGIN, WIDTH};
use crate::labels::{distinct, grouped};

const TOP: f64 = 84.0;
const HEIGHT: f64 = 150.0;
const LABELS: f64 = 36.0;
const GAP: f64 = 28.0;
/// Where the legends below the panels begin, and how high an entry is.
const LEGEND: f64 = TOP + HEIGHT + 44.0;
const ENTRY: f64 = 18.0;
/// Classes of lines, one for each scenario; more scenarios than classes share them.
const CLASSES: [&str; 4] = ["b-s0", "b-s1", "b-s2", "b-s3"];
/// The share at which a change counts as found.
const FOUND: f64 = 0.9;

/// One line: metric, scenario, and share found by size in per cent.
pub type Curve = (String, String, Points);

type Points = Vec<(f64, f64)>;

/// The chart for an app that was compared with itself.
pub fn power_chart(app: &str, curves: &[Curve]) -> String {
    let by_metric = grouped(curves.iter().map(|curve| (&curve.0, curve)));
    let scenarios = distinct(curves.iter().map(|curve| &curve.1));
    let mut canvas = Canvas::of(WIDTH);
    let note = format!("{app} against itself, with a change of this size added; dashed: nine of ten");
    canvas.heading("Share of comparisons that find a change for the worse", &note);
    let count = by_metric.len().max(1) as f64;
    let width = (WIDTH - 2.0 * MARGIN - count * LABELS - (count - 1.0) * GAP) / count;
    let (mut left, mut entries) = (MARGIN + LABELS, 0);
    for (metric, curves) in by_metric {
        let distinct = grouped(curves.into_iter().map(|(_, scenario, points)| (points, scenario)));
        let class = |scenario: &String| {
            let place = scenarios.iter().position(|known| *known == scenario);
            CLASSES[place.unwrap_or(0) % CLASSES.len()]
        };
        panel(&mut canvas, metric, (left, width), &distinct, class);
        left += width + GAP + LABELS;
        entries = entries.max(distinct.len());
    }
    let bottom = LEGEND + ENTRY * entries as f64;
    canvas.finish(bottom, "Power of a comparison", &note)
}

/// The curves of a metric, each with the scenarios whose curve it is.
fn panel(
    canvas: &mut Canvas,
    metric: &str,
    (left, width): (f64, f64),
    curves: &[(&Points, Vec<&String>)],
    class: impl Fn(&String) -> &'static str,
) {
    let points = curves.first().map_or(&[][..], |(points, _)| points);
    let sizes: Vec<f64> = points.iter().map(|(size, _)| *size).collect();
    let (first, last) = (sizes.first().unwrap_or(&1.0), sizes.last().unwrap_or(&2.0));
    let x = |size: f64| left + width * (size / first).ln() / (last / first).ln();
    let y = |share: f64| TOP + HEIGHT * (1.0 - share);
    canvas.text("b-text", (left, TOP - 12.0), &format!("{metric}, by the change in %"));
    for share in [0.0, 0.5, 1.0] {
        canvas.line("b-grid", (left, y(share)), (left + width, y(share)));
        let percent = format!("{:.0} %", share * 100.0);
        canvas.text("b-note b-end", (left - 6.0, y(share) + 4.0), &percent);
    }
    canvas.line("b-one", (left, y(FOUND)), (left + width, y(FOUND)));
    for &size in &sizes {
        canvas.text("b-note b-middle", (x(size), TOP + HEIGHT + 18.0), &format!("{size:.0}"));
    }
    let mut legend = LEGEND;
    for (points, scenarios) in curves {
        let (scenario, class) = (scenarios[0], class(scenarios[0]));
        let places: Vec<_> = points.iter().map(|(size, share)| (x(*size), y(*share))).collect();
        canvas.curve(class, &places);
        for place in &places {
            canvas.dot(class, *place);
        }
        canvas.line(class, (left, legend - 4.0), (left + 16.0, legend - 4.0));
        let label = match scenarios.len() {
            1 => scenario.clone(),
            2 => format!("{scenario} and another"),
            all => format!("{scenario} and {} others", all - 1),
        };
        canvas.text("b-note", (left + 22.0, legend), &label);
        legend += ENTRY;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_that_are_the_same_are_one() {
        let curve = |metric: &str, scenario: &str, share: f64| {
            let points = vec![(1.0, 0.0), (2.0, share)];
            (metric.to_owned(), scenario.to_owned(), points)
        };
        let curves = [
            curve("instructions", "plaintext", 1.0),
            curve("instructions", "simple", 1.0),
            curve("instructions", "hello", 1.0),
            curve("CPU per request", "plaintext", 0.3),
            curve("CPU per request", "simple", 0.6),
        ];
        let chart = power_chart("axum", &curves);
        for (text, times) in [
            (">plaintext and 2 others<", 1),
            (">plaintext<", 1),
            (">simple<", 1),
            ("hello", 0),
        ] {
            assert_eq!(chart.matches(text).count(), times, "{text}: {chart}");
        }
    }
}
