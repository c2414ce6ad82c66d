//! When events are due: by the clock, and not so long after the one before, so that a late event does not make the next one late.

#[cfg(not(feature = "tokio"))]
pub use of_ntex::clock;

use services_contract::EVENT_EVERY;

/// Ticks every [`EVENT_EVERY`] from now on, the first time after as long.
#[cfg(feature = "tokio")]
pub fn clock() -> tokio::time::Interval {
    tokio::time::interval_at(tokio::time::Instant::now() + EVENT_EVERY, EVENT_EVERY)
}

/// The same on a runtime that is not tokio, whose own interval is counted from the tick before.
#[cfg(not(feature = "tokio"))]
mod of_ntex {
    use std::time::Instant;

    use ntex::time::{Millis, sleep};

    use super::EVENT_EVERY;

    pub struct Clock {
        due: Instant,
    }

    pub fn clock() -> Clock {
        Clock {
            due: Instant::now() + EVENT_EVERY,
        }
    }

    impl Clock {
        pub async fn tick(&mut self) {
            // In whole milliseconds, which are cut off: again, if that was too early.
            while let Some(rest) = self.due.checked_duration_since(Instant::now()) {
                sleep(Millis::from(rest)).await;
            }
            self.due += EVENT_EVERY;
        }
    }
}
