//! The runs of a series: where they come from, what they measured.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::super::run::Run;
use model::DEFAULT_VARIANT;
use model::scenario::Scenario;
use model::{AppRecord, Lane};

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
    pub subjects: BTreeMap<String, AppRecord>,
    /// Version of each subject's framework.
    pub versions: BTreeMap<String, Vec<Option<String>>>,
    /// Size of each subject's program.
    pub binary_bytes: BTreeMap<String, Vec<Option<u64>>>,
    /// How it was measured, as the last run knows it.
    pub scenarios: BTreeMap<String, Scenario>,
}

/// The key of an app in a variant: `axum`, `axum:tuned`.
pub fn key(app: &str, variant: &str) -> String {
    if variant == DEFAULT_VARIANT {
        app.to_owned()
    } else {
        format!("{app}:{variant}")
    }
}
