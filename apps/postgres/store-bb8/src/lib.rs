//! tokio-postgres in a pool of bb8, as the documentation of bb8-postgres shows it. Nothing in it keeps statements, so each request
//! prepares its own, which is a round trip more; and a connection is checked to be alive before it is lent.

use std::error::Error as _;

use bb8_postgres::{
    PostgresConnectionManager,
    bb8::{Pool, PooledConnection},
};
use postgres_contract::{
    Count, Fortune, Line, NewOrder, NotCreated, Order, OrderId, Settings, Store, StoreError, World, cannot_start,
    different_ids, random_id, random_number, statements,
};
use tokio_postgres::{Error, NoTls, Row, Statement, error::SqlState};

type Manager = PostgresConnectionManager<NoTls>;

/// A pool of connections for all threads of a server.
#[derive(Clone)]
pub struct Bb8(Pool<Manager>);

impl Bb8 {
    /// A pool, or the end of the process.
    pub async fn or_exit(settings: &Settings) -> Self {
        let manager = Manager::new_from_stringlike(&settings.url, NoTls)
            .unwrap_or_else(|error| cannot_start(format_args!("DATABASE_URL: {error}")));
        let size = u32::try_from(settings.connections.get()).unwrap_or(u32::MAX);
        let pool = Pool::builder().max_size(size).build(manager).await;
        Self(pool.unwrap_or_else(|error| cannot_start(format_args!("DATABASE_URL: {error}"))))
    }

    async fn connection(&self) -> Result<PooledConnection<'_, Manager>, StoreError> {
        self.0.get().await.map_err(StoreError::new)
    }
}

impl Store for Bb8 {
    async fn world(&self) -> Result<World, StoreError> {
        let connection = self.connection().await?;
        let statement = connection.prepare(statements::WORLD).await.map_err(failed)?;
        one(&connection, &statement).await.map_err(failed)
    }

    async fn worlds(&self, count: Count) -> Result<Vec<World>, StoreError> {
        let connection = self.connection().await?;
        let statement = connection.prepare(statements::WORLD).await.map_err(failed)?;
        let mut worlds = Vec::with_capacity(count.get());
        for _ in 0..count.get() {
            worlds.push(one(&connection, &statement).await.map_err(failed)?);
        }
        Ok(worlds)
    }

    async fn fortunes(&self) -> Result<Vec<Fortune>, StoreError> {
        let connection = self.connection().await?;
        let rows = connection.query(statements::FORTUNES, &[]).await.map_err(failed)?;
        let fortune = |row: &Row| Fortune {
            id: row.get(0),
            message: row.get(1),
        };
        Ok(rows.iter().map(fortune).collect())
    }

    async fn create_order(&self, order: &NewOrder) -> Result<OrderId, NotCreated> {
        let (products, quantities): (Vec<i32>, Vec<i32>) =
            order.lines.iter().map(|line| (line.product, line.quantity)).unzip();
        let mut connection = self.connection().await?;
        let created = async {
            let transaction = connection.transaction().await?;
            let row = transaction.query_one(statements::NEW_ORDER, &[&order.customer]).await?;
            let id: i32 = row.get(0);
            transaction
                .execute(statements::NEW_LINES, &[&id, &products, &quantities])
                .await?;
            transaction.commit().await?;
            Ok(OrderId { id })
        };
        created
            .await
            .map_err(|error: Error| NotCreated::from_code(error.code().map(SqlState::code), &error))
    }

    async fn order(&self, id: i32) -> Result<Option<Order>, StoreError> {
        let connection = self.connection().await?;
        let rows = connection.query(statements::ORDER, &[&id]).await.map_err(failed)?;
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
        let mut connection = self.connection().await?;
        let updated = async {
            let transaction = connection.transaction().await?;
            let read = transaction.prepare(statements::WORLD).await?;
            let write = transaction.prepare(statements::UPDATE_WORLD).await?;
            let mut worlds = Vec::with_capacity(count.get());
            for id in different_ids(count.get()) {
                let row = transaction.query_one(&read, &[&id]).await?;
                let world = World {
                    id: row.get(0),
                    random_number: random_number(),
                };
                transaction.execute(&write, &[&world.id, &world.random_number]).await?;
                worlds.push(world);
            }
            transaction.commit().await?;
            Ok(worlds)
        };
        updated.await.map_err(failed)
    }
}

async fn one(connection: &PooledConnection<'_, Manager>, statement: &Statement) -> Result<World, Error> {
    let row = connection.query_one(statement, &[&random_id()]).await?;
    Ok(World {
        id: row.get(0),
        random_number: row.get(1),
    })
}

/// The driver says what failed, and its source says why.
fn failed(error: Error) -> StoreError {
    match error.source() {
        Some(source) => StoreError::new(format_args!("{error}: {source}")),
        None => StoreError::new(error),
    }
}
