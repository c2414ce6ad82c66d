//! The statements by the synchronous driver. Every connection prepares them when it is opened, for neither driver nor pool keeps
//! statements.

use postgres::{Client, Config, Error, NoTls, Row, Statement, error::SqlState};
use postgres_contract::{
    Count, Fortune, Line, NewOrder, NotCreated, Order, OrderId, Settings, StoreError, World, different_ids, random_id,
    random_number, statements,
};
use r2d2_postgres::{
    PostgresConnectionManager,
    r2d2::{ManageConnection, Pool, PooledConnection},
};

/// A pool of connections for all threads of the server.
#[derive(Clone)]
pub struct Store(Pool<Manager>);

struct Manager(PostgresConnectionManager<NoTls>);

/// A connection with its statements.
struct Connection {
    client: Client,
    world: Statement,
    update_world: Statement,
    fortunes: Statement,
    new_order: Statement,
    new_lines: Statement,
    order: Statement,
}

impl ManageConnection for Manager {
    type Connection = Connection;
    type Error = Error;

    fn connect(&self) -> Result<Connection, Error> {
        let mut client = self.0.connect()?;
        Ok(Connection {
            world: client.prepare(statements::WORLD)?,
            update_world: client.prepare(statements::UPDATE_WORLD)?,
            fortunes: client.prepare(statements::FORTUNES)?,
            new_order: client.prepare(statements::NEW_ORDER)?,
            new_lines: client.prepare(statements::NEW_LINES)?,
            order: client.prepare(statements::ORDER)?,
            client,
        })
    }

    fn is_valid(&self, connection: &mut Connection) -> Result<(), Error> {
        self.0.is_valid(&mut connection.client)
    }

    fn has_broken(&self, connection: &mut Connection) -> bool {
        self.0.has_broken(&mut connection.client)
    }
}

impl Store {
    /// A pool, or the end of the process.
    pub fn or_exit(settings: &Settings) -> Self {
        let config: Result<Config, Error> = settings.url.parse();
        let config =
            config.unwrap_or_else(|error| postgres_contract::cannot_start(format_args!("DATABASE_URL: {error}")));
        let size = u32::try_from(settings.connections.get()).unwrap_or(u32::MAX);
        let manager = Manager(PostgresConnectionManager::new(config, NoTls));
        let pool = Pool::builder().max_size(size).build(manager);
        Self(pool.unwrap_or_else(|error| postgres_contract::cannot_start(format_args!("DATABASE_URL: {error}"))))
    }

    fn connection(&self) -> Result<PooledConnection<Manager>, StoreError> {
        self.0.get().map_err(StoreError::new)
    }

    pub fn world(&self) -> Result<World, StoreError> {
        self.connection()?.one().map_err(StoreError::new)
    }

    pub fn worlds(&self, count: Count) -> Result<Vec<World>, StoreError> {
        let mut connection = self.connection()?;
        let worlds = (0..count.get()).map(|_| connection.one());
        worlds.collect::<Result<_, _>>().map_err(StoreError::new)
    }

    pub fn fortunes(&self) -> Result<Vec<Fortune>, StoreError> {
        let connection = &mut *self.connection()?;
        let rows = connection
            .client
            .query(&connection.fortunes, &[])
            .map_err(StoreError::new)?;
        let fortune = |row: &Row| Fortune {
            id: row.get(0),
            message: row.get(1),
        };
        Ok(rows.iter().map(fortune).collect())
    }

    pub fn create_order(&self, order: &NewOrder) -> Result<OrderId, NotCreated> {
        let connection = &mut *self.connection()?;
        connection
            .create_order(order)
            .map_err(|error| NotCreated::from_code(error.code().map(SqlState::code), &error))
    }

    pub fn order(&self, id: i32) -> Result<Option<Order>, StoreError> {
        let connection = &mut *self.connection()?;
        let rows = connection
            .client
            .query(&connection.order, &[&id])
            .map_err(StoreError::new)?;
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

    pub fn update_worlds(&self, count: Count) -> Result<Vec<World>, StoreError> {
        let connection = &mut *self.connection()?;
        connection.update_worlds(count).map_err(StoreError::new)
    }
}

impl Connection {
    fn one(&mut self) -> Result<World, Error> {
        let row = self.client.query_one(&self.world, &[&random_id()])?;
        Ok(World {
            id: row.get(0),
            random_number: row.get(1),
        })
    }

    fn create_order(&mut self, order: &NewOrder) -> Result<OrderId, Error> {
        let (products, quantities): (Vec<i32>, Vec<i32>) =
            order.lines.iter().map(|line| (line.product, line.quantity)).unzip();
        let mut transaction = self.client.transaction()?;
        let id: i32 = transaction.query_one(&self.new_order, &[&order.customer])?.get(0);
        transaction.execute(&self.new_lines, &[&id, &products, &quantities])?;
        transaction.commit()?;
        Ok(OrderId { id })
    }

    fn update_worlds(&mut self, count: Count) -> Result<Vec<World>, Error> {
        let mut transaction = self.client.transaction()?;
        let mut worlds = Vec::with_capacity(count.get());
        for id in different_ids(count.get()) {
            let row = transaction.query_one(&self.world, &[&id])?;
            let world = World {
                id: row.get(0),
                random_number: random_number(),
            };
            transaction.execute(&self.update_world, &[&world.id, &world.random_number])?;
            worlds.push(world);
        }
        transaction.commit()?;
        Ok(worlds)
    }
}
