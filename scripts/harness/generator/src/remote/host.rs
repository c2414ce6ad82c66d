//! A machine that makes load.

use std::net::{IpAddr, TcpListener};
use std::path::Path;
use std::thread;

use agent::link;
use agent::protocol::{Command, LinkReport, Machine, Reply};
use model::LoadMachine;
use stats::median;

use super::destination::Destination;
use super::session::{Peer, Session};
use crate::GeneratorError;
use machine::kernel_files::boot_id;
use machine::limits::files_needed;

/// One machine.
#[derive(Debug)]
pub struct Host {
    /// Its name.
    pub destination: Destination,
    /// It and its link, for the record.
    pub described: LoadMachine,
    /// Seconds by which its wall clock is ahead of ours.
    pub ahead: f64,
    machine: Machine,
    /// The network interface by which it reaches servers.
    pub interface: Option<String>,
    /// `None` after a load failed, which ends what it still did; the next load opens another one.
    pub session: Option<Session>,
}

impl Host {
    /// Knows its clocks and its link; servers listen at `own`.
    pub fn new(
        destination: &Destination,
        mut session: Session,
        peer: Peer,
        own: IpAddr,
    ) -> Result<Self, GeneratorError> {
        let (link, from_mbit, rtt_us) = measure_links(&mut [&mut session], own)?.remove(0);
        let clocks = session.clock_offset()?;
        let machine = peer.machine;
        Ok(Self {
            destination: destination.clone(),
            ahead: clocks.wall,
            interface: link.interface,
            described: LoadMachine {
                cpu_model: machine.cpu_model.clone(),
                logical_cpus: u32::try_from(machine.cpus.len()).unwrap_or(u32::MAX),
                kernel: machine.kernel.clone(),
                generator_hash: peer.hash,
                is_this_one: boot_id().as_ref() == Some(&machine.boot_id),
                rtt_us,
                to_mbit: link.mbit,
                from_mbit,
                mtu: link.mtu,
                interface_mbit: link.interface_mbit,
                clock_apart_seconds: clocks.wall.abs(),
                clock_error_us: clocks.error * 1e6,
            },
            machine,
            session: Some(session),
        })
    }

    /// Opens its session again if it was lost.
    pub fn connect(&mut self, program: &Path) -> Result<(), GeneratorError> {
        if self.session.is_none() {
            self.session = Some(Session::open(&self.destination, program)?.0);
        }
        Ok(())
    }

    /// Its session.
    pub fn session(&mut self) -> Result<&mut Session, GeneratorError> {
        let closed = || GeneratorError::Lost(format!("{} was lost", self.destination));
        self.session.as_mut().ok_or_else(closed)
    }

    /// Cpus for the load: all of another machine, the generator's on this one.
    pub fn cpus(&self, here: &[u32]) -> Vec<u32> {
        if self.described.is_this_one {
            here.to_vec()
        } else {
            self.machine.cpus.clone()
        }
    }

    /// Fails if it cannot hold so many connections.
    pub fn ensure_holds(&self, connections: u32) -> Result<(), GeneratorError> {
        let (name, machine) = (&self.destination, &self.machine);
        let (files, ports) = (files_needed(connections), 4 * connections);
        let reason = if machine.open_files < files {
            let most = machine.open_files;
            format!("{files} open files are needed, its hard limit is {most}; raise it there")
        } else if machine.ports < ports {
            let range = format!("net.ipv4.ip_local_port_range there has {}", machine.ports);
            format!("{connections} connections need {ports} local ports, {range}")
        } else {
            return Ok(());
        };
        Err(GeneratorError::Remote(format!("{name}: {reason}")))
    }
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
        let Reply::Link(link) = session.reply()? else {
            return Err(session.unexpected());
        };
        let seen = measuring
            .join()
            .map_err(|_| session.failed("measuring its link panicked"))?;
        let (times, from_mbit) = seen.map_err(|error| session.failed(format!("its link: {error}")))?;
        links.push((link, from_mbit, median(&times).unwrap_or_default()));
    }
    Ok(links)
}
