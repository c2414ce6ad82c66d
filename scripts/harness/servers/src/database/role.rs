//! The roles that servers connect as. Each server has one to itself, so that none can end the connections of a rival, lock it out or
//! add to its count of statements. When a server has ended, the next one gets its role, with another password.

use std::sync::{Arc, MutexGuard, PoisonError};

use super::work::Work;
use super::{Database, DatabaseError, Source, external, password};

/// How the names of these roles begin.
pub(super) const ROLE: &str = "bench_server_";
/// What a server may do, written for a role `server`.
const RIGHTS: &str = include_str!("../../../../../apps/postgres/rights.sql");
/// Longest wait for the end of a connection, in milliseconds.
const ENDING_MS: i64 = 1000;

/// A server's role, which nobody else uses until this is dropped.
#[derive(Debug)]
pub struct Role {
    database: Arc<Database>,
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
    /// A role in `database` that may open so many connections.
    pub fn open(database: &Arc<Database>, connections: u32) -> Result<Self, DatabaseError> {
        let epoch = database.epoch();
        let number = {
            let mut in_use = database.in_use();
            let is_free = |number: &u32| in_use.iter().all(|(used, _)| used != number);
            let number = (1..u32::MAX).find(is_free).unwrap_or(u32::MAX);
            in_use.push((number, connections));
            number
        };
        // From here on, dropping it gives the number back.
        let role = Self {
            database: Arc::clone(database),
            number,
            password: password()?,
            epoch,
        };
        database.prepare(&role.name(), &role.password, connections)?;
        Ok(role)
    }

    /// `DATABASE_URL` of the server.
    pub fn url(&self) -> String {
        let (address, name) = self.database.address();
        format!("postgres://{}:{}@{address}/{name}", self.name(), self.password)
    }

    /// The database.
    pub fn database(&self) -> &Arc<Database> {
        &self.database
    }

    /// The statements of all servers with this role up to now.
    pub fn work(&self) -> Result<Work, DatabaseError> {
        Work::counted(&mut self.database.admin(), &self.name())
    }

    /// Its connections at this moment.
    pub fn connections(&self) -> Result<Connections, DatabaseError> {
        let row = self.database.admin().query_one(
            "SELECT count(*), count(*) FILTER (WHERE state <> 'idle') FROM pg_stat_activity WHERE usename = $1",
            &[&self.name()],
        )?;
        let number = |column| u32::try_from(row.get::<_, i64>(column)).unwrap_or(0);
        Ok(Connections {
            open: number(0),
            active: number(1),
        })
    }

    /// A fault of the database since the server was started, for which the server is not to blame.
    pub fn trouble(&self) -> Option<String> {
        self.database.fault_since(self.epoch)
    }

    fn name(&self) -> String {
        role(self.number)
    }
}

impl Drop for Role {
    fn drop(&mut self) {
        // What waits for a lock or sleeps does not notice that its server has ended. If the database is gone, so are they.
        let _ = self.database.admin().execute(
            "SELECT pg_terminate_backend(pid, $2) FROM pg_stat_activity WHERE usename = $1",
            &[&self.name(), &ENDING_MS],
        );
        self.database.in_use().retain(|(number, _)| *number != self.number);
    }
}

impl Database {
    /// The roles of servers that run, and how many connections each may open.
    pub(super) fn roles(&self) -> Vec<(String, u32)> {
        self.in_use()
            .iter()
            .map(|(number, most)| (role(*number), *most))
            .collect()
    }

    fn in_use(&self) -> MutexGuard<'_, Vec<(u32, u32)>> {
        self.in_use.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the role, without anything that its last server has set. A negligent server's statements and transactions end by
    /// themselves; no request of the contract takes that long.
    fn prepare(&self, role: &str, password: &str, connections: u32) -> Result<(), DatabaseError> {
        let (_, database) = self.address();
        let rights = RIGHTS.replace("TO server;", &format!("TO {role};"));
        let external = match self.place {
            Source::Private(_) => String::new(),
            Source::External(_) => external::role_settings(role, database),
        };
        // In one message, hence in one transaction.
        self.admin().batch_execute(&format!(
            "DO $$ BEGIN CREATE ROLE {role} LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$; {rights}
             ALTER ROLE {role} RESET ALL; ALTER ROLE {role} IN DATABASE \"{database}\" RESET ALL; {external}
             ALTER ROLE {role} SET statement_timeout = '30s';
             ALTER ROLE {role} SET idle_in_transaction_session_timeout = '10s';
             ALTER ROLE {role} CONNECTION LIMIT {connections} PASSWORD '{password}'"
        ))?;
        Ok(())
    }
}

fn role(number: u32) -> String {
    format!("{ROLE}{number}")
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

        // Each is counted for what it asked itself.
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
