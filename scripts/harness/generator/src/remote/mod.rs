//! Load from other machines, over SSH: each makes a share of every load, begun at the same moment. Or from this one, through a network of
//! its own.
//!
//! Each runs the load generator of this run, copied and compared by its hash, under an [`agent`]. Round-trip time and speed of each link
//! are measured first.

mod destination;
mod host;
mod merge;
mod session;
mod share;

use std::net::{IpAddr, SocketAddr, TcpListener};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use agent::protocol::{Clocks, Command, LoadCommand, LoadReport, Reply};
use anyhow::anyhow;
use model::LoadMachine;
use model::scenario::Scenario;

use super::{DRAIN_TIMEOUT, GeneratorError, Load, oha, plausible};
pub use destination::Destinations;
use host::Host;
use machine::kernel_files::boot_id;
use machine::network::{self, Network};
use machine::program::Program;
use merge::{Part, merge};
use servers::workload::Workload;
use session::{ClockOffset, Peer, Session};

/// Seconds after the agreed beginning at which a machine begins too late.
const LATE: f64 = 0.02;
/// Seconds between the command and the beginning of a load that several machines begin, besides the round-trip time.
const LEAD: f64 = 0.03;
/// Seconds by which clocks may differ without a warning.
const CLOCKS_DIFFER: f64 = 1.0;

/// Why a load has no network.
pub const NO_NETWORK: &str = "only `bench run` makes the network of this scenario";

/// Fails if one of them cannot be reached; returns whether one of them is this very machine.
pub fn any_here(destinations: &Destinations) -> Result<bool, GeneratorError> {
    let boots = destinations.0.iter().map(session::reach);
    let boots = boots.collect::<Result<Vec<_>, _>>()?;
    Ok(boot_id().is_some_and(|own| boots.contains(&own)))
}

/// The machines that make the load.
#[derive(Debug)]
pub struct LoadMachines {
    hosts: Mutex<Vec<Host>>,
    program: Program,
    /// Where servers listen, so that all of them reach it.
    pub own: IpAddr,
    /// Megabits per second to and from all of them at the same time.
    together: [f64; 2],
    pub described: Vec<LoadMachine>,
    pub warnings: Vec<String>,
    /// The one between the load and the servers, where we made it. Declared last: what runs in it ends before.
    network: Option<Network>,
}

impl LoadMachines {
    /// Lets this machine make the load, from the other end of `network`, if it is as slow as scenarios want it.
    pub fn behind(network: Network, program: &Program) -> Result<Self, GeneratorError> {
        let there = Destinations::namespace(network::NAMESPACE);
        let mut machines = Self::connect(&there, program, Some(network.address()))?;
        let own = machines.own;
        for host in machines.hosts.get_mut().unwrap_or_else(PoisonError::into_inner) {
            let before = host.described.rtt_us;
            for wanted in &network.wanted {
                network.add(*wanted)?;
                for (_, _, rtt_us) in host::measure_links(&mut [host.session()?], own)? {
                    network::confirm(*wanted, before, rtt_us)?;
                }
            }
        }
        let warning = "the network is this machine's own: its cpus carry each packet, the servers' on one side and the load generator's on the other";
        machines.warnings = vec![warning.to_owned()];
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
        let mut sessions = Vec::new();
        for destination in &destinations.0 {
            sessions.push(Session::open(destination, program.path())?);
        }
        let own = own_address(destinations, &sessions, listen)?;
        let mut hosts = Vec::new();
        for (destination, (session, peer)) in destinations.0.iter().zip(sessions) {
            hosts.push(Host::new(destination, session, peer, own)?);
        }
        let described: Vec<LoadMachine> = hosts.iter().map(|host| host.described.clone()).collect();
        let mut together = [described[0].to_mbit, described[0].from_mbit];
        if hosts.len() > 1 {
            let all = hosts.iter_mut().map(Host::session).collect::<Result<Vec<_>, _>>();
            let links = host::measure_links(&mut all?, own)?;
            together = [
                links.iter().map(|(link, ..)| link.mbit).sum(),
                links.iter().map(|(_, from_mbit, _)| from_mbit).sum(),
            ];
        }
        Ok(Self {
            warnings: (1..)
                .zip(&hosts)
                .flat_map(|(number, host)| warnings(number, host))
                .collect(),
            described,
            hosts: Mutex::new(hosts),
            program: program.clone(),
            own,
            together,
            network: None,
        })
    }

    /// Drives the server of this machine that listens at `address`. Machines on this one use the cpus `here` only.
    pub fn drive(
        &self,
        workload: &Workload<'_>,
        seconds: f64,
        address: SocketAddr,
        here: &[u32],
        alive: impl FnMut() -> bool,
    ) -> Result<Load, GeneratorError> {
        match (&self.network, workload.scenario.round_trip_us) {
            (Some(network), Some(added)) => network.add(added)?,
            (None, Some(_)) => return Err(anyhow!(NO_NETWORK).into()),
            (_, None) => {}
        }
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        for host in hosts.iter_mut() {
            host.connect(self.program.path())?;
        }
        let cpus: Vec<Vec<u32>> = hosts.iter().map(|host| host.cpus(here)).collect();
        let shares = share::divide(workload.scenario, &cpus.iter().map(Vec::len).collect::<Vec<_>>());
        let all = hosts.iter_mut().zip(cpus).zip(shares);
        let active = all.filter_map(|((host, cpus), share)| Some((host, cpus, share?)));
        let mut active: Vec<Active<'_>> = active.collect();
        let parts = make(&mut active, workload, seconds, address, alive);
        if parts.is_err() {
            for (host, ..) in active {
                host.session = None;
            }
        }
        Ok(merge(parts?, self.together))
    }
}

