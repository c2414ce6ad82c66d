//! Series: all figures of a lane over time, divided into periods so that no reader or writer needs all of it.
//!
//! The files of a month are a pure function of the records of that month; those of a year of its months. A run is of the month
//! that its id begins with.

mod figures;
mod month;
mod runs;
mod year;

use std::collections::BTreeMap;

use super::additions::Files;
use super::json;
use super::period::{Month, Year};
use record::{Lane, Record};

pub use figures::{Figures, value_at};
pub use runs::{Runs, SeriesSubject};

/// Version of the series that this program writes and reads.
pub const SCHEMA_VERSION: u32 = 1;
/// Name of the file that names the runs: no scenario may have it.
pub const RUNS: &str = "runs";

/// What is known of one period: the runs, and the figures of each scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// The runs.
    pub runs: Runs,
    /// Figures by the name of their scenario.
    pub figures: BTreeMap<String, Figures>,
}

/// Where the files of a period lie: of the lane's principal series, or of the series `of` a profile beside it.
pub fn folder(lane: Lane, of: Option<&str>, period: &str) -> String {
    let of = of.map(|profile| format!("{profile}/")).unwrap_or_default();
    format!("data/{}/series/{of}{period}/", lane.name())
}

impl Series {
    /// The series of a month, from its records in any order.
    pub fn from_records(lane: Lane, month: Month, records: &[Record]) -> Self {
        let mut records: Vec<&Record> = records.iter().collect();
        records.sort_by_key(|record| (record.started_at, record.id.clone()));
        month::series(lane, month, &records)
    }

    /// The series of a finished year, from its months in order.
    pub fn from_months(lane: Lane, year: Year, months: &[&Self]) -> Self {
        year::series(lane, year, months)
    }

    /// Its files: of the principal series, or of the one `of` a profile beside it.
    pub fn files(&self, of: Option<&str>) -> Files {
        let folder = folder(self.runs.lane, of, &self.runs.period);
        let figures = self.figures.iter();
        let figures = figures.map(|(scenario, of)| (scenario.as_str(), json::text(of)));
        figures
            .chain([(RUNS, json::text(&self.runs))])
            .map(|(name, text)| (format!("{folder}{name}.json"), text.into_bytes()))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge::sample;
    use record::{Metric, Verdict};

    fn run(day: &str, change: impl FnOnce(&mut Record)) -> Record {
        let mut record = sample::record();
        record.id = format!("{}T110000Z-1", day.replace('-', ""));
        record.started_at = format!("{day}T11:00:00Z").parse().unwrap();
        change(&mut record);
        record
    }

    fn month(name: &str, records: &[Record]) -> Series {
        Series::from_records(Lane::HostedX64, name.parse().unwrap(), records)
    }

    fn cell<'a>(record: &'a mut Record, app: &str) -> &'a mut record::Cell {
        let of = |cell: &&mut record::Cell| cell.app == app && cell.scenario == "plaintext";
        record.summary.iter_mut().find(of).unwrap()
    }

    #[test]
    fn a_month_has_a_row_for_each_subject_and_a_place_for_each_run() {
        let second = run("2026-11-21", |record| {
            record.apps.retain(|app| app.id != "rocket");
            record.summary.retain(|cell| cell.app != "rocket");
            record.apps[1].framework_version = "0.8.8".into();
        });
        let third = run("2026-11-28", |record| {
            record.summary.retain(|cell| cell.scenario != "plaintext");
        });
        let series = month("2026-11", &[third, second, run("2026-11-14", |_| {})]);
        let figures = &series.figures["plaintext"];
        assert_eq!(
            figures.runs,
            ["20261114T110000Z-1", "20261121T110000Z-1"],
            "those that measured it, in order"
        );
        assert_eq!(series.runs.runs.len(), 3);
        assert_eq!(
            series.runs.versions["axum"][..2],
            [Some("0.8.7".into()), Some("0.8.8".into())]
        );
        assert_eq!(series.runs.versions["rocket"][1], None);
        let row = |subject: &str| figures.subjects.iter().position(|known| known == subject).unwrap();
        let goodput = &figures.metrics[&Metric::GoodputRps];
        assert_eq!(
            value_at(&goodput.median, row("rocket"), 0).unwrap().0.to_string(),
            "61200"
        );
        assert_eq!(value_at(&goodput.median, row("rocket"), 1), None);
        assert_eq!(figures.verdicts[row("axum:tuned")], [Some(Verdict::ClientBound); 2]);
        let bound = (
            value_at(&goodput.trusted, row("axum"), 0),
            value_at(&goodput.low, row("axum"), 0),
            value_at(&goodput.ratio, row("axum"), 0),
        );
        assert_eq!(bound, (Some(0), None, None), "what is not trusted has no interval");
        assert!(figures.reasons[row("axum")][0].as_ref().unwrap().contains("93 %"));
        insta::assert_snapshot!(
            String::from_utf8(series.files(None)["data/hosted-x64/series/2026-11/json.json"].clone()).unwrap()
        );
    }

    #[test]
    fn a_year_has_a_point_for_every_month_and_only_what_is_trusted() {
        let faster = |by: f64| {
            move |record: &mut Record| {
                let goodput = cell(record, "rocket").metrics.get_mut(&Metric::GoodputRps).unwrap();
                goodput.median *= by;
            }
        };
        let doubted = |record: &mut Record| {
            let goodput = cell(record, "rocket").metrics.get_mut(&Metric::GoodputRps).unwrap();
            (goodput.median, goodput.trusted) = (1.0, false);
        };
        let first = [
            run("2026-01-05", faster(1.0)),
            run("2026-01-12", faster(3.0)),
            run("2026-01-19", faster(2.0)),
            run("2026-01-26", doubted),
        ];
        let second = [run("2026-03-02", doubted)];
        let months = [month("2026-01", &first), month("2026-03", &second)];
        let year = Series::from_months(
            Lane::HostedX64,
            Month::from_run_id("20260105T1").unwrap().year(),
            &months.each_ref(),
        );
        assert_eq!(year.runs.points, Some(vec![4, 1]));
        let figures = &year.figures["plaintext"];
        assert_eq!(
            figures.runs,
            ["20260126T110000Z-1", "20260302T110000Z-1"],
            "the last stands for its month"
        );
        let row = figures.subjects.iter().position(|known| known == "rocket").unwrap();
        let goodput = &figures.metrics[&Metric::GoodputRps];
        let median = [0, 1].map(|place| value_at(&goodput.median, row, place).map(|figure| figure.0.to_string()));
        assert_eq!(
            median,
            [Some("122000".into()), None],
            "the median of three that are trusted, and none of none"
        );
        assert!(!figures.metrics.contains_key(&Metric::LatencyP99Ms));
        assert!(!figures.metrics[&Metric::ServerCpuUsPerRequest].ratio.is_empty());
    }

    #[test]
    fn what_was_written_is_read() {
        let series = month("2026-11", &[run("2026-11-14", |_| {})]);
        let beside = series.files(Some("quick"));
        for (path, text) in series.files(None) {
            assert_eq!(beside[&path.replace("/series/", "/series/quick/")], text, "{path}");
            let text = String::from_utf8(text).unwrap();
            if path.ends_with("/runs.json") {
                assert_eq!(json::read::<Runs>(&text, SCHEMA_VERSION).unwrap(), series.runs);
            } else {
                let figures: Figures = json::read(&text, SCHEMA_VERSION).unwrap();
                assert_eq!(figures, series.figures[&figures.scenario]);
            }
        }
    }
}
