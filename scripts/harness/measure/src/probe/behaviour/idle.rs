//! What a connection costs that has been answered and waits.

use std::io::{ErrorKind, Read as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use record::probe::ProbeFigure;

use super::Act;
use super::asked::answered;
use crate::failure::Failure;
use crate::interrupt;
use crate::machine::limits;
use crate::parallel_map::parallel_map;
use crate::probe::{Attempt, Place};
use crate::run::memory::resident;

/// All cases of idle connections.
pub const ACTS: &[(&str, Act)] = &[
    ("idle-1000", |place| act(place, 1_000)),
    ("idle-10000", |place| act(place, 10_000)),
    ("idle-1000-http2", |place| act(place, 1_000)),
    ("idle-10000-http2", |place| act(place, 10_000)),
];

/// Open files beside the connections, on either side.
const OTHER_FILES: u64 = 500;
/// Connections that are opened side by side.
const OPENED_BESIDE: [(); 64] = [(); 64];
/// Longest time to open all. A server that takes longer has refused nobody, and has not shown that it can.
const OPENING: Duration = Duration::from_secs(10);
/// Most bytes that are read from a connection which has nothing to say: ten thousand may say as much.
const MOST_SAID: usize = 64 << 10;
/// After the connections are gone, before memory is read.
const GONE: Duration = Duration::from_secs(1);

fn act(place: &Place<'_>, count: usize) -> Result<Attempt, Failure> {
    if let Some(most) = place.connections.filter(|most| *most < count) {
        let reason = format!("its app serves {most} connections at once, because each holds a thread");
        return Ok(Attempt::not_applicable(reason));
    }
    // Before the server starts, which inherits the limit.
    if let Err(reason) = limits::allow_files(count as u64 + OTHER_FILES) {
        return Ok(Attempt::not_applicable(reason));
    }
    let mut server = place.start()?;
    let pids = server.pids();
    let attempt = hold(server.address(), place.protocol.is_http2(), &|| resident(&pids), count)?;
    Ok(attempt.and_still_answers(&mut server))
}

fn hold(address: SocketAddr, http2: bool, memory: &dyn Fn() -> Option<u64>, count: usize) -> Result<Attempt, Failure> {
    // The first answer is not what is measured.
    let warm = answered(address, http2);
    let before = memory();
    let began = Instant::now();
    let is_refused = AtomicBool::new(false);
    // Side by side, because some answers wait for the client's delayed ACK.
    let opened = parallel_map(&OPENED_BESIDE, &vec![(); count], |(), ()| {
        interrupt::check()?;
        if is_refused.load(Ordering::Relaxed) || began.elapsed() > OPENING {
            return Ok::<_, Failure>(None);
        }
        let opened = answered(address, http2);
        is_refused.fetch_or(opened.is_err(), Ordering::Relaxed);
        Ok(Some(opened))
    })?;
    let (mut held, mut refused) = (Vec::with_capacity(count), None);
    for one in opened.into_iter().flatten() {
        match one {
            Ok(stream) => held.push(stream),
            Err(error) => refused = Some(error.to_string()),
        }
    }
    let (took, opened, during) = (began.elapsed(), held.len(), memory());
    // A server may close what is idle, and some do after 5 s.
    let dropped = held
        .iter_mut()
        .filter_map(|stream| is_gone(stream).then_some(()))
        .count();
    drop((held, warm));
    sleep(GONE);
    let got = match &refused {
        Some(reason) => format!("{opened} of {count} connections were answered, then: {reason}"),
        None => format!(
            "{opened} of {count} connections were answered in {:.1} s; {dropped} were closed again by then",
            took.as_secs_f64()
        ),
    };
    let mut attempt = Attempt::new(refused.is_none(), got)
        .unless_short(opened < count)
        .with(ProbeFigure::Connections, opened as f64);
    if let (Some(before), Some(during), Some(after)) = (before, during, memory())
        && opened > 0
    {
        let added = during.saturating_sub(before) as f64;
        attempt = attempt.with(ProbeFigure::BytesPerConnection, added / opened as f64);
        if added > 0.0 {
            let given = during.saturating_sub(after) as f64 / added;
            attempt = attempt.with(ProbeFigure::GivenBack, given.min(1.0));
        }
    }
    Ok(attempt)
}

/// Whether the server has ended a connection, behind whatever it has said since.
fn is_gone(stream: &mut TcpStream) -> bool {
    let mut buffer = [0; 4096];
    let mut left = MOST_SAID;
    let _ = stream.set_nonblocking(true);
    while left > 0 {
        match stream.read(&mut buffer) {
            Ok(0) => return true,
            Ok(count) => left = left.saturating_sub(count),
            Err(error) => return error.kind() != ErrorKind::WouldBlock,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::behaviour::{fake, http2};
    use record::probe::ProbeOutcome;

    #[test]
    fn connections_must_be_answered() {
        let outcome = |address| hold(address, false, &|| Some(0), 3).unwrap().outcome;
        assert_eq!(outcome(fake::each_by_a_thread()), ProbeOutcome::Passed);
        assert_eq!(outcome(fake::one_at_a_time()), ProbeOutcome::Failed);
        assert_eq!(outcome(fake::none()), ProbeOutcome::Failed);
        let over_http2 = |address| hold(address, true, &|| Some(0), 3).unwrap().outcome;
        assert_eq!(over_http2(http2::server::start()), ProbeOutcome::Passed);
        assert_eq!(over_http2(fake::settings_only()), ProbeOutcome::Failed);
    }
}
