//! A record as it is published: rounded, in one line, in its month, under its id.

use std::path::Path;

use super::PublishError;
use super::index::path_of;
use super::json;
use super::period::Month;
use super::series::RUNS;
use super::tree::{LARGEST, Tree};
use judge::analysis::{Analyzed, summary};
use judge::reading;
use judge::rounding::rounded;
use record::store;
use record::store::StoreError;
use record::{Lane, Record};

/// A record that is to be published.
#[derive(Debug, Clone)]
pub struct Published {
    /// Its lane.
    pub lane: Lane,
    /// Its month.
    pub month: Month,
    /// The record, with the published digits.
    pub record: Record,
    /// Its text.
    pub text: String,
}

impl Published {
    /// Reads and checks a record.
    pub fn read(path: &Path) -> Result<Self, PublishError> {
        let text = store::read_text(path, LARGEST).map_err(|error| PublishError::File {
            path: path.to_owned(),
            error,
        })?;
        Self::parse(path, &text)
    }

    /// Checks the text of a record, which was found at `path`.
    pub fn parse(path: &Path, text: &str) -> Result<Self, PublishError> {
        Self::new(path, reading::parse(path, text)?)
    }

    /// From a record; errors name it by `path`.
    pub fn new(path: &Path, record: Record) -> Result<Self, PublishError> {
        let invalid = |reason: &str| StoreError::Invalid {
            path: path.to_owned(),
            reason: reason.to_owned(),
        };
        let month =
            Month::from_run_id(&record.id).ok_or_else(|| invalid("its id does not begin with the time of its run"))?;
        if record.scenarios.iter().any(|scenario| scenario.id == RUNS) {
            return Err(invalid("no scenario may be called `runs`").into());
        }
        // Derived files must not depend on more digits than are published.
        let mut record = rounded(record);
        record.summary = summary(&record.apps, &record.scenarios, &record.trials);
        Ok(Self {
            lane: record.lane,
            month,
            text: json::text(&Analyzed::of(&record)),
            record,
        })
    }

    /// Where it is published.
    pub fn path(&self) -> String {
        path_of(self.lane, &self.record.id)
    }

    /// Whether a tree has it; an error if the tree has another one in its place. A record with more digits, or in an older format, is
    /// converted before it is compared.
    pub(super) fn is_in(&self, tree: &dyn Tree) -> Result<bool, PublishError> {
        let path = self.path();
        let Some(there) = tree.text(&path)? else {
            return Ok(false);
        };
        let same = there == self.text
            || Self::parse(Path::new(&tree.place(&path)), &there).is_ok_and(|there| there.text == self.text);
        if same {
            return Ok(true);
        }
        Err(PublishError::Differs {
            place: tree.place(&path),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge::sample;

    #[test]
    fn what_is_no_run_of_ours_is_not_published() {
        type Change = fn(&mut Record);
        let changes: [(Change, &str); 2] = [
            (|record| record.id = "1".into(), "does not begin with the time"),
            (
                |record| {
                    record.scenarios[1].id = "runs".into();
                    record.summary.retain(|cell| cell.scenario != "json");
                },
                "no scenario may be called",
            ),
        ];
        for (change, told) in changes {
            let mut record = sample::record();
            change(&mut record);
            let text = serde_json::to_string(&record).unwrap();
            let error = Published::parse(Path::new("record.json"), &text)
                .unwrap_err()
                .to_string();
            assert!(error.contains(told), "{told}: {error}");
        }
    }
}
