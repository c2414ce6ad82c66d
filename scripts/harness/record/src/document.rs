//! The record: what one run found, as it lies in `bench-results/<lane>/<run id>.json`.
//!
//! These types are the border between measuring and presenting. Whatever measures ends here; whatever shows a number
//! begins here, and can therefore be run again on any old result, on any machine, without a server. This file holds
//! the shape and nothing else: see [`crate::store`] for reading and writing, `judge::analysis` for the summary.
//!
//! A field is added with `#[serde(default)]`, so that a new reader still takes old data; [`SCHEMA_VERSION`] grows when
//! an old reader would misunderstand new data. Unknown fields are refused: a record is evidence, and evidence that is
//! only half understood is not used.

use std::collections::BTreeMap;
use std::fmt;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::scenario::{GeneratorKind, Protocol, Scenario};
use crate::costs::Costs;

/// The version of the record that this program writes, and the newest that it reads.
pub const SCHEMA_VERSION: u32 = 3;

/// One run: all rounds of a profile on one machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// How it was asked.
    pub scenarios: Vec<Scenario>,
    /// Every trial, in the order in which they were made; none is left out.
    pub trials: Vec<Trial>,
    /// What the trials say together; can be computed again from the rest.
    pub summary: Vec<Cell>,
}

/// Where a run was made.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema, clap::ValueEnum,
)]
#[serde(rename_all = "kebab-case")]
pub enum Lane {
    /// A hosted x86-64 runner.
    #[serde(rename = "hosted-x64")]
    #[value(name = "hosted-x64")]
    HostedX64,
    /// A hosted arm64 runner.
    #[serde(rename = "hosted-arm64")]
    #[value(name = "hosted-arm64")]
    HostedArm64,
    /// The project's own machine.
    SelfHosted,
    /// Somebody's machine.
    Local,
}

impl Lane {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 4] = [Self::HostedX64, Self::HostedArm64, Self::SelfHosted, Self::Local];
}

/// What measured, and how far it went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Harness {
    /// Version of the harness.
    pub version: String,
    /// Commit of the repository that the run was made from, if it is a git checkout.
    pub commit: Option<String>,
    /// Whether files differed from that commit.
    pub dirty: Option<bool>,
    /// Rounds that were planned, and made unless `stopped` says otherwise.
    pub rounds: u32,
    /// Cargo profile that the apps were built by.
    pub cargo_profile: String,
    /// Why no more rounds were made.
    pub stopped: Stopped,
    /// Whether this is a whole run of its profile: all apps, scenarios and rounds of it at least, asked as it says, built for
    /// release. Only whole runs are in series, history and feed. `None` in records from before this field, which count as whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole: Option<bool>,
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stopped {
    /// All planned rounds were made.
    RoundsDone,
    /// `--time-budget`, before schema version 3: every interval that is ranked on was narrow enough.
    IntervalsNarrow,
    /// `--time-budget`: the time was up.
    TimeBudgetSpent,
}

/// What the run was measured on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Environment {
    /// Model name of the cpu.
    pub cpu_model: String,
    /// Logical cpus that the run could use.
    pub logical_cpus: u32,
    /// Memory of the machine in bytes.
    pub memory_bytes: u64,
    /// Kernel release.
    pub kernel: String,
    /// Name and version of the operating system.
    pub os: String,
    /// Frequency governor of the serving cpus, each that is found; `None` where the machine shows none (most virtual machines).
    pub governor: Option<String>,
    /// Whether turbo is on; `None` where the machine does not tell.
    pub turbo: Option<bool>,
    /// Hypervisor or container engine, if one shows itself.
    pub virtualisation: Option<String>,
    /// Share of cpu time that the hypervisor gave to others while the run went on, 0 to 1.
    pub steal_share: f64,
    /// Load average over one minute before the first trial.
    pub load_average: f64,
    /// Name and version of the runner's image (GitHub Actions).
    pub runner_image: Option<String>,
    /// `rustc --version` of the compiler that built the apps.
    pub rustc: String,
    /// Version of oha; empty where nothing was driven, as in a run of costs.
    pub oha: String,
    /// Versions of other load generators that scenarios of this run use.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub generators: BTreeMap<GeneratorKind, String>,
    /// Name and version of the container engine, where a scenario of this run asks for containers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub container_engine: Option<String>,
    /// Cpus that the servers ran on.
    pub server_cpus: Vec<u32>,
    /// Cpus that the load generator ran on.
    pub generator_cpus: Vec<u32>,
    /// The splits that were tried before the run and what the ceiling reached under each, the one that was taken first; empty
    /// where there was nothing to choose, or the user chose.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub splits: Vec<SplitTried>,
    /// Whether the kernel accounts interrupts and softirqs apart from processes (`CONFIG_IRQ_TIME_ACCOUNTING`): it decides who
    /// pays for the loopback network. `None` where the machine does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub irq_time_apart: Option<bool>,
    /// Version of valgrind, where instructions were counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valgrind: Option<String>,
    /// What `scripts/runner/tune.sh` sets, as it was found: name → value, several where cpus differ. What the machine
    /// does not show is not there; records from before this field have none.
    #[serde(default)]
    pub tuning: BTreeMap<String, String>,
    /// What speaks against this machine, in words; empty where nothing was found.
    pub warnings: Vec<String>,
}

