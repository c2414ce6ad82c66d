//! More requests than a server can answer, by a schedule that does not wait for it, and what becomes of it afterwards.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use model::probe::ProbeFigure;

use super::Act::OnServer;
use super::Acts;
use super::load::Load;
use crate::probe::client::{get, p99};
use crate::probe::{Attempt, Watched};
use machine::interrupt;

/// All cases of overload. Large answers show the memory that they cost, for which a shorter time is enough.
pub const ACTS: Acts = &[
    (
        "overload-cpu-1-5",
        OnServer(|server| Ok(overload(server, "/cpu?n=25", 1.5, LONG))),
    ),
    (
        "overload-cpu-2",
        OnServer(|server| Ok(overload(server, "/cpu?n=25", 2.0, LONG))),
    ),
    (
        "overload-heavy-2",
        OnServer(|server| Ok(overload(server, "/heavy", 2.0, SHORT))),
    ),
];

/// How long an overload lasts.
const LONG: Duration = Duration::from_secs(10);
const SHORT: Duration = Duration::from_millis(2500);
/// Connections that find the capacity, and those at most that overload.
const CONNECTIONS: (usize, usize) = (16, 128);
const CLOSED: Duration = Duration::from_secs(1);
const BASELINE: Duration = Duration::from_millis(500);
/// Length of the window of a p99 after the overload.
const WINDOW: Duration = Duration::from_millis(500);
/// Windows begin so many times in one, where that many requests per second are in each part. Fewer would not be half the capacity.
const PARTS: u32 = 5;
const ENOUGH_FOR_PARTS: f64 = 100.0;
/// Longest time until it answers as before. What 128 connections hold must take less, so the case is for servers that can do that.
const RECOVERY: Duration = Duration::from_secs(5);
/// As before is up to twice the p99 and this, in ms: half a second holds few requests.
const TOLERANCE: f64 = 20.0;
/// Share of its cpu above which the client may have been the limit, and the case shows nothing of the server.
const CLIENT_IS_LIMIT: f64 = 0.9;

fn overload(server: Watched<'_>, path: &str, multiple: f64, lasting: Duration) -> Attempt {
    let memory = server.memory;
    let mut load = Load::new(server.address, get(path));
    let closed = load.run(CONNECTIONS.0, None, CLOSED, memory);
    let capacity = closed.took.len() as f64 / CLOSED.as_secs_f64();
    if capacity < 1.0 {
        return Attempt::new(false, "it answered no request of 16 connections within 1 s");
    }
    let least = CONNECTIONS.1 as f64 / RECOVERY.as_secs_f64();
    if capacity < least {
        let reason = format!("it can answer {capacity:.0}/s, and 128 connections hold more than it answers in 5 s");
        return Attempt::not_applicable(reason);
    }
    load.forget();
    let before = load.run(CONNECTIONS.1, Some(capacity / 2.0), BASELINE, memory);
    load.forget();
    let over = load.run(CONNECTIONS.1, Some(capacity * multiple), lasting, memory);
    let goodput = over.took.len() as f64 / lasting.as_secs_f64();
    // Those who wait for a connection have gone; what was sent is still to be answered.
    load.send_no_more();
    let bound = p99(&before.took).unwrap_or_default() * 2.0 + TOLERANCE;
    let (recovered, after_errors) = recovery(&mut load, capacity, bound, memory);
    let errors = over.server_errors + after_errors;
    let after = recovered.map_or_else(
        || format!("it did not answer as before within {} s", RECOVERY.as_secs()),
        |after| format!("it answered as before after {:.1} s", after.as_secs_f64()),
    );
    let client = closed.client_cpu.max(over.client_cpu);
    let attempt = Attempt::new(
        recovered.is_some() && errors == 0,
        format!(
            "it can answer {capacity:.0}/s and answered {goodput:.0}/s when sent {multiple} times that; {errors} had another status 5xx \
             than 503, which {} had; {} connections broke; {after}; the client used {:.0} % of its cpu",
            over.shed,
            over.broken,
            client * 100.0
        ),
    )
    .unless_short(client > CLIENT_IS_LIMIT)
    .with(ProbeFigure::GoodputRps, goodput)
    .with(ProbeFigure::ClientCpu, client)
    .with(ProbeFigure::PeakBytes, over.peak.map(|bytes| bytes as f64))
    .with(ProbeFigure::AfterBytes, memory().map(|bytes| bytes as f64));
    attempt.with(
        ProbeFigure::RecoveredAfterMs,
        recovered.map(|after| after.as_secs_f64() * 1e3),
    )
}

/// Offers a load of half the capacity until the p99 of a window is within `bound`, in ms: when that window began, if one did within
/// [`RECOVERY`], and how many answers had a status 5xx other than 503.
fn recovery(load: &mut Load, capacity: f64, bound: f64, memory: &dyn Fn() -> Option<u64>) -> (Option<Duration>, usize) {
    let parts = if capacity < ENOUGH_FOR_PARTS { 1 } else { PARTS };
    let (began, mut errors) = (Instant::now(), 0);
    // When each part began, and what its answers took.
    let mut window: VecDeque<(Duration, Vec<f64>)> = VecDeque::new();
    loop {
        let since = began.elapsed();
        let seen = load.run(CONNECTIONS.1, Some(capacity / 2.0), WINDOW / parts, memory);
        errors += seen.server_errors;
        window.push_back((since, seen.took));
        if window.len() < parts as usize {
            continue;
        }
        let first = window[0].0;
        let took: Vec<f64> = window.iter().flat_map(|(_, took)| took).copied().collect();
        // Half of what is requested must be answered, too.
        let enough = took.len() as f64 >= capacity / 4.0 * WINDOW.as_secs_f64();
        if enough && p99(&took).is_some_and(|p99| p99 <= bound) {
            return (Some(first), errors);
        }
        if first >= RECOVERY || interrupt::check().is_err() {
            return (None, errors);
        }
        window.pop_front();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::behaviour::fake;
    use model::probe::ProbeOutcome;

    #[test]
    fn a_server_must_answer_afterwards() {
        let made = |address, multiple| overload(fake::watched(address), "/", multiple, SHORT);
        let good = made(fake::slowly(), 1.5);
        assert_eq!(good.outcome, ProbeOutcome::Passed, "{}", good.got);
        for figure in [
            ProbeFigure::ClientCpu,
            ProbeFigure::AfterBytes,
            ProbeFigure::RecoveredAfterMs,
        ] {
            assert!(good.figures.contains_key(&figure), "{figure:?}: {good:?}");
        }
        assert_eq!(made(fake::none(), 1.5).outcome, ProbeOutcome::Failed);
        assert_eq!(made(fake::hardly(), 1.5).outcome, ProbeOutcome::NotApplicable);
        // Each answer of this one is a 500 once it has had a hundred connections, which so many requests open wherever the machine is
        // too busy to find its capacity.
        let broken = made(fake::breaks_when_crowded(), 8.0);
        assert_eq!(broken.outcome, ProbeOutcome::Failed, "{}", broken.got);
    }
}
