//! A small server with a database that fulfils the contract, but for one fault: a thread for each connection, and for each request one of
//! the connections to the database that it may open.

use std::fmt::Write as _;
use std::net::TcpStream;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Condvar, Mutex, OnceLock, PoisonError};

use postgres::{Client, Error, NoTls, Row, Statement, Transaction};
use serde_json::{Value, json};

use crate::http::{Request, Response};
use crate::{Connected, Serve, converse, locked, serve_all, settings};

/// What is wrong with a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fault {
    /// Nothing.
    #[default]
    None,
    /// It reads all rows once, and answers from memory.
    KeepsRows,
    /// The same, while many are connected.
    KeepsRowsUnderLoad,
    /// It reads several rows by one query.
    BatchesQueries,
    /// What belongs together is written one after the other.
    ForgetsTransaction,
    /// An empty transaction is committed, and the rows are updated outside of it.
    PretendsTransaction,
    /// While many are connected, what is written is undone, and an empty transaction is kept instead.
    UndoesUnderLoad,
    /// Messages are put into the page as they are.
    SkipsEscaping,
    /// A connection to the database that has failed is used again and again.
    NeverReconnects,
    /// Who waits for the database holds up all others.
    OneAtATime,
    /// While many are connected, it ends the connections of all others to the database, as far as it may.
    EndsRivals,
    /// While many are connected, it sets another password for whom it connects as, and that nothing may be written.
    ChangesPassword,
}

impl Fault {
    /// Those that a test starts as a process.
    pub const OF_PROCESSES: [Self; 5] = [
        Self::None,
        Self::KeepsRows,
        Self::ForgetsTransaction,
        Self::NeverReconnects,
        Self::OneAtATime,
    ];
}

/// A server with the connections to its database.
#[derive(Default)]
pub struct Backed {
    fault: Fault,
    url: String,
    /// Connections that it may open.
    most: usize,
    connected: Connected,
    /// Held by the one that waits for the database.
    turn: Mutex<()>,
    pool: Mutex<Opened>,
    freed: Condvar,
    /// Each connection has random ids of its own.
    seed: AtomicU32,
    rows: OnceLock<Vec<i32>>,
}

#[derive(Default)]
struct Opened {
    free: Vec<Database>,
    made: usize,
}

const ROWS: usize = 10_000;

/// Serves on `ADDR` until it is killed.
pub fn serve(fault: Fault) -> ! {
    settings::obey();
    let Ok(url) = std::env::var("DATABASE_URL") else {
        settings::refuse("DATABASE_URL is not set")
    };
    let most = settings::number("DATABASE_CONNECTIONS", 1, 1) as usize;
    serve_all(&settings::listener(), Backed::new(fault, url, most))
}

impl Serve for Backed {
    fn talk(&self, stream: TcpStream) -> Option<()> {
        converse(stream, &self.connected, |reader, request| {
            let turn = (self.fault == Fault::OneAtATime).then(|| locked(&self.turn));
            let response = if request.path == "/" {
                Response::text(200, "Hello, World!")
            } else {
                let mut database = self.take().ok()?;
                let answered = self.answer(request, &mut database);
                let keeps = answered.is_ok() || self.fault == Fault::NeverReconnects;
                self.give_back(keeps.then_some(database));
                answered.unwrap_or_else(|error| Response::text(500, &error.to_string()))
            };
            drop(turn);
            reader.answer(&response)
        })
    }
}

impl Backed {
    /// A server that opens at most so many connections to the database at `url`.
    pub fn new(fault: Fault, url: String, most: usize) -> Self {
        Self {
            fault,
            url,
            most,
            seed: AtomicU32::new(1),
            ..Self::default()
        }
    }

    /// A connection that nobody uses, or a new one; waits while as many as may be opened are in use.
    fn take(&self) -> Result<Database, Error> {
        let all_used = |opened: &mut Opened| opened.free.is_empty() && opened.made >= self.most;
        let waited = self.freed.wait_while(locked(&self.pool), all_used);
        let mut opened = waited.unwrap_or_else(PoisonError::into_inner);
        if let Some(free) = opened.free.pop() {
            return Ok(free);
        }
        opened.made += 1;
        drop(opened);
        let random = self.seed.fetch_add(1, Ordering::Relaxed).wrapping_mul(0x9e37_79b9) | 1;
        Database::connect(&self.url, self.fault, random).inspect_err(|_| self.give_back(None))
    }

    /// Gives one back; without it, that it is gone.
    fn give_back(&self, database: Option<Database>) {
        let mut opened = locked(&self.pool);
        match database {
            Some(database) => opened.free.push(database),
            None => opened.made -= 1,
        }
        self.freed.notify_one();
    }

