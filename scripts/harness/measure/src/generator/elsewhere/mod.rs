//! Load from other machines, over SSH: all of them make a part of each load, begun at the same moment. Or from this one, through a network
//! of our own.
//!
//! Each runs the load generator of this run, copied and compared by its hash, under an [`agent`]. What each saw is added up in
//! [`merge`]; the round-trip time and the speed of each link are measured first, in [`link`].

mod destination;
mod link;
mod merge;
mod part;
mod place;
mod session;

use std::net::{IpAddr, SocketAddr, TcpListener};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use agent::words::Answer;
use record::LoadMachine;

use super::portion::Portion;
use super::{GeneratorError, Load};
use crate::asked::Asked;
use crate::kernel_files::read_small_file;
use crate::network;
use crate::network::{Network, NetworkError};
use crate::program::Program;
pub use destination::Destinations;
use link::Link;
use merge::{Part, merge};
use part::{Active, order_and_wait, reported};
use place::{Place, error_of};
use session::Session;

/// A machine that begins so much later than agreed spoils the load.
const LATE: Duration = Duration::from_millis(20);
/// Clocks that differ by more seconds are told of.
const CLOCKS_DIFFER: f64 = 1.0;

/// Fails if one of them cannot be reached; returns whether one of them is this very machine.
pub fn any_here(destinations: &Destinations) -> Result<bool, GeneratorError> {
    let own = own_boot_id();
    let mut any = false;
    for destination in destinations.each() {
        let theirs = session::reach(destination).map_err(error_of)?;
        any |= own.as_ref() == Some(&theirs);
    }
    Ok(any)
}

/// Changes with each start of this machine.
fn own_boot_id() -> Option<String> {
    read_small_file("/proc/sys/kernel/random/boot_id")
}

/// The machines that make the load.
#[derive(Debug)]
pub struct LoadMachines {
    places: Mutex<Vec<Place>>,
    program: Program,
    /// Where servers listen, so that all of them reach it.
    own: IpAddr,
    /// Megabits per second to and from all of them at the same time; `None` for a single one.
    together: Option<(f64, f64)>,
    described: Vec<LoadMachine>,
    any_here: bool,
    /// The one between the load and the servers, where it is of our making. Declared last: what runs in it ends before.
    network: Option<Network>,
}

impl LoadMachines {
    /// Lets this machine make the load, from the other end of `network`, if it is as slow as scenarios want it.
    pub fn behind(network: Network, program: &Program) -> Result<Self, GeneratorError> {
        let there = Destinations::namespace(network::NAMESPACE);
        let mut machines = Self::connect(&there, program, Some(network.address()))?;
        let own = machines.own;
        for place in machines.places.get_mut().unwrap_or_else(PoisonError::into_inner) {
            let Some(session) = &mut place.session else { continue };
            for wanted in network.wanted() {
                network.add(*wanted)?;
                let links = link::measure(&mut [&mut *session], own).map_err(error_of)?;
                for link in links {
                    network::confirm(*wanted, place.link.rtt_us, link.rtt_us)?;
                }
            }
        }
        machines.network = Some(network);
        Ok(machines)
    }

    /// Connects to all of them, copies the load generator, and measures the links. Servers listen at `listen`, or else at the address by which
    /// these machines know this one.
    pub fn connect(
        destinations: &Destinations,
        program: &Program,
        listen: Option<IpAddr>,
    ) -> Result<Self, GeneratorError> {
        // In this thread: SSH ends with the thread that started it.
        let opened = destinations.each().iter();
        let sessions: Result<Vec<Session>, _> = opened
            .map(|destination| Session::open(destination, program.path()))
            .collect();
        let sessions = sessions.map_err(error_of)?;
        let own = own_address(&sessions, listen)?;
        let boot = own_boot_id();
        let mut places = Vec::new();
        for mut session in sessions {
            let link = link::measure(&mut [&mut session], own).map_err(error_of)?;
            places.push(Place {
                destination: session.destination().clone(),
                clocks: session.clock_difference().map_err(error_of)?,
                compared_at: Some(Instant::now()),
                link: link.into_iter().next().expect("one for each session"),
                is_here: boot.as_ref() == Some(&session.machine.boot_id),
                untried_until: None,
                session: Some(session),
            });
        }
        let together = if places.len() > 1 {
            let mut all: Vec<&mut Session> = places.iter_mut().filter_map(|place| place.session.as_mut()).collect();
            let links = link::measure(&mut all, own).map_err(error_of)?;
            let sum = |speed: fn(&Link) -> f64| links.iter().map(speed).sum();
            Some((sum(|link| link.to_mbit), sum(|link| link.from_mbit)))
        } else {
            None
        };
        Ok(Self {
            described: places.iter().map(Place::describe).collect(),
            any_here: places.iter().any(|place| place.is_here),
            places: Mutex::new(places),
            program: program.clone(),
            own,
            together,
            network: None,
        })
    }

    /// Where servers listen.
    pub fn own_address(&self) -> IpAddr {
        self.own
    }

    /// Whether one of them is this very machine, which then has cpus for the load.
    pub fn any_here(&self) -> bool {
        self.any_here
    }

    /// Each of them, for the record.
    pub fn described(&self) -> &[LoadMachine] {
        &self.described
    }

