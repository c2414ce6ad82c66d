//! What an app costs besides its speed: the part of a record that a run of a profile with `costs = true` fills.
//!
//! A figure that could not be measured gives the reason in its place: a runtime that cannot run under valgrind still has a size.

use std::collections::BTreeMap;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Record;

/// A figure, or why there is none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "CostOf_{T}")]
pub enum Cost<T> {
    /// It was measured.
    Measured(T),
    /// It was not, for this reason in words.
    NotAvailable(String),
}

impl<T> Cost<T> {
    /// The figure, if there is one.
    pub fn figure(&self) -> Option<&T> {
        match self {
            Self::Measured(figure) => Some(figure),
            Self::NotAvailable(_) => None,
        }
    }

    /// Why there is none.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Measured(_) => None,
            Self::NotAvailable(reason) => Some(reason),
        }
    }
}

impl<T, E: ToString> From<Result<T, E>> for Cost<T> {
    fn from(result: Result<T, E>) -> Self {
        match result {
            Ok(figure) => Self::Measured(figure),
            Err(error) => Self::NotAvailable(error.to_string()),
        }
    }
}

/// What one app in one variant costs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Costs {
    /// What it was measured with.
    pub with: CostTools,
    /// What its program and builds take; `None` where the run counted requests only.
    pub build: Option<BuildCosts>,
    /// What a request costs, for each scenario of the run.
    pub requests: Vec<RequestCosts>,
    /// The release of a crate that it was built with, all else as it is locked; `None` where the run took what is locked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub release: Option<Release>,
}

/// A release of a crate, as the registry's index has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Release {
    /// Name of the crate.
    #[serde(rename = "crate")]
    pub of: String,
    /// Its version.
    pub version: String,
    /// When it was published, UTC; `None` where the index does not say.
    pub published: Option<Timestamp>,
    /// Whether it was taken back.
    pub yanked: bool,
    /// Whether all other crates are the newest of the day when it was published, rather than those that are locked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub of_its_day: bool,
    /// The crates of its own that were taken in the same version, because it cannot be built with the locked ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub together_with: Vec<String>,
}

/// What a program takes before it runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BuildCosts {
    /// Size of the program without symbols and debug information, in bytes (`strip --strip-all`). `binary_bytes` is its size as
    /// cargo leaves it and as it is measured.
    pub stripped_bytes: Cost<u64>,
    /// Seconds of one build from nothing: all dependencies compiled, nothing downloaded.
    pub clean_build_seconds: Cost<f64>,
    /// Seconds of a build after a change to the program's main source file.
    pub incremental_build_seconds: Cost<Repeated>,
    /// Crates that it is built from.
    pub dependencies: Cost<Dependencies>,
}

/// What costs were measured with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CostTools {
    /// Jobs that cargo ran at once: all cpus of the run.
    pub jobs: u32,
    /// Version of valgrind, which counts instructions; `None` where there is none.
    pub valgrind: Option<String>,
    /// Version of strace, which counts system calls; `None` where there is none.
    pub strace: Option<String>,
    /// Version of strip; `None` where there is none.
    pub strip: Option<String>,
}

/// The same measured several times.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Repeated {
    /// Median of `each`.
    pub median: f64,
    /// All of them, in the order in which they were measured.
    pub each: Vec<f64>,
}

/// Crates that a program is built from: what cargo resolves for its target and the enabled features, through normal and build
/// dependencies, procedural macros included. Crates that only tests or other targets need are not counted, nor are the packages
/// of this repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dependencies {
    /// Different names.
    pub names: u32,
    /// Different pairs of name and version: more than `names` where a crate is used in two versions.
    pub versions: u32,
}

/// What one request costs the server when requests come one after the other, over one kept connection unless the scenario keeps none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RequestCosts {
    /// Name of the scenario.
    pub scenario: String,
    /// The head of its answer.
    pub head: Cost<AnswerHead>,
    /// Instructions in user space for each request; the least if several starts of the program were counted.
    pub instructions: Cost<f64>,
    /// Those of each start, if there were several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub instructions_each: Vec<f64>,
    /// System calls.
    pub syscalls: Cost<Syscalls>,
}

/// The head of an answer: what each answer sends besides its body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnswerHead {
    /// Its length from the status line to the empty line, in bytes.
    pub bytes: u32,
    /// Names of its fields in lower case, in their order.
    pub fields: Vec<String>,
}

/// System calls of all threads of a server for each request, without those that it makes when idle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Syscalls {
    /// All of them, for each request.
    pub total: f64,
    /// For each request, by name; calls made in fewer than one in a hundred requests are left out.
    pub by_name: BTreeMap<String, f64>,
}

impl Record {
    /// Whether this is a run of costs, which drove no load: it has no trials and no summary.
    pub fn measures_costs(&self) -> bool {
        self.trials.is_empty() && self.summary.is_empty() && self.apps.iter().any(|app| app.costs.is_some())
    }

    /// Whether this is a whole run of its profile ([`super::Harness::whole`]).
    pub fn is_whole(&self) -> bool {
        self.harness.whole
    }
}
