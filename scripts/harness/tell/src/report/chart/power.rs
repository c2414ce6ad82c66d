//! Power of comparisons: a panel for each metric and a line for each scenario, the share of comparisons that name a change over
//! the size of that change.

use super::svg::{Anchor, Canvas, MARGIN, WIDTH};

const TOP: f64 = 84.0;
const HEIGHT: f64 = 150.0;
const LABELS: f64 = 36.0;
const GAP: f64 = 28.0;
/// Classes of lines, one for each scenario; more scenarios than classes share them.
const CLASSES: [&str; 4] = ["b-s0", "b-s1", "b-s2", "b-s3"];
/// The share at which a change counts as found.
const FOUND: f64 = 0.9;

/// One line: metric, scenario, and share found by size in per cent.
pub type Curve = (String, String, Vec<(f64, f64)>);

/// The chart for an app that was compared with itself.
pub fn power_chart(app: &str, curves: &[Curve]) -> String {
    let mut metrics: Vec<&str> = Vec::new();
    let mut scenarios: Vec<&str> = Vec::new();
    for (metric, scenario, _) in curves {
        for (names, name) in [(&mut metrics, metric), (&mut scenarios, scenario)] {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
    }
    let mut canvas = Canvas::default();
    canvas.text(
        "b-title",
        Anchor::Start,
        (MARGIN, 28.0),
        "Share of comparisons that find a change for the worse",
    );
    let note = format!("{app} against itself, with a change of this size added; dashed: nine of ten");
    canvas.text("b-note", Anchor::Start, (MARGIN, 46.0), &note);
    let count = metrics.len().max(1) as f64;
    let width = (WIDTH - 2.0 * MARGIN - count * LABELS - (count - 1.0) * GAP) / count;
    let mut left = MARGIN + LABELS;
    for metric in &metrics {
        let of_metric: Vec<&Curve> = curves.iter().filter(|curve| curve.0 == *metric).collect();
        panel(&mut canvas, metric, left, width, &of_metric, &scenarios);
        left += width + GAP + LABELS;
    }
    let bottom = TOP + HEIGHT + 44.0;
    let mut at = MARGIN;
    for (index, scenario) in scenarios.iter().enumerate() {
        canvas.line(CLASSES[index % CLASSES.len()], (at, bottom), (at + 16.0, bottom));
        canvas.text("b-note", Anchor::Start, (at + 22.0, bottom + 4.0), scenario);
        at += 130.0;
    }
    canvas.finish(bottom + 20.0, "Power of a comparison", &note)
}

fn panel(canvas: &mut Canvas, metric: &str, left: f64, width: f64, curves: &[&Curve], scenarios: &[&str]) {
    let sizes: Vec<f64> = curves
        .first()
        .map(|curve| curve.2.iter().map(|(size, _)| *size).collect())
        .unwrap_or_default();
    let (first, last) = (
        sizes.first().copied().unwrap_or(1.0),
        sizes.last().copied().unwrap_or(2.0),
    );
    let x = |size: f64| left + width * (size / first).ln() / (last / first).ln();
    let y = |share: f64| TOP + HEIGHT * (1.0 - share);
    canvas.text(
        "b-text",
        Anchor::Start,
        (left, TOP - 12.0),
        &format!("{metric}, by the change in %"),
    );
    for share in [0.0, 0.5, 1.0] {
        canvas.line("b-grid", (left, y(share)), (left + width, y(share)));
        canvas.text(
            "b-note",
            Anchor::End,
            (left - 6.0, y(share) + 4.0),
            &format!("{:.0} %", share * 100.0),
        );
    }
    canvas.line("b-one", (left, y(FOUND)), (left + width, y(FOUND)));
    for size in sizes {
        canvas.text(
            "b-note",
            Anchor::Middle,
            (x(size), TOP + HEIGHT + 18.0),
            &format!("{size:.0}"),
        );
    }
    for (_, scenario, points) in curves {
        let place = scenarios.iter().position(|name| name == scenario).unwrap_or(0);
        let class = CLASSES[place % CLASSES.len()];
        for pair in points.windows(2) {
            canvas.line(class, (x(pair[0].0), y(pair[0].1)), (x(pair[1].0), y(pair[1].1)));
        }
        for (size, share) in points {
            canvas.dot(class, (x(*size), y(*share)));
        }
    }
}
