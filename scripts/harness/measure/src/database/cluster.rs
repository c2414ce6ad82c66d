//! A private PostgreSQL: made, started on its cpus, and ended with this process.

use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use postgres::{Client, Config, NoTls};

use super::NAME;
use super::folder::Folder;
use super::programs::Programs;
use crate::descendants;
use crate::interrupt;
use crate::interrupt::Interrupted;
use crate::process::{Child, Unfinished, finish, in_words, one_line};

/// The committed settings.
const SETTINGS: &str = include_str!("postgresql.conf");
/// Who may connect: the harness over the socket, in a folder that only its user and root enter; servers over loopback with a
/// password.
const ACCESS: &str = "local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n";
/// Longest time to make the data folder; it takes a second or two.
const MAKING: Duration = Duration::from_mins(1);
/// Longest time from its start to its first answer; it takes a tenth of a second.
const STARTING: Duration = Duration::from_secs(30);
/// Pause between two attempts to connect.
const PAUSE: Duration = Duration::from_millis(10);
/// How long it may take to end when asked.
const ENDING: Duration = Duration::from_secs(5);
/// How many ports are tried.
const PORTS: u32 = 5;
/// Longest wait for a connection of the harness.
const CONNECT: Duration = Duration::from_secs(10);

/// A running PostgreSQL with nothing in it.
#[derive(Debug)]
pub struct Cluster {
    // Declared before the folder, so that it is dropped first.
    process: Mutex<Child>,
    port: u16,
    cpus: Vec<u32>,
    programs: Programs,
    folder: Folder,
}

