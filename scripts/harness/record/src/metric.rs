//! What is measured, and what each figure means.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::scenario::LoadModel;
use crate::{Trial, Verdict};

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
    /// CPU time of the database per expected answer in µs; shown, never ranked.
    DatabaseCpuUsPerRequest,
    /// Connections of the server to its database, at most over its load; shown, never ranked.
    DatabaseConnectionsOpen,
    /// Those of them that were in use at a time, on average; shown, never ranked.
    DatabaseConnectionsActive,
    /// Highest rate, in requests per second, that is sustained within a latency limit; more is better.
    CapacityRps,
    /// Median latency in ms; not ranked in a closed loop, where it is the length of the queue.
    LatencyP50Ms,
    /// 99th percentile of latency in ms; shown, never ranked.
    LatencyP99Ms,
    /// Median time to the first byte of an answer that is a stream, in ms; shown, never ranked.
    FirstByteP50Ms,
    /// Size of the body of an answer that is compressed, in bytes; shown, never ranked.
    AnswerBytes,
    /// Memory before the load, in bytes; less is better.
    RssIdleBytes,
    /// Largest memory under load, in bytes; less is better.
    RssPeakBytes,
    /// Memory after the load, in bytes.
    RssAfterBytes,
    /// From start to first answer in ms; less is better.
    StartupMs,
}

impl Metric {
    /// All, in the order in which they are shown.
    pub const ALL: [Self; 15] = [
        Self::GoodputRps,
        Self::ServerCpuUsPerRequest,
        Self::InstructionsPerRequest,
        Self::DatabaseCpuUsPerRequest,
        Self::DatabaseConnectionsOpen,
        Self::DatabaseConnectionsActive,
        Self::CapacityRps,
        Self::LatencyP50Ms,
        Self::LatencyP99Ms,
        Self::FirstByteP50Ms,
        Self::AnswerBytes,
        Self::RssIdleBytes,
        Self::RssPeakBytes,
        Self::RssAfterBytes,
        Self::StartupMs,
    ];

    /// Its value in one trial.
    pub fn value(self, trial: &Trial) -> Option<f64> {
        match self {
            Self::GoodputRps => trial.goodput_rps,
            Self::CapacityRps => trial.capacity_rps,
            Self::ServerCpuUsPerRequest => trial.server_cpu_us_per_request,
            Self::InstructionsPerRequest => trial.instructions_per_request,
            Self::DatabaseCpuUsPerRequest => trial.database_cpu_us_per_request,
            Self::DatabaseConnectionsOpen => trial
                .database_connections_open
                .map(f64::from)
                .filter(|open| *open > 0.0),
            // Where none was seen in use, there is no figure that has a ratio.
            Self::DatabaseConnectionsActive => trial.database_connections_active.filter(|active| *active > 0.0),
            Self::LatencyP50Ms => trial.latency_ms.map(|latency| latency.p50),
            Self::LatencyP99Ms => trial.latency_ms.map(|latency| latency.p99),
            Self::FirstByteP50Ms => trial.first_byte_ms,
            Self::AnswerBytes => trial.answer_bytes,
            Self::RssIdleBytes => trial.rss_bytes.map(|rss| rss.idle as f64),
            Self::RssPeakBytes => trial.rss_bytes.map(|rss| rss.peak as f64),
            Self::RssAfterBytes => trial.rss_bytes.map(|rss| rss.after as f64),
            Self::StartupMs => trial.startup_ms,
        }
    }

    /// Its name in a record.
    pub fn id(self) -> &'static str {
        match self {
            Self::GoodputRps => "goodput_rps",
            Self::ServerCpuUsPerRequest => "server_cpu_us_per_request",
            Self::InstructionsPerRequest => "instructions_per_request",
            Self::DatabaseCpuUsPerRequest => "database_cpu_us_per_request",
            Self::DatabaseConnectionsOpen => "database_connections_open",
            Self::DatabaseConnectionsActive => "database_connections_active",
            Self::CapacityRps => "capacity_rps",
            Self::LatencyP50Ms => "latency_p50_ms",
            Self::LatencyP99Ms => "latency_p99_ms",
            Self::FirstByteP50Ms => "first_byte_p50_ms",
            Self::AnswerBytes => "answer_bytes",
            Self::RssIdleBytes => "rss_idle_bytes",
            Self::RssPeakBytes => "rss_peak_bytes",
            Self::RssAfterBytes => "rss_after_bytes",
            Self::StartupMs => "startup_ms",
        }
    }

    /// The metric with this name.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|metric| metric.id() == id)
    }

    /// Whether more is better.
    pub fn more_is_better(self) -> bool {
        matches!(self, Self::GoodputRps | Self::CapacityRps)
    }

    /// What a scenario with this load is about, and its apps are ranked by first.
    pub fn headline(load: LoadModel) -> Self {
        match load {
            LoadModel::Closed => Self::GoodputRps,
            LoadModel::Open { .. } => Self::LatencyP50Ms,
            LoadModel::Capacity { .. } => Self::CapacityRps,
        }
    }

    /// Whether apps are ranked by it: by what the load is about, and by what a request costs under any load. In a closed
    /// loop latency is the length of the queue, in an open loop goodput is the offered rate, and the tails are never
    /// ranked. Memory is ranked by its peak.
    pub fn is_ranked(self, load: LoadModel) -> bool {
        let cost = matches!(
            self,
            Self::ServerCpuUsPerRequest | Self::InstructionsPerRequest | Self::RssPeakBytes | Self::StartupMs
        );
        cost || self == Self::headline(load)
    }

    /// Whether the figure means something under this verdict of its cell.
    ///
    /// Cost per request, memory and start-up do not depend on what was the limit; rates and latencies do.
    pub fn stands_under(self, verdict: Verdict) -> bool {
        match verdict {
            Verdict::Valid => true,
            Verdict::Unsaturated => !matches!(self, Self::GoodputRps | Self::CapacityRps),
            Verdict::ClientBound | Verdict::NetworkBound | Verdict::DatabaseBound | Verdict::Unstable => !matches!(
                self,
                Self::GoodputRps | Self::CapacityRps | Self::LatencyP50Ms | Self::LatencyP99Ms | Self::FirstByteP50Ms
            ),
            Verdict::EnvironmentFailed | Verdict::ContractFailed | Verdict::Crashed | Verdict::BuildFailed => false,
        }
    }
}
