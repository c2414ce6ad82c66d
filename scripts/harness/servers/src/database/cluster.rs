//! A private PostgreSQL: made, started on its cpus, and ended with this process.

use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use postgres::{Client, Config, NoTls};

use super::folder::Folder;
use super::programs::Programs;
use super::{DatabaseError, NAME};
use machine::descendants;
use machine::interrupt;
use machine::process::{Child, Unfinished, finish, in_words, one_line};

/// The committed settings.
const SETTINGS: &str = include_str!("postgresql.conf");
/// The harness connects over the socket, in a folder that only its user and root enter; servers over loopback with a password.
const ACCESS: &str = "local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n";
/// Longest time to make the data folder; it takes a second or two.
const MAKING: Duration = Duration::from_mins(1);
/// Longest time from its start to its first answer; it takes a tenth of a second.
const STARTING: Duration = Duration::from_secs(30);
/// Longest time from a signal to its end.
const ENDING: Duration = Duration::from_secs(5);
/// How many ports are tried.
const PORTS: u32 = 5;
/// Of connections of the harness: a server that locks a table holds up no run, and the harness's own statements are not counted.
const OPTIONS: &str = "-c lock_timeout=10s -c pg_stat_statements.track=none";
/// Lines of its log that say why it ended, why one of its processes did, or why it did not start.
const CAUSES: [&str; 4] = [
    " was terminated by ",
    "PANIC:  ",
    "could not bind ",
    "FATAL:  could not ",
];

/// A running PostgreSQL with nothing in it.
#[derive(Debug)]
pub struct Cluster {
    // Declared before the folder, so that it is dropped first.
    process: Mutex<Child>,
    /// On loopback.
    pub port: u16,
    /// That it runs on.
    pub cpus: Vec<u32>,
    programs: Programs,
    pub folder: Folder,
}

