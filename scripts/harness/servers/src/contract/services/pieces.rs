//! Answers that come in pieces: a stream of chunks, and events by the clock.

use std::time::Duration;

use crate::contract::Violation;
use crate::contract::client::{Answer, Client};
use crate::contract::input::Input;
use crate::service_input::seeds;

/// How much earlier than its time an event may come: timers count whole milliseconds of a clock that is a few of them old.
const EARLY: Duration = Duration::from_millis(5);
/// Attempts to see events come one by one: a busy machine can let several wait in one read.
const ATTEMPTS: usize = 5;

pub(super) fn stream(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    let path = input.path_or(|rng| format!("/stream/{}", seeds::seed(rng)));
    let answer = client.get(&path)?;
    let body = answer.expect_type(200, "text/plain")?;
    let is_it = body == seeds::seed_in(&path).map(seeds::stream).unwrap_or_default();
    let got = format!("{} bytes: {}", body.len(), answer.quoted());
    answer.ensure(is_it, "the chunks of this seed", got)?;
    let (pieces, chunks) = (answer.pieces.len(), seeds::CHUNKS);
    answer.ensure(
        pieces >= chunks,
        format_args!("{chunks} chunks"),
        format_args!("{pieces} pieces"),
    )
}

pub(super) fn events(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    let mut attempts = 0;
    loop {
        attempts += 1;
        let path = input.path_or(|rng| format!("/events/{}", seeds::seed(rng)));
        let answer = client.get(&path)?;
        let body = String::from_utf8_lossy(answer.expect_type(200, "text/event-stream")?);
        let is_it = seeds::data_of_events(&body) == seeds::seed_in(&path).map(seeds::events);
        answer.ensure(is_it, "the 20 events of this seed", answer.quoted())?;
        none_is_early(&answer, &path)?;
        let one_by_one = come_one_by_one(&answer);
        if one_by_one || attempts == ATTEMPTS {
            return answer.ensure(one_by_one, "an event every 10 ms", "all of them at once");
        }
    }
}

/// No event may come before its time, by the clock of this process.
fn none_is_early(answer: &Answer, path: &str) -> Result<(), Violation> {
    let events = seeds::seed_in(path).map(seeds::events).unwrap_or_default();
    let (mut read, mut come) = (0, 0);
    for (after, bytes) in &answer.pieces {
        read += bytes;
        let text = String::from_utf8_lossy(&answer.body[..read]);
        // Whole events only: the data of one is the beginning of another one's.
        let is_there = |data: &&String| ["\n", "\r"].iter().any(|end| text.contains(&format!("{data}{end}")));
        come += events.iter().skip(come).take_while(is_there).count();
        let due = seeds::EVENT_EVERY_MS * u32::try_from(come).unwrap_or(u32::MAX);
        let in_time = *after + EARLY >= Duration::from_millis(due.into());
        let got = format_args!("it after {:.1} ms", after.as_secs_f64() * 1e3);
        answer.ensure(in_time, format_args!("event {come} after {due} ms"), got)?;
    }
    Ok(())
}

/// Whether the first events came well before the last.
fn come_one_by_one(answer: &Answer) -> bool {
    let half = Duration::from_millis((seeds::EVENTS * seeds::EVENT_EVERY_MS / 2).into());
    let ends = answer.pieces.first().zip(answer.pieces.last());
    ends.is_some_and(|((first, _), (last, _))| last.saturating_sub(*first) >= half)
}
