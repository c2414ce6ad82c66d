//! One published run in the index and the series: its origin and its verdicts.

use std::collections::BTreeMap;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::labels::{rounds_made, verdicts};
use analyze::caveats;
use model::{Record, Verdict};

/// One published run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Run {
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
    /// How many cells (an app under a scenario) have which verdict.
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
    /// Labels of the runner.
    pub runner: Vec<String>,
    /// Version of the harness.
    pub harness: String,
    /// Share of cpu time that the hypervisor gave to others, 0 to 1.
    pub steal_share: f64,
    /// Warnings about the machine.
    pub warnings: Vec<String>,
}

/// What a run was made on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Machine {
    /// Model name of the cpu.
    pub cpu_model: String,
    /// Logical cpus that the run could use.
    pub logical_cpus: u32,
}

impl Run {
    /// The run of a record.
    pub fn from_record(record: &Record) -> Self {
        let environment = &record.environment;
        let warnings = caveats::of_machine(record).iter().map(ToString::to_string).collect();
        Self {
            id: record.id.clone(),
            started_at: record.started_at,
            finished_at: record.finished_at,
            profile: record.profile.clone(),
            commit: record.harness.commit.clone(),
            rounds: rounds_made(record).unwrap_or_default(),
            apps: u32::try_from(record.apps.len()).unwrap_or(u32::MAX),
            verdicts: verdicts(record),
            machine: Machine {
                cpu_model: environment.cpu_model.clone(),
                logical_cpus: environment.logical_cpus,
            },
            rustc: environment.rustc.clone(),
            oha: environment.oha.clone(),
            kernel: environment.kernel.clone(),
            os: environment.os.clone(),
            runner_image: environment.runner_image.clone(),
            runner: environment.runner.clone(),
            harness: record.harness.version.clone(),
            steal_share: environment.steal_share,
            warnings,
        }
    }
}
