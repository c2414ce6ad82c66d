//! A machine that makes load.

use std::net::{IpAddr, TcpListener};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use agent::link;
use agent::protocol::{Command, LinkReport, Reply};
use judge::stats::median;
use record::LoadMachine;

use super::destination::Destination;
use super::session::{ClockOffset, Session};
use crate::generator::GeneratorError;
use crate::machine::limits::files_needed;

/// After so long, the clocks are compared again: they drift apart by some microseconds in a second.
const COMPARED_FOR: Duration = Duration::from_secs(20);
/// Longest wait for the measurement of a link: a slow one takes long to empty what was put into it.
const LINK_PATIENCE: Duration = Duration::from_mins(2);

/// One machine.
#[derive(Debug)]
pub struct Host {
    /// Its name.
    pub destination: Destination,
    /// `None` after it was lost.
    pub session: Option<Session>,
    /// How its clocks differ from ours, and when they were compared.
    pub clocks: (ClockOffset, Instant),
    /// The network interface by which it reaches servers.
    pub interface: Option<String>,
    /// It and its link, for the record.
    pub described: LoadMachine,
}

impl Host {
    /// Knows its clocks and its link; servers listen at `own`. `own_boot` is the boot id of this machine.
    pub fn new(
        destination: &Destination,
        mut session: Session,
        own: IpAddr,
        own_boot: Option<&String>,
    ) -> Result<Self, GeneratorError> {
        let (link, from_mbit, rtt_us) = measure_links(&mut [&mut session], own)?.remove(0);
        let clocks = session.clock_offset()?;
        let machine = &session.machine;
        Ok(Self {
            destination: destination.clone(),
            clocks: (clocks, Instant::now()),
            interface: link.interface,
            described: LoadMachine {
                cpu_model: machine.cpu_model.clone(),
                logical_cpus: u32::try_from(machine.cpus.len()).unwrap_or(u32::MAX),
                kernel: machine.kernel.clone(),
                generator_hash: session.hash.clone(),
                is_this_one: own_boot == Some(&machine.boot_id),
                rtt_us,
                to_mbit: link.mbit,
                from_mbit,
                mtu: link.mtu,
                interface_mbit: link.interface_mbit,
                clock_apart_seconds: clocks.wall.abs(),
                clock_error_us: clocks.error * 1e6,
            },
            session: Some(session),
        })
    }

    /// Its session, opened again if it was lost.
    pub fn session(&mut self, program: &Path) -> Result<&mut Session, GeneratorError> {
        if self.session.is_none() {
            let mut session = Session::open(&self.destination, program)?;
            self.clocks = (session.clock_offset()?, Instant::now());
            self.session = Some(session);
        }
        Ok(self.session.as_mut().expect("it is open"))
    }

    /// Compares the clocks again if that was long ago.
    pub fn compare_clocks(&mut self) -> Result<(), GeneratorError> {
        if let (Some(session), true) = (&mut self.session, self.clocks.1.elapsed() >= COMPARED_FOR) {
            self.clocks = (session.clock_offset()?, Instant::now());
        }
        Ok(())
    }

    /// Cpus for the load: all of another machine, those of the generator on this one.
    pub fn cpus(&self, here: &[u32]) -> Vec<u32> {
        let theirs = self.session.as_ref().map(|session| session.machine.cpus.as_slice());
        if self.described.is_this_one {
            here
        } else {
            theirs.unwrap_or_default()
        }
        .to_vec()
    }
}

/// Fails if the machine of this session cannot hold so many connections.
pub fn check_limits(session: &Session, name: &Destination, connections: u32) -> Result<(), GeneratorError> {
    let (machine, files, ports) = (&session.machine, files_needed(connections), 4 * connections);
    if machine.open_files < files {
        return Err(GeneratorError::Remote(format!(
            "{name}: {files} open files are needed, its hard limit is {}; raise it there",
            machine.open_files
        )));
    }
    if machine.ports < ports {
        return Err(GeneratorError::Remote(format!(
            "{name}: {connections} connections need {ports} local ports, net.ipv4.ip_local_port_range there has {}",
            machine.ports
        )));
    }
    Ok(())
}

/// Measures the links of these machines at the same time; this machine listens at `own`. Of each: what its agent saw, the megabits per
/// second that came from it, and the median round-trip time in microseconds.
pub fn measure_links(
    sessions: &mut [&mut Session],
    own: IpAddr,
) -> Result<Vec<(LinkReport, f64, f64)>, GeneratorError> {
    let mut measuring = Vec::new();
    for session in &mut *sessions {
        let listener = TcpListener::bind((own, 0))?;
        session.send(&Command::Link(listener.local_addr()?))?;
        measuring.push(thread::spawn(move || link::measure(&listener)));
    }
    let mut links = Vec::new();
    for (session, measuring) in sessions.iter_mut().zip(measuring) {
        let Reply::Link(link) = session.reply(LINK_PATIENCE)? else {
            return Err(session.unasked());
        };
        let seen = measuring
            .join()
            .map_err(|_| session.failed("measuring its link panicked"))?;
        let (times, from_mbit) = seen.map_err(|error| session.failed(format!("its link: {error}")))?;
        links.push((link, from_mbit, median(&times).unwrap_or_default()));
    }
    Ok(links)
}
