//! Answers that come in pieces: a stream of chunks, and events by the clock.

use std::time::Duration;

use super::no_seed;
use crate::contract::Violation;
use crate::contract::client::{Answer, Client};
use crate::contract::input::Input;
use crate::service_input::seeds;

/// How much earlier than its time an event may come: timers count whole milliseconds of a clock that is a few of them old.
const EARLY: Duration = Duration::from_millis(5);
/// Asked so often whether events come one by one: a busy machine can let several wait in one read.
const ATTEMPTS: usize = 5;

pub(super) fn stream(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    let of_load = input.path_of_load().map(str::to_owned);
    let is_load = of_load.is_some();
    let path = of_load.unwrap_or_else(|| format!("/stream/{}", seeds::seed(&mut input.rng)));
    let answer = client.get(&path)?;
    let body = answer.expect(200, "text/plain")?;
    if body != seeds::seed_in(&path).map(seeds::stream).unwrap_or_default() {
        return Err(answer.violation(
            "the chunks of this seed",
            format!("{} bytes: {}", body.len(), answer.quoted()),
        ));
    }
    if answer.pieces.len() < seeds::CHUNKS {
        let pieces = answer.pieces.len();
        return Err(answer.violation(format!("{} chunks", seeds::CHUNKS), format!("{pieces} pieces")));
    }
    if is_load { Ok(()) } else { no_seed(client, "/stream/") }
}

pub(super) fn events(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    let mut last = None;
    for _ in 0..ATTEMPTS {
        let of_load = input.path_of_load().map(str::to_owned);
        let path = of_load.unwrap_or_else(|| format!("/events/{}", seeds::seed(&mut input.rng)));
        let answer = client.get(&path)?;
        let body = String::from_utf8_lossy(answer.expect(200, "text/event-stream")?);
        let expected = seeds::seed_in(&path).map(seeds::events);
        if seeds::data_of_events(&body) != expected {
            return Err(answer.violation("the 20 events of this seed", answer.quoted()));
        }
        none_is_early(&answer, &path)?;
        if come_one_by_one(&answer) {
            return if input.is_witness() {
                Ok(())
            } else {
                no_seed(client, "/events/")
            };
        }
        last = Some(answer);
    }
    Err(last.map_or_else(
        || unreachable!("at least one is asked for"),
        |answer| answer.violation("an event every 10 ms", "all of them at once"),
    ))
}

/// No event may come before its time, by the clock of this process.
fn none_is_early(answer: &Answer, path: &str) -> Result<(), Violation> {
    let events = seeds::seed_in(path).map(seeds::events).unwrap_or_default();
    let (mut read, mut come) = (0, 0);
    for (after, bytes) in &answer.pieces {
        read += bytes;
        let text = String::from_utf8_lossy(&answer.body[..read]);
        // Whole events only: the data of one is the beginning of another one's.
        come = events
            .iter()
            .skip(come)
            .take_while(|data| text.contains(&format!("{data}\n")) || text.contains(&format!("{data}\r")))
            .count()
            + come;
        let due = seeds::EVENT_EVERY_MS * u32::try_from(come).unwrap_or(u32::MAX);
        if *after + EARLY < Duration::from_millis(due.into()) {
            let got = format!("it after {:.1} ms", after.as_secs_f64() * 1e3);
            return Err(answer.violation(format!("event {come} after {due} ms"), got));
        }
    }
    Ok(())
}

/// Whether the first events came well before the last.
fn come_one_by_one(answer: &Answer) -> bool {
    let mut times = answer.pieces.iter().map(|(after, _)| *after);
    let half = Duration::from_millis((seeds::EVENTS * seeds::EVENT_EVERY_MS / 2).into());
    match (times.clone().next(), times.next_back()) {
        (Some(first), Some(last)) => last.saturating_sub(first) >= half,
        _ => false,
    }
}
