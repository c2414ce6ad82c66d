//! A PostgreSQL that somebody else runs: in it a schema and roles of our own, which are removed at the end.
//!
//! All carry a mark. What a killed run left is known by it and removed by the next; what has the same name and no mark belongs to
//! somebody else, and nothing is touched.

use std::net::{SocketAddr, ToSocketAddrs as _};
use std::str::FromStr;
use std::time::Duration;

use postgres::config::Host;
use postgres::{Client, Config, NoTls};

use super::DatabaseError;
use super::account::ROLE;
use super::programs::{OLDEST, major};

/// The schema of the tables.
const OWN_SCHEMA: &str = "bench";
/// The comment on what bench has made.
const MARK: &str = "made by bench, which removes it";
/// Of a lock that one bench holds for as long as it uses the server.
const LOCK: i64 = 0x62_65_6e_63_68;
/// A server that locks a table holds up no run.
const LOCK_TIMEOUT: &str = "10s";
/// Longest wait for a connection.
const CONNECT: Duration = Duration::from_secs(10);
/// Settings that figures depend on. Others of that server are nobody's business.
pub const TOLD: [&str; 13] = [
    "autovacuum",
    "checkpoint_timeout",
    "fsync",
    "full_page_writes",
    "jit",
    "max_connections",
    "max_parallel_workers_per_gather",
    "max_wal_size",
    "shared_buffers",
    "ssl",
    "synchronous_commit",
    "wal_level",
    "work_mem",
];

/// Where it is, and as whom it is administered.
#[derive(Debug, Clone)]
pub struct Elsewhere {
    config: Box<Config>,
    address: SocketAddr,
    name: String,
}

/// Why it is not used. Nothing was changed in it.
#[derive(Debug, thiserror::Error)]
pub enum ElsewhereError {
    /// The text is no URL of a PostgreSQL.
    #[error(
        "--database wants a URL such as postgres://admin:PASSWORD@db.example.org:5432/bench, and this is none: {0}"
    )]
    NotUrl(String),
    /// It cannot be reached.
    #[error("PostgreSQL at {address} cannot be reached: {reason}")]
    Unreachable {
        /// Where.
        address: SocketAddr,
        /// What came.
        reason: String,
    },
    /// It is too old.
    #[error("the PostgreSQL of --database is version {0}; {OLDEST} or later is needed")]
    TooOld(String),
    /// It does not count statements.
    #[error(
        "the PostgreSQL of --database does not count statements, by which the work of servers is proven: add pg_stat_statements to \
         shared_preload_libraries, restart it, and CREATE EXTENSION pg_stat_statements in its database ({0})"
    )]
    NotCounting(String),
    /// The user may not do what is needed.
    #[error(
        "the user of --database may not {0}: it needs CREATEROLE, CREATE on the database, and membership in pg_read_all_stats"
    )]
    Forbidden(&'static str),
    /// Something of the same name belongs to somebody else.
    #[error("there is a {kind} `{name}` in the database of --database that bench did not make; nothing was touched")]
    NotOurs {
        /// `schema` or `role`.
        kind: &'static str,
        /// Its name.
        name: String,
    },
    /// Another bench uses it.
    #[error("another bench uses the database of --database; wait for its end")]
    InUse,
}

impl FromStr for Elsewhere {
    type Err = ElsewhereError;

    fn from_str(url: &str) -> Result<Self, ElsewhereError> {
        let none = |reason: &str| ElsewhereError::NotUrl(reason.to_owned());
        if !url.starts_with("postgres://") && !url.starts_with("postgresql://") {
            return Err(none("it begins with another scheme"));
        }
        let mut config = Config::from_str(url).map_err(|error| match std::error::Error::source(&error) {
            Some(source) => none(&source.to_string()),
            None => none(&error.to_string()),
        })?;
        let name = config.get_dbname().unwrap_or_default().to_owned();
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-') {
            return Err(none("it needs the name of a database, of letters, digits, `_` and `-`"));
        }
        if config.get_user().is_none() {
            return Err(none("it names no user"));
        }
        let [Host::Tcp(host)] = config.get_hosts() else {
            return Err(none("it needs one host, which servers reach over TCP"));
        };
        let port = config.get_ports().first().copied().unwrap_or(5432);
        let mut found = (host.as_str(), port)
            .to_socket_addrs()
            .map_err(|error| none(&error.to_string()))?;
        let address = found.next().ok_or_else(|| none("its host has no address"))?;
        config.connect_timeout(CONNECT);
        Ok(Self {
            config: Box::new(config),
            address,
            name,
        })
    }
}

impl Elsewhere {
    /// Where it is, for people: `database bench at 10.0.0.5:5432`.
    pub fn place(&self) -> String {
        format!("database {} at {}", self.name, self.address)
    }

    /// Its address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The name of the database in it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it can be used; changes nothing.
    pub fn examine(&self) -> Result<(), DatabaseError> {
        let mut client = self.connect()?;
        may_be_used(&mut client)?;
        Ok(())
    }

