//! The runs of a period: where they come from, what they measured.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::super::index::Machine;
use crate::compact::significant;
use crate::record::{AppRecord, Lane, Record, Role, Tier, Verdict};
use crate::scenario::{Protocol, Scenario};

/// The runs of a period, the oldest first. Lists have one place for each run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_field_names, reason = "they are the keys of a published document")]
pub struct Runs {
    /// Version of this document's shape.
    pub schema_version: u32,
    /// Lane that they were made in.
    pub lane: Lane,
    /// Name of the period.
    pub period: String,
    /// The runs; in a year the last of each month.
    pub runs: Vec<Line>,
    /// In a year: runs behind each point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<Vec<u32>>,
    /// What was measured, as its last run knows it.
    pub subjects: BTreeMap<String, Subject>,
    /// Version of each subject's framework.
    pub versions: BTreeMap<String, Vec<Option<String>>>,
    /// Size of each subject's program.
    pub binary_bytes: BTreeMap<String, Vec<Option<u64>>>,
    /// How it was asked, as the last run knows it.
    pub scenarios: BTreeMap<String, Scenario>,
}

/// A run with all that may explain its figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// Its id.
    pub id: String,
    /// When its first trial began, UTC.
    pub started_at: Timestamp,
    /// When its last trial ended, UTC.
    pub finished_at: Timestamp,
    /// Name of its profile.
    pub profile: String,
    /// Commit that it was made from, if it was a git checkout.
    pub commit: Option<String>,
    /// Rounds that were made.
    pub rounds: u32,
    /// Number of apps, each variant counted.
    pub apps: u32,
    /// How many cells have which verdict.
    pub verdicts: BTreeMap<Verdict, u32>,
    /// What it was made on.
    pub machine: Machine,
    /// Compiler that built the apps.
    pub rustc: String,
    /// Version of oha.
    pub oha: String,
    /// Kernel release.
    pub kernel: String,
    /// Operating system.
    pub os: String,
    /// Image of the runner, on GitHub Actions.
    pub runner_image: Option<String>,
    /// Version of the harness.
    pub harness: String,
    /// Share of cpu time that the hypervisor gave to others, 0 to 1.
    pub steal_share: f64,
    /// What speaks against the machine.
    pub warnings: Vec<String>,
}

/// An app in a variant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Subject {
    /// Name of the app's folder.
    pub app: String,
    /// `default` or the variant's name.
    pub variant: String,
    /// Name for people.
    pub name: String,
    /// Where the framework lives.
    pub link: String,
    /// What part the app plays.
    pub role: Role,
    /// How the framework is kept.
    pub tier: Tier,
    /// Crate whose version is reported.
    pub framework: String,
    /// Protocols that it speaks.
    pub protocols: Vec<Protocol>,
    /// Where the framework breaks the contract.
    pub known_fault: Option<String>,
}

impl Line {
    /// Of a record.
    pub fn of(record: &Record) -> Self {
        let run = super::super::index::Run::of(record);
        let environment = &record.environment;
        Self {
            id: run.id,
            started_at: run.started_at,
            finished_at: record.finished_at,
            profile: run.profile,
            commit: run.commit,
            rounds: run.rounds,
            apps: run.apps,
            verdicts: run.verdicts,
            machine: run.machine,
            rustc: environment.rustc.clone(),
            oha: environment.oha.clone(),
            kernel: environment.kernel.clone(),
            os: environment.os.clone(),
            runner_image: environment.runner_image.clone(),
            harness: record.harness.version.clone(),
            steal_share: significant(environment.steal_share, crate::compact::SHOWN),
            warnings: environment.warnings.clone(),
        }
    }
}

impl Subject {
    /// Of an app of a record.
    pub fn of(app: &AppRecord) -> Self {
        Self {
            app: app.id.clone(),
            variant: app.variant.clone(),
            name: app.name.clone(),
            link: app.link.clone(),
            role: app.role,
            tier: app.tier,
            framework: app.framework.clone(),
            protocols: app.protocols.clone(),
            known_fault: app.known_fault.clone(),
        }
    }
}

/// The key of an app in a variant: `axum`, `axum:tuned`.
pub fn key(app: &str, variant: &str) -> String {
    if variant == "default" {
        app.to_owned()
    } else {
        format!("{app}:{variant}")
    }
}
