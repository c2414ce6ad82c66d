//! A server under test: started on its cpus, ready after its first answer, ended when dropped. It is a native process or one in
//! a container, and is measured in the same way.

mod exit;
mod launch;
mod native;

use std::cell::RefCell;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use nix::time::ClockId;

use crate::container::{Container, Order, SettingValue};
use crate::contract::{self, Backend, Breach, Certificate, Client, Proven, ServicesToProve, Symptom, Violation};
use crate::database::Role;
use crate::failure::{Failure, Lack};
use crate::free_port::on_free_port;
use crate::shared_files::ServedFiles;
use machine::affinity::pin_all;
use machine::confine::User;
use machine::descendants;
use machine::descendants::{cpu_clock, cpu_time};
use machine::interrupt;
use machine::process::Child;
use machine::process_ticks::ProcessTicks;
use model::Verdict;
use model::scenario::Protocol;

use exit::{describe_exit, last_lines, unstarted};
pub use launch::{Launch, Needs};
pub(crate) use native::command;

/// Longest time from start to first answer. Servers take milliseconds; a machine may be busy.
const PATIENCE: Duration = Duration::from_secs(10);
/// Longest wait for the answer to one request whether it is ready.
const QUESTION: Duration = Duration::from_millis(500);
/// Pause between two such requests, which is the resolution of the start-up time.
const PAUSE: Duration = Duration::from_micros(500);
/// How long a server may take to stop on request.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_millis(500);
/// How long after a broken connection the exit of the server may show.
const DYING: Duration = Duration::from_secs(1);
/// How long after its start the exit of a server may show that found its port taken; on an idle machine that takes some 3 ms,
/// on a busy one more than 20.
const BINDING: Duration = Duration::from_millis(50);
/// Most bytes that a server may write to stderr while it lives: more than one that logs says, and read in a hundredth of a second.
pub const MOST_STDERR: u64 = 16 << 20;

/// A server that answers.
#[derive(Debug)]
pub struct Server {
    // Declared before the child, so that it is dropped first: the child is the engine's command, which ends with the container.
    container: Option<Container>,
    child: Child,
    pub address: SocketAddr,
    pub user: Option<User>,
    protocol: Protocol,
    pub pid: i32,
    /// CPU clocks of the server and of the proxies that pass its bytes on.
    clocks: Vec<ClockId>,
    /// Time from the start to the first answer; for a container, from its creation.
    pub startup: Duration,
    family: RefCell<Family>,
    backend: Backend,
}

/// The processes that a server has started, as they were when its CPU time was last read.
#[derive(Debug, Default)]
struct Family {
    clocks: Vec<ClockId>,
    /// Ticks of its process and of these.
    ticks: ProcessTicks,
}

/// What cannot be started at all.
const UNSTARTED: &str = "cannot start the server";

impl Server {
    /// Starts `launch` on `cpus`, speaking `protocol`, and waits for its first answer.
    pub fn start(launch: Launch<'_>, cpus: &[u32], protocol: Protocol) -> Result<Self, Failure> {
        Self::start_at_reach(launch, cpus, protocol, Ipv4Addr::LOCALHOST.into())
    }

    /// The same at an address of this machine by which others reach it.
    pub fn start_at_reach(launch: Launch<'_>, cpus: &[u32], protocol: Protocol, own: IpAddr) -> Result<Self, Failure> {
        on_free_port(own, |address| Self::start_on(launch, cpus, protocol, address))
    }

