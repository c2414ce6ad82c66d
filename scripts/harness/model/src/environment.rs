//! What a run was measured on.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::scenario::GeneratorKind;

/// Labels of a runner as GitHub compares them: a set, without case.
pub fn runner_labels<T: AsRef<str>>(labels: impl IntoIterator<Item = T>) -> BTreeSet<String> {
    labels.into_iter().map(|label| label.as_ref().to_lowercase()).collect()
}

/// What the run was measured on.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Environment {
    /// Model name of the cpu.
    pub cpu_model: String,
    /// What else distinguishes this cpu: many share one model name. Records older than this field have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<Cpu>,
    /// Logical cpus that the run could use.
    pub logical_cpus: u32,
    /// Memory that the run could use, in bytes: the machine's, or the limit of its control group.
    pub memory_bytes: u64,
    /// Kernel release.
    pub kernel: String,
    /// Name and version of the operating system.
    pub os: String,
    /// Frequency governors found on the serving cpus; `None` where the machine shows none (most virtual machines).
    pub governor: Option<String>,
    /// Whether turbo is on; `None` where the machine does not say.
    pub turbo: Option<bool>,
    /// Hypervisor or container engine, if one shows itself.
    pub virtualisation: Option<String>,
    /// Share of cpu time that the hypervisor gave to others while the run went on, 0 to 1.
    pub steal_share: f64,
    /// Load average over one minute before the first trial.
    pub load_average: f64,
    /// Name and version of the runner's image (GitHub Actions).
    pub runner_image: Option<String>,
    /// Labels by which the lane requests its runner: `ubuntu-24.04`; `self-hosted` and `bench`. Empty outside a workflow.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runner: Vec<String>,
    /// `rustc --version` of the compiler that built the apps.
    pub rustc: String,
    /// Version of oha; empty where no load was driven, as in a run of costs.
    pub oha: String,
    /// Versions of other load generators that scenarios of this run use.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub generators: BTreeMap<GeneratorKind, String>,
    /// Name and version of the container engine, where a scenario of this run needs containers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub container_engine: Option<String>,
    /// The database behind the servers, where a scenario of this run needs one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub database: Option<DatabaseServer>,
    /// Cpus that the servers ran on.
    pub server_cpus: Vec<u32>,
    /// Cores to which the cpus of the servers belong; fewer than cpus where a core has several threads. Records older than this field
    /// have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_cores: Option<u32>,
    /// Cpus that the load generator ran on; empty if other machines made the load.
    pub generator_cpus: Vec<u32>,
    /// The other machines that made the load, in the order in which they were named; their names are nobody's business.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub load_machines: Vec<LoadMachine>,
    /// Share of its cpus' time that a server of a scenario with `cpu_quota` got, above 0 and below 1; `None` where it got all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_cpu_quota: Option<f64>,
    /// The splits that were tried before the run and what the ceiling reached under each, the chosen one first; empty where there
    /// was nothing to choose, or the user chose.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub splits: Vec<SplitTried>,
    /// Whether the kernel accounts interrupts and softirqs separately from processes (`CONFIG_IRQ_TIME_ACCOUNTING`), which decides
    /// who pays for the loopback network. `None` where the machine does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub irq_time_apart: Option<bool>,
    /// Version of valgrind, where instructions were counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valgrind: Option<String>,
    /// Programs of others that made cases, with their versions.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tools: BTreeMap<String, String>,
    /// Files that a process may have open, where that limits cases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_files: Option<u64>,
    /// How the servers were kept away from the rest of the machine; empty where nothing kept them away. Records older than this field
    /// have none, and nothing was.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub confined: BTreeSet<Confinement>,
    /// The settings of `scripts/runner/tune.sh` as they were found: name → value, or several values where cpus differ. Settings that
    /// the machine does not show are missing; records older than this field have none.
    #[serde(default)]
    pub tuning: BTreeMap<String, String>,
    /// The programs outside the measurement that used most of the cpus in the first round of which most did not count, the busiest first;
    /// empty where every round counted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_programs: Vec<OtherProgram>,
    /// Warnings about this machine, in words.
    pub warnings: Vec<String>,
}

