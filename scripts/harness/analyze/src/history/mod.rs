//! History: what changed in a lane over all its runs, how certain that is, and what else was different then.
//!
//! ```text
//! records | CSV ──> timeline ──> for each run, what was known then: common mode and changes, in turns ──> attribution
//!                            └─> what was confirmed, and how it is now ──> causes ──> report
//! ```
//!
//! A pure function of the timeline and of the lockfiles of its commits. docs/history.md describes how it judges and how often it is right.

mod attribution;
mod causes;
mod common_mode;
mod csv;
mod lineup;
mod records;
mod replay;
mod report;
mod shift;
#[cfg(test)]
#[path = "tests/simulate.rs"]
mod simulate;
#[cfg(test)]
mod tests;
mod timeline;

pub use causes::{Cause, Lockfiles, NoLockfiles, Step, between};
pub use csv::CsvError;
pub use replay::judge;
pub use report::{
    ALARM_RUNS, Change, Direction, End, Ending, HistoryReport, Lineup, Mark, SCHEMA_VERSION, Segment, State,
};
#[cfg(test)]
use stats::random;
pub use timeline::{Facts, Kind, Run, Series, Timeline};