    /// The fault at this moment: some behave until they are under load.
    fn fault_now(&self) -> Fault {
        match (self.fault, self.connected.are_many()) {
            (Fault::KeepsRowsUnderLoad, true) => Fault::KeepsRows,
            (Fault::UndoesUnderLoad | Fault::EndsRivals | Fault::ChangesPassword, false) => Fault::None,
            (fault, _) => fault,
        }
    }

    fn answer(&self, request: &Request, database: &mut Database) -> Result<Response, Error> {
        let fault = self.fault_now();
        database.attack(fault);
        let count = || match request.query.strip_prefix("n=") {
            None => Some(1),
            Some(n) => n.parse().ok().filter(|n| (1..=100).contains(n)),
        };
        Ok(match (request.method.as_str(), request.path.as_str()) {
            ("GET", "/db") => {
                let id = database.random_id();
                Response::json(&world(id, database.number(id, fault, &self.rows)?))
            }
            ("GET", "/queries") => match count() {
                None => Response::text(400, "n is from 1 to 100"),
                Some(n) => Response::json(&Value::Array(database.worlds(n, fault, &self.rows)?)),
            },
            ("GET", "/fortunes") => Response::new(200, "text/html", database.page(fault)?.into()),
            ("POST", "/orders") => database.new_order(&request.body, fault)?,
            ("POST", "/updates") => match count() {
                None => Response::text(400, "n is from 1 to 100"),
                Some(n) => Response::json(&Value::Array(database.updates(n, fault)?)),
            },
            ("GET", path) if path.starts_with("/orders/") => match path["/orders/".len()..].parse() {
                Err(_) => Response::text(404, "an order has a number"),
                Ok(id) => database.order(id)?,
            },
            (_, "/db" | "/orders") => Response::text(405, "not with this method"),
            _ => Response::text(404, "no such path"),
        })
    }
}

/// A connection, with the statement that runs most often.
struct Database {
    client: Client,
    world: Statement,
    random: u32,
}

impl Database {
    fn connect(url: &str, fault: Fault, random: u32) -> Result<Self, Error> {
        let mut client = Client::connect(url, NoTls)?;
        if fault == Fault::ForgetsTransaction {
            // So that what is half done stays so when a table is locked.
            client.batch_execute("SET lock_timeout = '50ms'")?;
        }
        let world = client.prepare("SELECT id, random_number FROM world WHERE id = $1")?;
        Ok(Self { client, world, random })
    }

    /// What it can do to others; what is refused is none.
    fn attack(&mut self, fault: Fault) {
        match fault {
            Fault::EndsRivals => {
                let others = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()";
                let others = self.client.query(others, &[]).unwrap_or_default();
                for other in others {
                    let pid: i32 = other.get(0);
                    let _ = self.client.execute("SELECT pg_terminate_backend($1)", &[&pid]);
                }
            }
            Fault::ChangesPassword => {
                let _ = self.client.batch_execute("ALTER ROLE CURRENT_USER PASSWORD 'mine'");
                let _ = self
                    .client
                    .batch_execute("ALTER ROLE CURRENT_USER SET default_transaction_read_only = on");
            }
            _ => {}
        }
    }

