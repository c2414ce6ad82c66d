//! tokio-postgres in a pool of deadpool, as the documentation of deadpool-postgres shows it: statements come from each connection's
//! cache, and a connection that comes back is not checked to be alive (`RecyclingMethod::Fast`, its default).

use std::error::Error as _;

use deadpool_postgres::{Manager, Object, Pool, Runtime};
use tokio_postgres::{Config, NoTls, Row, error::SqlState};

use crate::{
    count::Count,
    random::{different_ids, random_id, random_number},
    rows::{Fortune, Line, NewOrder, Order, OrderId, World},
    settings::Settings,
    statements,
    store::{NotCreated, Store, StoreError},
};

/// A pool of connections for all threads of a server.
#[derive(Clone)]
pub struct Deadpool(Pool);

impl Deadpool {
    /// A pool that opens its connections when they are needed; or the end of the process.
    #[must_use]
    pub fn or_exit(settings: &Settings) -> Self {
        let pool = settings
            .url
            .parse::<Config>()
            .map_err(|error| error.to_string())
            .and_then(|config| {
                Pool::builder(Manager::new(config, NoTls))
                    .max_size(settings.connections.get())
                    .runtime(Runtime::Tokio1)
                    .build()
                    .map_err(|error| error.to_string())
            });
        Self(pool.unwrap_or_else(|error| contract::cannot_start(format_args!("DATABASE_URL: {error}"))))
    }

    async fn connection(&self) -> Result<Object, StoreError> {
        self.0.get().await.map_err(StoreError::new)
    }
}

impl Store for Deadpool {
    async fn world(&self) -> Result<World, StoreError> {
        one(&self.connection().await?).await.map_err(failed)
    }

    async fn worlds(&self, count: Count) -> Result<Vec<World>, StoreError> {
        let connection = self.connection().await?;
        let mut worlds = Vec::with_capacity(count.get());
        for _ in 0..count.get() {
            worlds.push(one(&connection).await.map_err(failed)?);
        }
        Ok(worlds)
    }

    async fn fortunes(&self) -> Result<Vec<Fortune>, StoreError> {
        let connection = self.connection().await?;
        let statement = connection.prepare_cached(statements::FORTUNES).await.map_err(failed)?;
        let rows = connection.query(&statement, &[]).await.map_err(failed)?;
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
            let new_order = transaction.prepare_cached(statements::NEW_ORDER).await?;
            let new_lines = transaction.prepare_cached(statements::NEW_LINES).await?;
            let id: i32 = transaction.query_one(&new_order, &[&order.customer]).await?.get(0);
            transaction.execute(&new_lines, &[&id, &products, &quantities]).await?;
            transaction.commit().await?;
            Ok(OrderId { id })
        };
        created
            .await
            .map_err(|error: tokio_postgres::Error| NotCreated::from_code(error.code().map(SqlState::code), &error))
    }

    async fn order(&self, id: i32) -> Result<Option<Order>, StoreError> {
        let connection = self.connection().await?;
        let statement = connection.prepare_cached(statements::ORDER).await.map_err(failed)?;
        let rows = connection.query(&statement, &[&id]).await.map_err(failed)?;
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
            let read = transaction.prepare_cached(statements::WORLD).await?;
            let write = transaction.prepare_cached(statements::UPDATE_WORLD).await?;
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
        updated.await.map_err(|error: tokio_postgres::Error| failed(error))
    }
}

async fn one(connection: &Object) -> Result<World, tokio_postgres::Error> {
    let statement = connection.prepare_cached(statements::WORLD).await?;
    let row = connection.query_one(&statement, &[&random_id()]).await?;
    Ok(World {
        id: row.get(0),
        random_number: row.get(1),
    })
}

/// The driver says what failed, and its source says why.
fn failed(error: tokio_postgres::Error) -> StoreError {
    match error.source() {
        Some(source) => StoreError::new(format_args!("{error}: {source}")),
        None => StoreError::new(error),
    }
}
