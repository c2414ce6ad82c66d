//! What one round measured of one server.

use std::collections::BTreeMap;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{AppRecord, Verdict};

/// What one round measured of one app under one scenario: a fresh server process, a warm-up, then slices or one continuous load.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// Place within the run, from 1, in the order in which the trials ran.
    pub order: u32,
    /// Number of the attempt: 2 if the machine disturbed the first.
    pub attempt: u32,
    /// When the server was started, UTC.
    pub started_at: Timestamp,
    /// The verdict on this trial.
    pub verdict: Verdict,
    /// Why, in words; empty if and only if the verdict is `valid`.
    pub reasons: Vec<String>,
    /// Answers by HTTP status; `refused 404` where a refusal is what the scenario requires.
    pub requests: BTreeMap<String, u64>,
    /// Requests without an answer, by the load generator's reason.
    pub errors: BTreeMap<String, u64>,
    /// Length of the load in seconds, including the wait for the requests in flight at its end. A year after publication, it is gone.
    pub seconds: Option<f64>,
    /// Expected answers per second.
    pub goodput_rps: Option<f64>,
    /// Highest rate, in requests per second, that was sustained within the scenario's latency limit; only where the scenario
    /// searches for it. All other figures of such a trial come from the load at this rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity_rps: Option<f64>,
    /// Time from request to answer, in milliseconds; with slices, each figure is the median over the slices.
    pub latency_ms: Option<Latency>,
    /// Mean size of the body of an expected answer, in bytes; only where answers are compressed, which is what makes a difference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer_bytes: Option<f64>,
    /// Median time from a request to the first byte of the answer's body, in milliseconds; only where bodies are streams. With
    /// slices, the median over the slices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_byte_ms: Option<f64>,
    /// CPU time of the server, all its threads, per expected answer, in microseconds. With slices: without the machine's effect on
    /// all servers of a sub-round, and without the outer quarters of what is left (`stats::polish`), in the sub-rounds of a good `state`.
    /// `None` in a round that has too few of them.
    pub server_cpu_us_per_request: Option<f64>,
    /// For a control: CPU time that its extra work takes for one request, in nanoseconds, measured by the harness on the server's cpus before the
    /// servers of the round were started: what its CPU time should be above the reference's. `None` for any other server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub injected_ns: Option<f64>,
    /// Instructions in user space for one request, counted under callgrind in a process of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions_per_request: Option<f64>,
    /// Share of its cpus that the server used, 0 to 1.
    pub server_cpu_share: Option<f64>,
    /// Share of the server's CPU time that was spent in the kernel, 0 to 1, over all its slices, at the kernel's resolution (10 ms in all).
    /// Records older than this field have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system_cpu_share: Option<f64>,
    /// Share of its cpus that the load generator used, 0 to 1.
    pub generator_cpu_share: Option<f64>,
    /// Share of what the network to the load machines was measured to carry that the load took, where that was most; `None` where
    /// this machine made the load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link_share: Option<f64>,
    /// Share of cpu time that the hypervisor gave to others during the load, 0 to 1.
    pub steal_share: Option<f64>,
    /// Share of the cpus in use that programs other than server, load generator and harness used during the load, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_cpu_share: Option<f64>,
    /// CPU time that the server used while others were driven, as a share of one cpu; `None` where no other was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle_cpu_share: Option<f64>,
    /// Whether it was driven separately from the others, with a reference of its own, because it uses the cpu when idle.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub apart: bool,
    /// CPU time of the database for one expected answer, in microseconds; `None` without a database whose processes are on this machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub database_cpu_us_per_request: Option<f64>,
    /// Share of its cpus that the database used, 0 to 1. Where it shares them with the load generator, each is a share of all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub database_cpu_share: Option<f64>,
    /// Connections of the server to its database: the most that were seen open, by one look at each slice or load. `None` without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub database_connections_open: Option<u32>,
    /// How many of them executed a statement or had a transaction open, on average over these looks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub database_connections_active: Option<f64>,
    /// In what state of the machine its figures were measured; `None` where it had no slices, or too few servers were driven to tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<MachineState>,
    /// Its slices that count; `None` where none does, or where it had one continuous load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slices: Option<Slices>,
    /// Slices that count in no figure, because other programs or the hypervisor took too much of the cpus meanwhile. Records older than
    /// this field left them out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disturbed_slices: Option<Slices>,
    /// Memory of the server.
    pub rss_bytes: Option<Rss>,
    /// From the start of the process, or from the command to create its container, to the first answer, in milliseconds.
    pub startup_ms: Option<f64>,
}

/// Which sub-rounds of a round count, by the state of the machine that all servers show (`stats::SubRounds`).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MachineState {
    /// Sub-rounds of the round that count: those near the best state of the run, or in the better half.
    pub counted: u32,
    /// All sub-rounds of the round.
    pub of: u32,
    /// CPU time in the counted sub-rounds of all rounds ÷ CPU time in the best of them, from 1.
    pub slowness: f64,
}

