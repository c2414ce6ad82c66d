//! What every server with a database does, whatever its framework and its driver: the rows that it sends, the statements that it
//! executes and the settings that it takes. Routing, extraction, JSON and templates are the framework's.

mod count;
#[cfg(feature = "deadpool")]
mod deadpool;
#[cfg(feature = "askama")]
mod page;
mod random;
mod rows;
mod settings;
pub mod statements;
mod store;

pub use contract::{GREETING, MAX_BODY_BYTES, cannot_listen, cannot_start};
pub use count::{Count, CountError, CountQuery};
#[cfg(feature = "deadpool")]
pub use deadpool::Deadpool;
#[cfg(feature = "askama")]
pub use page::page;
pub use random::{different_ids, random_id, random_number};
pub use rows::{Fortune, Line, NewOrder, Order, OrderId, World, with_one_more};
pub use settings::{Settings, settings_or_exit};
pub use store::{NotCreated, Store, StoreError};