    /// Starts it on this very address, which may be taken.
    pub fn start_on(
        launch: Launch<'_>,
        cpus: &[u32],
        protocol: Protocol,
        address: SocketAddr,
    ) -> Result<Self, Failure> {
        let workers = launch.workers().unwrap_or(cpus.len().max(1));
        let mut settings = settings(protocol)?;
        settings.push(("WORKERS", SettingValue::text(&workers)));
        let mut port = None;
        let backend = match launch.needs() {
            Needs::Nothing => Backend::Nothing,
            Needs::Work(steps) => {
                settings.push(("WORK", SettingValue::text(&steps)));
                Backend::Nothing
            }
            Needs::Database(database, per_worker) => {
                let connections = u32::try_from(workers).unwrap_or(u32::MAX).saturating_mul(per_worker);
                let role = Arc::new(Role::open(database, connections).context("the server has no database")?);
                settings.push(("DATABASE_URL", SettingValue::text(&role.url())));
                settings.push(("DATABASE_CONNECTIONS", SettingValue::text(&connections)));
                port = Some(database.port());
                Backend::Database(role)
            }
            Needs::Services {
                services,
                routes,
                layers,
            } => {
                settings.push(("ROUTES", SettingValue::text(&routes)));
                settings.push(("LAYERS", SettingValue::text(&layers)));
                settings.push(("FILES", SettingValue::File(ServedFiles::own()?.folder.clone())));
                let offers = services.offers.clone();
                Backend::Services(ServicesToProve { offers, routes, layers })
            }
        };
        let client = Client::new(address, protocol)?.with_patience(QUESTION);
        let _ = descendants::adopt_orphans(); // Linux 3.4 and later
        let started = Instant::now();
        let (user, container, child) = if let Launch::Contained(image, network) = launch {
            let order = Order {
                image,
                network,
                address,
                cpus,
                settings,
            };
            let (container, child) = Container::start(&order).context(UNSTARTED)?;
            (None, Some(container), child)
        } else {
            let user = User::next();
            let child = command(launch, user, address, port, settings).and_then(|command| Child::start(command, cpus));
            (user, None, child.context(UNSTARTED)?)
        };
        child.allow_stderr(MOST_STDERR);
        let mut server = Self {
            // Now, because a server that dies at once no longer has a clock, and its exit must be reported.
            clocks: vec![cpu_clock(child.pid())?],
            pid: child.pid(),
            container,
            child,
            address,
            user,
            protocol,
            startup: Duration::ZERO,
            family: RefCell::default(),
            backend,
        };
        while client.get("/").is_err() {
            if let Some(status) = server.child.ended()? {
                return Err(unstarted(server.container.as_ref(), &server.child, status));
            }
            if started.elapsed() > PATIENCE {
                let reason = format!("no answer within {} s of its start", PATIENCE.as_secs());
                return Err(Failure::Verdict(Verdict::ContractFailed, reason));
            }
            interrupt::check()?;
            std::thread::sleep(PAUSE);
        }
        server.startup = started.elapsed();
        let found = server.find_in_container(cpus);
        // Another program may have taken the port and answer in its place; and the engine no longer knows a container that has ended.
        let patience = found
            .as_ref()
            .map_or(DYING, |()| BINDING.saturating_sub(server.startup));
        if let Some(reason) = server.exit_reason_within(patience) {
            return Err(Failure::died(format!(
                "the server died after its first answer: {reason}"
            )));
        }
        found.context(UNSTARTED)?;
        Ok(server)
    }

    /// Finds the process of a contained server on this machine, and its clock with its proxies'.
    fn find_in_container(&mut self, cpus: &[u32]) -> io::Result<()> {
        let Some(container) = &self.container else {
            return Ok(());
        };
        self.pid = container.pid()?;
        self.clocks = vec![cpu_clock(self.pid)?];
        for proxy in container.proxies() {
            // On the server's cpus, so that it takes no time from the generator. Only root may do that; otherwise its time is
            // still counted.
            let _ = pin_all(proxy, cpus);
            self.clocks.extend(cpu_clock(proxy));
        }
        Ok(())
    }

    /// A client for it.
    pub fn client(&self) -> io::Result<Client> {
        Ok(Client::new(self.address, self.protocol)?.with_backend(self.backend.clone()))
    }

    /// Its role in the database behind it.
    pub fn role(&self) -> Option<&Arc<Role>> {
        self.backend.role()
    }

    /// What befell the database behind it since it was started, for which it is not to blame.
    pub fn trouble_of_database(&self) -> Option<String> {
        self.role()?.trouble()
    }

    /// CPU time of all its threads and of all processes that it has started, including ended ones; behind a bridge, also of the
    /// engine's proxy, through which every byte goes.
    pub fn cpu_time(&self) -> io::Result<Duration> {
        let pids = self.pids();
        let ticks = pids.iter().map(|pid| ProcessTicks::of(*pid)).sum();
        let clocks = pids[1..].iter().filter_map(|pid| cpu_clock(*pid).ok()).collect();
        *self.family.borrow_mut() = Family { clocks, ticks };
        self.cpu_time_of_known()
    }

    /// The same of the processes that were there when [`Server::cpu_time`] was last called; it takes a tenth of the time.
    pub fn cpu_time_of_known(&self) -> io::Result<Duration> {
        let family = self.family.borrow();
        let mut sum = family.ticks.reaped();
        for clock in &self.clocks {
            sum += cpu_time(*clock)?;
        }
        // One that has ended since is among those that its parent has waited for, and is seen next time.
        let living = family.clocks.iter().filter_map(|clock| cpu_time(*clock).ok());
        Ok(sum + living.sum::<Duration>())
    }