/// A way to divide the cpus between server and load generator, and what the ceiling reached under it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SplitTried {
    /// Cpus of the server.
    pub server_cpus: Vec<u32>,
    /// Cpus of the load generator.
    pub generator_cpus: Vec<u32>,
    /// Expected answers of the ceiling per second.
    pub goodput_rps: f64,
    /// Share of its cpus that the ceiling used, 0 to 1.
    pub server_cpu_share: f64,
    /// Share of its cpus that the load generator used, 0 to 1.
    pub generator_cpu_share: f64,
}

/// One app in one variant, as it was built.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// How the framework is kept.
    pub tier: Tier,
    /// Crate whose version is reported.
    pub framework: String,
    /// That crate's version in the lockfile.
    pub framework_version: String,
    /// SHA-256 over the app's sources and the contract's.
    pub source_hash: String,
    /// SHA-256 over the resolved dependencies of this app.
    pub lockfile_hash: String,
    /// Size of the program in bytes; `None` if it was not built.
    pub binary_bytes: Option<u64>,
    /// Seconds that cargo took, what was already built not counted; in a run of costs those of the clean build. `None` if it
    /// was not built.
    pub build_seconds: Option<f64>,
    /// Why the app could not be built, if so: the compiler's first error, or what cargo said.
    pub build_error: Option<String>,
    /// Protocols that it speaks; records from before this field know HTTP/1.1 in cleartext only.
    #[serde(default = "http1")]
    pub protocols: Vec<Protocol>,
    /// Where the framework breaks the contract and no app can change that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known_fault: Option<String>,
    /// Why instructions were not counted, or not of all scenarios that ask for it: it does not run under valgrind, perhaps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions_not_counted: Option<String>,
    /// What it costs beside its speed, if the run asked for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub costs: Option<Costs>,
}

impl AppRecord {
    /// `axum`, `axum (tuned)`.
    pub fn label(&self) -> String {
        crate::label(&self.id, &self.variant)
    }

    /// The first line of the reason for which it could not be built; `None` if it could be.
    pub fn why_not_built(&self) -> Option<&str> {
        let mut lines = self.build_error.as_deref()?.lines().map(str::trim);
        Some(lines.find(|line| !line.is_empty()).unwrap_or("no reason given"))
    }
}

fn http1() -> Vec<Protocol> {
    vec![Protocol::Http1]
}

/// What part an app plays in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// One of those that are compared.
    Framework,
    /// The frozen server that every figure is divided by.
    Reference,
    /// The smallest server: shows what the load generator can reach.
    Ceiling,
}

/// How a framework is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// It is released and cared for.
    Maintained,
    /// An HTTP engine, no framework.
    Engine,
    /// It no longer moves.
    Legacy,
}

/// What a measurement is worth.
///
/// The order is from the best to the worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Every rule was kept.
    Valid,
    /// The load generator was the limit, or its connections were not all in use.
    ClientBound,
    /// Neither the server nor the generator was at its limit: the figure is a property of the scenario.
    Unsaturated,
    /// The trials of one cell spread too far to be summed up.
    Unstable,
    /// The machine could not do it (open files, ports, stolen cpu time).
    EnvironmentFailed,
    /// An answer was not the expected one.
    ContractFailed,
    /// The server died.
    Crashed,
    /// The server could not be built.
    BuildFailed,
}

