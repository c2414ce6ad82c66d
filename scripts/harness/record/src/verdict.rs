//! How far a measurement can be trusted.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Use of its cpus, as a share, above which the load generator may be the limit.
pub const GENERATOR_BUSY: f64 = 0.85;

/// Use of a link, as a share of what it was measured to carry, above which it may be the limit.
pub const LINK_BUSY: f64 = 0.85;

/// Use of its cpus, as a share, from which the server is the limit.
pub const SERVER_BUSY: f64 = 0.90;

/// How far a measurement can be trusted.
///
/// The order is from the best to the worst.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Every rule was kept.
    #[default]
    Valid,
    /// The load generator was the limit, or its connections were not all in use.
    ClientBound,
    /// The network between server and load generator was the limit.
    NetworkBound,
    /// The database was the limit, not the server.
    DatabaseBound,
    /// Neither the server nor the generator was at its limit: the figure is a property of the scenario.
    Unsaturated,
    /// The trials of one cell spread too far to be summarised.
    Unstable,
    /// The machine could not carry it out (open files, ports, stolen cpu time).
    EnvironmentFailed,
    /// An answer was not the expected one.
    ContractFailed,
    /// The server died.
    Crashed,
    /// The server could not be built.
    BuildFailed,
}