    /// User and system time of its processes, without the engine's proxy, when [`Server::cpu_time`] was last called.
    pub fn ticks(&self) -> ProcessTicks {
        self.family.borrow().ticks
    }

    /// Its process, and those that it has started.
    pub fn pids(&self) -> Vec<i32> {
        let mut pids = vec![self.pid];
        pids.extend(descendants::living(self.pid, self.user));
        pids
    }

    /// The last lines of its stderr, safe to show; empty if it wrote nothing.
    pub fn last_lines(&self) -> String {
        last_lines(&self.child)
    }

    /// Sends SIGTERM and waits; `false` if it still runs after `patience`.
    pub fn ends_on_sigterm(&mut self, patience: Duration) -> bool {
        self.child.terminate();
        self.child.ends_within(patience).is_some()
    }

    /// How it ended, with its last lines on stderr; `None` if it runs.
    pub fn exit_reason(&mut self) -> Option<String> {
        self.exit_reason_within(Duration::ZERO)
    }

    /// The same, after waiting up to a second: connections break before the process is gone.
    pub fn await_exit_reason(&mut self) -> Option<String> {
        self.exit_reason_within(DYING)
    }

    fn exit_reason_within(&mut self, time: Duration) -> Option<String> {
        let status = self.child.ends_within(time)?;
        Some(describe_exit(self.container.as_ref(), status, &self.child))
    }
}

impl Server {
    /// Lets `proof` check the contract on this server.
    pub fn prove(&mut self, proof: impl FnOnce(&Client) -> Proven) -> Result<(), Failure> {
        let client = self.client()?;
        proof(&client)?.map_err(|violation| self.failure_from(&violation))
    }

    /// What it lacks of the whole contract, by the answers that `client` gets.
    pub fn lacks(&mut self, client: &Client, seed: u64) -> Result<Vec<Lack>, Failure> {
        let breaches = contract::violations(client, seed)?.into_iter();
        breaches
            .map(|Breach { scope, violation }| Ok(Lack::new(scope, self.failure_from(&violation))?))
            .collect()
    }

    /// The failure for a violation. If the server has died, that is the reason, not the missing answer; if something befell its database, the
    /// server is not to blame.
    pub fn failure_from(&mut self, violation: &Violation) -> Failure {
        let Violation {
            request, got, symptom, ..
        } = violation;
        let (verdict, reason) = if let Some(trouble) = self.trouble_of_database() {
            (Verdict::EnvironmentFailed, format!("{request}: {trouble}"))
        } else if *symptom == Symptom::Unjudged {
            (Verdict::EnvironmentFailed, format!("{request}: {got}"))
        } else if *symptom == Symptom::Silence
            && let Some(end) = self.await_exit_reason()
        {
            return Failure::died(format!("{request}: the server died: {end}"));
        } else {
            let last = self.last_lines();
            let shows_stderr = *symptom != Symptom::Wrong && !last.is_empty();
            let ending = if shows_stderr {
                format!("; its stderr ends: {last}")
            } else {
                String::new()
            };
            (Verdict::ContractFailed, format!("{violation}{ending}"))
        };
        Failure::Verdict(verdict, reason)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let known = self.pids();
        drop(self.container.take());
        self.child.stop(SHUTDOWN_TIMEOUT);
        descendants::end(self.pid, self.user, &known);
    }
}

/// Environment variables that make a server speak `protocol`.
pub(crate) fn settings(protocol: Protocol) -> io::Result<Vec<(&'static str, SettingValue)>> {
    let mut settings = Vec::new();
    if protocol.is_http2() {
        settings.push(("HTTP", SettingValue::text(&2)));
    }
    if protocol.is_tls() {
        let own = Certificate::own()?;
        settings.push(("TLS_CERT", SettingValue::File(own.cert.clone())));
        settings.push(("TLS_KEY", SettingValue::File(own.key.clone())));
    }
    Ok(settings)
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::path::Path;

    use super::*;
    use machine::program::Program;

    #[test]
    fn another_program_that_answers_on_its_port_is_not_taken_for_it() {
        let taken = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = taken.local_addr().unwrap();
        std::thread::spawn(move || {
            for mut stream in taken.incoming().flatten() {
                let _ = stream.read(&mut [0; 1024]);
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
            }
        });
        let program = Program::at(Path::new("/bin/false")).unwrap();
        let error = Server::start_on(Launch::alone(&program), &[], Protocol::Http1, address).unwrap_err();
        let (verdict, reason) = error.into_verdict().unwrap();
        assert_eq!(verdict, Verdict::Crashed);
        assert!(
            reason.starts_with("the server died after its first answer: "),
            "{reason}"
        );
    }
}
