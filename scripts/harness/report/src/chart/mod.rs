//! Charts of a run as SVG: an overview for README.md, and one per scenario.
//!
//! Plain SVG without script, font or link, so that it can be shown wherever a picture can. It has its own background and follows
//! the reader's light or dark scheme. Colours are Okabe and Ito's, which people with any colour vision can distinguish;
//! untrusted figures also differ in shape and have a word next to them.

mod axis;
mod dots;
mod flame;
mod memory;
mod panels;
mod power;
mod svg;

pub use flame::flame_graph;
pub use memory::{MEMORY_ALT, memory_chart};
pub use panels::{PANELS, panels, panels_alt};
pub use power::power_chart;

use crate::labels;
use crate::table;
use crate::table::Table;
use model::Record;
use model::escape::file_stem;

/// Name of the overview.
pub const OVERVIEW: &str = "overview";

/// Text alternative of the overview.
pub const OVERVIEW_ALT: &str = "Server CPU time per request of every framework relative to the reference, one column \
    per scenario; the tables give the figures";

/// The charts of a run, each with the stem of its file's name: the overview, then one per scenario in the order of the record.
#[must_use]
pub fn charts(record: &Record) -> Vec<(String, String)> {
    if record.measures_costs() {
        return Vec::new();
    }
    let tables = table::tables(record);
    let overview = (OVERVIEW.to_owned(), dots::overview(record, &tables));
    let scenarios = tables.iter().map(|table| (name(table), dots::scenario(table)));
    std::iter::once(overview).chain(scenarios).collect()
}

/// Name of a scenario's chart.
pub(super) fn name(table: &Table) -> String {
    file_stem(&table.scenario.id)
}

/// Text alternative of a scenario's chart.
pub(super) fn scenario_alt(table: &Table) -> String {
    let (apps, request) = (
        labels::count(table.rows().count(), "app"),
        labels::request(table.scenario),
    );
    let [first, second] = [table::leading, table::second].map(|metric| metric(table.scenario.load).name());
    format!(
        "{first} of {apps} relative to the reference for {request}, with {second} next to it; the table gives the figures"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_made_of_our_own_elements_and_of_text_that_is_escaped() {
        let ours = ["svg", "title", "desc", "style", "rect", "line", "circle", "text"];
        for (name, svg) in charts(&samples::record()) {
            for tag in svg.split('<').skip(1) {
                let tag = tag.trim_start_matches('/');
                let (tag, _) = tag.split_once(|end: char| !end.is_ascii_alphabetic()).unwrap();
                assert!(ours.contains(&tag), "<{tag}");
            }
            for entity in svg.split('&').skip(1) {
                let (entity, _) = entity.split_once(';').unwrap();
                assert!(["amp", "lt", "gt", "quot", "#39"].contains(&entity), "{entity}");
            }
            assert!(svg.chars().all(|one| one == '\n' || !one.is_control()));
            if name != "json" {
                insta::assert_snapshot!(name.replace('-', "_"), svg);
            }
        }
    }

    #[test]
    fn figures_that_cannot_be_drawn_are_left_out() {
        let mut record = samples::record();
        for summary in record.summary.iter_mut().flat_map(|cell| cell.metrics.values_mut()) {
            summary.median = f64::NAN;
            summary.ratio = None;
        }
        for (_, svg) in charts(&record) {
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{}", svg);
        }
    }

    #[test]
    fn an_empty_record_still_gives_pictures() {
        let mut record = samples::record();
        record.apps.clear();
        record.summary.clear();
        assert_eq!(charts(&record).len(), 4);
    }
}
