//! What every server under test does, whatever its framework: the messages it sends, the work it does and the settings
//! it takes. Nothing of any framework belongs here: routing, extraction, JSON and responses are what is measured.

mod fibonacci;
mod messages;
mod settings;
mod start;
#[cfg(feature = "rustls")]
mod tls;
mod workloads;

pub use fibonacci::{CpuQuery, Fibonacci, Index, IndexError, fib};
pub use messages::{HEAVY_ITEMS, HeavyItem, Hello, Id, Payload, heavy};
pub use settings::{Http, Settings, SettingsError, Supports, Tls};
pub use start::{cannot_listen, cannot_start, settings_or_exit};
#[cfg(feature = "rustls")]
pub use tls::tls_config_or_exit;
pub use workloads::{BCRYPT_COST, RAM_BYTES, Ram, TIMED, bcrypt, greet, ram};

/// What `GET /` answers.
pub const GREETING: &str = "Hello, World!";

/// The largest body that a request for a hash may have, in bytes; a larger one is answered with 413. Only there, because a limit that is a
/// layer costs some frameworks a tenth of a small request, and nothing that shows next to a hash. Elsewhere a framework's own limit holds.
pub const MAX_BODY_BYTES: usize = 64 * 1024;
