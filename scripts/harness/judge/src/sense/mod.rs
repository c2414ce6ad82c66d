//! Whether a record makes sense: whether it can be what `bench run` wrote, and is what was asked for.
//!
//! [`record::store::check`] refuses what cannot be read without harm, in records of any age. This is asked of a record that is about to
//! be published, and finds what contradicts itself: a summary that does not follow from the trials, a run that ends before it begins,
//! figures of an app that is not ours. It cannot find a lie that is consistent.

mod anchors;
mod course;
mod figures;
mod origin;
mod summary;

pub use anchors::moved;
pub(crate) use origin::app_findings;

use jiff::Timestamp;
use record::{AppRecord, Lane, Record};

/// Most findings that are given, so that a record of a million contradictions does not fill the log.
const MOST: usize = 20;

/// What a record is held against, beside itself.
#[derive(Debug, Clone)]
pub struct Expected {
    /// The time now: no run ends after it.
    pub now: Timestamp,
    /// When the run was asked for: it begins later.
    pub since: Option<Timestamp>,
    /// The lane that was asked for.
    pub lane: Option<Lane>,
    /// The profile that was asked for.
    pub profile: Option<String>,
    /// The labels of the runner that was asked for.
    pub runner: Option<Vec<String>>,
    /// The commit that was asked for, without changes to its files.
    pub commit: Option<String>,
    /// The apps and variants of that commit; `None` where they are not known.
    pub apps: Option<Vec<AppRecord>>,
}

impl Expected {
    /// Nothing but that it is not of the future.
    pub fn anything(now: Timestamp) -> Self {
        Self {
            now,
            since: None,
            lane: None,
            profile: None,
            runner: None,
            commit: None,
            apps: None,
        }
    }
}

/// The contradictions in a record, a line each; empty if there are none. Names and texts of the record are in them as they are.
pub fn findings(record: &Record, expected: &Expected) -> Vec<String> {
    let mut found = origin::findings(record, expected);
    found.extend(trial_findings(record));
    found.extend(figures::findings(record));
    // What is there twice is summed up twice: the summary would only repeat what was found already.
    if found.is_empty() {
        found.extend(summary::findings(record));
    }
    if found.len() > MOST {
        let more = found.len() - MOST;
        found.truncate(MOST);
        found.push(format!("and {more} more like these"));
    }
    found
}

/// The contradictions in the trials of a run, which need not have ended: the same trial twice, rounds that are missing, times outside of
/// the run, loads that nobody could make.
pub fn trial_findings(record: &Record) -> Vec<String> {
    course::findings(record)
}

#[cfg(test)]
mod tests;
