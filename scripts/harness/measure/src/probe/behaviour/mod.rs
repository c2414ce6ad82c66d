//! Cases that are more than an exchange of bytes or a crowd, each by the id under which a file in `probes/` describes it.

mod database;
mod exhaustion;
#[cfg(test)]
pub(super) mod fake;
pub mod flood;
pub mod h2spec;
pub(super) mod hello;
mod http2;
#[cfg(test)]
pub(super) mod http2_server;
mod load;
mod overload;
mod panics;
mod signals;
mod start;
mod tls;
mod work;

use std::net::SocketAddr;

use super::{Attempt, Error, Target};
use servers::failure::Failure;

/// Puts a case to a fresh server that it starts itself. An error is a trouble of the machine, or a server that did not start.
pub type Act = fn(&Target<'_>) -> Result<Attempt, Failure>;

/// The same on a server that was started for it, and must answer afterwards.
pub type OnServer = fn(SocketAddr) -> Result<Attempt, Error>;

/// Those that need no more than the server's address.
pub const ON_SERVER: &[&[(&str, OnServer)]] = &[http2::CASES, tls::CASES, panics::CASES];

/// The others, by the id of the case.
pub const ACTS: &[&[(&str, Act)]] = &[
    overload::ACTS,
    signals::ACTS,
    start::ACTS,
    work::ACTS,
    exhaustion::ACTS,
    database::ACTS,
];
