//! Faults of the database: those that befall it, for which no server may be blamed, and those that probes cause, never while something
//! is measured.

use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{anyhow, bail};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use postgres::Client;

use super::role::ROLE;
use super::{Database, NAME, PAUSE, Source, locked};
use machine::interrupt;

/// Longest time until it answers again after a crash; it takes some tenths of a second.
const RECOVERY: Duration = Duration::from_secs(10);
/// A server whose process of PostgreSQL was killed knows it first; all others are ended a few milliseconds later.
const SETTLING: Duration = Duration::from_millis(50);
/// Writes two megabytes and undoes it. Log files that are long enough already have room for less.
const WRITE: &str = "BEGIN; CREATE TABLE room (filler text); \
                     INSERT INTO room SELECT repeat('x', 1000) FROM generate_series(1, 2000); ROLLBACK";

impl Database {
    /// The number of crashes up to now. One that was not noticed yet is noticed now.
    pub(super) fn epoch(&self) -> usize {
        let _ = self.revive(); // if it is gone, the next query fails
        locked(&self.crashes).len()
    }

    /// Why no server that was started in `epoch` is to blame; fine if the database is well and has been since.
    pub(super) fn well_since(&self, epoch: usize) -> anyhow::Result<()> {
        sleep(SETTLING);
        self.revive()?;
        if let Some(crash) = locked(&self.crashes).get(epoch..).and_then(<[String]>::last) {
            bail!(crash.clone());
        }
        let Err(error) = self.admin().batch_execute(WRITE) else {
            return Ok(());
        };
        self.revive()?;
        let _ = self.admin().batch_execute("ROLLBACK"); // it has been, if the connection was
        let said = error
            .as_db_error()
            .map_or_else(|| error.to_string(), |said| said.message().to_owned());
        let advice = match self.place {
            Source::Private(_) => {
                let place = std::env::temp_dir();
                format!("; make room in {}, or let TMPDIR name another place", place.display())
            }
            Source::External(_) => String::new(),
        };
        bail!("PostgreSQL cannot write any more: {said}{advice}")
    }

    /// Connects again if a crash has ended the harness's connection. The error is the sentence about the database's end.
    pub(super) fn revive(&self) -> anyhow::Result<()> {
        if self.admin().simple_query("").is_ok() {
            return Ok(());
        }
        let cluster = match &self.place {
            Source::Private(cluster) => cluster,
            Source::External(external) => bail!("the {} is gone", external.place()),
        };
        let cause = cluster.cause().unwrap_or_else(|| "it ended all connections".to_owned());
        self.reconnect().map_err(|error| match cluster.end() {
            Some(end) => anyhow!("PostgreSQL ended: {end}"),
            None => error,
        })?;
        locked(&self.crashes).push(format!("PostgreSQL crashed and started afresh: {cause}"));
        Ok(())
    }

    /// Connects the harness again, once the database answers.
    fn reconnect(&self) -> anyhow::Result<()> {
        let began = Instant::now();
        let cluster = self.cluster()?;
        loop {
            match cluster.connect(NAME) {
                Ok(client) => {
                    *self.admin() = client;
                    return Ok(());
                }
                Err(error) if began.elapsed() > RECOVERY || cluster.end().is_some() => return Err(error),
                Err(_) => {}
            }
            interrupt::check()?;
            sleep(PAUSE);
        }
    }

    /// Ends it as an administrator does who stops it at once: connections are closed with a message.
    pub fn stop(&self) -> anyhow::Result<()> {
        self.cluster()?.stop()
    }

    /// Starts it again on the same port, with the same data.
    pub fn start_again(&self) -> anyhow::Result<()> {
        self.cluster()?.start_again()?;
        self.reconnect()
    }

    /// Kills a process that works for a server, upon which PostgreSQL ends all others and starts afresh; returns when it answers.
    pub fn crash(&self) -> anyhow::Result<()> {
        let query = "SELECT pid FROM pg_stat_activity WHERE starts_with(usename::text, $1) LIMIT 1";
        let pid = self.value(query, &[&ROLE])?;
        let _ = kill(Pid::from_raw(pid), Signal::SIGKILL); // it may end at this very moment
        // A connection that is opened before it has begun to end the others would be ended with them.
        let began = Instant::now();
        while self.admin().simple_query("SELECT 1").is_ok() && began.elapsed() < RECOVERY {
            interrupt::check()?;
            sleep(PAUSE);
        }
        self.reconnect()
    }

    /// Lets each server have at most so many connections, and closes those that it has; `None` allows again what it was promised.
    pub fn limit_connections(&self, most: Option<u32>) -> anyhow::Result<()> {
        for (number, promised) in &*locked(&self.in_use) {
            let limit = most.unwrap_or(*promised);
            self.execute(&format!("ALTER ROLE {ROLE}{number} CONNECTION LIMIT {limit}"))?;
        }
        if most.is_some() {
            let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE starts_with(usename::text, $1)";
            self.rows(end, &[&ROLE])?;
        }
        Ok(())
    }

    /// Locks a table of the contract against all others, until the connection that it returns is dropped.
    pub fn lock(&self, table: &str) -> anyhow::Result<Client> {
        let mut client = self.cluster()?.connect(NAME)?;
        client.batch_execute(&format!("BEGIN; LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE"))?;
        Ok(client)
    }

    /// How many connections of servers wait for a lock.
    pub fn waiting(&self) -> anyhow::Result<i64> {
        self.connections("wait_event_type = 'Lock'")
    }

    /// How many transactions of servers are open.
    pub fn open_transactions(&self) -> anyhow::Result<i64> {
        self.connections("state <> 'idle'")
    }

    fn connections(&self, which: &str) -> anyhow::Result<i64> {
        let query = format!("SELECT count(*) FROM pg_stat_activity WHERE starts_with(usename::text, $1) AND {which}");
        self.value(&query, &[&ROLE])
    }

    /// Orders without lines, of which the contract knows none.
    pub fn orders_without_lines(&self) -> anyhow::Result<i64> {
        let query = "SELECT count(*) FROM orders WHERE NOT EXISTS (SELECT FROM order_line WHERE order_id = orders.id)";
        self.value(query, &[])
    }
}
