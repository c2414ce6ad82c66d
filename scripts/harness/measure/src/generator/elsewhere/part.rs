//! A part of a load: ordered, awaited, and read.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use agent::words::{Answer, LoadOrder, LoadSeen, Order};

use super::place::Place;
use super::session::{SessionError, own_clocks};
use crate::asked::Asked;
use crate::generator::portion::Portion;
use crate::generator::{DRAIN_TIMEOUT, GeneratorError, Load, oha, plausible};
use crate::interrupt;
use crate::machine::limits::files_needed;

/// Time between the order and the beginning of a load that several machines begin, beside the round-trip time.
const LEAD: Duration = Duration::from_millis(30);
/// How long a machine may take to end a load when it is told to.
const STOPPING: Duration = Duration::from_secs(5);

/// A machine that makes a part of a load.
pub struct Active<'a> {
    pub place: &'a mut Place,
    pub portion: Portion,
    pub cpus: &'a [u32],
    /// When it is to begin, by our clock.
    pub began_ns: i128,
    pub seen: Option<LoadSeen>,
}

/// Tells all of them what to do, and waits until all have done it.
pub fn order_and_wait(
    active: &mut [Active<'_>],
    asked: &Asked<'_>,
    (seconds, address): (f64, SocketAddr),
    several: bool,
    alive: &mut impl FnMut() -> bool,
) -> Result<(), GeneratorError> {
    let requests = asked.scenario().requests;
    let longest_trip = active.iter().map(|each| each.place.clocks.error * 2).max();
    let lead = if several {
        LEAD + longest_trip.unwrap_or_default() * 2
    } else {
        Duration::ZERO
    };
    let begin = i128::from(own_clocks()?.monotonic_ns) + i128::try_from(lead.as_nanos()).unwrap_or(i128::MAX);
    let given_up_after = seconds + DRAIN_TIMEOUT.as_secs_f64();
    for each in active.iter_mut() {
        each.began_ns = begin;
        let theirs = begin + each.place.clocks.monotonic_ns;
        let order = Order::Load(LoadOrder {
            arguments: oha::arguments(asked, seconds, address, each.portion),
            at_ns: if several {
                u64::try_from(theirs).unwrap_or_default()
            } else {
                0
            },
            seconds,
            given_up_after,
            cpus: if each.place.is_here {
                each.cpus.to_vec()
            } else {
                Vec::new()
            },
            // One request is made to know what starting takes.
            latencies: several && requests != Some(1),
        });
        let ordered = each.place.session.as_mut().map(|session| session.order(&order));
        ordered.transpose().map_err(|error| each.place.error(error))?;
    }
    let until = Instant::now() + Duration::from_secs_f64(given_up_after) + DRAIN_TIMEOUT;
    while active.iter().any(|each| each.seen.is_none()) {
        for each in active.iter_mut().filter(|each| each.seen.is_none()) {
            let Some(session) = &mut each.place.session else {
                continue;
            };
            match session.look() {
                Ok(Some(Answer::Load(seen))) => each.seen = Some(*seen),
                Ok(Some(_)) => return Err(GeneratorError::Failed("an agent answers what nobody asked".into())),
                Ok(None) => {}
                Err(error) => return Err(each.place.error(error)),
            }
        }
        interrupt::check()?;
        if !alive() {
            return Err(GeneratorError::ServerDied);
        }
        if Instant::now() > until {
            return Err(GeneratorError::Hung);
        }
    }
    Ok(())
}

impl Active<'_> {
    /// Whether its machine can hold the connections.
    pub fn check_limits(&self) -> Result<(), GeneratorError> {
        let Some(session) = &self.place.session else {
            return Ok(());
        };
        let (connections, name) = (self.portion.connections, session.destination());
        let needed = files_needed(connections);
        if session.machine.open_files < needed {
            return Err(GeneratorError::Elsewhere(format!(
                "{name}: {needed} open files are needed, its hard limit is {}; raise it there",
                session.machine.open_files
            )));
        }
        if session.machine.ports < 4 * connections {
            return Err(GeneratorError::Elsewhere(format!(
                "{name}: {connections} connections need {} local ports, net.ipv4.ip_local_port_range there has {}",
                4 * connections,
                session.machine.ports
            )));
        }
        Ok(())
    }

    /// Ends its part of a load that nobody needs any more.
    pub fn stop(&mut self) {
        let Some(session) = &mut self.place.session else { return };
        if self.seen.is_some() {
            return;
        }
        let stopped = session
            .order(&Order::Stop)
            .and_then(|()| session.answer(STOPPING).map(drop));
        // It says that it was stopped; or it is lost, and the next load shows it.
        match stopped {
            Ok(()) | Err(SessionError::Failed(..)) => {}
            Err(_) => self.place.session = None,
        }
    }
}

/// What the generator of a machine reports, and that its latencies are those of its answers.
pub fn reported(seen: &LoadSeen) -> Result<Load, String> {
    let load = oha::parse(seen.report.as_ref()?.as_bytes(), Duration::ZERO).and_then(plausible);
    let load = load.map_err(|error| format!("its report cannot be read: {error}"))?;
    if let Some(latencies) = &seen.latencies {
        let counted = latencies
            .iter()
            .fold(0, |sum: u64, (_, count)| sum.saturating_add(*count));
        let answered: u64 = load.requests.values().sum();
        if counted != answered {
            return Err(format!("it tells {counted} latencies of {answered} answers"));
        }
    }
    Ok(load)
}
