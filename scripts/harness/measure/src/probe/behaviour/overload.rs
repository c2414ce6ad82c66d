//! More requests than a server can answer, by a schedule that does not wait for it, and what becomes of it afterwards.

use std::net::SocketAddr;
use std::thread;
use std::time::{Duration, Instant};

use record::probe::ProbeFigure;

use super::Act;
use super::asked::p99;
use super::load::Load;
use crate::affinity::pin;
use crate::failure::Failure;
use crate::interrupt;
use crate::probe::{Attempt, Place};
use crate::run::memory::resident;

/// All cases of overload.
pub const ACTS: &[(&str, Act)] = &[
    ("overload-cpu-1-5", |place| act(place, "/cpu?n=25", 1.5)),
    ("overload-cpu-2", |place| act(place, "/cpu?n=25", 2.0)),
    ("overload-heavy-1-5", |place| act(place, "/heavy", 1.5)),
    ("overload-heavy-2", |place| act(place, "/heavy", 2.0)),
];

/// Connections that find the capacity, and those at most that overload.
const CONNECTIONS: (usize, usize) = (16, 128);
const CLOSED: Duration = Duration::from_secs(1);
const BASELINE: Duration = Duration::from_millis(500);
const OVERLOAD: Duration = Duration::from_millis(2500);
/// A p99 after the overload is of this long.
const WINDOW: Duration = Duration::from_millis(500);
/// Longest time until it answers as before. What 128 connections hold takes less, even at 30 requests per second.
const RECOVERY: Duration = Duration::from_secs(5);
/// As before is up to twice the p99 and this, in ms: half a second holds few requests.
const TOLERANCE: f64 = 20.0;

fn act(place: &Place<'_>, path: &str, multiple: f64) -> Result<Attempt, Failure> {
    let mut server = place.start()?;
    let (address, pids) = (server.address(), server.pids());
    let cpus = &place.split.generator;
    let made = thread::scope(|scope| {
        let load = scope.spawn(|| {
            let _ = pin(0, cpus); // else it is only less exact
            overload(address, &|| resident(&pids), path, multiple)
        });
        load.join().expect("the load does not panic")
    });
    interrupt::check()?;
    Ok(made.and_still_answers(&mut server))
}

fn overload(address: SocketAddr, memory: &dyn Fn() -> Option<u64>, path: &str, multiple: f64) -> Attempt {
    let mut load = Load::get(address, path);
    let closed = load.run(CONNECTIONS.0, None, CLOSED, memory);
    let capacity = closed.took.len() as f64 / CLOSED.as_secs_f64();
    if capacity < 1.0 {
        return Attempt::new(false, "it answered no request of 16 connections within 1 s");
    }
    load.forget();
    let before = load.run(CONNECTIONS.1, Some(capacity / 2.0), BASELINE, memory);
    load.forget();
    let over = load.run(CONNECTIONS.1, Some(capacity * multiple), OVERLOAD, memory);
    let goodput = over.took.len() as f64 / OVERLOAD.as_secs_f64();
    // Those who wait for a connection have gone; what was sent is still to be answered.
    load.send_no_more();
    let bound = p99(&before.took).unwrap_or_default() * 2.0 + TOLERANCE;
    let (began, mut recovered, mut after_errors) = (Instant::now(), None, 0);
    while began.elapsed() < RECOVERY && recovered.is_none() {
        let since = began.elapsed();
        let seen = load.run(CONNECTIONS.1, Some(capacity / 2.0), WINDOW, memory);
        after_errors += seen.server_errors;
        // Half of what is asked must be answered, too.
        let enough = seen.took.len() as f64 >= capacity / 4.0 * WINDOW.as_secs_f64();
        if enough && p99(&seen.took).is_some_and(|p99| p99 <= bound) {
            recovered = Some(since);
        }
    }
    let errors = over.server_errors + after_errors;
    let after = recovered.map_or_else(
        || format!("it did not answer as before within {} s", RECOVERY.as_secs()),
        |after| format!("it answered as before after {:.1} s", after.as_secs_f64()),
    );
    let mut attempt = Attempt::new(
        recovered.is_some() && errors == 0,
        format!(
            "it can answer {capacity:.0}/s and answered {goodput:.0}/s when asked for {multiple} times that; {errors} had another status 5xx \
             than 503, which {} had; {} connections broke; {after}",
            over.shed, over.broken
        ),
    )
    .with(ProbeFigure::GoodputRps, goodput);
    if let Some(peak) = over.peak {
        attempt = attempt.with(ProbeFigure::PeakBytes, peak as f64);
    }
    if let Some(after) = recovered {
        attempt = attempt.with(ProbeFigure::RecoveredAfterMs, after.as_secs_f64() * 1e3);
    }
    attempt
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::behaviour::fake;
    use record::probe::ProbeOutcome;

    #[test]
    fn a_server_must_answer_afterwards() {
        let outcome = |address| overload(address, &|| Some(1), "/", 1.5);
        let good = outcome(fake::slowly());
        assert_eq!(good.outcome, ProbeOutcome::Passed, "{}", good.got);
        assert_eq!(outcome(fake::none()).outcome, ProbeOutcome::Failed);
        // Each answer of this one is a 500 once it has more than 16 connections.
        let broken = outcome(fake::breaks_when_crowded());
        assert_eq!(broken.outcome, ProbeOutcome::Failed, "{}", broken.got);
    }
}
