//! The runs of a period: where they come from, what they measured.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::run::Run;
use record::DEFAULT_VARIANT;
use record::scenario::{Protocol, Scenario};
use record::{AppRecord, Lane, Role, Services, Tier};

/// The runs of a period, the oldest first. Lists have one place for each run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Runs {
    /// Version of this document's shape.
    pub schema_version: u32,
    /// Lane that they were made in.
    pub lane: Lane,
    /// Name of the period.
    pub period: String,
    /// The runs; in a year the last of each month.
    pub runs: Vec<Run>,
    /// In a year: runs behind each point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<Vec<u32>>,
    /// What was measured, as its last run knows it.
    pub subjects: BTreeMap<String, SeriesSubject>,
    /// Version of each subject's framework.
    pub versions: BTreeMap<String, Vec<Option<String>>>,
    /// Size of each subject's program.
    pub binary_bytes: BTreeMap<String, Vec<Option<u64>>>,
    /// How it was asked, as the last run knows it.
    pub scenarios: BTreeMap<String, Scenario>,
}

/// An app in a variant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SeriesSubject {
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
    /// The framework's crate, whose version is reported.
    pub framework: String,
    /// Protocols that it speaks.
    pub protocols: Vec<Protocol>,
    /// Where the framework breaks the contract.
    pub known_fault: Option<String>,
    /// Which kinds of work of services it does; none for a server of another part of the contract.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub services: Option<Services>,
}

impl SeriesSubject {
    /// From an app of a record.
    pub fn new(app: &AppRecord) -> Self {
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
            services: app.services.clone(),
        }
    }
}

/// The key of an app in a variant: `axum`, `axum:tuned`.
pub fn key(app: &str, variant: &str) -> String {
    if variant == DEFAULT_VARIANT {
        app.to_owned()
    } else {
        format!("{app}:{variant}")
    }
}
