//! A PostgreSQL that somebody else runs: in it a schema and roles of our own, which are removed at the end.
//!
//! All carry a mark. The next run recognises by it what a killed run left, and removes that; what has the same name and no mark belongs
//! to somebody else, and nothing is touched.

use std::net::{SocketAddr, ToSocketAddrs as _};
use std::str::FromStr;

use anyhow::{Context as _, anyhow, bail, ensure};
use postgres::config::Host;
use postgres::{Client, Config, NoTls};

use super::CONNECT;
use super::programs::{OLDEST, is_too_old};
use super::role::ROLE;

/// The schema of the tables.
const OWN_SCHEMA: &str = "bench";
/// The comment on what bench has made.
const MARK: &str = "made by bench, which removes it";
/// The number of a lock that one bench holds for as long as it uses the server.
const LOCK: i64 = 0x62_65_6e_63_68;
/// Settings that figures depend on, for the record.
pub const RECORDED: &str = "autovacuum checkpoint_timeout fsync full_page_writes jit max_connections \
    max_parallel_workers_per_gather max_wal_size shared_buffers ssl synchronous_commit wal_level work_mem";

/// Where it is, and as whom it is administered.
#[derive(Debug, Clone)]
pub struct External {
    config: Box<Config>,
    pub(super) address: SocketAddr,
    /// The name of the database in it.
    pub(super) name: String,
}

impl FromStr for External {
    type Err = anyhow::Error;

    fn from_str(url: &str) -> anyhow::Result<Self> {
        Self::parse(url).map_err(|why| {
            let example = "postgres://admin:PASSWORD@db.example.org:5432/bench";
            anyhow!("--database wants a URL such as {example}, and this is none: {why:#}")
        })
    }
}

impl External {
    /// Reads a URL; the error is the reason, without the URL, which has a password in it.
    fn parse(url: &str) -> anyhow::Result<Self> {
        let is_postgres = url.starts_with("postgres://") || url.starts_with("postgresql://");
        ensure!(is_postgres, "it begins with another scheme");
        let mut config = Config::from_str(url)?;
        let name = config.get_dbname().unwrap_or_default().to_owned();
        ensure!(
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-'),
            "it needs the name of a database, of letters, digits, `_` and `-`"
        );
        config.get_user().context("it names no user")?;
        let [Host::Tcp(host)] = config.get_hosts() else {
            bail!("it needs one host, which servers reach over TCP");
        };
        let port = config.get_ports().first().copied().unwrap_or(5432);
        let address = (host.as_str(), port).to_socket_addrs()?.next();
        let address = address.context("its host has no address")?;
        config.connect_timeout(CONNECT);
        Ok(Self {
            config: Box::new(config),
            address,
            name,
        })
    }

    /// Where it is, for people: `database bench at 10.0.0.5:5432`.
    pub fn place(&self) -> String {
        format!("database {} at {}", self.name, self.address)
    }

    /// Whether it can be used; changes nothing.
    pub fn examine(&self) -> anyhow::Result<()> {
        examine(&mut self.connect()?).map(drop)
    }

    /// Makes our schema, after removing what a killed run left. The connection works in that schema and holds our lock.
    pub fn claim(&self) -> anyhow::Result<Client> {
        let mut client = self.connect()?;
        let locked = client.query_one("SELECT pg_try_advisory_lock($1)", &[&LOCK])?;
        ensure!(
            locked.get::<_, bool>(0),
            "another bench uses the database of --database; wait for its end"
        );
        let counting = examine(&mut client)?;
        release(&mut client)?;
        // In one message, hence at once or not at all: nothing is left without its mark. Servers that lock a table hold up no run.
        client.batch_execute(&format!(
            "CREATE SCHEMA {OWN_SCHEMA}; COMMENT ON SCHEMA {OWN_SCHEMA} IS '{MARK}'; \
             SET search_path = {OWN_SCHEMA}, {counting}; SET lock_timeout = '10s'"
        ))?;
        Ok(client)
    }

    fn connect(&self) -> anyhow::Result<Client> {
        let connected = self.config.connect(NoTls);
        connected.with_context(|| format!("PostgreSQL at {} cannot be reached", self.address))
    }
}