    fn random_id(&mut self) -> i32 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 17;
        self.random ^= self.random << 5;
        1 + i32::try_from(self.random as usize % ROWS).unwrap_or(0)
    }

    fn number(&mut self, id: i32, fault: Fault, kept: &OnceLock<Vec<i32>>) -> Result<i32, Error> {
        if fault != Fault::KeepsRows {
            return Ok(self.client.query_one(&self.world, &[&id])?.get(1));
        }
        if kept.get().is_none() {
            let rows = self.client.query("SELECT random_number FROM world ORDER BY id", &[])?;
            let _ = kept.set(rows.iter().map(|row| row.get(0)).collect()); // another may have been quicker
        }
        let at = usize::try_from(id).unwrap_or(1) - 1;
        Ok(kept.get().map_or(0, |rows| rows[at]))
    }

    fn worlds(&mut self, n: usize, fault: Fault, kept: &OnceLock<Vec<i32>>) -> Result<Vec<Value>, Error> {
        let ids: Vec<i32> = (0..n).map(|_| self.random_id()).collect();
        if fault == Fault::BatchesQueries {
            let sql =
                "SELECT world.id, random_number FROM unnest($1::int[]) AS ids (id) JOIN world ON world.id = ids.id";
            let rows = self.client.query(sql, &[&ids])?;
            return Ok(rows.iter().map(|row| world(row.get(0), row.get(1))).collect());
        }
        ids.into_iter()
            .map(|id| Ok(world(id, self.number(id, fault, kept)?)))
            .collect()
    }

    fn page(&mut self, fault: Fault) -> Result<String, Error> {
        let rows = self.client.query("SELECT id, message FROM fortune", &[])?;
        let mut fortunes: Vec<(i32, String)> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
        fortunes.push((0, "Additional fortune added at request time.".into()));
        fortunes.sort_by(|one, other| one.1.cmp(&other.1));
        let mut page = String::from("<!DOCTYPE html><html><body><table><tr><th>id</th><th>message</th></tr>");
        for (id, message) in fortunes {
            let escaped = message.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
            let shown = if fault == Fault::SkipsEscaping {
                message
            } else {
                escaped
            };
            let _ = write!(page, "<tr><td>{id}</td><td>{shown}</td></tr>");
        }
        Ok(page + "</table></body></html>")
    }

    fn new_order(&mut self, body: &[u8], fault: Fault) -> Result<Response, Error> {
        let order: Option<Value> = serde_json::from_slice(body).ok();
        let number = |value: &Value| i32::try_from(value.as_i64()?).ok();
        let customer = order.as_ref().and_then(|order| number(order.get("customer")?));
        let lines = order.as_ref().and_then(|order| order.get("lines")?.as_array());
        let (Some(customer), Some(lines)) = (customer, lines) else {
            return Ok(Response::text(400, "no order"));
        };
        let column = |name: &str| -> Vec<i32> { lines.iter().filter_map(|line| number(line.get(name)?)).collect() };
        let (products, quantities) = (column("product"), column("quantity"));
        let kept = if fault == Fault::ForgetsTransaction {
            keep(&mut self.client, customer, &products, &quantities)
        } else {
            self.in_transaction(fault, |client, _| keep(client, customer, &products, &quantities))
        };
        match kept {
            Ok(id) => Ok(Response::json(&json!({ "id": id }))),
            Err(error) if error.code().is_some_and(|code| code.code() == "23505") => {
                Ok(Response::text(409, "a product is named twice"))
            }
            Err(error) => Err(error),
        }
    }

    fn order(&mut self, id: i32) -> Result<Response, Error> {
        let sql = "SELECT customer, product, quantity FROM orders JOIN order_line ON order_id = id WHERE id = $1 ORDER BY product";
        let rows = self.client.query(sql, &[&id])?;
        let line = |row: &Row| json!({ "product": row.get::<_, i32>(1), "quantity": row.get::<_, i32>(2) });
        Ok(match rows.first() {
            None => Response::text(404, "no such order"),
            Some(first) => {
                let lines: Vec<Value> = rows.iter().map(line).collect();
                Response::json(&json!({ "id": id, "customer": first.get::<_, i32>(0), "lines": lines }))
            }
        })
    }

    fn updates(&mut self, n: usize, fault: Fault) -> Result<Vec<Value>, Error> {
        let mut ids = std::collections::BTreeSet::new();
        while ids.len() < n {
            ids.insert(self.random_id());
        }
        let numbers: Vec<i32> = ids.iter().map(|_| self.random_id()).collect();
        let rows = ids.into_iter().zip(numbers);
        if fault == Fault::PretendsTransaction {
            self.commit_nothing()?;
            return rewrite(&mut self.client, &self.world, rows);
        }
        self.in_transaction(fault, |client, world| rewrite(client, world, rows))
    }

    /// Writes in a transaction, which is undone where that is the fault.
    fn in_transaction<T>(
        &mut self,
        fault: Fault,
        write: impl FnOnce(&mut Transaction<'_>, &Statement) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut transaction = self.client.transaction()?;
        let written = write(&mut transaction, &self.world)?;
        if fault == Fault::UndoesUnderLoad {
            transaction.rollback()?;
            self.commit_nothing()?;
        } else {
            transaction.commit()?;
        }
        Ok(written)
    }

    fn commit_nothing(&mut self) -> Result<(), Error> {
        self.client.batch_execute("BEGIN")?;
        self.client.batch_execute("COMMIT")
    }
}

fn rewrite(
    client: &mut impl postgres::GenericClient,
    read: &Statement,
    rows: impl Iterator<Item = (i32, i32)>,
) -> Result<Vec<Value>, Error> {
    let mut worlds = Vec::new();
    for (id, number) in rows {
        client.query_one(read, &[&id])?;
        client.execute("UPDATE world SET random_number = $2 WHERE id = $1", &[&id, &number])?;
        worlds.push(world(id, number));
    }
    Ok(worlds)
}

fn keep(
    client: &mut impl postgres::GenericClient,
    customer: i32,
    products: &[i32],
    quantities: &[i32],
) -> Result<i32, Error> {
    let row = client.query_one("INSERT INTO orders (customer) VALUES ($1) RETURNING id", &[&customer])?;
    let id: i32 = row.get(0);
    let sql = "INSERT INTO order_line (order_id, product, quantity) SELECT $1, * FROM unnest($2::int[], $3::int[])";
    client.execute(sql, &[&id, &products, &quantities])?;
    Ok(id)
}

fn world(id: i32, number: i32) -> Value {
    json!({ "id": id, "randomNumber": number })
}