/// Slices of a trial, as columns: one number for each slice, in the order in which they ran.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Slices {
    /// Sub-round, from 1.
    pub sub_round: Vec<u32>,
    /// Place among the servers of the sub-round, from 1.
    pub place: Vec<u32>,
    /// Expected answers.
    pub answers: Vec<u64>,
    /// Length including the wait for the requests in flight at its end, in microseconds.
    pub length_us: Vec<u64>,
    /// CPU time of the server in microseconds.
    pub server_cpu_us: Vec<u64>,
    /// CPU time of the load generator in microseconds, without its start and its report.
    pub generator_cpu_us: Vec<u64>,
    /// CPU time of the database in microseconds; empty without one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub database_cpu_us: Vec<u64>,
    /// CPU time that other programs used on the cpus in use, in microseconds, at the kernel's resolution (10,000).
    pub other_cpu_us: Vec<u64>,
}

/// The HTTP status that is an expected answer under load.
pub const EXPECTED: &str = "200";
/// What precedes the status in `requests` where the scenario requires a refusal: `refused 404`.
pub const REFUSED: &str = "refused ";
/// What precedes it there of an answer that is none.
const NOT_REFUSED: &str = "not refused ";

/// Whether answers that are counted under this key of `requests` are expected.
pub fn is_expected(status: &str) -> bool {
    status == EXPECTED || status.starts_with(REFUSED)
}

/// Answers by status under a load whose requests must be refused: any status 4xx is right there, and no other, 200 least of all.
pub fn as_refusals(requests: BTreeMap<String, u64>) -> BTreeMap<String, u64> {
    let judged = |(status, count): (String, u64)| {
        let is_refusal = status.len() == 3 && status.starts_with('4');
        let prefix = if is_refusal { REFUSED } else { NOT_REFUSED };
        (format!("{prefix}{status}"), count)
    };
    requests.into_iter().map(judged).collect()
}

/// Number of expected answers among `requests`, which are answers by HTTP status.
pub fn expected_answers(requests: &BTreeMap<String, u64>) -> u64 {
    let expected = requests.iter().filter(|(status, _)| is_expected(status));
    expected.map(|(_, count)| count).sum()
}

impl Trial {
    /// Whether it is one of this app.
    pub fn is_of(&self, app: &AppRecord) -> bool {
        self.app == app.id && self.variant == app.variant
    }

    /// Whether all that failed is that requests were never answered: by a load's deadline, or by the patience of a proof. A wrong answer, half a
    /// one and a connection that is closed are something else.
    pub fn is_unanswered(&self) -> bool {
        let waited = |reason: &String| {
            let of_proof = reason.contains(": expected an answer, got nothing within ") && reason.ends_with(" s");
            of_proof || reason.starts_with("the load did not end within ")
        };
        !self.reasons.is_empty() && self.reasons.iter().all(waited)
    }

    /// Takes out what no verdict, figure or report is made of, and says whether there was any. Unless `at_rate`, which is how a load at a
    /// fixed rate is, those are most latencies, too.
    pub fn prune(&mut self, at_rate: bool) -> bool {
        let less = |Latency { mean, p50, p99, .. }| Latency {
            mean,
            p50,
            p99,
            ..Latency::default()
        };
        let kept = Self {
            seconds: None,
            generator_cpu_share: None,
            link_share: None,
            database_cpu_share: None,
            latency_ms: self.latency_ms.map(|all| if at_rate { all } else { less(all) }),
            ..self.clone()
        };
        let is_less = kept != *self;
        *self = kept;
        is_less
    }
}

/// Latencies of one trial, in milliseconds. In a closed loop they show how long the queue was, not how fast the server is. A year
/// after publication, only mean, median and 99th percentile are left of it; the others are 0 then.
#[derive(Debug, Default, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Latency {
    /// Smallest.
    #[serde(default, skip_serializing_if = "is_gone")]
    pub min: f64,
    /// Arithmetic mean.
    pub mean: f64,
    /// Median.
    pub p50: f64,
    /// 90th percentile.
    #[serde(default, skip_serializing_if = "is_gone")]
    pub p90: f64,
    /// 95th percentile.
    #[serde(default, skip_serializing_if = "is_gone")]
    pub p95: f64,
    /// 99th percentile: shown, never ranked.
    pub p99: f64,
    /// 99.9th percentile: shown, never ranked.
    #[serde(default, skip_serializing_if = "is_gone")]
    pub p99_9: f64,
    /// Largest.
    #[serde(default, skip_serializing_if = "is_gone")]
    pub max: f64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_gone(figure: &f64) -> bool {
    *figure == 0.0
}

/// The figures of a [`Latency`], in the order of its fields.
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
    fn from(l: Latency) -> Self {
        [l.min, l.mean, l.p50, l.p90, l.p95, l.p99, l.p99_9, l.max]
    }
}

/// Resident memory of the server's process, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rss {
    /// After the start and the contract checks, before any load.
    pub idle: u64,
    /// Largest during the load (`VmHWM`).
    pub peak: u64,
    /// Right after the load.
    pub after: u64,
}
