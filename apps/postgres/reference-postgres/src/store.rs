//! The rows and the statements: a copy of what the reference needs of the contract.

use deadpool_postgres::{BuildError, Manager, Object, Pool, PoolError, Runtime};
use rand::Rng as _;
use serde::{Deserialize, Serialize};
use tokio_postgres::{Config, Error, NoTls, Row, error::SqlState};

const WORLD: &str = "SELECT id, random_number FROM world WHERE id = $1";
const UPDATE_WORLD: &str = "UPDATE world SET random_number = $2 WHERE id = $1";
const FORTUNES: &str = "SELECT id, message FROM fortune";
const NEW_ORDER: &str = "INSERT INTO orders (customer) VALUES ($1) RETURNING id";
const NEW_LINES: &str =
    "INSERT INTO order_line (order_id, product, quantity) SELECT $1, * FROM unnest($2::int[], $3::int[])";
const ORDER: &str = "SELECT orders.customer, order_line.product, order_line.quantity FROM orders \
     JOIN order_line ON order_line.order_id = orders.id WHERE orders.id = $1 ORDER BY order_line.product";
const ROWS: i32 = 10_000;

#[derive(Serialize)]
pub struct World {
    id: i32,
    #[serde(rename = "randomNumber")]
    random_number: i32,
}

pub struct Fortune {
    pub id: i32,
    pub message: String,
}

#[derive(Deserialize)]
pub struct NewOrder {
    customer: i32,
    lines: Vec<Line>,
}

#[derive(Deserialize, Serialize)]
struct Line {
    product: i32,
    quantity: i32,
}

#[derive(Serialize)]
pub struct OrderId {
    id: i32,
}

#[derive(Serialize)]
pub struct Order {
    id: i32,
    customer: i32,
    lines: Vec<Line>,
}

#[derive(Clone)]
pub struct Store(Pool);

pub enum Failed {
    /// A row is there already.
    Conflict,
    Database(String),
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        if error.code() == Some(&SqlState::UNIQUE_VIOLATION) {
            Self::Conflict
        } else {
            Self::Database(error.to_string())
        }
    }
}

impl From<PoolError> for Failed {
    fn from(error: PoolError) -> Self {
        Self::Database(error.to_string())
    }
}

impl Store {
    pub fn new(url: &str, connections: usize) -> Result<Self, String> {
        let config: Config = url.parse().map_err(|error: Error| error.to_string())?;
        let pool = Pool::builder(Manager::new(config, NoTls))
            .max_size(connections)
            .runtime(Runtime::Tokio1)
            .build();
        pool.map(Self).map_err(|error: BuildError| error.to_string())
    }

    pub async fn world(&self) -> Result<World, Failed> {
        Ok(one(&self.0.get().await?, random()).await?)
    }

    pub async fn worlds(&self, count: usize) -> Result<Vec<World>, Failed> {
        let connection = self.0.get().await?;
        let mut worlds = Vec::with_capacity(count);
        for _ in 0..count {
            worlds.push(one(&connection, random()).await?);
        }
        Ok(worlds)
    }

    pub async fn fortunes(&self) -> Result<Vec<Fortune>, Failed> {
        let connection = self.0.get().await?;
        let statement = connection.prepare_cached(FORTUNES).await?;
        let rows = connection.query(&statement, &[]).await?;
        let fortune = |row: &Row| Fortune {
            id: row.get(0),
            message: row.get(1),
        };
        let mut fortunes: Vec<Fortune> = rows.iter().map(fortune).collect();
        fortunes.push(Fortune {
            id: 0,
            message: "Additional fortune added at request time.".into(),
        });
        fortunes.sort_by(|one, other| one.message.cmp(&other.message));
        Ok(fortunes)
    }

    pub async fn create_order(&self, order: &NewOrder) -> Result<OrderId, Failed> {
        let (products, quantities): (Vec<i32>, Vec<i32>) =
            order.lines.iter().map(|line| (line.product, line.quantity)).unzip();
        let mut connection = self.0.get().await?;
        let transaction = connection.transaction().await?;
        let new_order = transaction.prepare_cached(NEW_ORDER).await?;
        let new_lines = transaction.prepare_cached(NEW_LINES).await?;
        let id: i32 = transaction.query_one(&new_order, &[&order.customer]).await?.get(0);
        transaction.execute(&new_lines, &[&id, &products, &quantities]).await?;
        transaction.commit().await?;
        Ok(OrderId { id })
    }

    pub async fn order(&self, id: i32) -> Result<Option<Order>, Failed> {
        let connection = self.0.get().await?;
        let statement = connection.prepare_cached(ORDER).await?;
        let rows = connection.query(&statement, &[&id]).await?;
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

    pub async fn update_worlds(&self, count: usize) -> Result<Vec<World>, Failed> {
        let mut connection = self.0.get().await?;
        let transaction = connection.transaction().await?;
        let read = transaction.prepare_cached(WORLD).await?;
        let write = transaction.prepare_cached(UPDATE_WORLD).await?;
        let mut worlds = Vec::with_capacity(count);
        for id in different(count) {
            let row = transaction.query_one(&read, &[&id]).await?;
            let world = World {
                id: row.get(0),
                random_number: random(),
            };
            transaction.execute(&write, &[&world.id, &world.random_number]).await?;
            worlds.push(world);
        }
        transaction.commit().await?;
        Ok(worlds)
    }
}

async fn one(connection: &Object, id: i32) -> Result<World, Error> {
    let statement = connection.prepare_cached(WORLD).await?;
    let row = connection.query_one(&statement, &[&id]).await?;
    Ok(World {
        id: row.get(0),
        random_number: row.get(1),
    })
}

fn random() -> i32 {
    rand::rng().random_range(1..=ROWS)
}

fn different(count: usize) -> Vec<i32> {
    let mut ids = Vec::with_capacity(count);
    while ids.len() < count {
        let id = random();
        if let Err(place) = ids.binary_search(&id) {
            ids.insert(place, id);
        }
    }
    ids
}
