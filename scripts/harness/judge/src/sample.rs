//! The sample records for tests, with summaries.

pub use record::sample::*;

use record::Record;

use crate::analysis;

/// [`record::sample::varied`], summed up.
#[must_use]
pub fn varied() -> Record {
    let mut record = record::sample::varied();
    record.summary = analysis::summary(&record.apps, &record.scenarios, &record.trials);
    record
}