/// A machine that makes a share of a load on these cpus.
type Active<'a> = (&'a mut Host, Vec<u32>, Scenario);

/// Commands all of them, and waits until all are done.
fn make(
    active: &mut [Active<'_>],
    workload: &Workload<'_>,
    seconds: f64,
    address: SocketAddr,
    mut alive: impl FnMut() -> bool,
) -> Result<Vec<Part>, GeneratorError> {
    let several = active.len() > 1;
    if several && workload.message_bytes().is_some() {
        let reason =
            "WebSocket can be driven from one other machine only: its latencies are not reported for each message";
        return Err(GeneratorError::Remote(reason.into()));
    }
    // One single request is made to know what starting takes.
    let latencies = several && workload.scenario.requests != Some(1);
    let (mut clocks, mut head_start) = (vec![ClockOffset::default(); active.len()], 0.0);
    if several {
        for ((host, ..), clock) in active.iter_mut().zip(&mut clocks) {
            *clock = host.session()?.clock_offset()?;
        }
        // Twice the longest round trip.
        head_start = LEAD + clocks.iter().map(|clock| clock.error * 4.0).fold(0.0, f64::max);
    }
    let agreed = Clocks::now()?.monotonic + head_start;
    let given_up_after = seconds + DRAIN_TIMEOUT.as_secs_f64();
    for ((host, cpus, share), clock) in active.iter_mut().zip(&clocks) {
        host.ensure_holds(share.connections)?;
        let command = LoadCommand {
            arguments: oha::arguments(workload, share, seconds, address, cpus.len()),
            at: several.then_some(agreed + clock.monotonic),
            seconds,
            given_up_after,
            cpus: cpus.clone(),
            interface: host.interface.clone(),
            latencies,
        };
        host.session()?.send(&Command::Load(command))?;
    }
    let until = Instant::now() + Duration::from_secs_f64(given_up_after) + DRAIN_TIMEOUT;
    let mut parts = Vec::new();
    for ((host, cpus, _), clock) in active.iter_mut().zip(&clocks) {
        let session = host.session()?;
        let go_on = || alive().then_some(()).ok_or(GeneratorError::ServerDied);
        let seen = match session.reply_until(until, go_on)?.ok_or(GeneratorError::Hung)? {
            Reply::Load(seen) => *seen,
            _ => return Err(session.unexpected()),
        };
        let load = reported(&seen, latencies).map_err(|reason| session.failed(reason))?;
        let began = seen.started - clock.monotonic;
        if several && began - agreed > LATE {
            let (name, late) = (&host.destination, ((began - agreed) * 1e3).floor());
            return Err(GeneratorError::Lost(format!(
                "{name} began {late} ms after the agreed time"
            )));
        }
        parts.push(Part {
            load,
            seen,
            began,
            cpus: cpus.clone(),
            machine: host.described.clone(),
        });
    }
    Ok(parts)
}

/// What the generator of a machine reports; its latencies, where they were wanted, must be as many as its answers.
fn reported(seen: &LoadReport, wants_latencies: bool) -> Result<Load, String> {
    let load = oha::parse(seen.report.as_bytes(), Duration::ZERO).and_then(plausible);
    let load = load.map_err(|error| format!("its report cannot be read: {error}"))?;
    let counted: u64 = seen.latencies.iter().map(|(_, count)| count).sum();
    let answered: u64 = load.requests.values().sum();
    if wants_latencies && counted != answered {
        return Err(format!("it has {counted} latencies of {answered} answers"));
    }
    Ok(load)
}

/// What makes the figures of a machine mean less, in words.
fn warnings(number: usize, host: &Host) -> Vec<String> {
    let mut warnings = Vec::new();
    if host.described.is_this_one {
        warnings.push(format!(
            "load machine {number} is this very machine: it has the load generator's cpus, and the link is none"
        ));
    }
    let (ahead, apart) = (host.ahead, host.described.clock_apart_seconds);
    if apart > CLOCKS_DIFFER {
        let where_to = if ahead > 0.0 { "ahead of" } else { "behind" };
        warnings.push(format!(
            "the clock of load machine {number} is {apart:.0} s {where_to} this one's; loads are begun by the difference, so no figure depends on it"
        ));
    }
    warnings
}

/// Our address, as all of them see it.
fn own_address(
    destinations: &Destinations,
    sessions: &[(Session, Peer)],
    listen: Option<IpAddr>,
) -> Result<IpAddr, GeneratorError> {
    let refused = |reason: String| Err(GeneratorError::Remote(reason));
    let Some(own) = listen.or(sessions[0].1.seen_as) else {
        return refused("it is not known by which address they reach this machine; name it with --listen".into());
    };
    let other = sessions.iter().position(|(_, peer)| peer.seen_as != Some(own));
    if let (None, Some(other)) = (listen, other) {
        let (first, other) = (&destinations.0[0], &destinations.0[other]);
        return refused(format!(
            "{first} and {other} know this machine by different addresses; name the one at which servers listen, with --listen"
        ));
    }
    TcpListener::bind((own, 0)).map(|_| own).or_else(|error| {
        refused(format!(
            "servers cannot listen at {own}, by which the load machines know this one: {error}; --listen names another address"
        ))
    })
}
