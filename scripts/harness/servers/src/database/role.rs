//! The roles that servers connect as. Each server has one to itself, so that none can end the connections of a rival, lock it out or
//! add to its count of statements. When a server has ended, the next one gets its role, with another password.

use std::sync::Arc;

use super::work::Work;
use super::{Database, Source, external, locked};
use crate::workload::unforeseen;

/// How the names of these roles begin.
pub(super) const ROLE: &str = "bench_server_";
/// What a server may do, written for a role `server`.
const RIGHTS: &str = include_str!("../../../../../apps/postgres/rights.sql");
/// Longest wait for the end of a connection, in milliseconds.
const ENDING_MS: i64 = 1000;

/// A server's role, which nobody else uses until this is dropped.
#[derive(Debug)]
pub struct Role {
    /// The database.
    pub database: Arc<Database>,
    number: u32,
    password: String,
    epoch: usize,
}

/// Connections of one server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Connections {
    /// Open ones.
    pub open: u32,
    /// Those that execute a statement, or have a transaction open.
    pub active: u32,
}

impl Role {
    /// A role in `database` that may open so many connections, without anything that its last server has set. A negligent server's
    /// statements and transactions end by themselves; no request of the contract takes that long.
    pub fn open(database: &Arc<Database>, connections: u32) -> anyhow::Result<Self> {
        let epoch = database.epoch();
        let number = {
            let mut in_use = locked(&database.in_use);
            let is_free = |number: &u32| in_use.iter().all(|(used, _)| used != number);
            let number = (1..u32::MAX).find(is_free).unwrap_or(u32::MAX);
            in_use.push((number, connections));
            number
        };
        // From here on, dropping it gives the number back.
        let opened = Self {
            database: Arc::clone(database),
            number,
            password: format!("{:016x}{:016x}", unforeseen(), unforeseen()),
            epoch,
        };
        let (role, password, (_, database)) = (opened.name(), &opened.password, database.address());
        let rights = RIGHTS.replace("TO server;", &format!("TO {role};"));
        let external = match opened.database.place {
            Source::Private(_) => String::new(),
            Source::External(_) => external::role_settings(&role, database),
        };
        // In one message, hence in one transaction.
        opened.database.execute(&format!(
            "DO $$ BEGIN CREATE ROLE {role} LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$; {rights}
             ALTER ROLE {role} RESET ALL; ALTER ROLE {role} IN DATABASE \"{database}\" RESET ALL; {external}
             ALTER ROLE {role} SET statement_timeout = '30s';
             ALTER ROLE {role} SET idle_in_transaction_session_timeout = '10s';
             ALTER ROLE {role} CONNECTION LIMIT {connections} PASSWORD '{password}'"
        ))?;
        Ok(opened)
    }

    /// `DATABASE_URL` of the server.
    pub fn url(&self) -> String {
        let (address, name) = self.database.address();
        format!("postgres://{}:{}@{address}/{name}", self.name(), self.password)
    }

    /// The statements of all servers with this role up to now.
    pub fn work(&self) -> anyhow::Result<Work> {
        let rows = self.database.rows(
            "SELECT query, calls, rows FROM pg_stat_statements JOIN pg_roles ON pg_roles.oid = userid \
             WHERE rolname = $1 AND toplevel",
            &[&self.name()],
        )?;
        Ok(Work::counted(&rows))
    }

    /// Its connections at this moment.
    pub fn connections(&self) -> anyhow::Result<Connections> {
        let open = "SELECT state FROM pg_stat_activity WHERE usename = $1";
        let open = self.database.rows(open, &[&self.name()])?;
        let is_active = |state: Option<&str>| state.is_some_and(|state| state != "idle");
        Ok(Connections {
            open: u32::try_from(open.len()).unwrap_or(u32::MAX),
            active: open.iter().map(|row| u32::from(is_active(row.get(0)))).sum(),
        })
    }

    /// A fault of the database since the server was started, for which the server is not to blame.
    pub fn trouble(&self) -> Option<String> {
        let fault = self.database.well_since(self.epoch).err();
        fault.map(|fault| format!("{fault:#}"))
    }

    fn name(&self) -> String {
        format!("{ROLE}{}", self.number)
    }
}

impl Drop for Role {
    fn drop(&mut self) {
        // What waits for a lock or sleeps does not notice that its server has ended. If the database is gone, so are they.
        let _ = self.database.rows(
            "SELECT pg_terminate_backend(pid, $2) FROM pg_stat_activity WHERE usename = $1",
            &[&self.name(), &ENDING_MS],
        );
        locked(&self.database.in_use).retain(|(number, _)| *number != self.number);
    }
}

#[cfg(test)]
mod tests {
    use postgres::{Client, NoTls};

    use super::*;
    use crate::database::Programs;

    #[test]
    fn a_role_is_its_servers_alone_and_ends_with_it() {
        let database = Database::start(&Programs::find(None).unwrap(), &[])
            .map(Arc::new)
            .unwrap();
        let (own, rival) = (Role::open(&database, 2).unwrap(), Role::open(&database, 2).unwrap());
        let connect = |role: &Role| Client::connect(&role.url(), NoTls);
        let mut first = connect(&own).unwrap();
        let mut of_rival = connect(&rival).unwrap();

        // Each is counted for its own statements.
        first.query("SELECT message FROM fortune", &[]).unwrap();
        of_rival
            .execute("INSERT INTO orders (customer) VALUES (1)", &[])
            .unwrap();
        let first_of = |role: &Role| role.work().unwrap().first();
        assert_eq!(first_of(&own).as_deref(), Some("reads of `fortune`: 1"));
        assert_eq!(first_of(&rival).as_deref(), Some("inserts into `orders`: 1"));

        // As many connections as it may open, and no more.
        let mut second = connect(&own).unwrap();
        let refused = connect(&own).err().unwrap().to_string();
        assert!(refused.contains("db error"), "{refused}");
        second.batch_execute("BEGIN; SELECT FROM world LIMIT 1").unwrap();
        assert_eq!(own.connections().unwrap(), Connections { open: 2, active: 1 });

        // What would touch others is refused.
        for attack in [
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename LIKE 'bench%' AND usename <> current_user",
            "ALTER ROLE bench_server_1 PASSWORD 'mine'",
            "SET ROLE bench_server_1",
            "SELECT 1; LOCK TABLE world IN SHARE MODE",
            "CREATE TEMPORARY TABLE large (number integer)",
            "CREATE TABLE large (number integer)",
            "SELECT lo_create(0)",
            "SET temp_file_limit = -1",
            "SET pg_stat_statements.track = 'none'",
            "TRUNCATE orders",
            "UPDATE world SET id = 0",
        ] {
            let refused = of_rival.batch_execute(attack).unwrap_err();
            let code = refused.code().map(postgres::error::SqlState::code);
            assert_eq!(code, Some("42501"), "{attack}: {refused}");
        }

        // The next server to have it has nothing of the last.
        first.batch_execute("ALTER ROLE CURRENT_USER PASSWORD 'mine'").unwrap();
        first
            .batch_execute("ALTER ROLE CURRENT_USER SET default_transaction_read_only = on")
            .unwrap();
        drop(own);
        assert!(first.simple_query("SELECT").is_err() && second.simple_query("SELECT").is_err());
        let next = Role::open(&database, 2).unwrap();
        let mut client = connect(&next).unwrap();
        client
            .execute("UPDATE world SET random_number = 1 WHERE id = 1", &[])
            .unwrap();
        of_rival.simple_query("SELECT").unwrap();
    }
}