/// A program outside the measurement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OtherProgram {
    /// Its name, as the kernel keeps it.
    pub name: String,
    /// How many cpus all its processes kept busy on average.
    pub cpus: f64,
}

/// A cpu, as it identifies itself. On arm64 the family is the architecture's version, and the stepping is variant and revision.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cpu {
    /// Vendor: `AuthenticAMD`, or the implementer's number.
    pub vendor: Option<String>,
    /// Family.
    pub family: Option<String>,
    /// Model, or the part's number.
    pub model: Option<String>,
    /// Stepping, or variant and revision: `0x3 1`.
    pub stepping: Option<String>,
    /// Size of the first level's cache for data, in KiB, where the machine shows it.
    pub l1d_kib: Option<u32>,
    /// Size of the second level's cache, in KiB.
    pub l2_kib: Option<u32>,
    /// Size of the third level's cache, in KiB, as far as this machine sees it.
    pub l3_kib: Option<u32>,
    /// What the hypervisor calls itself: `KVMKVMKVM`, `Microsoft Hv`; `None` where it shows none.
    pub hypervisor: Option<String>,
}

impl fmt::Display for Cpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = |name: &str, value: &Option<String>| Some(format!("{name} {}", value.as_ref()?));
        let sized = |name: &str, kib: Option<u32>| Some(format!("{name} {} KiB", kib?));
        let parts = [
            self.vendor.clone(),
            named("family", &self.family),
            named("model", &self.model),
            named("stepping", &self.stepping),
            sized("L1d", self.l1d_kib),
            sized("L2", self.l2_kib),
            sized("L3", self.l3_kib),
            named("under", &self.hypervisor),
        ];
        f.write_str(&parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
    }
}

/// A database server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DatabaseServer {
    /// Its name and version: `PostgreSQL 15.18`.
    pub version: String,
    /// Cpus that it ran on; empty for one that the harness did not start.
    pub cpus: Vec<u32>,
    /// File system of its data: `ext4`. On `tmpfs` nothing is durable. `None` for one that the harness did not start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_system: Option<String>,
    /// Its settings that are not the defaults, by name, as it reports them.
    pub settings: BTreeMap<String, String>,
}

/// Another machine that made load, and the link to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoadMachine {
    /// Model name of the cpu.
    pub cpu_model: String,
    /// Logical cpus that the generator could use.
    pub logical_cpus: u32,
    /// Kernel release.
    pub kernel: String,
    /// SHA-256 of the load generator that ran there, which is this run's.
    pub generator_hash: String,
    /// Whether it was the machine of the servers.
    pub is_this_one: bool,
    /// Round-trip time of one byte over TCP, in microseconds; the median of 100.
    pub rtt_us: f64,
    /// Megabits per second to it over one connection, which is where answers go.
    pub to_mbit: f64,
    /// Megabits per second from it over one connection.
    pub from_mbit: f64,
    /// Largest packet on the way in bytes, where the kernel says.
    pub mtu: Option<u32>,
    /// Speed of its network interface in Mbit/s, where it says.
    pub interface_mbit: Option<u32>,
    /// How far its wall clock was ahead of the servers' machine or behind it, in seconds. Loads are begun by the difference.
    pub clock_apart_seconds: f64,
    /// Largest error of that difference, in microseconds: half of the round-trip time over SSH.
    pub clock_error_us: f64,
}

/// What a server is kept from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Confinement {
    /// It has a user of its own, and so can neither write to nor signal nor trace what belongs to another.
    OwnUser,
    /// It writes no file, and traces only its own processes (Landlock, Linux 5.13).
    NoWrites,
    /// It opens no TCP connection (Linux 6.7).
    NoConnections,
    /// It signals only its own processes (Linux 6.12).
    NoSignals,
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
