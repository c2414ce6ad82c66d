//! sqlx with its own pool, as its README shows it, and with its defaults: statements are kept for each connection, and a connection is
//! checked to be alive before it is lent.

use postgres_contract::{
    Count, Fortune, Line, NewOrder, NotCreated, Order, OrderId, Settings, Store, StoreError, World, cannot_start,
    different_ids, random_id, random_number, statements,
};
use sqlx::{Error, PgConnection, PgPool, postgres::PgPoolOptions, query, query_as, query_scalar};

/// A pool of connections for all threads of a server.
#[derive(Clone)]
pub struct Sqlx(PgPool);

impl Sqlx {
    /// A pool, or the end of the process.
    pub async fn or_exit(settings: &Settings) -> Self {
        let size = u32::try_from(settings.connections.get()).unwrap_or(u32::MAX);
        let pool = PgPoolOptions::new().max_connections(size).connect(&settings.url).await;
        Self(pool.unwrap_or_else(|error| cannot_start(format_args!("DATABASE_URL: {error}"))))
    }
}

impl Store for Sqlx {
    async fn world(&self) -> Result<World, StoreError> {
        let row = query_as(statements::WORLD).bind(random_id()).fetch_one(&self.0).await;
        row.map(world).map_err(StoreError::new)
    }

    async fn worlds(&self, count: Count) -> Result<Vec<World>, StoreError> {
        let mut connection = self.0.acquire().await.map_err(StoreError::new)?;
        let mut worlds = Vec::with_capacity(count.get());
        for _ in 0..count.get() {
            worlds.push(one(&mut connection, random_id()).await.map_err(StoreError::new)?);
        }
        Ok(worlds)
    }

    async fn fortunes(&self) -> Result<Vec<Fortune>, StoreError> {
        let rows: Vec<(i32, String)> = query_as(statements::FORTUNES)
            .fetch_all(&self.0)
            .await
            .map_err(StoreError::new)?;
        Ok(rows.into_iter().map(|(id, message)| Fortune { id, message }).collect())
    }

    async fn create_order(&self, order: &NewOrder) -> Result<OrderId, NotCreated> {
        let (products, quantities): (Vec<i32>, Vec<i32>) =
            order.lines.iter().map(|line| (line.product, line.quantity)).unzip();
        let created = async {
            let mut transaction = self.0.begin().await?;
            let id: i32 = query_scalar(statements::NEW_ORDER)
                .bind(order.customer)
                .fetch_one(&mut *transaction)
                .await?;
            query(statements::NEW_LINES)
                .bind(id)
                .bind(products)
                .bind(quantities)
                .execute(&mut *transaction)
                .await?;
            transaction.commit().await?;
            Ok(OrderId { id })
        };
        created.await.map_err(|error: Error| {
            let code = error.as_database_error().and_then(sqlx::error::DatabaseError::code);
            NotCreated::from_code(code.as_deref(), &error)
        })
    }

    async fn order(&self, id: i32) -> Result<Option<Order>, StoreError> {
        let rows: Vec<(i32, i32, i32)> = query_as(statements::ORDER)
            .bind(id)
            .fetch_all(&self.0)
            .await
            .map_err(StoreError::new)?;
        let lines = rows.iter().map(|&(_, product, quantity)| Line { product, quantity });
        Ok(rows.first().map(|&(customer, ..)| Order {
            id,
            customer,
            lines: lines.collect(),
        }))
    }

    async fn update_worlds(&self, count: Count) -> Result<Vec<World>, StoreError> {
        let updated = async {
            let mut transaction = self.0.begin().await?;
            let mut worlds = Vec::with_capacity(count.get());
            for id in different_ids(count.get()) {
                let read = one(&mut transaction, id).await?;
                let world = World {
                    random_number: random_number(),
                    ..read
                };
                query(statements::UPDATE_WORLD)
                    .bind(world.id)
                    .bind(world.random_number)
                    .execute(&mut *transaction)
                    .await?;
                worlds.push(world);
            }
            transaction.commit().await?;
            Ok(worlds)
        };
        updated.await.map_err(|error: Error| StoreError::new(error))
    }
}

async fn one(connection: &mut PgConnection, id: i32) -> Result<World, Error> {
    let row = query_as(statements::WORLD).bind(id).fetch_one(connection).await;
    row.map(world)
}

fn world((id, random_number): (i32, i32)) -> World {
    World { id, random_number }
}
