//! SeaORM as its documentation shows it: entities, active models and transactions. It stands on sqlx and its pool.

use postgres_contract::{
    Count, Fortune, Line, NewOrder, NotCreated, Order, OrderId, Settings, Store, StoreError, World, cannot_start,
    different_ids, random_id, random_number,
};
use sea_orm::{
    ActiveModelTrait as _, ConnectOptions, ConnectionTrait, Database, DatabaseConnection, DbErr, EntityTrait as _,
    IntoActiveModel as _, QueryOrder as _, Set, SqlErr, TransactionTrait as _,
};

mod entity {
    pub mod world {
        use sea_orm::entity::prelude::*;

        #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
        #[sea_orm(table_name = "world")]
        pub struct Model {
            #[sea_orm(primary_key, auto_increment = false)]
            pub id: i32,
            pub random_number: i32,
        }

        #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
        pub enum Relation {}

        impl ActiveModelBehavior for ActiveModel {}
    }

    pub mod fortune {
        use sea_orm::entity::prelude::*;

        #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
        #[sea_orm(table_name = "fortune")]
        pub struct Model {
            #[sea_orm(primary_key, auto_increment = false)]
            pub id: i32,
            pub message: String,
        }

        #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
        pub enum Relation {}

        impl ActiveModelBehavior for ActiveModel {}
    }

    pub mod orders {
        use sea_orm::entity::prelude::*;

        #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
        #[sea_orm(table_name = "orders")]
        pub struct Model {
            #[sea_orm(primary_key)]
            pub id: i32,
            pub customer: i32,
        }

        #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
        pub enum Relation {
            #[sea_orm(has_many = "super::order_line::Entity")]
            OrderLine,
        }

        impl Related<super::order_line::Entity> for Entity {
            fn to() -> RelationDef {
                Relation::OrderLine.def()
            }
        }

        impl ActiveModelBehavior for ActiveModel {}
    }

    pub mod order_line {
        use sea_orm::entity::prelude::*;

        #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
        #[sea_orm(table_name = "order_line")]
        pub struct Model {
            #[sea_orm(primary_key, auto_increment = false)]
            pub order_id: i32,
            #[sea_orm(primary_key, auto_increment = false)]
            pub product: i32,
            pub quantity: i32,
        }

        #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
        pub enum Relation {
            #[sea_orm(
                belongs_to = "super::orders::Entity",
                from = "Column::OrderId",
                to = "super::orders::Column::Id"
            )]
            Orders,
        }

        impl Related<super::orders::Entity> for Entity {
            fn to() -> RelationDef {
                Relation::Orders.def()
            }
        }

        impl ActiveModelBehavior for ActiveModel {}
    }
}

use entity::{fortune, order_line, orders, world};

/// A pool of connections for all threads of a server.
#[derive(Clone)]
pub struct SeaOrm(DatabaseConnection);

impl SeaOrm {
    /// A pool, or the end of the process.
    pub async fn or_exit(settings: &Settings) -> Self {
        let size = u32::try_from(settings.connections.get()).unwrap_or(u32::MAX);
        let mut options = ConnectOptions::new(&settings.url);
        options.max_connections(size).sqlx_logging(false);
        let pool = Database::connect(options).await;
        Self(pool.unwrap_or_else(|error| cannot_start(format_args!("DATABASE_URL: {error}"))))
    }
}

impl Store for SeaOrm {
    async fn world(&self) -> Result<World, StoreError> {
        one(&self.0, random_id()).await.map_err(StoreError::new)
    }

    async fn worlds(&self, count: Count) -> Result<Vec<World>, StoreError> {
        let mut worlds = Vec::with_capacity(count.get());
        for _ in 0..count.get() {
            worlds.push(one(&self.0, random_id()).await.map_err(StoreError::new)?);
        }
        Ok(worlds)
    }

    async fn fortunes(&self) -> Result<Vec<Fortune>, StoreError> {
        let rows = fortune::Entity::find().all(&self.0).await.map_err(StoreError::new)?;
        let fortune = |fortune::Model { id, message }| Fortune { id, message };
        Ok(rows.into_iter().map(fortune).collect())
    }

    async fn create_order(&self, order: &NewOrder) -> Result<OrderId, NotCreated> {
        let created = async {
            let transaction = self.0.begin().await?;
            let new_order = orders::ActiveModel {
                customer: Set(order.customer),
                ..Default::default()
            };
            let id = new_order.insert(&transaction).await?.id;
            let lines = order.lines.iter().map(|line| order_line::ActiveModel {
                order_id: Set(id),
                product: Set(line.product),
                quantity: Set(line.quantity),
            });
            order_line::Entity::insert_many(lines)
                .exec_without_returning(&transaction)
                .await?;
            transaction.commit().await?;
            Ok(OrderId { id })
        };
        created.await.map_err(|error: DbErr| match error.sql_err() {
            Some(SqlErr::UniqueConstraintViolation(_)) => NotCreated::Conflict,
            _ => NotCreated::Failed(StoreError::new(error)),
        })
    }

    async fn order(&self, id: i32) -> Result<Option<Order>, StoreError> {
        let found = orders::Entity::find_by_id(id)
            .find_with_related(order_line::Entity)
            .order_by_asc(order_line::Column::Product)
            .all(&self.0)
            .await
            .map_err(StoreError::new)?;
        let line = |line: order_line::Model| Line {
            product: line.product,
            quantity: line.quantity,
        };
        Ok(found.into_iter().next().map(|(order, lines)| Order {
            id: order.id,
            customer: order.customer,
            lines: lines.into_iter().map(line).collect(),
        }))
    }

    async fn update_worlds(&self, count: Count) -> Result<Vec<World>, StoreError> {
        let updated = async {
            let transaction = self.0.begin().await?;
            let mut worlds = Vec::with_capacity(count.get());
            for id in different_ids(count.get()) {
                let read = found(&transaction, id).await?;
                let mut changed = read.into_active_model();
                changed.random_number = Set(random_number());
                let written = changed.update(&transaction).await?;
                worlds.push(of_model(&written));
            }
            transaction.commit().await?;
            Ok(worlds)
        };
        updated.await.map_err(|error: DbErr| StoreError::new(error))
    }
}

async fn one(connection: &impl ConnectionTrait, id: i32) -> Result<World, DbErr> {
    Ok(of_model(&found(connection, id).await?))
}

async fn found(connection: &impl ConnectionTrait, id: i32) -> Result<world::Model, DbErr> {
    let row = world::Entity::find_by_id(id).one(connection).await?;
    row.ok_or_else(|| DbErr::RecordNotFound(format!("row {id} of world")))
}

fn of_model(model: &world::Model) -> World {
    World {
        id: model.id,
        random_number: model.random_number,
    }
}
