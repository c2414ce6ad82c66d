//! tokio-postgres in a pool of deadpool, with the types of all parameters given: a statement then takes one round trip and has no name
//! (`query_typed`), so that nothing of it stays on its connection. Who reaches the database through a pooler that lends connections for
//! a transaction needs that; the database parses and plans each statement anew.

use std::error::Error as _;

use deadpool_postgres::{Manager, Object, Pool, Runtime};
use postgres_contract::{
    Count, Fortune, Line, NewOrder, NotCreated, Order, OrderId, Settings, Store, StoreError, World, cannot_start,
    different_ids, random_id, random_number, statements,
};
use tokio_postgres::{
    Config, Error, NoTls, Row,
    error::SqlState,
    types::{ToSql, Type},
};

/// A pool of connections for all threads of a server.
#[derive(Clone)]
pub struct QueryTyped(Pool);

impl QueryTyped {
    /// A pool that opens its connections when they are needed; or the end of the process.
    #[must_use]
    pub fn or_exit(settings: &Settings) -> Self {
        let config: Result<Config, Error> = settings.url.parse();
        let config = config.unwrap_or_else(|error| cannot_start(format_args!("DATABASE_URL: {error}")));
        let pool = Pool::builder(Manager::new(config, NoTls))
            .max_size(settings.connections.get())
            .runtime(Runtime::Tokio1)
            .build();
        Self(pool.unwrap_or_else(|error| cannot_start(format_args!("DATABASE_URL: {error}"))))
    }

    async fn connection(&self) -> Result<Object, StoreError> {
        self.0.get().await.map_err(StoreError::new)
    }
}

impl Store for QueryTyped {
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
        let rows = connection
            .query_typed(statements::FORTUNES, &[])
            .await
            .map_err(failed)?;
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
            let row = transaction
                .query_typed_one(statements::NEW_ORDER, &[int(&order.customer)])
                .await?;
            let id: i32 = row.get(0);
            transaction
                .execute_typed(
                    statements::NEW_LINES,
                    &[int(&id), (&products, Type::INT4_ARRAY), (&quantities, Type::INT4_ARRAY)],
                )
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
        let rows = connection
            .query_typed(statements::ORDER, &[int(&id)])
            .await
            .map_err(failed)?;
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
            let mut worlds = Vec::with_capacity(count.get());
            for id in different_ids(count.get()) {
                let row = transaction.query_typed_one(statements::WORLD, &[int(&id)]).await?;
                let world = World {
                    id: row.get(0),
                    random_number: random_number(),
                };
                let written = [int(&world.id), int(&world.random_number)];
                transaction.execute_typed(statements::UPDATE_WORLD, &written).await?;
                worlds.push(world);
            }
            transaction.commit().await?;
            Ok(worlds)
        };
        updated.await.map_err(failed)
    }
}

async fn one(connection: &Object) -> Result<World, Error> {
    let row = connection
        .query_typed_one(statements::WORLD, &[int(&random_id())])
        .await?;
    Ok(World {
        id: row.get(0),
        random_number: row.get(1),
    })
}

fn int(value: &i32) -> (&(dyn ToSql + Sync), Type) {
    (value, Type::INT4)
}

/// The driver says what failed, and its source says why.
fn failed(error: Error) -> StoreError {
    match error.source() {
        Some(source) => StoreError::new(format_args!("{error}: {source}")),
        None => StoreError::new(error),
    }
}
