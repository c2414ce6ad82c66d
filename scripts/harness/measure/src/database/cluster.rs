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
/// Of connections of the harness: a server that locks a table holds up no run, and what the harness asks is not counted.
const OPTIONS: &str = "-c lock_timeout=10s -c pg_stat_statements.track=none";
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
        let free = || Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port());
        Self::start_on(free, programs, cpus)
    }

    /// The same on a port that `free` finds, and on another that it finds where somebody has taken that meanwhile.
    fn start_on(
        mut free: impl FnMut() -> io::Result<u16>,
        programs: &Programs,
        cpus: &[u32],
    ) -> Result<(Self, Client), ClusterError> {
        let folder = Folder::new()?;
        make(programs, &folder)?;
        let mut tried = 0;
        loop {
            tried += 1;
            let port = free()?;
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

    /// What it said last of a crash or of what it could not do.
    pub fn last_words(&self) -> Option<String> {
        telling(&self.process().stderr_tail())
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
        .options(OPTIONS)
        .connect_timeout(CONNECT);
    config
}

fn make(programs: &Programs, folder: &Folder) -> Result<(), ClusterError> {
    let mut command = Command::new(programs.folder.join("initdb"));
    folder.give(&mut command);
    // Without syncing: what a crash would lose here is made again.
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
    match telling(&process.stderr_tail()) {
        None => end,
        Some(said) => format!("{end}; it said: {said}"),
    }
}

/// The last thing in its log that tells why it ended, or why one of its processes did, with what it said beside it.
fn telling(log: &str) -> Option<String> {
    let is_cause = |line: &str| {
        // The first of these follows from a line before it, the others are told to those who connect meanwhile.
        let follows = ["could not create any TCP/IP sockets", "the database system is "];
        let fatal = line.contains("FATAL:  ") && !follows.iter().any(|said| line.contains(said));
        fatal || line.contains("PANIC:  ") || line.contains(" was terminated by ") || line.contains("could not bind ")
    };
    let lines: Vec<&str> = log.lines().collect();
    let Some(cause) = lines.iter().rposition(|line| is_cause(line)) else {
        return lines
            .iter()
            .rfind(|line| !line.trim().is_empty())
            .map(|line| one_line(line));
    };
    let beside = |line: &&&str| line.contains("DETAIL:  ") || line.contains("HINT:  ");
    let told = std::iter::once(&lines[cause]).chain(lines[cause + 1..].iter().take_while(beside));
    let told = told.map(|line| line.split_once(":  ").map_or(*line, |(_, said)| said));
    Some(one_line(&told.collect::<Vec<_>>().join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_that_was_taken_meanwhile_is_not_asked_for_again() {
        let programs = Programs::find(None).unwrap();
        let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let taken = taken.local_addr().map(|address| (taken, address.port())).unwrap();
        let mut found = Vec::new();
        let free = || {
            let port = match found.len() {
                0 => taken.1,
                _ => TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port(),
            };
            found.push(port);
            Ok(port)
        };
        let (cluster, mut client) = Cluster::start_on(free, &programs, &[]).unwrap();
        client.simple_query("SELECT 1").unwrap();
        assert_ne!(cluster.port(), taken.1);
        assert_eq!(found.first(), Some(&taken.1));

        let mut asked = 0;
        let never_free = || {
            asked += 1;
            Ok(taken.1)
        };
        let error = Cluster::start_on(never_free, &programs, &[]).err().unwrap().to_string();
        assert!(
            error.starts_with("PostgreSQL ended before it answered: exit status 1; it said: ")
                && error.contains("Address already in use"),
            "{error}"
        );
        assert_eq!(asked, PORTS);
    }

    #[test]
    fn of_its_log_only_the_cause_is_told() {
        let log = "2026-01-01 00:00:00.000 UTC [1] LOG:  starting PostgreSQL 15.18\n\
                   2026-01-01 00:00:01.000 UTC [1] LOG:  server process (PID 7) was terminated by signal 9: Killed\n\
                   2026-01-01 00:00:01.000 UTC [1] DETAIL:  Failed process was running: COMMIT\n\
                   2026-01-01 00:00:01.000 UTC [1] LOG:  terminating any other active server processes\n\
                   2026-01-01 00:00:01.000 UTC [8] FATAL:  the database system is in recovery mode\n";
        assert_eq!(
            telling(log).unwrap(),
            "server process (PID 7) was terminated by signal 9: Killed; Failed process was running: COMMIT"
        );
        let log = "x [1] PANIC:  could not write to file \"pg_wal/xlogtemp.1\": No space left on device\n\
                   x [1] LOG:  startup process (PID 2) exited with exit code 1\n";
        assert_eq!(
            telling(log).unwrap(),
            "could not write to file \"pg_wal/xlogtemp.1\": No space left on device"
        );
        assert_eq!(telling("no such library\n").as_deref(), Some("no such library"));
        assert_eq!(telling(""), None);
    }
}
