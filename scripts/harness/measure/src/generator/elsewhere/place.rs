//! A machine that makes load, and how it is found again after it was lost.

use std::net::IpAddr;
use std::thread;
use std::time::{Duration, Instant};

use record::LoadMachine;

use super::destination::Destination;
use super::link;
use super::link::Link;
use super::session::{ClockDifference, Session, SessionError};
use crate::generator::GeneratorError;
use crate::interrupt::Interrupted;
use crate::program::Program;

/// After so long, the clocks are compared again: they drift apart by some microseconds in a second.
const COMPARED_FOR: Duration = Duration::from_secs(20);
/// A machine that was lost may come back within this time; meanwhile it is tried again after each pause.
const RETURNS_WITHIN: Duration = Duration::from_secs(30);
const AGAIN: Duration = Duration::from_secs(1);
/// A machine that could not be reached is not tried again for so long.
const UNTRIED_FOR: Duration = Duration::from_secs(30);

/// One machine.
#[derive(Debug)]
pub struct Place {
    pub destination: Destination,
    /// `None` after it was lost.
    pub session: Option<Session>,
    pub clocks: ClockDifference,
    /// When they were compared; `None` after it was lost.
    pub compared_at: Option<Instant>,
    pub link: Link,
    pub is_here: bool,
    pub untried_until: Option<Instant>,
}

impl Place {
    /// Cpus for the load: all of another machine, those of the generator on this one.
    pub fn cpus(&self, here: &[u32]) -> Vec<u32> {
        let theirs = self.session.as_ref().map(|session| session.machine.cpus.as_slice());
        if self.is_here { here } else { theirs.unwrap_or_default() }.to_vec()
    }

    /// Connects again if it was lost, and compares the clocks if that was long ago.
    pub fn be_ready(&mut self, program: &Program, own: IpAddr) -> Result<(), GeneratorError> {
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
    pub fn error(&mut self, error: SessionError) -> GeneratorError {
        if let SessionError::Lost(..) = error {
            self.session = None;
        }
        error_of(error)
    }

    /// For the record.
    pub fn describe(&self) -> LoadMachine {
        let machine = self.session.as_ref().map(|session| (&session.machine, &session.hash));
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
            is_this_one: self.is_here,
            rtt_us: self.link.rtt_us,
            to_mbit: self.link.to_mbit,
            from_mbit: self.link.from_mbit,
            mtu: self.link.mtu,
            interface_mbit: self.link.interface_mbit,
            clock_apart_seconds: self.clocks.wall_seconds.abs(),
            clock_error_us: self.clocks.error.as_secs_f64() * 1e6,
        }
    }
}

/// The error of a load that such an error ends.
#[allow(clippy::needless_pass_by_value)] // for `map_err`
pub fn error_of(error: SessionError) -> GeneratorError {
    match error {
        SessionError::Stopped => GeneratorError::Interrupted(Interrupted),
        SessionError::Lost(..) => GeneratorError::Lost(error.to_string()),
        SessionError::Unusable(..) => GeneratorError::Elsewhere(error.to_string()),
        SessionError::Failed(..) => GeneratorError::Failed(error.to_string()),
    }
}
