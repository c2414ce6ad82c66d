//! The picture of README.md: a panel for each of its two scenarios, in it a row for each framework, and its own work with its margin, or how
//! much more than the cheapest it needs, with the 95 % interval.
//!
//! The axis spans the frameworks that lie together; what lies beyond has an arrow, and every row its number.

use model::{AppRecord, OwnWork};

use super::axis::{Axis, together};
use super::svg::{AXIS, Canvas, GUTTER, HEADING, MARGIN, TITLE, WIDTH, described, dot_of};
use crate::readme::Panel;
use crate::{figure, table};

/// Names of the picture, and of the one for phones.
pub const PANELS: [&str; 2] = ["readme", "readme-narrow"];

/// Width of a picture that phones show without scaling.
const NARROW: f64 = 380.0;

/// Its text alternative.
pub fn panels_alt(panels: &[&Panel<'_>]) -> String {
    let shown: Vec<_> = panels.iter().map(|panel| heading(panel)).collect();
    let shown = shown.join(" and ");
    format!("CPU time per request of each framework: {shown}; the table has the figures")
}

/// `a small JSON answer (own work)`
fn heading(panel: &Panel<'_>) -> String {
    let is_own = panel.shows_own_work();
    let what = if is_own { "own work" } else { "against the cheapest" };
    format!("{} ({what})", panel.title)
}

/// Above which own work is shown by an arrow.
const FAR: f64 = 80.0;

/// What a panel shows of a server: the figure, the ends of its interval, and the figure in words.
struct Shown {
    figure: f64,
    ends: [f64; 2],
    words: String,
}

fn shown(panel: &Panel<'_>, app: &AppRecord) -> Option<Shown> {
    let (figure, ends, words) = if panel.shows_own_work() {
        let OwnWork { estimate, margin } = panel.own_work(app)?;
        let ends = [estimate - margin, estimate + margin];
        (estimate, ends, format!("{estimate:.0}"))
    } else {
        let above = panel.above(app)?;
        let interval = above.interval.map(|interval| [interval.low, interval.high]);
        let ends = interval.unwrap_or([above.estimate; 2]);
        (above.estimate, ends, tick(above.estimate))
    };
    Some(Shown { figure, ends, words })
}

/// Where the names end, and the room for the numbers on the right of a panel.
const NAMES: f64 = 104.0;
const NUMBERS: f64 = 64.0;

/// Height of a row.
const ROW: f64 = 20.0;

const LEGEND: [(&str, &str); 3] = [
    ("b-framework", "may be the cheapest"),
    ("b-behind", "costs more"),
    ("b-hollow", "not ranked"),
];

/// `measured` is when and how. A narrow picture has one panel below the other.
pub fn panels(apps: &[&AppRecord], panels: &[&Panel<'_>], measured: &str, is_narrow: bool) -> String {
    let (mut canvas, title, subtitle, in_band) = if is_narrow {
        let title = "CPU time of each framework";
        (Canvas::of(NARROW), title, measured.to_owned(), 1)
    } else {
        let title = "CPU time per request of each framework";
        let subtitle = format!("Farther left is better. {measured}");
        (Canvas::of(WIDTH), title, subtitle, panels.len())
    };
    let names: Vec<_> = apps.iter().map(|app| (table::label(app), ())).collect();
    let rows = ROW * apps.len() as f64;
    let pitch = (canvas.width - NAMES - MARGIN) / in_band as f64;
    let bands = panels.chunks(in_band).enumerate();
    canvas.heading(title, &subtitle);
    let mut end = TITLE;
    for (band, panels) in bands {
        let top = TITLE + HEADING + (HEADING + rows + AXIS) * band as f64;
        canvas.names(&names, (NAMES, top), ROW);
        for (at, panel) in panels.iter().enumerate() {
            let place = (NAMES + GUTTER + pitch * at as f64, pitch - GUTTER - NUMBERS);
            let (axis, tick): (_, fn(f64) -> String) = if panel.shows_own_work() {
                let near = apps.iter().filter_map(|app| shown(panel, app));
                let near = near.filter(|shown| shown.figure < FAR);
                let near: Vec<_> = near.flat_map(|shown| shown.ends).collect();
                (Axis::from_zero(place, near.into_iter()), |own| format!("{own}"))
            } else {
                let ratios: Vec<_> = apps.iter().filter_map(|app| panel.above(app)).collect();
                (Axis::new(place, together(&ratios).into_iter()), tick)
            };
            canvas.text("b-text", (axis.left, top - HEADING + 16.0), &heading(panel));
            axis.grid(&mut canvas, (top - 2.0, top + rows + 2.0), GUTTER / 2.0, tick);
            for (at, app) in apps.iter().enumerate() {
                row(&mut canvas, &axis, panel, app, top + ROW * (at as f64 + 0.5));
            }
        }
        end = top + rows + AXIS;
    }
    let cell = |panel: &Panel<'_>, app: &AppRecord| {
        let said = panel.said(app);
        format!("{} {}", panel.title, said.as_deref().unwrap_or(figure::NONE))
    };
    let said = described(apps, |app| panels.iter().map(|panel| cell(panel, app)).collect());
    let legend = canvas.legend(&LEGEND, end + 8.0);
    canvas.finish(legend + 16.0, title, &said)
}

fn tick(factor: f64) -> String {
    if (factor - 1.0).abs() < f64::EPSILON {
        return "best".to_owned();
    }
    figure::difference(factor)
}

fn row(canvas: &mut Canvas, axis: &Axis, panel: &Panel<'_>, app: &AppRecord, y: f64) {
    let Some(Shown { figure, ends, words }) = shown(panel, app) else {
        return canvas.text("b-note", (axis.left, y + 4.0), figure::NONE);
    };
    if axis.is_beyond(figure) {
        let end = axis.left + axis.width + NUMBERS - 4.0;
        return canvas.text("b-text b-halo b-end", (end, y + 4.0), &format!("→ {words}"));
    }
    let [low, high] = ends.map(|end| axis.x(end));
    canvas.whisker((low, high), y);
    canvas.dot(dot_of(panel.rank(app)), (axis.x(figure), y));
    canvas.text("b-note b-halo", (high + 7.0, y + 4.0), &words);
}