    /// Makes our schema, after removing what a killed run left. The connection works in that schema and holds our lock.
    pub fn claim(&self) -> Result<Client, DatabaseError> {
        let mut client = self.connect()?;
        if !client
            .query_one("SELECT pg_try_advisory_lock($1)", &[&LOCK])?
            .get::<_, bool>(0)
        {
            return Err(ElsewhereError::InUse.into());
        }
        let counting = may_be_used(&mut client)?;
        release(&mut client)?;
        // At once or not at all, so that nothing is left without its mark.
        client.batch_execute(&format!(
            "BEGIN; CREATE SCHEMA {OWN_SCHEMA}; COMMENT ON SCHEMA {OWN_SCHEMA} IS '{MARK}'; COMMIT"
        ))?;
        client.batch_execute(&format!(
            "SET search_path = {OWN_SCHEMA}, {counting}; SET lock_timeout = '{LOCK_TIMEOUT}'"
        ))?;
        Ok(client)
    }

    /// Another connection, for what is asked while others ask.
    pub fn observe(&self) -> Result<Client, DatabaseError> {
        Ok(self.connect()?)
    }

    fn connect(&self) -> Result<Client, ElsewhereError> {
        self.config.connect(NoTls).map_err(|error| ElsewhereError::Unreachable {
            address: self.address,
            reason: DatabaseError::from(error).to_string(),
        })
    }
}

/// What makes a new role ours: its mark, the way to our tables, and the right to end its connections.
pub(super) fn owned(role: &str) -> [String; 3] {
    [
        format!("COMMENT ON ROLE {role} IS '{MARK}'"),
        format!("GRANT USAGE ON SCHEMA {OWN_SCHEMA} TO {role}"),
        format!("GRANT {role} TO CURRENT_USER"),
    ]
}

/// Lets a role find our tables in `database`.
pub(super) fn at_home(role: &str, database: &str) -> String {
    format!("ALTER ROLE {role} IN DATABASE {database} SET search_path = {OWN_SCHEMA}")
}

/// Removes our schema and our roles, where they are.
pub fn release(client: &mut Client) -> Result<(), DatabaseError> {
    client.batch_execute(&format!("DROP SCHEMA IF EXISTS {OWN_SCHEMA} CASCADE"))?;
    // Their rights went with the schema.
    for (role, mark) in roles(client)? {
        if mark == MARK {
            client.batch_execute(&format!("DROP ROLE {role}"))?;
        }
    }
    Ok(())
}

/// Roles whose names are those of servers, and the comments on them, empty without one.
fn roles(client: &mut Client) -> Result<Vec<(String, String)>, DatabaseError> {
    let rows = client.query(
        "SELECT quote_ident(rolname), coalesce(shobj_description(oid, 'pg_authid'), '') FROM pg_roles \
         WHERE starts_with(rolname::text, $1) ORDER BY rolname",
        &[&ROLE],
    )?;
    Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
}

/// Whether it can be used, and in which schema statements are counted.
fn may_be_used(client: &mut Client) -> Result<String, DatabaseError> {
    let version: String = client.query_one("SHOW server_version", &[])?.get(0);
    if major(&version).is_none_or(|major| major < OLDEST) {
        return Err(ElsewhereError::TooOld(version).into());
    }
    let rights = client.query_one(
        "SELECT rolsuper OR rolcreaterole, has_database_privilege(current_database(), 'CREATE'), \
         rolsuper OR pg_has_role('pg_read_all_stats', 'MEMBER') FROM pg_roles WHERE rolname = current_user",
        &[],
    )?;
    let needed = ["create a role", "create a schema", "see what others ask"];
    if let Some(index) = (0..needed.len()).find(|index| !rights.get::<_, bool>(*index)) {
        return Err(ElsewhereError::Forbidden(needed[index]).into());
    }
    let extension = client.query_opt(
        "SELECT quote_ident(nspname) FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace \
         WHERE extname = 'pg_stat_statements'",
        &[],
    )?;
    let Some(counting) = extension.map(|row| row.get::<_, String>(0)) else {
        return Err(ElsewhereError::NotCounting("there is no such extension in this database".to_owned()).into());
    };
    if let Err(error) = client.batch_execute(&format!("SELECT FROM {counting}.pg_stat_statements LIMIT 1")) {
        return Err(ElsewhereError::NotCounting(DatabaseError::from(error).to_string()).into());
    }
    let schema = client.query_opt(
        "SELECT coalesce(obj_description(oid, 'pg_namespace'), '') FROM pg_namespace WHERE nspname = $1",
        &[&OWN_SCHEMA],
    )?;
    let schema = schema.map(|row| ("schema", OWN_SCHEMA.to_owned(), row.get::<_, String>(0)));
    let roles = roles(client)?.into_iter().map(|(role, mark)| ("role", role, mark));
    if let Some((kind, name, _)) = schema.into_iter().chain(roles).find(|(.., mark)| mark != MARK) {
        return Err(ElsewhereError::NotOurs { kind, name }.into());
    }
    Ok(counting)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_names_user_host_and_database() {
        let parsed: Elsewhere = "postgres://admin:secret@127.0.0.1:5433/bench".parse().unwrap();
        assert_eq!(parsed.place(), "database bench at 127.0.0.1:5433");
        for (url, told) in [
            ("127.0.0.1/bench", "another scheme"),
            ("postgres://admin@127.0.0.1", "name of a database"),
            ("postgres://admin@127.0.0.1/a%20b", "name of a database"),
            ("postgres://127.0.0.1/bench", "no user"),
            ("postgres://admin@%2Ftmp/bench", "over TCP"),
            ("postgres://admin@127.0.0.1:port/bench", "invalid"),
        ] {
            let error = url.parse::<Elsewhere>().unwrap_err().to_string();
            assert!(error.contains(told), "{url}: {error}");
            assert!(!error.contains("secret"), "{error}");
        }
    }
}
