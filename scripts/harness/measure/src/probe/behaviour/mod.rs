//! Cases that are more than an exchange of bytes or a crowd, each by the id under which a file in `probes/` describes it.

mod database;
mod exhaustion;
#[cfg(test)]
pub(super) mod fake;
pub mod flood;
pub mod h2spec;
mod http2;
#[cfg(test)]
pub(super) mod http2_server;
mod load;
mod overload;
mod panics;
mod signals;
mod start;
pub(super) mod tls;
mod work;

use std::io;

use super::{Attempt, Target, Watched};
use servers::failure::Failure;

/// Puts a case to a fresh server that it starts itself. An error is a trouble of the machine, or a server that did not start.
pub type Act = fn(&Target<'_>) -> Result<Attempt, Failure>;

/// The same on a server that was started for it, and must answer afterwards. An error is a connection that breaks.
pub type OnServer = fn(Watched<'_>) -> io::Result<Attempt>;

/// Those on a server that was started for them, by the id of the case.
pub const ON_SERVER: &[&[(&str, OnServer)]] = &[
    http2::CASES,
    tls::CASES,
    panics::CASES,
    overload::CASES,
    work::CASES,
    exhaustion::CASES,
];

/// The others.
pub const ACTS: &[&[(&str, Act)]] = &[signals::ACTS, start::ACTS, database::ACTS];