/// What one round measured of one app under one scenario: a fresh server process, a warm-up, its slices or one load of its
/// own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Trial {
    /// Name of the app's folder.
    pub app: String,
    /// `default` or the variant's name.
    pub variant: String,
    /// Name of the scenario.
    pub scenario: String,
    /// Round, from 1.
    pub round: u32,
    /// Place within the run, from 1, in the order in which the trials were made.
    pub order: u32,
    /// How often this trial was made: 2 if the machine failed the first.
    pub attempt: u32,
    /// When the server was started, UTC.
    pub started_at: Timestamp,
    /// What this trial is worth.
    pub verdict: Verdict,
    /// Why, in words; empty if and only if the verdict is `valid`.
    pub reasons: Vec<String>,
    /// Answers by HTTP status.
    pub requests: BTreeMap<String, u64>,
    /// Requests without an answer, by the load generator's words for why.
    pub errors: BTreeMap<String, u64>,
    /// Length of the load in seconds, with the wait for the requests that were under way at its end.
    pub seconds: Option<f64>,
    /// Expected answers per second.
    pub goodput_rps: Option<f64>,
    /// Highest rate, in requests per second, that was kept with the latency that the scenario asks for; only where the
    /// scenario is a search for it. All other figures of such a trial are of the load at this rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity_rps: Option<f64>,
    /// Time from request to answer, in milliseconds; of slices, the median over the slices of each figure.
    pub latency_ms: Option<Latency>,
    /// CPU time of the server, all its threads, per expected answer, in microseconds. Of slices: without what the machine did to
    /// all servers of a sub-round, and without the outer quarters of what is left (`judge::stats::polish`).
    pub server_cpu_us_per_request: Option<f64>,
    /// Instructions in user space for one request, counted under callgrind in a process of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions_per_request: Option<f64>,
    /// Share of its cpus that the server used, 0 to 1.
    pub server_cpu_share: Option<f64>,
    /// Share of its cpus that the load generator used, 0 to 1.
    pub generator_cpu_share: Option<f64>,
    /// Share of cpu time that the hypervisor gave to others during the load, 0 to 1.
    pub steal_share: Option<f64>,
    /// Share of the cpus in use that programs other than server, load generator and harness took during the load, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_cpu_share: Option<f64>,
    /// CPU time that the server used while others were driven, as a share of one cpu; `None` where nobody else was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle_cpu_share: Option<f64>,
    /// Whether it was driven apart from the others, beside a reference of its own, because it uses the cpu when nobody asks.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub apart: bool,
    /// Its slices; `None` where it had one load of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slices: Option<Slices>,
    /// Memory of the server.
    pub rss_bytes: Option<Rss>,
    /// From the start of the process, or from the order to the engine to make a container, to the first answer, in
    /// milliseconds.
    pub startup_ms: Option<f64>,
}

/// The slices of a trial, as columns: one number for each slice that counts, in the order in which they were made.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Slices {
    /// Sub-round, from 1. One that is missing was disturbed and left out.
    pub sub_round: Vec<u32>,
    /// Place among the servers of the sub-round, from 1.
    pub place: Vec<u32>,
    /// Expected answers.
    pub answers: Vec<u64>,
    /// Length with the wait for the requests that were under way at its end, in microseconds.
    pub length_us: Vec<u64>,
    /// CPU time of the server in microseconds.
    pub server_cpu_us: Vec<u64>,
    /// CPU time of the load generator in microseconds, without what it needs to start and to report.
    pub generator_cpu_us: Vec<u64>,
    /// CPU time that other programs took on the cpus in use, in microseconds, as finely as the kernel counts it (10,000).
    pub other_cpu_us: Vec<u64>,
}

/// The only HTTP status that is an expected answer under load.
pub const EXPECTED: &str = "200";

/// Number of expected answers among `requests`, which are answers by HTTP status.
pub fn expected_answers(requests: &BTreeMap<String, u64>) -> u64 {
    requests.get(EXPECTED).copied().unwrap_or(0)
}

