//! Faults of a database while servers use it: for the probes, never while something is measured.

use std::time::Instant;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use postgres::Client;

use super::health::RECOVERY;
use super::role::ROLE;
use super::{Database, DatabaseError, NAME, PAUSE};
use machine::interrupt;

/// A table that nobody else can use until this is dropped.
#[must_use]
pub struct Locked {
    _client: Client,
}

impl Database {
    /// Ends it as an administrator does who stops it at once: connections are closed with a message.
    pub fn stop(&self) -> Result<(), DatabaseError> {
        self.cluster()?.stop()
    }

    /// Starts it again on the same port, with the same data.
    pub fn start_again(&self) -> Result<(), DatabaseError> {
        self.cluster()?.start_again()?;
        self.reconnect()
    }

    /// Kills a process that works for a server, upon which PostgreSQL ends all others and starts afresh; returns when it answers.
    pub fn crash(&self) -> Result<(), DatabaseError> {
        let query = "SELECT pid FROM pg_stat_activity WHERE starts_with(usename::text, $1) LIMIT 1";
        let pid = self.value(query, &[&ROLE])?;
        let _ = kill(Pid::from_raw(pid), Signal::SIGKILL); // it may end at this very moment
        // A connection that is opened before it has begun to end the others would be ended with them.
        let began = Instant::now();
        while self.admin().simple_query("SELECT 1").is_ok() && began.elapsed() < RECOVERY {
            interrupt::check()?;
            std::thread::sleep(PAUSE);
        }
        self.reconnect()
    }

    /// Lets each server have at most so many connections, and closes those that it has; `None` allows again what it was promised.
    pub fn limit_connections(&self, most: Option<u32>) -> Result<(), DatabaseError> {
        for (role, promised) in self.roles() {
            let limit = most.unwrap_or(promised);
            self.admin()
                .batch_execute(&format!("ALTER ROLE {role} CONNECTION LIMIT {limit}"))?;
        }
        if most.is_some() {
            let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE starts_with(usename::text, $1)";
            self.admin().execute(end, &[&ROLE])?;
        }
        Ok(())
    }

    /// Locks a table of the contract against all others.
    pub fn lock(&self, table: &str) -> Result<Locked, DatabaseError> {
        let mut client = self.cluster()?.connect(NAME)?;
        client.batch_execute(&format!("BEGIN; LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE"))?;
        Ok(Locked { _client: client })
    }

    /// How many connections of servers wait for a lock.
    pub fn waiting(&self) -> Result<i64, DatabaseError> {
        self.connections("wait_event_type = 'Lock'")
    }

    /// How many transactions of servers are open.
    pub fn open_transactions(&self) -> Result<i64, DatabaseError> {
        self.connections("state <> 'idle'")
    }

    fn connections(&self, which: &str) -> Result<i64, DatabaseError> {
        let query = format!("SELECT count(*) FROM pg_stat_activity WHERE starts_with(usename::text, $1) AND {which}");
        self.value(&query, &[&ROLE])
    }

    /// Orders without lines, of which the contract knows none.
    pub fn orders_without_lines(&self) -> Result<i64, DatabaseError> {
        let query = "SELECT count(*) FROM orders WHERE NOT EXISTS (SELECT FROM order_line WHERE order_id = orders.id)";
        self.value(query, &[])
    }
}
