//! Whether a record is what was asked for: of this lane, profile, runner, commit, time and apps; and whether what never changes is where
//! earlier runs had it.

mod anchors;
mod origin;

pub use anchors::moved;
pub use origin::findings;
pub(crate) use origin::{app_findings, commit_finding, early_finding};

use jiff::Timestamp;
use model::{AppRecord, Lane};

/// What a record is held against.
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

#[cfg(test)]
mod tests;
