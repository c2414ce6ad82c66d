//! Charts of a run as SVG: one per scenario, and an overview for README.md.
//!
//! Plain SVG without script, font or link, so that it can be shown wherever a picture can. It has its own background and follows
//! the reader's light or dark scheme. Colours are those of Okabe and Ito, which people with any colour vision can distinguish;
//! untrusted figures also differ in pattern and have a word beside them.

mod axis;
mod bars;
mod overview;
mod power;
mod svg;

pub use power::power_chart;

use crate::labels;
use crate::view;
use crate::view::Table;
use model::Record;
use model::escape::file_stem;

/// Name of the overview.
pub const OVERVIEW: &str = "overview";

/// Text alternative of the overview.
pub const OVERVIEW_ALT: &str = "Server CPU time per request of every framework relative to the reference, one column \
    per scenario; the tables give the figures";

/// A picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chart {
    /// Stem of its file's name: lowercase letters, digits and hyphens, unique within the run.
    pub name: String,
    /// The picture, a whole SVG document.
    pub svg: String,
}

/// The overview, then one chart per scenario in the order of the record.
#[must_use]
pub fn charts(record: &Record) -> Vec<Chart> {
    let tables = view::tables(record);
    let overview = (OVERVIEW.to_owned(), overview::svg(record, &tables));
    let scenarios = names(record).into_iter().zip(tables.iter().map(bars::svg));
    let all = std::iter::once(overview).chain(scenarios);
    all.map(|(name, svg)| Chart { name, svg }).collect()
}

/// Names of the scenarios' charts; two ids that look alike as a file's name are numbered.
pub(super) fn names(record: &Record) -> Vec<String> {
    let mut taken = vec![OVERVIEW.to_owned()];
    for scenario in &record.scenarios {
        let stem = file_stem(&scenario.id);
        let numbered = (2..).map(|number: u32| format!("{stem}-{number}"));
        let free = std::iter::once(stem.clone())
            .chain(numbered)
            .find(|name| !taken.contains(name));
        taken.push(free.unwrap_or(stem));
    }
    taken.split_off(1)
}

/// Text alternative of a scenario's chart.
pub(super) fn bars_alt(table: &Table) -> String {
    let apps = labels::count(table.rows().count(), "app");
    format!(
        "{} of {apps} relative to the reference for {}, and {} beside it; the table gives the figures",
        view::leading(table.scenario.load).name(),
        labels::request(table.scenario),
        view::second(table.scenario.load).name()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(name: &str) -> String {
        charts(&samples::record())
            .into_iter()
            .find(|chart| chart.name == name)
            .expect("a chart of that name")
            .svg
    }

    #[test]
    fn overview() {
        insta::assert_snapshot!(chart("overview"));
    }

    #[test]
    fn plaintext() {
        insta::assert_snapshot!(chart("plaintext"));
    }

    #[test]
    fn cpu_open() {
        insta::assert_snapshot!(chart("cpu-open"));
    }

    #[test]
    fn names_are_unique_and_safe() {
        let mut record = samples::record();
        record.scenarios[0].id = "overview".to_owned();
        record.scenarios[1].id = "../a b".to_owned();
        record.scenarios[2].id = "a/b".to_owned();
        assert_eq!(names(&record), ["overview-2", "a-b", "a-b-2"]);
    }

    #[test]
    fn only_our_own_elements_are_drawn() {
        let ours = [
            "svg", "title", "desc", "style", "defs", "pattern", "rect", "line", "circle", "text",
        ];
        for chart in charts(&samples::record()) {
            for tag in chart.svg.split('<').skip(1) {
                let name: String = tag
                    .trim_start_matches('/')
                    .chars()
                    .take_while(char::is_ascii_alphabetic)
                    .collect();
                assert!(ours.contains(&name.as_str()), "<{tag}");
            }
            assert!(
                chart
                    .svg
                    .chars()
                    .all(|character| character == '\n' || !character.is_control())
            );
        }
    }

    #[test]
    fn ampersands_begin_entities() {
        for chart in charts(&samples::record()) {
            for entity in chart.svg.split('&').skip(1) {
                let entity = entity.split(';').next();
                assert!(
                    matches!(entity, Some("amp" | "lt" | "gt" | "quot" | "#39")),
                    "{entity:?}"
                );
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
        for chart in charts(&record) {
            assert!(
                !chart.svg.contains("NaN") && !chart.svg.contains("inf"),
                "{}",
                chart.svg
            );
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
