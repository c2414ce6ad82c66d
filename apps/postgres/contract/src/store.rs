//! What a driver does for the routes, so that one framework can be measured with every driver.

use std::{error::Error, fmt::Display, future::Future};

use crate::{
    count::Count,
    rows::{Fortune, NewOrder, Order, OrderId, World},
};

/// Reads and writes rows.
pub trait Store: Clone + Send + Sync + 'static {
    /// One row by a random id.
    fn world(&self) -> impl Future<Output = Result<World, StoreError>> + Send;
    /// Rows by random ids, each by a query of its own.
    fn worlds(&self, count: Count) -> impl Future<Output = Result<Vec<World>, StoreError>> + Send;
    /// All fortunes, in any order.
    fn fortunes(&self) -> impl Future<Output = Result<Vec<Fortune>, StoreError>> + Send;
    /// Keeps an order and its lines, or nothing of them.
    fn create_order(&self, order: &NewOrder) -> impl Future<Output = Result<OrderId, NotCreated>> + Send;
    /// The order of this id with its lines.
    fn order(&self, id: i32) -> impl Future<Output = Result<Option<Order>, StoreError>> + Send;
    /// Reads different random rows, writes a new random number into each and returns them as written, all in one transaction and in
    /// ascending order of their ids.
    fn update_worlds(&self, count: Count) -> impl Future<Output = Result<Vec<World>, StoreError>> + Send;
}

/// The database, or the way to it, failed. It is answered with 500.
#[derive(Debug, thiserror::Error)]
#[error("the database failed: {0}")]
pub struct StoreError(String);

impl StoreError {
    /// From any driver's error.
    pub fn new(error: impl Display) -> Self {
        Self(error.to_string())
    }
}

/// Why there is no order.
#[derive(Debug, thiserror::Error)]
pub enum NotCreated {
    /// A product is named twice. It is answered with 409.
    #[error("a product is named twice")]
    Conflict,
    /// The database failed.
    #[error(transparent)]
    Failed(#[from] StoreError),
}

impl NotCreated {
    /// The code of a row that is there already (`unique_violation`).
    pub const UNIQUE_VIOLATION: &str = "23505";

    /// From a driver's error with the code that the database gave, if it was the database's.
    pub fn from_code(code: Option<&str>, error: &impl Error) -> Self {
        if code == Some(Self::UNIQUE_VIOLATION) {
            Self::Conflict
        } else {
            Self::Failed(StoreError::new(error))
        }
    }
}
