//! tokio-postgres without a pool: requests share connections, and send their queries down them without waiting for the answers of
//! others, as the documentation of tokio-postgres says of pipelining. There is one such connection for each worker.
//!
//! A transaction cannot share its connection, because statements of others would become a part of it: each worker has a second
//! connection for them, which one transaction has at a time.

use std::{
    error::Error as _,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use futures_util::future::try_join_all;
use postgres_contract::{
    Count, Fortune, Line, NewOrder, NotCreated, Order, OrderId, Settings, Store, StoreError, World, cannot_start,
    different_ids, random_id, random_number, statements,
};
use tokio::sync::{Mutex, MutexGuard};
use tokio_postgres::{Client, Error, NoTls, Row, Statement, error::SqlState};

/// The connections of all threads of a server.
#[derive(Clone)]
pub struct Pipelined(Arc<Connections>);

struct Connections {
    reading: Vec<Reader>,
    writing: Vec<Mutex<Writer>>,
    turn: AtomicUsize,
}

struct Reader {
    client: Client,
    world: Statement,
    fortunes: Statement,
    order: Statement,
}

struct Writer {
    client: Client,
    world: Statement,
    update_world: Statement,
    new_order: Statement,
    new_lines: Statement,
}

impl Pipelined {
    /// Opens all connections, or ends the process.
    pub async fn or_exit(settings: &Settings) -> Self {
        let opened = Connections::open(&settings.url, settings.server.workers.get()).await;
        let opened = opened.unwrap_or_else(|error| cannot_start(format_args!("DATABASE_URL: {}", failed(error))));
        Self(Arc::new(opened))
    }

    fn turn(&self) -> usize {
        self.0.turn.fetch_add(1, Ordering::Relaxed) % self.0.reading.len()
    }

    fn reader(&self) -> &Reader {
        &self.0.reading[self.turn()]
    }

    async fn writer(&self) -> MutexGuard<'_, Writer> {
        self.0.writing[self.turn()].lock().await
    }
}

impl Connections {
    async fn open(url: &str, workers: usize) -> Result<Self, Error> {
        let mut connections = Self {
            reading: Vec::new(),
            writing: Vec::new(),
            turn: AtomicUsize::new(0),
        };
        for _ in 0..workers {
            let client = connect(url).await?;
            connections.reading.push(Reader {
                world: client.prepare(statements::WORLD).await?,
                fortunes: client.prepare(statements::FORTUNES).await?,
                order: client.prepare(statements::ORDER).await?,
                client,
            });
            let client = connect(url).await?;
            connections.writing.push(Mutex::new(Writer {
                world: client.prepare(statements::WORLD).await?,
                update_world: client.prepare(statements::UPDATE_WORLD).await?,
                new_order: client.prepare(statements::NEW_ORDER).await?,
                new_lines: client.prepare(statements::NEW_LINES).await?,
                client,
            }));
        }
        Ok(connections)
    }
}

async fn connect(url: &str) -> Result<Client, Error> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    // When it breaks, the queries on it fail, and say so.
    tokio::spawn(async move { connection.await.ok() });
    Ok(client)
}

impl Store for Pipelined {
    async fn world(&self) -> Result<World, StoreError> {
        self.reader().one().await.map_err(failed)
    }

    async fn worlds(&self, count: Count) -> Result<Vec<World>, StoreError> {
        let reader = self.reader();
        let worlds = (0..count.get()).map(|_| reader.one());
        try_join_all(worlds).await.map_err(failed)
    }

    async fn fortunes(&self) -> Result<Vec<Fortune>, StoreError> {
        let reader = self.reader();
        let rows = reader.client.query(&reader.fortunes, &[]).await.map_err(failed)?;
        let fortune = |row: &Row| Fortune {
            id: row.get(0),
            message: row.get(1),
        };
        Ok(rows.iter().map(fortune).collect())
    }

    async fn create_order(&self, order: &NewOrder) -> Result<OrderId, NotCreated> {
        let mut writer = self.writer().await;
        let created = writer.create_order(order).await;
        created.map_err(|error| NotCreated::from_code(error.code().map(SqlState::code), &error))
    }

    async fn order(&self, id: i32) -> Result<Option<Order>, StoreError> {
        let reader = self.reader();
        let rows = reader.client.query(&reader.order, &[&id]).await.map_err(failed)?;
        let line = |row: &Row| Line {
            product: row.get(1),
            quantity: row.get(2),
        };
        Ok(rows.first().map(|first| Order {
            id,
            customer: first.get(0),
            lines: rows.iter().map(line).collect(),
        }))
    }

    async fn update_worlds(&self, count: Count) -> Result<Vec<World>, StoreError> {
        self.writer().await.update_worlds(count).await.map_err(failed)
    }
}

impl Reader {
    async fn one(&self) -> Result<World, Error> {
        let row = self.client.query_one(&self.world, &[&random_id()]).await?;
        Ok(World {
            id: row.get(0),
            random_number: row.get(1),
        })
    }
}

impl Writer {
    async fn create_order(&mut self, order: &NewOrder) -> Result<OrderId, Error> {
        let (products, quantities): (Vec<i32>, Vec<i32>) =
            order.lines.iter().map(|line| (line.product, line.quantity)).unzip();
        let transaction = self.client.transaction().await?;
        let id: i32 = transaction.query_one(&self.new_order, &[&order.customer]).await?.get(0);
        transaction
            .execute(&self.new_lines, &[&id, &products, &quantities])
            .await?;
        transaction.commit().await?;
        Ok(OrderId { id })
    }

    async fn update_worlds(&mut self, count: Count) -> Result<Vec<World>, Error> {
        let transaction = self.client.transaction().await?;
        let (read, write) = (&self.world, &self.update_world);
        let mut worlds = Vec::with_capacity(count.get());
        for id in different_ids(count.get()) {
            let row = transaction.query_one(read, &[&id]).await?;
            let world = World {
                id: row.get(0),
                random_number: random_number(),
            };
            transaction.execute(write, &[&world.id, &world.random_number]).await?;
            worlds.push(world);
        }
        transaction.commit().await?;
        Ok(worlds)
    }
}

/// The driver says what failed, and its source says why.
fn failed(error: Error) -> StoreError {
    match error.source() {
        Some(source) => StoreError::new(format_args!("{error}: {source}")),
        None => StoreError::new(error),
    }
}
