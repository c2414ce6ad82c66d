//! What was measured: an app, as it was built.

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::VariantArray;

use crate::probe::Engine;
use crate::scenario::{Protocol, Scenario};
use crate::{Costs, Part, Services, SubjectId};

/// One app in one variant, as it was built.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AppRecord {
    /// Name of the app's folder.
    pub id: String,
    /// `default` or the variant's name.
    pub variant: String,
    /// Name for people.
    pub name: String,
    /// Where the framework lives.
    pub link: String,
    /// What part the app plays.
    pub role: Role,
    /// How the framework is maintained.
    pub tier: Tier,
    /// The framework's crate, whose version is reported.
    pub framework: String,
    /// That crate's version in the lockfile.
    pub framework_version: String,
    /// SHA-256 over the app's sources and the contract's.
    pub source_hash: String,
    /// SHA-256 over the resolved dependencies of this app.
    pub lockfile_hash: String,
    /// Size of the program in bytes; `None` if it was not built.
    pub binary_bytes: Option<u64>,
    /// Seed of the order of the program's sections; `None` for the order in which the linker puts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layout_seed: Option<NonZeroU32>,
    /// For a control: the steps of known work that it does in each request. `None` for any other server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added_work: Option<u32>,
    /// Seconds that cargo took, without what was already built; in a run of costs, the seconds of the clean build. `None` if it
    /// was not built.
    pub build_seconds: Option<f64>,
    /// Why the app could not be built, if so: the compiler's first error, or what cargo said.
    pub build_error: Option<String>,
    /// Protocols that it speaks.
    pub protocols: Vec<Protocol>,
    /// Where the framework breaks the contract in a way that no app can change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known_fault: Option<String>,
    /// What a reader should know besides its figures, in a few words, with a link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// How the server was found to have broken the contract after the run. None of its figures count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withdrawn: Option<String>,
    /// Driver and pool of the database behind it, for people; `None` for a server that works alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack: Option<String>,
    /// Which kinds of work of services it does; `None` for a server of another part of the contract.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub services: Option<Services>,
    /// Why instructions were not counted, or not for every scenario that counts them; for example, it does not run under valgrind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions_not_counted: Option<String>,
    /// The HTTP engine below it, where cases were put to that by itself, too; `None` if it has its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<Engine>,
    /// Why no case could be put to it, if so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_probed: Option<String>,
    /// What it costs besides its speed, if the run measured that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub costs: Option<Costs>,
}

impl AppRecord {
    /// Which app in which variant it is.
    pub fn subject(&self) -> SubjectId {
        SubjectId::new(&self.id, &self.variant)
    }

    /// The part of the contract that it keeps.
    pub fn part(&self) -> Part {
        Part::of_app(self.stack.as_ref(), self.services.as_ref())
    }

    /// Whether it does what `scenario` requires, in its protocol.
    pub fn offers(&self, scenario: &Scenario) -> bool {
        self.protocols.contains(&scenario.protocol) && scenario.is_offered_by(self.services.as_ref())
    }

    /// Why it does not do what `scenario` requires, where its framework documents no way.
    pub fn not_offered(&self, scenario: &Scenario) -> Option<&str> {
        let reasons = &self.services.as_ref()?.not_offered;
        reasons.get(&scenario.service?.kind).map(String::as_str)
    }

    /// `axum`, `axum (tuned)`.
    pub fn label(&self) -> String {
        crate::label(&self.id, &self.variant)
    }

    /// The first line of the reason why it could not be built, which names crate, file and line of a compiler's error; `None` if it
    /// was built.
    pub fn why_not_built(&self) -> Option<&str> {
        let mut lines = self.build_error.as_deref()?.lines().map(str::trim);
        Some(lines.find(|line| !line.is_empty()).unwrap_or("no reason given"))
    }
}

/// What part an app plays in a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// One of those that are compared.
    #[default]
    Framework,
    /// The frozen server that every figure is divided by.
    Reference,
    /// The smallest server: shows what the load generator can reach.
    Ceiling,
    /// The reference with known extra work: shows what a run's figures are worth ([`crate::Control`]).
    Control,
}

/// In which group an app is ranked: how its framework is maintained, or what else sets it apart.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, VariantArray,
)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// It is released and maintained.
    #[default]
    Maintained,
    /// An HTTP engine, not a framework.
    Engine,
    /// It is no longer maintained.
    Legacy,
    /// It reaches its database by another driver or pool than most, because its framework requires that.
    OwnStack,
    /// It is there for its driver, not for its framework.
    Driver,
}

impl Tier {
    /// All, in the order in which they are shown.
    pub const ALL: &'static [Self] = Self::VARIANTS;
}