/// Latencies of one trial, in milliseconds. In a closed loop they say how long the queue was, not how quick the server.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Latency {
    /// Smallest.
    pub min: f64,
    /// Arithmetic mean.
    pub mean: f64,
    /// Median.
    pub p50: f64,
    /// 90th percentile.
    pub p90: f64,
    /// 95th percentile.
    pub p95: f64,
    /// 99th percentile: shown, never ranked.
    pub p99: f64,
    /// 99.9th percentile: shown, never ranked.
    pub p99_9: f64,
    /// Largest.
    pub max: f64,
}

/// As many figures as a latency has, in the order of its fields.
pub type LatencyFigures = [f64; 8];

impl From<LatencyFigures> for Latency {
    fn from([min, mean, p50, p90, p95, p99, p99_9, max]: LatencyFigures) -> Self {
        Self {
            min,
            mean,
            p50,
            p90,
            p95,
            p99,
            p99_9,
            max,
        }
    }
}

impl From<Latency> for LatencyFigures {
    fn from(latency: Latency) -> Self {
        let Latency {
            min,
            mean,
            p50,
            p90,
            p95,
            p99,
            p99_9,
            max,
        } = latency;
        [min, mean, p50, p90, p95, p99, p99_9, max]
    }
}

/// Resident memory of the server's process, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rss {
    /// After the start and the contract, before any load.
    pub idle: u64,
    /// Largest during the load (`VmHWM`).
    pub peak: u64,
    /// Right after the load.
    pub after: u64,
}

/// One cell of the result: an app in a variant under a scenario, over all rounds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cell {
    /// Name of the app's folder.
    pub app: String,
    /// `default` or the variant's name.
    pub variant: String,
    /// Name of the scenario.
    pub scenario: String,
    /// What the cell is worth.
    pub verdict: Verdict,
    /// Why, in words; empty if and only if the verdict is `valid`.
    pub reasons: Vec<String>,
    /// What was found for each metric. A metric that was not measured is not there.
    pub metrics: BTreeMap<Metric, Summary>,
}

/// What is measured of each cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// Expected answers per second; more is better.
    GoodputRps,
    /// Server CPU time per expected answer in µs; less is better. Holds even where the load generator is the limit.
    ServerCpuUsPerRequest,
    /// Instructions in user space for one request; less is better. Hardly depends on the machine.
    InstructionsPerRequest,
    /// Highest rate, in requests per second, that is kept with a bounded latency; more is better.
    CapacityRps,
    /// Median latency in ms; not ranked in a closed loop, where it is the length of the queue.
    LatencyP50Ms,
    /// 99th percentile of latency in ms; shown, never ranked.
    LatencyP99Ms,
    /// Memory before the load, in bytes; less is better.
    RssIdleBytes,
    /// Largest memory under load, in bytes; less is better.
    RssPeakBytes,
    /// Memory after the load, in bytes.
    RssAfterBytes,
    /// From start to first answer in ms; less is better.
    StartupMs,
}

/// One metric of one cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Summary {
    /// Median over the trials.
    pub median: f64,
    /// 95 % interval of the median; `None` where there were too few trials for one.
    pub interval: Option<Interval>,
    /// Number of trials behind it.
    pub trials: u32,
    /// Value ÷ the reference's value, without what the machine did to a whole round.
    pub ratio: Option<Ratio>,
    /// The places that the proven differences leave to it; `None` if it is not ranked.
    pub rank: Option<Rank>,
    /// Whether the verdict leaves this figure standing; one that does not is shown apart and never ranked.
    pub trusted: bool,
}

/// The range of places that the proven differences leave to an app: 1 plus how many are proven to be better, to the number of
/// all less how many are proven to be worse. All differences of one scenario and metric hold together with 95 %.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rank {
    /// The best place that it may have, from 1.
    pub best: u32,
    /// The worst.
    pub worst: u32,
}

impl fmt::Display for Rank {
    /// `1`, `2–5`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.best == self.worst {
            write!(f, "{}", self.best)
        } else {
            write!(f, "{}–{}", self.best, self.worst)
        }
    }
}

/// A ratio to the reference. Rounds are compared as wholes: their effects are estimated from all apps of the scenario.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ratio {
    /// Estimate over the rounds.
    #[serde(alias = "median")] // its name before schema version 3
    pub estimate: f64,
    /// 95 % interval of that estimate alone, not of all at once; `None` where there were too few rounds for one.
    pub interval: Option<Interval>,
}

/// An interval, both ends belong to it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}
