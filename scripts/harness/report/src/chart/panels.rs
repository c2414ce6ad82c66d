//! The picture of README.md: a panel for each of its two scenarios, in it a row for each framework, and how much more than the cheapest it
//! needs, with the 95 % interval.
//!
//! The axis spans the frameworks that lie together; what lies beyond has an arrow, and every row its number.

use model::AppRecord;

use super::axis::{Axis, together};
use super::svg::{Canvas, MARGIN};
use crate::readme::Panel;
use crate::{figure, table};

/// Names of the picture, and of the one for phones.
pub const PANELS: [&str; 2] = ["readme", "readme-narrow"];

/// Width of a picture that phones show without scaling.
const NARROW: f64 = 380.0;

/// Its text alternative.
pub fn panels_alt(panels: &[&Panel<'_>]) -> String {
    let titles: Vec<_> = panels.iter().map(|panel| panel.title).collect();
    let titles = titles.join(" and for ");
    format!(
        "CPU time per request of each framework above the cheapest, with intervals, for {titles}; the table has the figures"
    )
}

/// Where the names end, the room for the numbers on the right of a panel, and the space between a name or panel and the next.
const NAMES: f64 = 104.0;
const NUMBERS: f64 = 64.0;
const GUTTER: f64 = 14.0;

/// Heights: of the title, of a panel's heading, of a row, of an axis.
const TITLE: f64 = 56.0;
const HEADING: f64 = 26.0;
const ROW: f64 = 20.0;
const AXIS: f64 = 34.0;

const LEGEND: [(&str, &str); 3] = [
    ("b-framework", "cheapest, or none was found cheaper"),
    ("b-behind", "another was"),
    ("b-hollow", "not ranked"),
];

/// `measured` is when and how. A narrow picture has one panel below the other.
pub fn panels(apps: &[&AppRecord], panels: &[&Panel<'_>], measured: &str, is_narrow: bool) -> String {
    let (mut canvas, title, subtitle, in_band) = if is_narrow {
        let title = "CPU time against the cheapest";
        (Canvas::of(NARROW), title, measured.to_owned(), 1)
    } else {
        let title = "CPU time per request, compared with the cheapest framework";
        let subtitle = format!("Farther left is better. {measured}");
        (Canvas::default(), title, subtitle, panels.len())
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
            let ratios: Vec<_> = apps.iter().filter_map(|app| panel.above(app)).collect();
            let axis = Axis::new(place, together(&ratios).into_iter());
            canvas.text("b-text", (axis.left, top - HEADING + 16.0), panel.title);
            axis.grid(&mut canvas, (top - 2.0, top + rows + 2.0), GUTTER / 2.0, tick);
            for (at, app) in apps.iter().enumerate() {
                row(&mut canvas, &axis, panel, app, top + ROW * (at as f64 + 0.5));
            }
        }
        end = top + rows + AXIS;
    }
    let description = apps.iter().map(|app| {
        let cells = panels
            .iter()
            .map(|panel| format!("{} {}", panel.title, said(panel, app)));
        format!("{}: {}", table::label(app), cells.collect::<Vec<_>>().join(", "))
    });
    let legend = canvas.legend(&LEGEND, end + 8.0);
    canvas.finish(legend + 16.0, title, &description.collect::<Vec<_>>().join("; "))
}

fn tick(factor: f64) -> String {
    if (factor - 1.0).abs() < f64::EPSILON {
        return "best".to_owned();
    }
    figure::difference(factor)
}

fn row(canvas: &mut Canvas, axis: &Axis, panel: &Panel<'_>, app: &AppRecord, y: f64) {
    let Some(above) = panel.above(app) else {
        return canvas.text("b-note", (axis.left, y + 4.0), figure::NONE);
    };
    let number = tick(above.estimate);
    if axis.is_beyond(above.estimate) {
        let end = axis.left + axis.width;
        return canvas.text(
            "b-text b-halo b-end",
            (end + NUMBERS - 4.0, y + 4.0),
            &format!("→ {number}"),
        );
    }
    let (low, high) = above.interval.map_or((above.estimate, above.estimate), |interval| {
        (interval.low, interval.high)
    });
    canvas.whisker((axis.x(low), axis.x(high)), y);
    let class = match panel.rank(app) {
        Some(rank) if rank.best == 1 => "b-framework",
        Some(_) => "b-behind",
        None => "b-hollow",
    };
    canvas.dot(class, (axis.x(above.estimate), y));
    canvas.text("b-note b-halo", (axis.x(high) + 7.0, y + 4.0), &number);
}

/// `+12 % ±3.2 %`
fn said(panel: &Panel<'_>, app: &AppRecord) -> String {
    panel.above(app).map_or(figure::NONE.to_owned(), |above| {
        format!("{} {}", tick(above.estimate), figure::ratio_spread(&above))
    })
}
