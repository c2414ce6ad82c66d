//! A private PostgreSQL: made, started on its cpus, and ended with this process.

use std::net::Ipv4Addr;
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use postgres::{Client, Config, NoTls};

use super::folder::{Folder, SOCKET};
use super::programs::Programs;
use super::{NAME, locked};
use crate::free_port::on_free_port;
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
/// Of connections of the harness: a server that locks a table holds up no run, and the harness's own statements are not counted.
const OPTIONS: &str = "-c lock_timeout=10s -c pg_stat_statements.track=none";
const UNSTARTED: &str = "PostgreSQL cannot be started";
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
    pub fn start(programs: &Programs, cpus: &[u32]) -> anyhow::Result<Self> {
        let folder = Folder::new().context(UNSTARTED)?;
        make(programs, &folder)?;
        let (process, port) = on_free_port(Ipv4Addr::LOCALHOST.into(), |address| {
            let port = address.port();
            launch(programs, &folder, port, cpus).map(|process| (process, port))
        })?;
        Ok(Self {
            process: Mutex::new(process),
            port,
            cpus: cpus.to_vec(),
            programs: programs.clone(),
            folder,
        })
    }

    /// A connection of the harness to the database `name`.
    pub fn connect(&self, name: &str) -> anyhow::Result<Client> {
        connect(&self.folder, self.port, name)
    }

    /// Ends it in order, with its data on the disk.
    pub fn stop(&self) -> anyhow::Result<()> {
        let mut process = self.process();
        let _ = kill(Pid::from_raw(process.pid()), Signal::SIGINT); // it may have ended
        let ended = process.ends_within(ENDING).is_some();
        ensure!(ended, "PostgreSQL did not end within {} s", ENDING.as_secs());
        Ok(())
    }

    /// Starts it again after [`stop`](Self::stop), on the same port and data.
    pub fn start_again(&self) -> anyhow::Result<()> {
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
        locked(&self.process)
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

fn connect(folder: &Folder, port: u16, name: &str) -> anyhow::Result<Client> {
    let mut config = Config::new();
    config.host_path(folder.socket()).port(port).user(NAME).dbname(name);
    config.options(OPTIONS).connect_timeout(super::CONNECT);
    config.connect(NoTls).context("PostgreSQL")
}

fn make(programs: &Programs, folder: &Folder) -> anyhow::Result<()> {
    let mut command = Command::new(programs.folder.join("initdb"));
    folder.give(&mut command);
    // Without syncing: what a crash would lose here is made again.
    command
        .args(["--username", NAME, "--encoding", "UTF8", "--locale", "C"])
        .args(["--no-sync", "--auth", "trust", "--pgdata"])
        .arg(folder.data());
    let reason = match finish(command, MAKING) {
        Ok(made) if made.status.success() => return Ok(std::fs::write(folder.data().join("pg_hba.conf"), ACCESS)?),
        Ok(made) => one_line(&made.stderr_tail),
        Err(Unfinished::Interrupted(interrupted)) => return Err(interrupted.into()),
        Err(unfinished) => unfinished.to_string(),
    };
    let place = std::env::temp_dir();
    bail!("PostgreSQL's data cannot be made in {}: {reason}", place.display())
}

/// Starts it, and waits until it answers.
fn launch(programs: &Programs, folder: &Folder, port: u16, cpus: &[u32]) -> anyhow::Result<Child> {
    let own = format!("{SETTINGS}\nport = {port}\nunix_socket_directories = '{SOCKET}'\n");
    std::fs::write(folder.data().join("postgresql.conf"), own)?;
    let mut command = Command::new(programs.folder.join("postgres"));
    folder.give(&mut command);
    command.arg("-D").arg(folder.data()).stdout(Stdio::null());
    let mut process = Child::start(command, cpus).context(UNSTARTED)?;
    let began = Instant::now();
    while let Err(refused) = connect(folder, port, "postgres") {
        if let Some(end) = end_of(&mut process) {
            bail!("PostgreSQL ended before it answered: {end}");
        }
        let (late, seconds) = (began.elapsed() > STARTING, STARTING.as_secs());
        ensure!(
            !late,
            "PostgreSQL did not answer within {seconds} s of its start: {refused:#}"
        );
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
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn what_it_says_about_a_port_that_is_taken_is_reported() {
        let programs = Programs::find(None).unwrap();
        let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let folder = Folder::new().unwrap();
        make(&programs, &folder).unwrap();
        let port = taken.local_addr().unwrap().port();
        let error = launch(&programs, &folder, port, &[]).unwrap_err().to_string();
        assert!(
            error.starts_with("PostgreSQL ended before it answered: exit status 1; it said: ")
                && error.contains("Address already in use"),
            "{error}"
        );
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