impl Cluster {
    /// Starts a new one on `cpus`.
    pub fn start(programs: &Programs, cpus: &[u32]) -> Result<Self, DatabaseError> {
        let free = || Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port());
        Self::start_on(free, programs, cpus)
    }

    /// The same on a port that `free` finds, and on the next one if another process has taken that meanwhile.
    fn start_on(
        mut free: impl FnMut() -> io::Result<u16>,
        programs: &Programs,
        cpus: &[u32],
    ) -> Result<Self, DatabaseError> {
        let folder = Folder::new()?;
        make(programs, &folder)?;
        let mut left = PORTS;
        loop {
            left -= 1;
            let port = free()?;
            match launch(programs, &folder, port, cpus) {
                Ok(process) => {
                    return Ok(Self {
                        process: Mutex::new(process),
                        port,
                        cpus: cpus.to_vec(),
                        programs: programs.clone(),
                        folder,
                    });
                }
                Err(_) if left > 0 && TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_err() => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// A connection of the harness to the database `name`.
    pub fn connect(&self, name: &str) -> Result<Client, postgres::Error> {
        connect(&self.folder, self.port, name)
    }

    /// Ends it in order, with its data on the disk.
    pub fn stop(&self) -> Result<(), DatabaseError> {
        let mut process = self.process();
        let _ = kill(Pid::from_raw(process.pid()), Signal::SIGINT); // it may have ended
        match process.ends_within(ENDING) {
            Some(_) => Ok(()),
            None => Err(DatabaseError::failed(format!(
                "did not end within {} s",
                ENDING.as_secs()
            ))),
        }
    }

    /// Starts it again after [`stop`](Self::stop), on the same port and data.
    pub fn start_again(&self) -> Result<(), DatabaseError> {
        *self.process() = launch(&self.programs, &self.folder, self.port, &self.cpus)?;
        Ok(())
    }

    /// CPU time of all its processes, including ended ones.
    pub fn cpu_time(&self) -> Duration {
        descendants::cpu_time_of_all(self.process().pid())
    }

    /// How it ended, if it did.
    pub fn end(&self) -> Option<String> {
        end_of(&mut self.process())
    }

    /// What its log says about its last fault.
    pub fn cause(&self) -> Option<String> {
        cause_in(&self.process().stderr_tail())
    }

    fn process(&self) -> MutexGuard<'_, Child> {
        self.process.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let mut process = self.process();
        if process.ended().ok().flatten().is_none() {
            // Its data is not needed any more: it ends its processes and itself at once.
            let _ = kill(Pid::from_raw(process.pid()), Signal::SIGQUIT); // it may end at this very moment
            process.ends_within(ENDING);
        }
        process.kill();
    }
}

fn connect(folder: &Folder, port: u16, name: &str) -> Result<Client, postgres::Error> {
    let mut config = Config::new();
    config.host_path(folder.socket()).port(port).user(NAME).dbname(name);
    config.options(OPTIONS).connect_timeout(super::CONNECT).connect(NoTls)
}

fn make(programs: &Programs, folder: &Folder) -> Result<(), DatabaseError> {
    let mut command = Command::new(programs.folder.join("initdb"));
    folder.give(&mut command);
    // Without syncing: what a crash would lose here is made again.
    command
        .args(["--username", NAME, "--encoding", "UTF8", "--locale", "C"])
        .args(["--no-sync", "--auth", "trust", "--pgdata"])
        .arg(folder.data());
    let not_made = |reason: String| {
        let place = std::env::temp_dir();
        DatabaseError::Failed(format!(
            "PostgreSQL's data cannot be made in {}: {reason}",
            place.display()
        ))
    };
    let made = finish(command, MAKING).map_err(|unfinished| match unfinished {
        Unfinished::Interrupted(interrupted) => DatabaseError::Interrupted(interrupted),
        other => not_made(other.to_string()),
    })?;
    if !made.status.success() {
        return Err(not_made(one_line(&made.stderr_tail)));
    }
    Ok(std::fs::write(folder.data().join("pg_hba.conf"), ACCESS)?)
}

/// Starts it, and waits until it answers.
fn launch(programs: &Programs, folder: &Folder, port: u16, cpus: &[u32]) -> Result<Child, DatabaseError> {
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
    let began = Instant::now();
    while let Err(refused) = connect(folder, port, "postgres") {
        if let Some(end) = end_of(&mut process) {
            return Err(DatabaseError::failed(format!("ended before it answered: {end}")));
        }
        if began.elapsed() > STARTING {
            let seconds = STARTING.as_secs();
            return Err(DatabaseError::failed(format!(
                "did not answer within {seconds} s of its start: {refused}"
            )));
        }
        interrupt::check()?;
        std::thread::sleep(super::PAUSE);
    }
    Ok(process)
}

fn end_of(process: &mut Child) -> Option<String> {
    let end = in_words(process.ended().ok().flatten()?);
    Some(match cause_in(&process.stderr_tail()) {
        None => end,
        Some(said) => format!("{end}; it said: {said}"),
    })
}

/// The line of its log that says why something ended; the last one if none does.
fn cause_in(log: &str) -> Option<String> {
    let last = |cause: &str| {
        log.lines()
            .rfind(|line| !line.trim().is_empty() && line.contains(cause))
    };
    let line = CAUSES.iter().find_map(|cause| last(cause)).or_else(|| last(""))?;
    Some(one_line(line.split_once(":  ").map_or(line, |(_, said)| said)))
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
        let cluster = Cluster::start_on(free, &programs, &[]).unwrap();
        cluster.connect("postgres").unwrap().simple_query("SELECT 1").unwrap();
        assert_ne!(cluster.port, taken.1);
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
    fn the_cause_is_found_in_the_log() {
        let log = "2026-01-01 00:00:00.000 UTC [1] LOG:  starting PostgreSQL 15.18\n\
                   2026-01-01 00:00:01.000 UTC [1] LOG:  server process (PID 7) was terminated by signal 9: Killed\n\
                   2026-01-01 00:00:01.000 UTC [1] DETAIL:  Failed process was running: COMMIT\n\
                   2026-01-01 00:00:01.000 UTC [1] LOG:  terminating any other active server processes\n\
                   2026-01-01 00:00:01.000 UTC [8] FATAL:  the database system is in recovery mode\n";
        assert_eq!(
            cause_in(log).unwrap(),
            "server process (PID 7) was terminated by signal 9: Killed"
        );
        let log = "x [1] PANIC:  could not write to file \"pg_wal/xlogtemp.1\": No space left on device\n\
                   x [1] LOG:  startup process (PID 2) exited with exit code 1\n";
        assert_eq!(
            cause_in(log).unwrap(),
            "could not write to file \"pg_wal/xlogtemp.1\": No space left on device"
        );
        assert_eq!(cause_in("no such library\n\n").as_deref(), Some("no such library"));
        assert_eq!(cause_in(""), None);
    }
}
