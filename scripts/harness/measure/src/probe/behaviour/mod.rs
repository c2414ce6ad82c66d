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
mod plain;
mod signals;
mod start;
pub(super) mod tls;
mod work;

use std::io;

use super::{Attempt, Target, Watched};
use servers::failure::Failure;

/// What a case does that is code.
#[derive(Debug, Clone, Copy)]
pub enum Act {
    /// It is put to a server that was started for it, and must answer afterwards. An error is a connection that breaks.
    OnServer(fn(Watched<'_>) -> io::Result<Attempt>),
    /// It starts a server itself. An error is a trouble of the machine, or a server that did not start.
    Alone(fn(&Target<'_>) -> Result<Attempt, Failure>),
}

/// Acts by the ids of their cases.
pub type Acts = &'static [(&'static str, Act)];

/// All of them.
pub const ACTS: &[Acts] = &[
    http2::ACTS,
    tls::ACTS,
    panics::ACTS,
    plain::ACTS,
    overload::ACTS,
    work::ACTS,
    exhaustion::ACTS,
    signals::ACTS,
    start::ACTS,
    database::ACTS,
];
