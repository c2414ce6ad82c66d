//! Whom servers connect as. Each has a role and a password of its own, so that none can end the connections of a rival, lock it out
//! or add to what it is counted to have asked. A role is used again when its server has ended, with another password.

use std::collections::BTreeMap;
use std::sync::{Arc, MutexGuard, PoisonError};

use super::work::Work;
use super::{Database, DatabaseError, Life, Place, password};

/// How the names of these roles begin.
pub(super) const ROLE: &str = "bench_server_";
/// What a server may do, which is written down for a role `server`.
const RIGHTS: &str = include_str!("../../../../../apps/postgres/rights.sql");
/// What is negligent in a server, such as a transaction that it forgets, ends by itself. No request of the contract takes that long.
const TIMEOUTS: [(&str, &str); 2] = [
    ("statement_timeout", "30s"),
    ("idle_in_transaction_session_timeout", "10s"),
];
/// Longest wait for the end of a connection, in milliseconds.
const ENDING_MS: i64 = 1000;

/// The roles that servers have at the moment, by number, and how many connections each may open.
pub(super) type InUse = BTreeMap<u32, u32>;

/// A server's role, which nobody else uses until this is dropped.
#[derive(Debug)]
pub struct Account {
    database: Arc<Database>,
    number: u32,
    password: String,
    life: Life,
}

/// Connections of one server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Connections {
    /// That are open.
    pub open: u32,
    /// That are in use: a statement is executed, or a transaction is open.
    pub active: u32,
}

impl Account {
    /// A role in `database` that may open so many connections.
    pub fn open(database: &Arc<Database>, connections: u32) -> Result<Self, DatabaseError> {
        let life = database.life();
        let number = database.take_number(connections);
        // From here on it is given back by being dropped.
        let account = Self {
            database: Arc::clone(database),
            number,
            password: password()?,
            life,
        };
        database.make_ready(&account.role(), &account.password, connections)?;
        Ok(account)
    }

    /// `DATABASE_URL` of the server.
    pub fn url(&self) -> String {
        let (address, name) = self.database.address();
        format!("postgres://{}:{}@{address}/{name}", self.role(), self.password)
    }

    /// The database.
    pub fn database(&self) -> &Arc<Database> {
        &self.database
    }

    /// What the server has asked up to now.
    pub fn work(&self) -> Result<Work, DatabaseError> {
        Ok(self.work_beside_others()?.0)
    }

    /// The same, and what all other servers have asked.
    pub fn work_beside_others(&self) -> Result<(Work, Work), DatabaseError> {
        Work::counted(&mut self.database.admin(), &self.role())
    }

    /// Its connections at this moment. It is asked over a connection that nobody else uses, because others may ask meanwhile.
    pub fn connections(&self) -> Result<Connections, DatabaseError> {
        let row = self.database.observer().query_one(
            "SELECT count(*), count(*) FILTER (WHERE state <> 'idle') FROM pg_stat_activity WHERE usename = $1",
            &[&self.role()],
        )?;
        let number = |column| u32::try_from(row.get::<_, i64>(column)).unwrap_or(0);
        Ok(Connections {
            open: number(0),
            active: number(1),
        })
    }

    /// What befell the database since the server was started, for which it is not to blame.
    pub fn trouble(&self) -> Option<String> {
        self.database.trouble_since(self.life)
    }

    fn role(&self) -> String {
        role(self.number)
    }
}

impl Drop for Account {
    fn drop(&mut self) {
        // What waits for a lock or sleeps does not notice that its server has ended. If the database is gone, so are they.
        let _ = self.database.admin().execute(
            "SELECT pg_terminate_backend(pid, $2) FROM pg_stat_activity WHERE usename = $1",
            &[&self.role(), &ENDING_MS],
        );
        self.database.in_use().remove(&self.number);
    }
}

impl Database {
    /// The roles of servers that run.
    pub(super) fn roles(&self) -> Vec<(String, u32)> {
        let in_use = self.in_use();
        in_use.iter().map(|(number, most)| (role(*number), *most)).collect()
    }

    fn in_use(&self) -> MutexGuard<'_, InUse> {
        self.accounts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take_number(&self, connections: u32) -> u32 {
        let mut in_use = self.in_use();
        let number = (1..u32::MAX)
            .find(|number| !in_use.contains_key(number))
            .unwrap_or(u32::MAX);
        in_use.insert(number, connections);
        number
    }

    /// Makes the role, or takes from it what its last server has set.
    fn make_ready(&self, role: &str, password: &str, connections: u32) -> Result<(), DatabaseError> {
        let mut admin = self.admin();
        let is_new = admin
            .query_opt("SELECT FROM pg_roles WHERE rolname = $1", &[&role])?
            .is_none();
        let database: String = admin.query_one("SELECT quote_ident(current_database())", &[])?.get(0);
        let mut statements = vec!["BEGIN".to_owned()];
        if is_new {
            statements.push(format!("CREATE ROLE {role} LOGIN"));
            statements.push(RIGHTS.replace("TO server;", &format!("TO {role};")));
            if let Place::Elsewhere(_) = self.place {
                statements.extend(super::elsewhere::owned(role));
            }
        }
        statements.push(format!("ALTER ROLE {role} RESET ALL"));
        statements.push(format!("ALTER ROLE {role} IN DATABASE {database} RESET ALL"));
        if let Place::Elsewhere(_) = self.place {
            statements.push(super::elsewhere::at_home(role, &database));
        }
        for (setting, time) in TIMEOUTS {
            statements.push(format!("ALTER ROLE {role} SET {setting} = '{time}'"));
        }
        statements.push(format!(
            "ALTER ROLE {role} CONNECTION LIMIT {connections} PASSWORD '{password}'"
        ));
        statements.push("COMMIT".to_owned());
        let made = admin.batch_execute(&statements.join(";\n"));
        if made.is_err() {
            let _ = admin.batch_execute("ROLLBACK");
        }
        Ok(made?)
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
        let (own, rival) = (
            Account::open(&database, 2).unwrap(),
            Account::open(&database, 2).unwrap(),
        );
        let connect = |account: &Account| Client::connect(&account.url(), NoTls);
        let mut first = connect(&own).unwrap();
        let mut of_rival = connect(&rival).unwrap();

        // Each is counted for what it asked itself.
        first.query("SELECT message FROM fortune", &[]).unwrap();
        of_rival
            .execute("INSERT INTO orders (customer) VALUES (1)", &[])
            .unwrap();
        let (asked, others) = own.work_beside_others().unwrap();
        assert_eq!(asked.first().as_deref(), Some("reads of `fortune`: 1"));
        assert_eq!(others.first().as_deref(), Some("inserts into `orders`: 1"));

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
        let next = Account::open(&database, 2).unwrap();
        let mut client = connect(&next).unwrap();
        client
            .execute("UPDATE world SET random_number = 1 WHERE id = 1", &[])
            .unwrap();
        of_rival.simple_query("SELECT").unwrap();
    }
}
