//! The database behind the servers: a private PostgreSQL that is started for a run and leaves nothing behind.
//!
//! The servers reach it over loopback, as a user with few rights; the harness over its Unix socket, to change rows beneath the
//! servers and to count what they asked ([`work`]).

mod cluster;
mod folder;
pub mod kept;
mod programs;
mod rows;
pub mod work;

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use postgres::Client;
use rand::TryRng as _;
use rand::rngs::SysRng;

pub use cluster::ClusterError;
pub use programs::{Programs, ProgramsError};
pub use rows::{Fortune, Line, Order};

use crate::catalog::hash::hex;
use cluster::Cluster;
use record::DatabaseServer;
use work::Work;

/// Tables and rights, which people load as well who try a server by hand.
const SCHEMA: &str = include_str!("../../../../../apps/postgres/schema.sql");
const DATA: &str = include_str!("../../../../../apps/postgres/data.sql");
/// Fortunes in [`DATA`].
const FORTUNES: u64 = 12;
/// The user that servers connect as.
const SERVER_ROLE: &str = "server";
/// The database's name, and that of its superuser.
const NAME: &str = "bench";

/// A database with its tables, filled.
pub struct Database {
    // Declared before the cluster, so that it is dropped first.
    admin: Mutex<Client>,
    cluster: Cluster,
    password: String,
}

/// Why the database cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    /// There is none to start.
    #[error(transparent)]
    Programs(#[from] ProgramsError),
    /// It could not be started.
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    /// It refused a statement of the harness, or is gone.
    #[error("PostgreSQL: {0}")]
    Refused(String),
}

impl From<postgres::Error> for DatabaseError {
    fn from(error: postgres::Error) -> Self {
        let why = std::error::Error::source(&error).map(|source| format!(": {source}"));
        Self::Refused(format!("{error}{}", why.unwrap_or_default()))
    }
}

impl Database {
    /// Starts a new one on `cpus` and fills it.
    pub fn start(programs: &Programs, cpus: &[u32]) -> Result<Self, DatabaseError> {
        let (cluster, mut admin) = Cluster::start(programs, cpus)?;
        let mut secret = [0; 16];
        SysRng
            .try_fill_bytes(&mut secret)
            .map_err(|error| DatabaseError::Refused(error.to_string()))?;
        let password = hex(&secret);
        admin.batch_execute(&format!("CREATE ROLE {SERVER_ROLE} LOGIN PASSWORD '{password}'"))?;
        // By itself: it cannot be one of several statements.
        admin.batch_execute(&format!("CREATE DATABASE {NAME}"))?;
        let mut admin = cluster.connect(NAME)?;
        admin.batch_execute("CREATE EXTENSION pg_stat_statements")?;
        admin.batch_execute(SCHEMA)?;
        let database = Self {
            admin: Mutex::new(admin),
            cluster,
            password,
        };
        database.refill()?;
        Ok(database)
    }

    /// `DATABASE_URL` of a server.
    pub fn url(&self) -> String {
        let port = self.cluster.port();
        format!("postgres://{SERVER_ROLE}:{}@127.0.0.1:{port}/{NAME}", self.password)
    }

    /// The TCP port on loopback.
    pub fn port(&self) -> u16 {
        self.cluster.port()
    }

    /// CPU time of all its processes, including ended ones.
    pub fn cpu_time(&self) -> Duration {
        self.cluster.cpu_time()
    }

    /// Cpus that it runs on.
    pub fn cpus(&self) -> &[u32] {
        self.cluster.cpus()
    }

    /// Brings all tables into their first state, vacuums them and writes everything to the disk, so that it is not done under a load.
    pub fn refill(&self) -> Result<(), DatabaseError> {
        let mut admin = self.admin();
        admin.batch_execute("TRUNCATE world, fortune, orders, order_line")?;
        admin.batch_execute(DATA)?;
        admin.batch_execute("VACUUM ANALYZE")?;
        admin.batch_execute("CHECKPOINT")?;
        Ok(())
    }

    /// What servers have asked up to now.
    pub fn work(&self) -> Result<Work, DatabaseError> {
        Work::counted(&mut self.admin())
    }

    /// Version, place and settings, for the record.
    pub fn describe(&self) -> Result<DatabaseServer, DatabaseError> {
        let mut admin = self.admin();
        let version: String = admin.query_one("SHOW server_version", &[])?.get(0);
        let version = version.split_whitespace().next().unwrap_or_default();
        let changed = admin.query(
            "SELECT name, current_setting(name) FROM pg_settings WHERE source = 'configuration file' AND name <> ALL ($1)",
            &[&["port", "unix_socket_directories", "TimeZone", "log_timezone", "lc_messages"].as_slice()],
        )?;
        Ok(DatabaseServer {
            version: format!("PostgreSQL {version}"),
            cpus: self.cpus().to_vec(),
            file_system: self.cluster.file_system(),
            settings: changed.iter().map(|row| (row.get(0), row.get(1))).collect(),
        })
    }

    /// The sentence about how it ended, if it did: no server is to blame for what comes then.
    pub fn reason_of_end(&self) -> Option<String> {
        self.cluster.end().map(|end| format!("PostgreSQL ended: {end}"))
    }

    fn admin(&self) -> MutexGuard<'_, Client> {
        self.admin.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Database {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Database")
            .field("port", &self.port())
            .finish_non_exhaustive()
    }
}
