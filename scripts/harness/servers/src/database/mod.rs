//! The database behind the servers: a private PostgreSQL that is started for a run, or a schema in one that somebody else runs
//! ([`External`]). Neither leaves anything behind.
//!
//! The servers reach it over TCP, as a user with few rights; the harness as an administrator, to change rows beneath the servers and
//! to count their statements ([`work`]).

mod cluster;
mod external;
mod faults;
mod folder;
mod health;
mod programs;
mod role;
mod rows;
pub mod work;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use postgres::Client;
use postgres::types::{FromSqlOwned, ToSql};
use rand::TryRng as _;
use rand::rngs::SysRng;

pub use external::External;
pub use faults::Locked;
pub use programs::{OLDEST, Programs, ProgramsError};
pub use role::{Connections, Role};
pub use rows::{Fortune, Line, Order};

use apps::catalog::hash::hex;
use cluster::Cluster;
use machine::interrupt::Interrupted;
use model::DatabaseServer;

/// Tables and rows, which people load as well who try a server by hand.
const SCHEMA: &str = include_str!("../../../../../apps/postgres/schema.sql");
const DATA: &str = include_str!("../../../../../apps/postgres/data.sql");
/// Rows of `world` in the data that is loaded, with ids from 1.
pub const ROWS: i32 = 10_000;
/// Fortunes in [`DATA`].
const FORTUNES: u64 = 12;
/// What anybody could do in a new database, and no server needs: what it makes would take the room of others.
const HARDEN: &str = "REVOKE TEMPORARY ON DATABASE bench FROM PUBLIC; REVOKE CREATE ON SCHEMA public FROM PUBLIC; \
                      REVOKE EXECUTE ON FUNCTION lo_creat(integer), lo_create(oid), lo_from_bytea(oid, bytea) FROM PUBLIC";
/// Settings of a private one that say nothing about its speed.
const PRIVATE_SETTINGS: &str = "port unix_socket_directories TimeZone log_timezone lc_messages";
/// The database's name, and its superuser's.
const NAME: &str = "bench";
/// Longest wait for a connection of the harness.
const CONNECT: Duration = Duration::from_secs(10);
/// Pause between two attempts to connect.
const PAUSE: Duration = Duration::from_millis(10);

/// A database with its tables, filled.
pub struct Database {
    // Declared before the cluster, so that it is dropped first.
    admin: Mutex<Client>,
    place: Source<Cluster>,
    /// Numbers of the roles that servers use at the moment, and how many connections each may open.
    in_use: Mutex<Vec<(u32, u32)>>,
    /// A sentence about each crash that was noticed.
    crashes: Mutex<Vec<String>>,
}

/// A PostgreSQL: a private one, as far as there is a `P` of it, or one that somebody else runs.
#[derive(Debug, Clone)]
pub enum Source<P> {
    /// One for this run.
    Private(P),
    /// One that runs without it.
    External(External),
}

/// What the user wants: programs in a folder, or where distributions put them.
pub type Wanted = Source<Option<PathBuf>>;

impl Wanted {
    /// Finds it; starts and changes nothing. An external one was examined when the user was asked for consent.
    pub fn find(&self) -> Result<Source<Programs>, DatabaseError> {
        Ok(match self {
            Self::Private(folder) => Source::Private(Programs::find(folder.as_deref())?),
            Self::External(external) => Source::External(external.clone()),
        })
    }
}

