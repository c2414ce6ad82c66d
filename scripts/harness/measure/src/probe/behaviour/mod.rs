//! Cases that are more than an exchange of bytes, each by the id under which a file in `probes/` describes it.

mod abandoned;
mod asked;
mod database;
mod exhaustion;
#[cfg(test)]
mod fake;
pub mod http2;
mod idle;
mod lifecycle;
mod load;
mod overload;
mod panics;
mod signals;
mod slow_clients;
mod tls;
mod until;

use super::{Attempt, Place};
use crate::failure::Failure;
use record::probe::ProbeCase;

/// Puts a case to a fresh server that it starts itself. An error is a trouble of the machine, or a server that did not start.
pub type Act = fn(&Place<'_>) -> Result<Attempt, Failure>;

/// Cases that are made together by a program of others, which also describes them: those with these ids, or all where there are none.
pub type Suite = fn(&Place<'_>, &[String]) -> Result<Vec<(ProbeCase, Attempt)>, Failure>;

/// All of them, by the id of the case.
pub const ACTS: &[&[(&str, Act)]] = &[
    slow_clients::ACTS,
    idle::ACTS,
    overload::ACTS,
    http2::flood::ACTS,
    http2::preface::ACTS,
    tls::ACTS,
    signals::ACTS,
    lifecycle::ACTS,
    abandoned::ACTS,
    panics::ACTS,
    exhaustion::ACTS,
    database::ACTS,
];

/// All suites, by the id of the case that stands for them.
pub const SUITES: &[(&str, Suite)] = &[(http2::h2spec::ID, http2::h2spec::suite)];
