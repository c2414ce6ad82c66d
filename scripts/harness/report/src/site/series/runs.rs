//! The runs of a series: where they come from, what they measured.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::super::run::Run;
use model::DEFAULT_VARIANT;
use model::scenario::{Protocol, Scenario};
use model::{AppRecord, Lane, Role, Services, Tier};

/// The runs of a series, the oldest first. Lists have one place for each run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Runs {
    /// Version of this document's shape.
    pub schema_version: u32,
    /// Lane that they were made in.
    pub lane: Lane,
    /// Profile of the runs.
    pub profile: String,
    /// The runs.
    pub runs: Vec<Run>,
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
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
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
    #[serde(skip_serializing_if = "Option::is_none")]
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
