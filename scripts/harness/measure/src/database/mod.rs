//! The database behind the servers: a private PostgreSQL that is started for a run, or a schema in one that somebody else runs
//! ([`Elsewhere`]). Neither leaves anything behind.
//!
//! The servers reach it over TCP, as a user with few rights; the harness as an administrator, to change rows beneath the servers and
//! to count what they asked ([`work`]).

mod account;
mod cluster;
mod elsewhere;
mod folder;
pub mod kept;
mod mishap;
mod programs;
mod rows;
mod source;
mod trouble;
pub mod work;

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use postgres::Client;
use rand::TryRng as _;
use rand::rngs::SysRng;

pub use account::{Account, Connections};
pub use cluster::ClusterError;
pub use elsewhere::{Elsewhere, ElsewhereError};
pub use mishap::Locked;
pub use programs::{OLDEST, Programs, ProgramsError};
pub use rows::{Fortune, Line, Order};
pub use source::{Source, Wanted};
pub use trouble::Life;

use crate::catalog::hash::hex;
use account::InUse;
use cluster::Cluster;
use record::DatabaseServer;

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
/// The database's name, and that of its superuser.
const NAME: &str = "bench";

/// A database with its tables, filled.
pub struct Database {
    // Declared before the cluster, so that it is dropped first.
    admin: Mutex<Client>,
    // The same, for what is asked while others ask.
    observer: Mutex<Client>,
    place: Place,
    accounts: Mutex<InUse>,
    /// What was said of each crash that was noticed.
    crashes: Mutex<Vec<String>>,
}

/// Whose it is.
enum Place {
    Private(Cluster),
    Elsewhere(Elsewhere),
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
    /// One that somebody else runs cannot be used.
    #[error(transparent)]
    Elsewhere(#[from] ElsewhereError),
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
        // By itself: it cannot be one of several statements.
        admin.batch_execute(&format!("CREATE DATABASE {NAME}"))?;
        let mut admin = cluster.connect(NAME)?;
        admin.batch_execute("CREATE EXTENSION pg_stat_statements")?;
        admin.batch_execute(HARDEN)?;
        let observer = cluster.connect(NAME)?;
        Self::filled(admin, observer, Place::Private(cluster))
    }

    /// Uses one that somebody else runs: makes a schema of its own in it, and fills it.
    pub fn at(elsewhere: &Elsewhere) -> Result<Self, DatabaseError> {
        let admin = elsewhere.claim()?;
        Self::filled(admin, elsewhere.observe()?, Place::Elsewhere(elsewhere.clone()))
    }

    fn filled(admin: Client, observer: Client, place: Place) -> Result<Self, DatabaseError> {
        // From here on it is removed by being dropped.
        let database = Self {
            admin: Mutex::new(admin),
            observer: Mutex::new(observer),
            place,
            accounts: Mutex::default(),
            crashes: Mutex::default(),
        };
        database.admin().batch_execute(SCHEMA)?;
        database.refill()?;
        Ok(database)
    }

    /// Where servers reach it, and its name.
    fn address(&self) -> (SocketAddr, &str) {
        match &self.place {
            Place::Private(cluster) => (SocketAddr::from((Ipv4Addr::LOCALHOST, cluster.port())), NAME),
            Place::Elsewhere(elsewhere) => (elsewhere.address(), elsewhere.name()),
        }
    }

    /// Its TCP port.
    pub fn port(&self) -> u16 {
        match &self.place {
            Place::Private(cluster) => cluster.port(),
            Place::Elsewhere(elsewhere) => elsewhere.address().port(),
        }
    }

    /// CPU time of all its processes, including ended ones; `None` of one that this program did not start.
    pub fn cpu_time(&self) -> Option<Duration> {
        match &self.place {
            Place::Private(cluster) => Some(cluster.cpu_time()),
            Place::Elsewhere(_) => None,
        }
    }

    fn cluster(&self) -> Result<&Cluster, DatabaseError> {
        match &self.place {
            Place::Private(cluster) => Ok(cluster),
            Place::Elsewhere(_) => Err(DatabaseError::Refused("it is not this program's to stop".to_owned())),
        }
    }

    /// Brings all tables into their first state, vacuums them and writes everything to the disk, so that it is not done under a load.
    pub fn refill(&self) -> Result<(), DatabaseError> {
        self.mend().map_err(DatabaseError::Refused)?;
        let mut admin = self.admin();
        admin.batch_execute("TRUNCATE world, fortune, orders, order_line")?;
        admin.batch_execute(DATA)?;
        admin.batch_execute("VACUUM ANALYZE world, fortune, orders, order_line")?;
        if let Place::Private(_) = self.place {
            admin.batch_execute("CHECKPOINT")?; // elsewhere it is a right of few, and disturbs others
        }
        Ok(())
    }

    /// Version, place and settings, for the record.
    pub fn describe(&self) -> Result<DatabaseServer, DatabaseError> {
        let mut admin = self.admin();
        let version: String = admin.query_one("SHOW server_version", &[])?.get(0);
        let version = version.split_whitespace().next().unwrap_or_default();
        let of_its_own = [
            "port",
            "unix_socket_directories",
            "TimeZone",
            "log_timezone",
            "lc_messages",
        ];
        let settings = "SELECT name, current_setting(name) FROM pg_settings WHERE";
        let settings = match &self.place {
            Place::Private(_) => admin.query(
                &format!("{settings} source = 'configuration file' AND name <> ALL ($1)"),
                &[&of_its_own.as_slice()],
            )?,
            Place::Elsewhere(_) => {
                admin.query(&format!("{settings} name = ANY ($1)"), &[&elsewhere::TOLD.as_slice()])?
            }
        };
        let (cpus, file_system) = match &self.place {
            Place::Private(cluster) => (cluster.cpus().to_vec(), cluster.file_system()),
            Place::Elsewhere(_) => (Vec::new(), None),
        };
        Ok(DatabaseServer {
            version: format!("PostgreSQL {version}"),
            cpus,
            file_system,
            settings: settings.iter().map(|row| (row.get(0), row.get(1))).collect(),
        })
    }

    fn observer(&self) -> MutexGuard<'_, Client> {
        self.observer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn admin(&self) -> MutexGuard<'_, Client> {
        self.admin.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        if let Place::Elsewhere(elsewhere) = &self.place
            && let Err(error) = elsewhere::release(&mut self.admin())
        {
            eprintln!(
                "warning: what bench made in {} is still there, and the next run removes it: {error}",
                elsewhere.place()
            );
        }
    }
}

fn password() -> Result<String, DatabaseError> {
    let mut secret = [0; 16];
    let made = SysRng.try_fill_bytes(&mut secret);
    made.map_err(|error| DatabaseError::Refused(error.to_string()))?;
    Ok(hex(&secret))
}

impl std::fmt::Debug for Database {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Database")
            .field("port", &self.port())
            .finish_non_exhaustive()
    }
}
