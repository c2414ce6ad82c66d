//! The database behind the servers: a private PostgreSQL that is started for a run, or a schema in one that somebody else runs
//! ([`External`]). Neither leaves anything behind.
//!
//! The servers reach it over TCP, as a user with few rights; the harness as an administrator, to change rows beneath the servers and
//! to count their statements ([`work`]).

mod cluster;
mod external;
mod faults;
mod folder;
mod programs;
mod role;
mod rows;
pub mod work;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, bail};
use postgres::types::{FromSqlOwned, ToSql};
use postgres::{Client, Row};

pub use external::External;
pub use programs::{OLDEST, Programs};
pub use role::{Connections, Role};
pub use rows::Fortune;

use cluster::Cluster;
use machine::cpus::Split;
use machine::tell;
use model::DatabaseServer;

/// Tables and rows, which people load as well who try a server by hand.
const SCHEMA: &str = include_str!("../../../../../apps/postgres/schema.sql");
const DATA: &str = include_str!("../../../../../apps/postgres/data.sql");
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

impl Source<Programs> {
    /// The `external` one, which was examined when the user was asked for consent; or programs in `folder`, or where distributions put
    /// them. Starts and changes nothing.
    pub fn find(external: Option<&External>, folder: Option<&Path>) -> anyhow::Result<Self> {
        Ok(match external {
            Some(external) => Self::External(external.clone()),
            None => Self::Private(Programs::find(folder)?),
        })
    }
}

impl Database {
    /// The database of this source, if there is one, and the cpus, with some for it if it runs here.
    pub fn open(source: Option<&Source<Programs>>, split: Split) -> anyhow::Result<(Split, Option<Arc<Self>>)> {
        let (split, database) = match source {
            None => return Ok((split, None)),
            Some(Source::Private(programs)) => {
                let split = split.with_database();
                let database = Self::start(programs, &split.database)?;
                (split, database)
            }
            Some(Source::External(external)) => (split, Self::at(external)?),
        };
        Ok((split, Some(Arc::new(database))))
    }

    /// Starts a new one on `cpus` and fills it.
    pub fn start(programs: &Programs, cpus: &[u32]) -> anyhow::Result<Self> {
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
    pub fn at(external: &External) -> anyhow::Result<Self> {
        Self::filled(external.claim()?, Source::External(external.clone()))
    }

    fn filled(admin: Client, place: Source<Cluster>) -> anyhow::Result<Self> {
        // From here on, dropping it removes it.
        let database = Self {
            admin: Mutex::new(admin),
            place,
            in_use: Mutex::default(),
            crashes: Mutex::default(),
        };
        database.execute(SCHEMA)?;
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
        self.cluster().ok().map(Cluster::cpu_time)
    }

    fn cluster(&self) -> anyhow::Result<&Cluster> {
        match &self.place {
            Source::Private(cluster) => Ok(cluster),
            Source::External(_) => bail!("PostgreSQL is not this program's to stop"),
        }
    }

    /// Brings all tables into their first state, vacuums them and writes everything to the disk, so that it is not done under a load.
    pub fn refill(&self) -> anyhow::Result<()> {
        self.revive()?;
        self.execute("TRUNCATE world, fortune, orders, order_line")?;
        self.execute(DATA)?;
        self.execute("VACUUM ANALYZE world, fortune, orders, order_line")?;
        if let Source::Private(_) = self.place {
            self.execute("CHECKPOINT")?; // elsewhere it is a right of few, and disturbs others
        }
        Ok(())
    }

    /// Version, place and settings, for the record.
    pub fn describe(&self) -> anyhow::Result<DatabaseServer> {
        let version: String = self.value("SHOW server_version", &[])?;
        let (which, names) = match self.place {
            Source::Private(_) => ("source = 'configuration file' AND name <> ALL", PRIVATE_SETTINGS),
            Source::External(_) => ("name = ANY", external::RECORDED),
        };
        let query =
            format!("SELECT name, current_setting(name) FROM pg_settings WHERE {which} (string_to_array($1, ' '))");
        let settings = self.rows(&query, &[&names])?;
        let cluster = self.cluster().ok();
        Ok(DatabaseServer {
            version: format!("PostgreSQL {}", version.split_whitespace().next().unwrap_or_default()),
            cpus: cluster.map(|cluster| cluster.cpus.clone()).unwrap_or_default(),
            file_system: cluster.and_then(|cluster| cluster.folder.file_system()),
            settings: settings.iter().map(|row| (row.get(0), row.get(1))).collect(),
        })
    }

    /// The rows that a query finds.
    fn rows(&self, query: &str, with: &[&(dyn ToSql + Sync)]) -> anyhow::Result<Vec<Row>> {
        self.admin().query(query, with).context("PostgreSQL")
    }

    /// The value that a query of one row and column finds.
    fn value<T: FromSqlOwned>(&self, query: &str, with: &[&(dyn ToSql + Sync)]) -> anyhow::Result<T> {
        Ok(self.admin().query_one(query, with).context("PostgreSQL")?.get(0))
    }

    /// Executes statements without parameters.
    fn execute(&self, statements: &str) -> anyhow::Result<()> {
        self.admin().batch_execute(statements).context("PostgreSQL")
    }

    fn admin(&self) -> MutexGuard<'_, Client> {
        locked(&self.admin)
    }
}

/// A thread that panicked has left nothing half done.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for Database {
    fn drop(&mut self) {
        if let Source::External(external) = &self.place
            && let Err(error) = external::release(&mut self.admin())
        {
            tell(&format!(
                "warning: what bench made in {} is still there, and the next run removes it: {error:#}",
                external.place()
            ));
        }
    }
}

impl std::fmt::Debug for Database {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Database")
            .field("port", &self.port())
            .finish_non_exhaustive()
    }
}
