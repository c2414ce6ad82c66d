//! diesel-async with its pool of deadpool, which its documentation names first. Statements are written in Diesel's own language; it
//! prepares and keeps them.

use diesel::{
    ExpressionMethods as _, QueryDsl as _, insert_into,
    result::{DatabaseErrorKind, Error},
    update,
};
use diesel_async::{
    AsyncConnection as _, AsyncPgConnection, RunQueryDsl as _,
    pooled_connection::{
        AsyncDieselConnectionManager,
        deadpool::{Object, Pool},
    },
};
use postgres_contract::{
    Count, Fortune, Line, NewOrder, NotCreated, Order, OrderId, Settings, Store, StoreError, World, cannot_start,
    different_ids, random_id, random_number,
};

mod schema {
    diesel::table! {
        world {
            id -> Integer,
            random_number -> Integer,
        }
    }
    diesel::table! {
        fortune {
            id -> Integer,
            message -> Text,
        }
    }
    diesel::table! {
        orders {
            id -> Integer,
            customer -> Integer,
        }
    }
    diesel::table! {
        order_line (order_id, product) {
            order_id -> Integer,
            product -> Integer,
            quantity -> Integer,
        }
    }
    diesel::joinable!(order_line -> orders (order_id));
    diesel::allow_tables_to_appear_in_same_query!(orders, order_line);
}

use schema::{fortune, order_line, orders, world};

/// A pool of connections for all threads of a server.
#[derive(Clone)]
pub struct DieselAsync(Pool<AsyncPgConnection>);

impl DieselAsync {
    /// A pool that opens its connections when they are needed; or the end of the process.
    #[must_use]
    pub fn or_exit(settings: &Settings) -> Self {
        let manager = AsyncDieselConnectionManager::<AsyncPgConnection>::new(&settings.url);
        let pool = Pool::builder(manager).max_size(settings.connections.get()).build();
        Self(pool.unwrap_or_else(|error| cannot_start(format_args!("DATABASE_URL: {error}"))))
    }

    async fn connection(&self) -> Result<Object<AsyncPgConnection>, StoreError> {
        self.0.get().await.map_err(StoreError::new)
    }
}

impl Store for DieselAsync {
    async fn world(&self) -> Result<World, StoreError> {
        let mut connection = self.connection().await?;
        one(&mut connection, random_id()).await.map_err(StoreError::new)
    }

    async fn worlds(&self, count: Count) -> Result<Vec<World>, StoreError> {
        let mut connection = self.connection().await?;
        let mut worlds = Vec::with_capacity(count.get());
        for _ in 0..count.get() {
            worlds.push(one(&mut connection, random_id()).await.map_err(StoreError::new)?);
        }
        Ok(worlds)
    }

    async fn fortunes(&self) -> Result<Vec<Fortune>, StoreError> {
        let mut connection = self.connection().await?;
        let rows: Vec<(i32, String)> = fortune::table.load(&mut connection).await.map_err(StoreError::new)?;
        Ok(rows.into_iter().map(|(id, message)| Fortune { id, message }).collect())
    }

    async fn create_order(&self, order: &NewOrder) -> Result<OrderId, NotCreated> {
        let mut connection = self.connection().await?;
        let created = connection.transaction(async |connection| {
            let id = insert_into(orders::table)
                .values(orders::customer.eq(order.customer))
                .returning(orders::id)
                .get_result(connection)
                .await?;
            let lines = order.lines.iter().map(|line| {
                (
                    order_line::order_id.eq(id),
                    order_line::product.eq(line.product),
                    order_line::quantity.eq(line.quantity),
                )
            });
            insert_into(order_line::table)
                .values(lines.collect::<Vec<_>>())
                .execute(connection)
                .await?;
            Ok(OrderId { id })
        });
        created.await.map_err(|error| match error {
            Error::DatabaseError(DatabaseErrorKind::UniqueViolation, _) => NotCreated::Conflict,
            error => NotCreated::Failed(StoreError::new(error)),
        })
    }

    async fn order(&self, id: i32) -> Result<Option<Order>, StoreError> {
        let mut connection = self.connection().await?;
        let rows: Vec<(i32, i32, i32)> = orders::table
            .inner_join(order_line::table)
            .filter(orders::id.eq(id))
            .order(order_line::product)
            .select((orders::customer, order_line::product, order_line::quantity))
            .load(&mut connection)
            .await
            .map_err(StoreError::new)?;
        let lines = rows.iter().map(|&(_, product, quantity)| Line { product, quantity });
        // On a vector, `first` would be Diesel's.
        Ok(rows.as_slice().first().map(|&(customer, ..)| Order {
            id,
            customer,
            lines: lines.collect(),
        }))
    }

    async fn update_worlds(&self, count: Count) -> Result<Vec<World>, StoreError> {
        let mut connection = self.connection().await?;
        let updated = connection.transaction(async |connection| {
            let mut worlds = Vec::with_capacity(count.get());
            for id in different_ids(count.get()) {
                let read = one(connection, id).await?;
                let written = World {
                    random_number: random_number(),
                    ..read
                };
                update(world::table.find(written.id))
                    .set(world::random_number.eq(written.random_number))
                    .execute(connection)
                    .await?;
                worlds.push(written);
            }
            Ok(worlds)
        });
        updated.await.map_err(|error: Error| StoreError::new(error))
    }
}

async fn one(connection: &mut AsyncPgConnection, id: i32) -> Result<World, Error> {
    let (id, random_number) = world::table.find(id).first(connection).await?;
    Ok(World { id, random_number })
}
