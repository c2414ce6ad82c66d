//! Series: all figures of a lane over time, cut into periods so that nobody has to read, or to write, all of it.
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
use crate::record::{Lane, Record};

pub use figures::{Figures, Matrix, at};
pub use runs::{Line, Runs};

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

/// Where the files of a period lie.
pub fn folder(lane: Lane, period: &str) -> String {
    format!("data/{}/series/{period}/", lane.name())
}

/// Where the runs of a period are named.
pub fn runs_path(lane: Lane, period: &str) -> String {
    figures_path(lane, period, RUNS)
}

/// Where the figures of a scenario lie, which is not called [`RUNS`].
pub fn figures_path(lane: Lane, period: &str, scenario: &str) -> String {
    format!("{}{scenario}.json", folder(lane, period))
}

impl Series {
    /// Of a month, from its records, which may stand in any order.
    pub fn of_month(lane: Lane, month: Month, records: &[Record]) -> Self {
        let mut records: Vec<&Record> = records.iter().collect();
        records.sort_by_key(|record| (record.started_at, record.id.clone()));
        month::series(lane, month, &records)
    }

    /// Of a finished year, from its months in their order.
    pub fn of_year(lane: Lane, year: Year, months: &[Self]) -> Self {
        year::series(lane, year, months)
    }

    /// Reads the series of a period from its files; the error names the file.
    pub fn read<E>(
        lane: Lane,
        period: &str,
        text: impl Fn(&str) -> Result<String, E>,
        broken: impl Fn(&str, &str) -> E,
    ) -> Result<Self, E> {
        let path = runs_path(lane, period);
        let runs: Runs = json::read(&text(&path)?, SCHEMA_VERSION).map_err(|reason| broken(&path, &reason))?;
        let mut figures = BTreeMap::new();
        for scenario in runs.scenarios.keys() {
            let path = figures_path(lane, period, scenario);
            let read = json::read(&text(&path)?, SCHEMA_VERSION);
            let of: Figures = read
                .and_then(Figures::checked)
                .map_err(|reason| broken(&path, &reason))?;
            figures.insert(scenario.clone(), of);
        }
        Ok(Self { runs, figures })
    }

    /// Its files.
    pub fn files(&self) -> Files {
        let (lane, period) = (self.runs.lane, &self.runs.period);
        let figures = self.figures.iter();
        let figures = figures.map(|(scenario, of)| (figures_path(lane, period, scenario), json::text(of)));
        figures
            .chain([(runs_path(lane, period), json::text(&self.runs))])
            .map(|(path, text)| (path, text.into_bytes()))
            .collect()
    }
}