    /// What makes their figures mean less, in words.
    pub fn warnings(&self) -> Vec<String> {
        let places = self.places();
        let mut warnings = Vec::new();
        for (number, place) in (1..).zip(places.iter()) {
            if self.network.is_some() {
                warnings.push(
                    "the network is of this machine's own: its cpus carry each packet, the servers' on one side and the load generator's on the other"
                        .to_owned(),
                );
            } else if place.is_here {
                warnings.push(format!(
                    "load machine {number} is this very machine: it has the load generator's cpus, and the link is none"
                ));
            }
            if place.clocks.wall_seconds.abs() > CLOCKS_DIFFER {
                let (seconds, where_to) = (
                    place.clocks.wall_seconds.abs(),
                    if place.clocks.wall_seconds > 0.0 {
                        "ahead of"
                    } else {
                        "behind"
                    },
                );
                warnings.push(format!(
                    "the clock of load machine {number} is {seconds:.0} s {where_to} this one's; loads are begun by the difference, so no figure depends on it"
                ));
            }
        }
        warnings
    }

    /// Drives the server of this machine that listens at `address`. Machines on this one use the cpus `here` only.
    pub fn drive(
        &self,
        asked: &Asked<'_>,
        seconds: f64,
        address: SocketAddr,
        here: &[u32],
        mut alive: impl FnMut() -> bool,
    ) -> Result<Load, GeneratorError> {
        let scenario = asked.scenario();
        match (&self.network, scenario.round_trip_us) {
            (Some(network), Some(added)) => network.add(added)?,
            (None, Some(_)) => return Err(NetworkError::None.into()),
            (_, None) => {}
        }
        let mut places = self.places();
        for place in places.iter_mut() {
            place.be_ready(&self.program, self.own)?;
        }
        let cpus: Vec<Vec<u32>> = places.iter().map(|place| place.cpus(here)).collect();
        let portions = Portion::divide(scenario, &cpus.iter().map(Vec::len).collect::<Vec<_>>());
        let mut active: Vec<Active<'_>> = places
            .iter_mut()
            .zip(&cpus)
            .zip(portions)
            .filter_map(|((place, cpus), portion)| {
                Some(Active {
                    portion: portion?,
                    cpus,
                    place,
                    began_ns: 0,
                    seen: None,
                })
            })
            .collect();
        for each in &active {
            each.check_limits()?;
        }
        let several = active.len() > 1;
        if several && asked.message_bytes().is_some() {
            let reason =
                "WebSocket can be driven from one other machine only: its latencies are not told of each message";
            return Err(GeneratorError::Elsewhere(reason.into()));
        }
        let made = order_and_wait(&mut active, asked, (seconds, address), several, &mut alive);
        if made.is_err() {
            for each in &mut active {
                each.stop();
            }
        }
        made?;
        let mut parts = Vec::new();
        for each in &mut active {
            let seen = each.seen.take();
            let seen = seen.ok_or_else(|| GeneratorError::Elsewhere("no answer".into()))?;
            let destination = &each.place.destination;
            let load = reported(&seen).map_err(|reason| GeneratorError::Failed(format!("{destination}: {reason}")))?;
            let began_ns = i128::from(seen.started_ns) - each.place.clocks.monotonic_ns;
            if several && began_ns - each.began_ns > i128::try_from(LATE.as_nanos()).unwrap_or(i128::MAX) {
                let late = (began_ns - each.began_ns) / 1_000_000;
                return Err(GeneratorError::Lost(format!(
                    "{destination} began {late} ms after the agreed time"
                )));
            }
            parts.push(Part {
                load,
                seen,
                began_ns,
                cpus: each.cpus,
                link: &each.place.link,
                is_here: each.place.is_here,
            });
        }
        Ok(merge(parts, self.together))
    }

    fn places(&self) -> MutexGuard<'_, Vec<Place>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Our address, as all of them see it.
fn own_address(sessions: &[Session], listen: Option<IpAddr>) -> Result<IpAddr, GeneratorError> {
    let mut seen = sessions.iter().map(|session| (session.destination(), session.seen_as));
    let own = match (listen, seen.next()) {
        (Some(named), _) => named,
        (None, Some((first, Some(address)))) => {
            if let Some((other, _)) = seen.find(|(_, seen)| *seen != Some(address)) {
                return Err(GeneratorError::Elsewhere(format!(
                    "{first} and {other} know this machine by different addresses; name the one at which servers listen, with --listen"
                )));
            }
            address
        }
        _ => {
            let reason = "it is not known by which address they reach this machine; name it with --listen";
            return Err(GeneratorError::Elsewhere(reason.into()));
        }
    };
    TcpListener::bind((own, 0)).map(|_| own).map_err(|error| {
        GeneratorError::Elsewhere(format!(
            "servers cannot listen at {own}, by which the load machines know this one: {error}; --listen names another address"
        ))
    })
}

/// Reads the line of an agent that made a load, and adds it up with itself, as if two machines had said the same.
pub fn parse(line: &[u8]) -> Result<Load, String> {
    let answer = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    let Answer::Load(seen) = answer else {
        return Err("it is no load".into());
    };
    let ordinary = Link {
        rtt_us: 100.0,
        to_mbit: 1e3,
        from_mbit: 1e3,
        mtu: None,
        interface_mbit: None,
    };
    let part = || {
        Ok::<_, String>(Part {
            load: reported(&seen)?,
            seen: (*seen).clone(),
            began_ns: i128::from(seen.started_ns),
            cpus: &[0, 1],
            link: &ordinary,
            is_here: false,
        })
    };
    Ok(merge(vec![part()?, part()?], Some((1e3, 1e3))))
}
