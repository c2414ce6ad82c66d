//! The time: the only place of the harness's presenting half that reads a clock, so that a test can give another one.

use std::sync::OnceLock;

use jiff::Timestamp;

static GIVEN: OnceLock<Timestamp> = OnceLock::new();

/// From now on it is `time`, if one is given.
pub fn set(time: Option<Timestamp>) {
    if let Some(time) = time {
        GIVEN.get_or_init(|| time);
    }
}

/// The time now.
pub fn now() -> Timestamp {
    GIVEN.get().copied().unwrap_or_else(Timestamp::now)
}
