//! Memory of servers while connections came and left: a panel for each, from 0 to its own most, so that a saw-tooth is one whatever its size.

use analyze::probes::KeptMemory;
use model::label;
use model::probe::MemoryAt;

use super::svg::{Canvas, MARGIN, ROOM, WIDTH, fit};
use crate::figure;

const COLUMNS: usize = 4;
const GAP: f64 = 20.0;
/// Heights: of the title, of a panel, and of the curve in its lower part.
const TITLE: f64 = 60.0;
const PANEL: f64 = 98.0;
const CURVE: f64 = 44.0;

/// The chart's text alternative, too.
pub const MEMORY_ALT: &str = "Memory of each server while connections came and left; the table has the figures";

/// The chart of these servers, in their order.
pub fn memory_chart(servers: &[KeptMemory]) -> String {
    let mut canvas = Canvas::of(WIDTH);
    let title = "Does it give memory back?";
    let note =
        "Resident memory over time, in MiB before connections came (dashed) → at most → when they were gone in the end";
    canvas.heading(title, note);
    let width = (ROOM - GAP * (COLUMNS - 1) as f64) / COLUMNS as f64;
    let looks = servers.iter().flat_map(|server| &server.looks);
    let lasting = looks.map(|look| look.seconds).fold(1.0, f64::max);
    for (at, server) in servers.iter().enumerate() {
        let left = MARGIN + (width + GAP) * (at % COLUMNS) as f64;
        let top = TITLE + PANEL * (at / COLUMNS) as f64;
        let bytes: Vec<u64> = server.looks.iter().map(|look| look.bytes).collect();
        let places = [bytes.first(), bytes.iter().max(), bytes.last()];
        let [before, most, end] = places.map(|bytes| *bytes.unwrap_or(&1));
        let said = [before, most, end].map(figure::in_mebibytes).join(" → ");
        let bottom = top + PANEL - 12.0;
        let y = |bytes: u64| bottom - CURVE * bytes as f64 / most as f64;
        let label = fit(&label(&server.app, &server.variant), width);
        canvas.text("b-text", (left, top + 12.0), &label);
        canvas.text("b-note", (left, top + 27.0), &format!("{said} MiB"));
        canvas.line("b-grid", (left, bottom), (left + width, bottom));
        canvas.line("b-one", (left, y(before)), (left + width, y(before)));
        let place = |look: &MemoryAt| (left + width * look.seconds / lasting, y(look.bytes));
        canvas.curve("b-s0", &server.looks.iter().map(place).collect::<Vec<_>>());
    }
    let bottom = TITLE + PANEL * servers.len().div_ceil(COLUMNS) as f64;
    canvas.finish(bottom, title, MEMORY_ALT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_gives_memory_back_ends_where_it_began() {
        let servers = analyze::probes::kept_memory([&samples::probes()]);
        let svg = memory_chart(&servers);
        assert!(svg.contains(">5.00 → 105 → 5.00 MiB<"), "{svg}");
        let curves: Vec<Vec<&str>> = svg
            .lines()
            .filter_map(|line| Some(line.split_once("points=\"")?.1.split(&['"', ' ', ','][..]).collect()))
            .collect();
        let heights = |curve: &[&str]| [curve[1].to_owned(), curve[2 * servers[0].looks.len() - 1].to_owned()];
        let [[first, last], [before, kept]] = [heights(&curves[0]), heights(&curves[1])];
        assert!(first == last && before != kept, "{svg}");
    }
}