/// Why the database cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    /// There is none to start.
    #[error(transparent)]
    Programs(#[from] ProgramsError),
    /// Its folder could not be made, or its programs not started.
    #[error("PostgreSQL cannot be started: {0}")]
    Machine(#[from] io::Error),
    /// It failed, cannot be used, or refused a statement of the harness: a sentence.
    #[error("{0}")]
    Failed(String),
    /// The user stopped it.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}

impl DatabaseError {
    /// What PostgreSQL did, or did not do.
    fn failed(what: impl std::fmt::Display) -> Self {
        Self::Failed(format!("PostgreSQL {what}"))
    }
}

impl From<postgres::Error> for DatabaseError {
    fn from(error: postgres::Error) -> Self {
        let why = std::error::Error::source(&error).map(|source| format!(": {source}"));
        Self::Failed(format!("PostgreSQL: {error}{}", why.unwrap_or_default()))
    }
}

impl Database {
    /// Starts a new one on `cpus` and fills it.
    pub fn start(programs: &Programs, cpus: &[u32]) -> Result<Self, DatabaseError> {
        let cluster = Cluster::start(programs, cpus)?;
        // It cannot be one of several statements.
        cluster
            .connect("postgres")?
            .batch_execute(&format!("CREATE DATABASE {NAME}"))?;
        let mut admin = cluster.connect(NAME)?;
        admin.batch_execute(&format!("CREATE EXTENSION pg_stat_statements; {HARDEN}"))?;
        Self::filled(admin, Source::Private(cluster))
    }

    /// Uses one that somebody else runs: makes a schema of its own in it, and fills it.
    pub fn at(external: &External) -> Result<Self, DatabaseError> {
        Self::filled(external.claim()?, Source::External(external.clone()))
    }

    fn filled(admin: Client, place: Source<Cluster>) -> Result<Self, DatabaseError> {
        // From here on, dropping it removes it.
        let database = Self {
            admin: Mutex::new(admin),
            place,
            in_use: Mutex::default(),
            crashes: Mutex::default(),
        };
        database.admin().batch_execute(SCHEMA)?;
        database.refill()?;
        Ok(database)
    }

    /// Where servers reach it, and its name.
    fn address(&self) -> (SocketAddr, &str) {
        match &self.place {
            Source::Private(cluster) => (SocketAddr::from((Ipv4Addr::LOCALHOST, cluster.port)), NAME),
            Source::External(external) => (external.address, &external.name),
        }
    }

    /// Its TCP port.
    pub fn port(&self) -> u16 {
        self.address().0.port()
    }

    /// CPU time of all its processes, including ended ones; `None` of one that this program did not start.
    pub fn cpu_time(&self) -> Option<Duration> {
        match &self.place {
            Source::Private(cluster) => Some(cluster.cpu_time()),
            Source::External(_) => None,
        }
    }

    fn cluster(&self) -> Result<&Cluster, DatabaseError> {
        match &self.place {
            Source::Private(cluster) => Ok(cluster),
            Source::External(_) => Err(DatabaseError::failed("is not this program's to stop")),
        }
    }

    /// Brings all tables into their first state, vacuums them and writes everything to the disk, so that it is not done under a load.
    pub fn refill(&self) -> Result<(), DatabaseError> {
        self.revive().map_err(DatabaseError::Failed)?;
        let mut admin = self.admin();
        admin.batch_execute("TRUNCATE world, fortune, orders, order_line")?;
        admin.batch_execute(DATA)?;
        admin.batch_execute("VACUUM ANALYZE world, fortune, orders, order_line")?;
        if let Source::Private(_) = self.place {
            admin.batch_execute("CHECKPOINT")?; // elsewhere it is a right of few, and disturbs others
        }
        Ok(())
    }

    /// Version, place and settings, for the record.
    pub fn describe(&self) -> Result<DatabaseServer, DatabaseError> {
        let version: String = self.value("SHOW server_version", &[])?;
        let settings = |which: &str, names: &str| {
            let query = format!("SELECT name, current_setting(name) FROM pg_settings WHERE {which}");
            self.admin().query(&query, &[&names])
        };
        let (cpus, file_system, settings) = match &self.place {
            Source::Private(cluster) => {
                let which = "source = 'configuration file' AND name <> ALL (string_to_array($1, ' '))";
                let settings = settings(which, PRIVATE_SETTINGS)?;
                (cluster.cpus.clone(), cluster.folder.file_system(), settings)
            }
            Source::External(_) => (
                Vec::new(),
                None,
                settings("name = ANY (string_to_array($1, ' '))", external::RECORDED)?,
            ),
        };
        Ok(DatabaseServer {
            version: format!("PostgreSQL {}", version.split_whitespace().next().unwrap_or_default()),
            cpus,
            file_system,
            settings: settings.iter().map(|row| (row.get(0), row.get(1))).collect(),
        })
    }

    /// The value that a query of one row and column finds.
    fn value<T: FromSqlOwned>(&self, query: &str, with: &[&(dyn ToSql + Sync)]) -> Result<T, DatabaseError> {
        Ok(self.admin().query_one(query, with)?.get(0))
    }

    fn admin(&self) -> MutexGuard<'_, Client> {
        self.admin.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        if let Source::External(external) = &self.place
            && let Err(error) = external::release(&mut self.admin())
        {
            eprintln!(
                "warning: what bench made in {} is still there, and the next run removes it: {error}",
                external.place()
            );
        }
    }
}

fn password() -> Result<String, DatabaseError> {
    let mut secret = [0; 16];
    let made = SysRng.try_fill_bytes(&mut secret);
    made.map_err(|error| DatabaseError::Failed(error.to_string()))?;
    Ok(hex(&secret))
}

impl std::fmt::Debug for Database {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Database")
            .field("port", &self.port())
            .finish_non_exhaustive()
    }
}