/// Makes a role ours: its mark, the right to end its connections, and the way to our tables in `database`.
pub(super) fn role_settings(role: &str, database: &str) -> String {
    format!(
        "COMMENT ON ROLE {role} IS '{MARK}'; GRANT USAGE ON SCHEMA {OWN_SCHEMA} TO {role}; GRANT {role} TO CURRENT_USER; \
         ALTER ROLE {role} IN DATABASE \"{database}\" SET search_path = {OWN_SCHEMA};"
    )
}

/// Removes our schema and our roles, where they are. The roles' rights go with the schema.
pub fn release(client: &mut Client) -> anyhow::Result<()> {
    for (kind, name, mark) in with_our_names(client)? {
        if mark == MARK {
            let cascade = if kind == "schema" { "CASCADE" } else { "" };
            client.batch_execute(&format!("DROP {kind} {name} {cascade}"))?;
        }
    }
    Ok(())
}

/// The schema and roles with the names of ours: kind, name, and comment, which is empty without one.
fn with_our_names(client: &mut Client) -> anyhow::Result<Vec<(String, String, String)>> {
    let rows = client.query(
        "SELECT 'schema', quote_ident(nspname), coalesce(obj_description(oid, 'pg_namespace'), '') FROM pg_namespace \
         WHERE nspname = $1 UNION ALL \
         SELECT 'role', quote_ident(rolname), coalesce(shobj_description(oid, 'pg_authid'), '') FROM pg_roles \
         WHERE starts_with(rolname::text, $2) ORDER BY 1 DESC, 2",
        &[&OWN_SCHEMA, &ROLE],
    )?;
    Ok(rows.iter().map(|row| (row.get(0), row.get(1), row.get(2))).collect())
}

/// Whether it can be used, and in which schema statements are counted.
fn examine(client: &mut Client) -> anyhow::Result<String> {
    let version: String = client.query_one("SHOW server_version", &[])?.get(0);
    ensure!(
        !is_too_old(&version),
        "the PostgreSQL of --database is version {version}; {OLDEST} or later is needed"
    );
    let rights = client.query_one(
        "SELECT rolsuper OR rolcreaterole, has_database_privilege(current_database(), 'CREATE'), \
         rolsuper OR pg_has_role('pg_read_all_stats', 'MEMBER') FROM pg_roles WHERE rolname = current_user",
        &[],
    )?;
    for (index, needed) in ["create a role", "create a schema", "see others' statements"]
        .iter()
        .enumerate()
    {
        ensure!(
            rights.get::<_, bool>(index),
            "the user of --database may not {needed}: it needs CREATEROLE, CREATE on the database, and membership in \
             pg_read_all_stats"
        );
    }
    let counting = counting_schema(client).context(
        "the PostgreSQL of --database does not count statements, by which the work of servers is proven: add pg_stat_statements \
         to shared_preload_libraries, restart it, and CREATE EXTENSION pg_stat_statements in its database",
    )?;
    if let Some((kind, name, _)) = with_our_names(client)?.into_iter().find(|(.., mark)| mark != MARK) {
        bail!("there is a {kind} `{name}` in the database of --database that bench did not make; nothing was touched");
    }
    Ok(counting)
}

/// The schema in which statements are counted.
fn counting_schema(client: &mut Client) -> anyhow::Result<String> {
    let extension = client.query_opt(
        "SELECT quote_ident(nspname) FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace \
         WHERE extname = 'pg_stat_statements'",
        &[],
    )?;
    let schema: String = extension.context("there is no such extension in this database")?.get(0);
    client.batch_execute(&format!("SELECT FROM {schema}.pg_stat_statements LIMIT 1"))?;
    Ok(schema)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_names_user_host_and_database() {
        let parsed: External = "postgres://admin:secret@127.0.0.1:5433/bench".parse().unwrap();
        assert_eq!(parsed.place(), "database bench at 127.0.0.1:5433");
        for (url, expected) in [
            ("127.0.0.1/bench", "another scheme"),
            ("postgres://admin@127.0.0.1", "name of a database"),
            ("postgres://admin@127.0.0.1/a%20b", "name of a database"),
            ("postgres://127.0.0.1/bench", "no user"),
            ("postgres://admin@%2Ftmp/bench", "over TCP"),
            ("postgres://admin@127.0.0.1:port/bench", "invalid"),
        ] {
            let error = url.parse::<External>().unwrap_err().to_string();
            assert!(error.contains(expected), "{url}: {error}");
            assert!(!error.contains("secret"), "{error}");
        }
    }
}
