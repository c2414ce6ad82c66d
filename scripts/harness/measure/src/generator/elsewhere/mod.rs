//! Load from other machines, over SSH: all of them make a part of each load, begun at the same moment.
//!
//! Each runs the load generator of this run, copied and compared by its hash, under an [`agent`]. What each saw is added up in
//! [`merge`]; the round-trip time and the speed of each link are measured first, in [`link`].

mod destination;
mod link;
mod merge;
mod session;

use std::net::{IpAddr, TcpListener};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use agent::words::{Answer, LoadOrder, LoadSeen, Order};
use record::LoadMachine;

use super::portion::Portion;
use super::{DRAIN_TIMEOUT, GeneratorError, Load, oha, plausible};
use crate::asked::Asked;
use crate::interrupt;
use crate::kernel_files::read_small_file;
use crate::machine::limits::files_needed;
use crate::program::Program;
pub use destination::Destinations;
use link::Link;
use merge::{Part, merge};
use session::{ClockDifference, Session, SessionError, own_clocks};

/// After so long, the clocks are compared again: they drift apart by some microseconds in a second.
const COMPARED_FOR: Duration = Duration::from_secs(20);
/// Time between the order and the beginning of a load that several machines begin, beside the round-trip time.
const LEAD: Duration = Duration::from_millis(30);
/// A machine that begins so much later than agreed spoils the load.
const LATE: Duration = Duration::from_millis(20);
/// A machine that was lost may come back within this time; meanwhile it is tried again after each pause.
const RETURNS_WITHIN: Duration = Duration::from_secs(30);
const AGAIN: Duration = Duration::from_secs(1);
/// A machine that could not be reached is not tried again for so long.
const UNTRIED_FOR: Duration = Duration::from_secs(30);
/// How long a machine may take to end a load when it is told to.
const STOPPING: Duration = Duration::from_secs(5);
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
}

/// One machine.
#[derive(Debug)]
struct Place {
    destination: destination::Destination,
    /// `None` after it was lost.
    session: Option<Session>,
    clocks: ClockDifference,
    /// When they were compared; `None` after it was lost.
    compared_at: Option<Instant>,
    link: Link,
    is_here: bool,
    untried_until: Option<Instant>,
}

impl LoadMachines {
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
            described: places.iter().map(describe).collect(),
            any_here: places.iter().any(|place| place.is_here),
            places: Mutex::new(places),
            program: program.clone(),
            own,
            together,
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
            if place.is_here {
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
        address: std::net::SocketAddr,
        here: &[u32],
        mut alive: impl FnMut() -> bool,
    ) -> Result<Load, GeneratorError> {
        let scenario = asked.scenario();
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

/// What the generator of a machine reports, and that its latencies are those of its answers.
fn reported(seen: &LoadSeen) -> Result<Load, String> {
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

/// A machine that makes a part of a load.
struct Active<'a> {
    place: &'a mut Place,
    portion: Portion,
    cpus: &'a [u32],
    /// When it is to begin, by our clock.
    began_ns: i128,
    seen: Option<LoadSeen>,
}

/// Tells all of them what to do, and waits until all have done it.
fn order_and_wait(
    active: &mut [Active<'_>],
    asked: &Asked<'_>,
    (seconds, address): (f64, std::net::SocketAddr),
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
    fn check_limits(&self) -> Result<(), GeneratorError> {
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
    fn stop(&mut self) {
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

impl Place {
    /// Cpus for the load: all of another machine, those of the generator on this one.
    fn cpus(&self, here: &[u32]) -> Vec<u32> {
        let theirs = self.session.as_ref().map(|session| session.machine.cpus.as_slice());
        if self.is_here { here } else { theirs.unwrap_or_default() }.to_vec()
    }

    /// Connects again if it was lost, and compares the clocks if that was long ago.
    fn be_ready(&mut self, program: &Program, own: IpAddr) -> Result<(), GeneratorError> {
        if self.session.is_none() {
            if self.untried_until.is_some_and(|until| Instant::now() < until) {
                return Err(GeneratorError::Elsewhere(format!("{} is still lost", self.destination)));
            }
            match self.open_again(program, own) {
                Ok(session) => {
                    self.session = Some(session);
                    self.untried_until = None;
                    self.compared_at = None;
                }
                Err(error) => {
                    self.untried_until = Some(Instant::now() + UNTRIED_FOR);
                    return Err(error_of(error));
                }
            }
        }
        if self.compared_at.is_none_or(|at| at.elapsed() >= COMPARED_FOR)
            && let Some(session) = &mut self.session
        {
            match session.clock_difference() {
                Ok(clocks) => (self.clocks, self.compared_at) = (clocks, Some(Instant::now())),
                Err(error) => return Err(self.error(error)),
            }
        }
        Ok(())
    }

    /// Connects again to a lost machine: a link may be back in a moment. Only for the first time it is waited for.
    fn open_again(&self, program: &Program, own: IpAddr) -> Result<Session, SessionError> {
        let until = Instant::now() + RETURNS_WITHIN;
        loop {
            let opened = Session::open(&self.destination, program.path()).and_then(|mut session| {
                // The agent needs to know by which interface it reaches servers.
                link::measure(&mut [&mut session], own)?;
                Ok(session)
            });
            match opened {
                Err(SessionError::Stopped) => return opened,
                Err(_) if self.untried_until.is_none() && Instant::now() < until => thread::sleep(AGAIN),
                _ => return opened,
            }
        }
    }

    /// The error, after which a lost machine is connected again.
    fn error(&mut self, error: SessionError) -> GeneratorError {
        if let SessionError::Lost(..) = error {
            self.session = None;
        }
        error_of(error)
    }
}

#[allow(clippy::needless_pass_by_value)] // for `map_err`
fn error_of(error: SessionError) -> GeneratorError {
    match error {
        SessionError::Stopped => GeneratorError::Interrupted(interrupt::Interrupted),
        SessionError::Lost(..) => GeneratorError::Lost(error.to_string()),
        SessionError::Unusable(..) => GeneratorError::Elsewhere(error.to_string()),
        SessionError::Failed(..) => GeneratorError::Failed(error.to_string()),
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

fn describe(place: &Place) -> LoadMachine {
    let machine = place.session.as_ref().map(|session| (&session.machine, &session.hash));
    let (cpus, cpu_model, kernel, hash) = machine.map_or_else(Default::default, |(machine, hash)| {
        (
            machine.cpus.len(),
            machine.cpu_model.clone(),
            machine.kernel.clone(),
            hash.clone(),
        )
    });
    LoadMachine {
        cpu_model,
        logical_cpus: u32::try_from(cpus).unwrap_or(u32::MAX),
        kernel,
        generator_hash: hash,
        is_this_one: place.is_here,
        rtt_us: place.link.rtt_us,
        to_mbit: place.link.to_mbit,
        from_mbit: place.link.from_mbit,
        mtu: place.link.mtu,
        interface_mbit: place.link.interface_mbit,
        clock_apart_seconds: place.clocks.wall_seconds.abs(),
        clock_error_us: place.clocks.error.as_secs_f64() * 1e6,
    }
}
