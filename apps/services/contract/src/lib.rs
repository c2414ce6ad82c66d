//! What every server with the services' part of the contract does, whatever its framework: the routes that it registers, the tokens,
//! orders and documents that it reads, and the settings that it takes. Routing, middleware, extraction and JSON are the framework's.

mod document;
mod order;
mod routes;
mod settings;
mod token;

pub use contract::{GREETING, cannot_listen, cannot_start};
pub use document::Document;
pub use order::{Order, Total, WrongFields};
pub use routes::{Route, routes};
pub use settings::{Settings, settings_or_exit};
pub use token::{Claims, Unauthorized, claims};

/// `$service.$method($layer)` five times over: for frameworks in which a layer makes another type of what it stands before.
#[macro_export]
macro_rules! five_times {
    ($service:expr, $method:ident, $layer:expr) => {
        $service
            .$method($layer)
            .$method($layer)
            .$method($layer)
            .$method($layer)
            .$method($layer)
    };
}

/// The largest request body that a server takes, in bytes; a larger one is answered with 413. Documents have 64 KiB.
pub const MAX_BODY_BYTES: usize = 256 * 1024;
