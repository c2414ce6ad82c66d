//! What every server with the services' part of the contract does, whatever its framework: the routes that it registers, the tokens,
//! orders and documents that it reads, and the settings that it takes. Routing, middleware, extraction and JSON are the framework's.

mod document;
mod listing;
mod order;
mod routes;
mod settings;
mod stream;
mod token;
mod upload;

pub use contract::{GREETING, cannot_listen, cannot_start};
pub use document::Document;
pub use listing::{Listing, listing};
pub use order::{Order, Total, WrongFields};
pub use routes::{Area, Route, areas, routes};
pub use settings::{Settings, settings_or_exit};
pub use stream::{CHUNK_BYTES, CHUNKS, EVENT_EVERY, EVENTS, chunk, event};
pub use token::{Claims, Unauthorized, claims};
pub use upload::{MAX_UPLOAD_BYTES, Missing, Receipt, Upload};

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
