//! A run: what one command measured, as it lies in `bench-results/<lane>/<run id>.json`.
//!
//! It holds facts. What follows from them (`summary`) is derived when it is read. Unknown fields are refused: a record is evidence, and
//! evidence that is only half understood is not used.

use clap::ValueEnum;
use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::probe::{PROBES, ProbeCase, Probed};
use crate::scenario::Scenario;
use crate::{AppRecord, Cell, Control, Environment, Metric, Role, Summary, Trial};

/// The version of the record that this program writes, and the newest that it reads.
pub const SCHEMA_VERSION: u32 = 4;
/// The cargo profile of what is published: each app by itself, with link-time optimisation.
pub const RELEASE: &str = "release";
/// The cargo profile of a first look: no link-time optimisation, and everything built at once.
pub const FIRST_LOOK: &str = "first-look";

/// One run: all rounds of a profile on one machine, or the cases of `bench probe`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// Version of this document's shape.
    pub schema_version: u32,
    /// The run's id: UTC start time and seed, `20261121T110000Z-2a`.
    pub id: String,
    /// Where the run was made. Series of different lanes are never mixed.
    pub lane: Lane,
    /// Name of the profile that chose scenarios, durations and rounds.
    pub profile: String,
    /// Seed of the order of the trials.
    pub seed: u64,
    /// When the first trial began, UTC.
    pub started_at: Timestamp,
    /// When the last trial ended, UTC.
    pub finished_at: Timestamp,
    /// What measured.
    pub harness: Harness,
    /// What it was measured on.
    pub environment: Environment,
    /// What was measured.
    pub apps: Vec<AppRecord>,
    /// How it was measured.
    pub scenarios: Vec<Scenario>,
    /// Every trial, in the order in which they ran; none is left out.
    pub trials: Vec<Trial>,
    /// Servers of known cost, driven with the apps. They are in no table, and have no cell. Records older than this field have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub controls: Vec<Control>,
    /// The cases of `bench probe` that were put to the apps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cases: Vec<ProbeCase>,
    /// Each case on each app that it is for, in the order of apps and cases.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub probed: Vec<Probed>,
    /// What the trials say together: derived when the record is read, and never stored.
    #[serde(default, skip_serializing)]
    #[schemars(skip)]
    pub summary: Vec<Cell>,
}

/// The profile of the weekly benchmark, which is the principal series of a lane that has a whole run of it.
pub const WEEKLY: &str = "weekly";

/// How far the clocks of two machines may differ.
pub const CLOCKS: SignedDuration = SignedDuration::from_mins(1);

/// Whether a run with this id would begin after `now`: its clock was wrong, or somebody wrote it by hand.
pub fn id_is_after(id: &str, now: Timestamp) -> bool {
    let latest = now.saturating_add(CLOCKS).unwrap_or(now).strftime("%Y%m%dT%H%M%SZ");
    id.split('-').next().unwrap_or_default() > latest.to_string().as_str()
}

/// The id of a run, `20261121T123408Z-1`: when it began, and its seed.
pub fn run_id(started_at: Timestamp, seed: u64) -> String {
    format!("{}-{seed:x}", started_at.strftime("%Y%m%dT%H%M%SZ"))
}

impl AsRef<Self> for Record {
    fn as_ref(&self) -> &Self {
        self
    }
}

impl Record {
    /// Whether the run would begin after `now`, by its id or by its start. It is left out wherever the newest run counts: it would
    /// be that for ever.
    pub fn is_after(&self, now: Timestamp) -> bool {
        let latest = now.saturating_add(CLOCKS).unwrap_or(now);
        id_is_after(&self.id, now) || self.started_at > latest
    }

    /// Name of its folder below the results'.
    pub fn folder(&self) -> &'static str {
        if self.profile == PROBES {
            PROBES
        } else {
            self.lane.name()
        }
    }

    /// A case that was put to the apps.
    pub fn case(&self, id: &str) -> Option<&ProbeCase> {
        self.cases.iter().find(|case| case.id == id)
    }

    /// An app of the run.
    pub fn app(&self, id: &str, variant: &str) -> Option<&AppRecord> {
        self.apps.iter().find(|app| app.id == id && app.variant == variant)
    }

    /// A scenario of the run.
    pub fn scenario(&self, id: &str) -> Option<&Scenario> {
        self.scenarios.iter().find(|scenario| scenario.id == id)
    }

    /// Moves the controls and their trials, which were made among the apps', to their own place.
    pub fn set_controls_apart(&mut self) {
        let of_controls = self.apps.extract_if(.., |app| app.role == Role::Control);
        for app in of_controls {
            let trials = self.trials.extract_if(.., |trial| trial.is_of(&app)).collect();
            self.controls.push(Control { app, trials });
        }
    }

    /// What was found of an app in a scenario.
    pub fn cell(&self, app: &str, variant: &str, scenario: &str) -> Option<&Cell> {
        let mut cells = self.summary.iter();
        cells.find(|cell| cell.app == app && cell.variant == variant && cell.scenario == scenario)
    }

    /// What a metric of an app is in a scenario, if it is trusted.
    pub fn trusted(&self, app: &AppRecord, scenario: &str, metric: Metric) -> Option<&Summary> {
        self.cell(&app.id, &app.variant, scenario)?.trusted(metric)
    }

    /// The trials of one scenario.
    pub fn trials_of(&self, scenario: &str) -> Vec<&Trial> {
        let of_scenario = self.trials.iter().filter(|trial| trial.scenario == scenario);
        of_scenario.collect()
    }
}

/// Where a run was made.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, ValueEnum,
)]
#[serde(rename_all = "kebab-case")]
pub enum Lane {
    /// A hosted x86-64 runner.
    HostedX64,
    /// A hosted arm64 runner.
    HostedArm64,
    /// The project's own machine.
    SelfHosted,
    /// A developer's machine.
    #[default]
    Local,
}

impl Lane {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 4] = [Self::HostedX64, Self::HostedArm64, Self::SelfHosted, Self::Local];
}

/// What measured, and how far it went.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Harness {
    /// Version of the harness.
    pub version: String,
    /// Commit of the repository that the run was made from, if it is a git checkout.
    pub commit: Option<String>,
    /// Whether files differed from that commit.
    pub dirty: Option<bool>,
    /// Rounds that were planned, and completed unless `stopped` says otherwise; 0 where nothing but cases was put to the apps.
    pub rounds: u32,
    /// Cargo profile with which the apps were built.
    pub cargo_profile: String,
    /// Settings from outside of the repository that reached the build and may have changed the programs, `NAME=value`: of the environment and
    /// of the user's configuration of cargo.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub foreign_settings: Vec<String>,
    /// Why the run ended.
    pub stopped: Stopped,
    /// Whether this is a whole run of its profile: at least all of its apps, scenarios and rounds, measured as it says, built for
    /// release and by the repository's settings alone.
    pub whole: bool,
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stopped {
    /// All planned rounds were completed.
    #[default]
    RoundsDone,
    /// `--time-budget`: the time was up.
    TimeBudgetSpent,
}
