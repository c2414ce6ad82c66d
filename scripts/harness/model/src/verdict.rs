//! How far a measurement can be trusted.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{EnumProperty, IntoStaticStr, VariantArray};

/// Use of its cpus, as a share, above which the load generator may be the limit.
pub const GENERATOR_BUSY: f64 = 0.85;

/// Use of a link, as a share of what it was measured to carry, above which it may be the limit.
pub const LINK_BUSY: f64 = 0.85;

/// Use of its cpus, as a share, from which the server is the limit.
pub const SERVER_BUSY: f64 = 0.90;

/// Share of the ceiling's goodput above which the generator is the limit, where it was the ceiling's limit.
pub const NEAR_CEILING: f64 = 0.80;

/// Width of an interval, as a share of the median, beyond which trials spread too far to be summarised.
pub const TOO_WIDE: f64 = 0.50;

/// How far a measurement can be trusted, from the best to the worst. A new one is a variant here, and where a trial gets it.
///
/// `name` is for people, `what` says what happened, `more` how it is found, and `keeps` which figures still count: `all`, `costs and latencies`, `costs`,
/// `counts` or `none` (see [`crate::Metric`]).
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
    EnumProperty,
    IntoStaticStr,
    VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Verdict {
    /// Every rule was kept.
    #[strum(props(name = "valid", what = "every rule was kept", keeps = "all"))]
    #[default]
    Valid,
    /// The load generator was the limit, or its connections were not all in use.
    #[strum(props(
        name = "client-bound",
        what = "the load generator was the limit, not the server",
        more = ": it used more than 85 % of its cpus, its connections were not all in use, or the server reached more than 80 % of what \
                the smallest possible server reached while that one was limited by the load generator",
        keeps = "costs"
    ))]
    ClientBound,
    /// The network between server and load generator was the limit.
    #[strum(props(
        name = "network-bound",
        what = "the network was the limit, not the server",
        more = ": load from other machines took more than 85 % of what the links to them were measured to carry",
        keeps = "costs"
    ))]
    NetworkBound,
    /// The database was the limit, not the server.
    #[strum(props(
        name = "database-bound",
        what = "the database was the limit, not the server",
        more = ": the server used less than 90 % of its cpus and waited for its database",
        keeps = "costs"
    ))]
    DatabaseBound,
    /// Neither the server nor the generator was at its limit: the figure is a property of the scenario.
    #[strum(props(
        name = "unsaturated",
        what = "neither the server nor the load generator was at its limit",
        more = ": the scenario sets the rate (a sleep, too few connections)",
        keeps = "costs and latencies"
    ))]
    Unsaturated,
    /// The trials of one cell spread too far to be summarised.
    #[strum(props(
        name = "unstable",
        what = "the trials spread too far to be summarised",
        more = ": the interval of goodput is wider than 50 % of its median",
        keeps = "costs"
    ))]
    Unstable,
    /// The server keeps the contract in this scenario, and not in all.
    #[strum(props(
        name = "incomplete",
        what = "the server keeps the contract here and breaks it elsewhere",
        more = ": what it leaves out may be what costs the others, so its figures are shown without a rank",
        keeps = "none"
    ))]
    Incomplete,
    /// The machine could not carry it out (open files, ports, stolen cpu time).
    #[strum(props(
        name = "environment failed",
        what = "the machine could not carry it out",
        more = ": open files, ports, or cpu time lost to the hypervisor or to other programs; CPU time per request is shown in parentheses",
        keeps = "counts"
    ))]
    EnvironmentFailed,
    /// An answer was not the expected one.
    #[strum(props(
        name = "contract failed",
        what = "the server did not keep the contract",
        keeps = "none"
    ))]
    ContractFailed,
    /// The server died.
    #[strum(props(name = "crashed", what = "the server crashed", keeps = "none"))]
    Crashed,
    /// The server could not be built.
    #[strum(props(name = "build failed", what = "the server could not be built", keeps = "none"))]
    BuildFailed,
}

impl Verdict {
    /// All, from the best to the worst.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// As it stands in a record: `client_bound`.
    pub fn id(self) -> &'static str {
        self.into()
    }

    /// For people: `client-bound`, `build failed`.
    pub fn name(self) -> &'static str {
        self.get_str("name").unwrap_or_default()
    }

    /// What happened, as the end of a sentence.
    pub fn what_happened(self) -> &'static str {
        self.get_str("what").unwrap_or_default()
    }

    /// How it is found, to be put behind [`Verdict::what_happened`]; empty where nothing is to be added.
    pub fn details(self) -> &'static str {
        self.get_str("more").unwrap_or_default()
    }

    /// Whether no load was measured as it should be.
    pub fn is_failure(self) -> bool {
        self >= Self::EnvironmentFailed
    }

    /// Whether it says what the limit was, and leaves some figures.
    pub fn is_limit(self) -> bool {
        self.keeps().starts_with("costs")
    }

    /// Whether a cost, rate or latency counts under it.
    pub(crate) fn keeps(self) -> &'static str {
        self.get_str("keeps").unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verdict_says_what_it_is_and_quotes_the_limits_that_decide() {
        let percent = |share: f64| format!("{:.0} %", share * 100.0);
        for verdict in Verdict::ALL {
            assert_eq!(serde_json::to_value(verdict).unwrap(), verdict.id());
            assert!(![verdict.name(), verdict.what_happened()].contains(&""), "{verdict:?}");
            assert!(
                ["all", "costs and latencies", "costs", "counts", "none"].contains(&verdict.keeps()),
                "{verdict:?}"
            );
        }
        for (verdict, share) in [
            (Verdict::ClientBound, GENERATOR_BUSY),
            (Verdict::ClientBound, NEAR_CEILING),
            (Verdict::NetworkBound, LINK_BUSY),
            (Verdict::DatabaseBound, SERVER_BUSY),
            (Verdict::Unstable, TOO_WIDE),
        ] {
            assert!(verdict.details().contains(&percent(share)), "{verdict:?}: {share}");
        }
    }
}
