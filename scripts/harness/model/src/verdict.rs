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

/// How far a measurement can be trusted, from the best to the worst. A new one is a variant here, an arm of [`Verdict::keeps`], and where a
/// trial gets it.
///
/// `name` is for people, `what` says what happened, and `more` how it is found.
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
    #[strum(props(name = "valid", what = "every rule was kept"))]
    #[default]
    Valid,
    /// The load generator was the limit, or its connections were not all in use.
    #[strum(props(
        name = "client-bound",
        what = "the load generator was the limit, not the server",
        more = ": it used more than 85 % of its cpus, its connections were not all in use, or the server reached more than 80 % of what \
                the smallest possible server reached while that one was limited by the load generator"
    ))]
    ClientBound,
    /// The network between server and load generator was the limit.
    #[strum(props(
        name = "network-bound",
        what = "the network was the limit, not the server",
        more = ": load from other machines took more than 85 % of what the links to them were measured to carry"
    ))]
    NetworkBound,
    /// The database was the limit, not the server.
    #[strum(props(
        name = "database-bound",
        what = "the database was the limit, not the server",
        more = ": the server used less than 90 % of its cpus and waited for its database"
    ))]
    DatabaseBound,
    /// Neither the server nor the generator was at its limit: the figure is a property of the scenario.
    #[strum(props(
        name = "unsaturated",
        what = "neither the server nor the load generator was at its limit",
        more = ": the scenario sets the rate (a sleep, too few connections)"
    ))]
    Unsaturated,
    /// The trials of one cell spread too far to be summarised.
    #[strum(props(
        name = "unstable",
        what = "the trials spread too far to be summarised",
        more = ": the interval of goodput is wider than 50 % of its median"
    ))]
    Unstable,
    /// The server keeps the contract in this scenario, and not in all; or in some of its trials only, by a known fault of its framework.
    #[strum(props(
        name = "incomplete",
        what = "the server keeps the contract only in part",
        more = ": it breaks a rule elsewhere, or is known to leave requests without an answer now and then; what it leaves out may be what costs \
                the others, so its figures are shown without a rank"
    ))]
    Incomplete,
    /// The machine could not carry it out (open files, ports, stolen cpu time).
    #[strum(props(
        name = "environment failed",
        what = "the machine could not carry it out",
        more = ": open files, ports, or cpu time lost to the hypervisor or to other programs; CPU time per request is shown in parentheses"
    ))]
    EnvironmentFailed,
    /// An answer was not the expected one.
    #[strum(props(name = "contract failed", what = "the server did not keep the contract"))]
    ContractFailed,
    /// The server died.
    #[strum(props(name = "crashed", what = "the server crashed"))]
    Crashed,
    /// The server could not be built.
    #[strum(props(name = "build failed", what = "the server could not be built"))]
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

    /// Which figures still count under it.
    pub fn keeps(self) -> Keeps {
        match self {
            Self::Valid => Keeps::All,
            Self::Unsaturated => Keeps::CostsAndLatencies,
            Self::ClientBound | Self::NetworkBound | Self::DatabaseBound | Self::Unstable => Keeps::Costs,
            Self::EnvironmentFailed => Keeps::Counts,
            Self::Incomplete | Self::ContractFailed | Self::Crashed | Self::BuildFailed => Keeps::Nothing,
        }
    }

    /// Whether no load was measured as it should be.
    pub fn is_failure(self) -> bool {
        self >= Self::EnvironmentFailed
    }

    /// Whether it is a failure of the server, which has no speed then.
    pub fn is_failure_of_server(self) -> bool {
        self > Self::EnvironmentFailed
    }

    /// Whether it says what the limit was, and leaves some figures.
    pub fn is_limit(self) -> bool {
        matches!(self.keeps(), Keeps::Costs | Keeps::CostsAndLatencies)
    }

    /// Whether what a request costs counts under it.
    pub fn keeps_costs(self) -> bool {
        self == Self::Valid || self.is_limit()
    }

    /// Whether the server had cpu time left, because it waited for something else.
    pub fn is_waiting(self) -> bool {
        matches!(self, Self::Unsaturated | Self::DatabaseBound)
    }
}

/// Which figures of a cell count under its verdict; [`crate::Metric::stands_under`] says it of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeps {
    All,
    CostsAndLatencies,
    Costs,
    /// What is counted and depends on no load.
    Counts,
    Nothing,
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