/// Why it does not run.
#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    /// Its folder could not be made, or its programs not started.
    #[error("PostgreSQL cannot be started: {0}")]
    Machine(#[from] io::Error),
    /// `initdb` failed.
    #[error("PostgreSQL's data cannot be made in {place}: {reason}", place = std::env::temp_dir().display())]
    NotMade {
        /// What `initdb` said.
        reason: String,
    },
    /// It ended by itself.
    #[error("PostgreSQL ended before it answered: {0}")]
    Died(String),
    /// It does not answer.
    #[error("PostgreSQL did not answer within {seconds} s of its start: {reason}", seconds = STARTING.as_secs())]
    Silent {
        /// Why it refused a connection last.
        reason: String,
    },
    /// It was asked to end, and did not.
    #[error("PostgreSQL did not end within {seconds} s", seconds = ENDING.as_secs())]
    Unstoppable,
    /// The user stopped it.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}

impl Cluster {
    /// Starts a new one on `cpus`; also returns a connection to it.
    pub fn start(programs: &Programs, cpus: &[u32]) -> Result<(Self, Client), ClusterError> {
        let folder = Folder::new()?;
        make(programs, &folder)?;
        let mut tried = 0;
        loop {
            tried += 1;
            let address = (Ipv4Addr::LOCALHOST, 0);
            let port = TcpListener::bind(address)?.local_addr()?.port();
            match start_at(programs, &folder, port, cpus) {
                Ok((process, client)) => {
                    let cluster = Self {
                        process: Mutex::new(process),
                        port,
                        cpus: cpus.to_vec(),
                        programs: programs.clone(),
                        folder,
                    };
                    return Ok((cluster, client));
                }
                // Another process may have taken the port meanwhile.
                Err(ClusterError::Died(_))
                    if tried < PORTS && TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_err() => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// A connection of the harness to the database `name`.
    pub fn connect(&self, name: &str) -> Result<Client, postgres::Error> {
        config(&self.folder, self.port).dbname(name).connect(NoTls)
    }

    /// Its port on loopback.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Cpus that it runs on.
    pub fn cpus(&self) -> &[u32] {
        &self.cpus
    }

    /// Ends it in order, with its data on the disk.
    pub fn stop(&self) -> Result<(), ClusterError> {
        let mut process = self.process();
        let _ = kill(Pid::from_raw(process.pid()), Signal::SIGINT); // it may have ended
        if process.ends_within(ENDING).is_some() {
            return Ok(());
        }
        Err(ClusterError::Unstoppable)
    }

    /// Starts it again after [`stop`](Self::stop), on the same port and data.
    pub fn start_again(&self) -> Result<(), ClusterError> {
        let (process, _) = start_at(&self.programs, &self.folder, self.port, &self.cpus)?;
        *self.process() = process;
        Ok(())
    }

    /// CPU time of all its processes, including ended ones.
    pub fn cpu_time(&self) -> Duration {
        descendants::cpu_time_of_all(self.process().pid())
    }

    /// Name of the file system of its data.
    pub fn file_system(&self) -> Option<String> {
        self.folder.file_system()
    }

    /// How it ended, if it did.
    pub fn end(&self) -> Option<String> {
        let mut process = self.process();
        let status = process.ended().ok().flatten()?;
        Some(why(in_words(status), &process))
    }

    fn process(&self) -> MutexGuard<'_, Child> {
        self.process.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let process = self.process.get_mut().unwrap_or_else(PoisonError::into_inner);
        if process.ended().ok().flatten().is_none() {
            // Its data is not needed any more: it ends its processes and itself at once.
            let _ = kill(Pid::from_raw(process.pid()), Signal::SIGQUIT); // it may end at this very moment
            process.ends_within(ENDING);
        }
        process.kill();
    }
}

fn config(folder: &Folder, port: u16) -> Config {
    let mut config = Config::new();
    config
        .host_path(folder.socket())
        .port(port)
        .user(NAME)
        .dbname("postgres")
        .connect_timeout(CONNECT);
    config
}

fn make(programs: &Programs, folder: &Folder) -> Result<(), ClusterError> {
    let mut command = Command::new(programs.folder.join("initdb"));
    folder.give(&mut command);
    // Without syncing: what a crash would lose here is made anew.
    command
        .args([
            "--username",
            NAME,
            "--encoding",
            "UTF8",
            "--locale",
            "C",
            "--no-sync",
            "--auth",
            "trust",
            "--pgdata",
        ])
        .arg(folder.data());
    let made = finish(command, MAKING).map_err(|unfinished| match unfinished {
        Unfinished::Interrupted(interrupted) => ClusterError::Interrupted(interrupted),
        other => ClusterError::NotMade {
            reason: other.to_string(),
        },
    })?;
    if !made.status.success() {
        return Err(ClusterError::NotMade {
            reason: one_line(&made.stderr_tail),
        });
    }
    std::fs::write(folder.data().join("pg_hba.conf"), ACCESS)?;
    Ok(())
}

fn start_at(programs: &Programs, folder: &Folder, port: u16, cpus: &[u32]) -> Result<(Child, Client), ClusterError> {
    let socket = folder.socket();
    let own = format!(
        "{SETTINGS}\nport = {port}\nunix_socket_directories = '{}'\n",
        socket.display()
    );
    std::fs::write(folder.data().join("postgresql.conf"), own)?;
    let mut command = Command::new(programs.folder.join("postgres"));
    folder.give(&mut command);
    command.arg("-D").arg(folder.data()).stdout(Stdio::null());
    let mut process = Child::start(command, cpus)?;
    let config = config(folder, port);
    let began = Instant::now();
    loop {
        let refused = match config.connect(NoTls) {
            Ok(client) => return Ok((process, client)),
            Err(error) => error.to_string(),
        };
        if let Some(status) = process.ended()? {
            return Err(ClusterError::Died(why(in_words(status), &process)));
        }
        if began.elapsed() > STARTING {
            return Err(ClusterError::Silent { reason: refused });
        }
        interrupt::check()?;
        std::thread::sleep(PAUSE);
    }
}

fn why(end: String, process: &Child) -> String {
    let said = one_line(&process.stderr_tail());
    if said.is_empty() {
        end
    } else {
        format!("{end}; it said: {said}")
    }
}
