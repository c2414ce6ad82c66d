//! Server-sent events.

use futures_util::{StreamExt as _, stream};
use ohkami::{claw::Path, sse::DataStream};
use services_contract::{EVENT_EVERY, EVENTS};
use tokio::time::{Instant, interval_at};
use tokio_stream::wrappers::IntervalStream;

pub async fn events(Path(seed): Path<u32>) -> DataStream {
    // By the clock, and not so long after the one before: a late event does not make the next one late.
    let clock = IntervalStream::new(interval_at(Instant::now() + EVENT_EVERY, EVENT_EVERY));
    let events = stream::iter(1..=EVENTS)
        .zip(clock)
        .map(move |(number, _)| services_contract::event(seed, number));
    DataStream::from(events)
}
