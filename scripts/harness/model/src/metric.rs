//! What is measured, and what each figure means.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{EnumCount, EnumMessage, EnumProperty, EnumString, IntoStaticStr, VariantArray};

use crate::scenario::{LoadModel, Scenario};
use crate::verdict::Keeps;
use crate::{Trial, Verdict};

const MIB: f64 = 1_048_576.0;

/// What is measured of each cell, in the order in which it is shown. A new one is a variant here and an arm of [`Metric::value`].
///
/// `of` is a figure's kind. A cost is what something takes: it stands under any limit. A rate is what was reached in a second: it
/// stands where the server was the limit, and more is better. A latency stands where nothing but the server or the scenario was the limit.
///
/// Of tables, `short` is what it is called where there is little room, and `column` the same of a metric that has a column of its own;
/// `only = "documents"` leaves that out of terminals. `label` is its name where nothing around it says what it is. `needs` is how many
/// requests of a round, at a fixed rate, it takes for the figure to say anything: it is a tail, shown with its interval and never ranked.
/// `field` is where a trial has it, if not under its own name.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
    EnumCount,
    EnumMessage,
    EnumProperty,
    EnumString,
    IntoStaticStr,
    VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Metric {
    /// Expected answers per second. Grey where the load generator was the limit: those servers could do more.
    #[strum(props(name = "Goodput", unit = "req/s", of = "rate"))]
    GoodputRps,
    /// Server CPU time per expected answer. It is valid even where the load generator was the limit.
    #[strum(props(name = "CPU per request", unit = "µs", of = "cost", short = "CPU", ranked = "always"))]
    ServerCpuUsPerRequest,
    /// Instructions that the server executes in user space for one request, counted and not timed. They hardly depend on the
    /// machine, so a small change shows; the kernel's are not counted.
    #[strum(props(
        name = "Instructions per request",
        unit = "instructions",
        of = "cost",
        ranked = "always"
    ))]
    InstructionsPerRequest,
    /// CPU time of the database per expected answer: the other part of what a request costs. Shown, never ranked.
    #[strum(props(name = "Database CPU per request", unit = "µs", of = "cost"))]
    DatabaseCpuUsPerRequest,
    /// The most connections to its database that the server was seen to have open. Shown, never ranked.
    #[strum(props(name = "Database connections open", unit = "connections", of = "cost"))]
    DatabaseConnectionsOpen,
    /// Connections on which a statement was executed or a transaction was open, on average over one look at each slice. Shown,
    /// never ranked.
    #[strum(props(name = "Database connections in use", unit = "connections", of = "cost"))]
    DatabaseConnectionsActive,
    /// Highest rate that was kept within the scenario's latency limit.
    #[strum(props(name = "Capacity", unit = "req/s", of = "rate"))]
    CapacityRps,
    /// Half of the answers came within this time.
    #[strum(props(
        name = "p50",
        label = "Latency p50",
        unit = "ms",
        of = "latency",
        column = "p50",
        field = "latency_ms.p50",
        only = "documents"
    ))]
    LatencyP50Ms,
    /// 99 of 100 answers came within this time. Shown, never ranked.
    #[strum(props(
        name = "p99",
        label = "Latency p99",
        unit = "ms",
        of = "latency",
        column = "p99",
        field = "latency_ms.p99",
        needs = "10000"
    ))]
    LatencyP99Ms,
    /// The first byte of a streamed body came within this time in half of the answers. Shown, never ranked.
    #[strum(props(name = "First byte p50", unit = "ms", of = "latency", field = "first_byte_ms"))]
    FirstByteP50Ms,
    /// Size of a compressed body: what a lower level saves in CPU, it sends. Shown, never ranked.
    #[strum(props(name = "Body of an answer", unit = "bytes", of = "cost"))]
    AnswerBytes,
    /// Resident memory after the start, before any load.
    #[strum(props(name = "Idle memory", unit = "MiB", of = "cost", field = "rss_bytes.idle"))]
    RssIdleBytes,
    /// Largest resident memory of the server process during the load.
    #[strum(props(
        name = "Peak memory",
        unit = "MiB",
        of = "cost",
        column = "Peak",
        field = "rss_bytes.peak",
        ranked = "always"
    ))]
    RssPeakBytes,
    /// Resident memory right after the load.
    #[strum(props(name = "Memory after", unit = "MiB", of = "cost", field = "rss_bytes.after"))]
    RssAfterBytes,
    /// From the start of the process to its first answer.
    #[strum(props(
        name = "Start-up",
        unit = "ms",
        of = "cost",
        column = "Start-up",
        only = "documents",
        ranked = "always"
    ))]
    StartupMs,
}

impl Metric {
    /// All, in the order in which they are shown.
    pub const ALL: [Self; Self::COUNT] = match Self::VARIANTS.first_chunk() {
        Some(all) => *all,
        None => panic!(),
    };

    /// Its value in one trial.
    pub fn value(self, trial: &Trial) -> Option<f64> {
        // Where none was seen in use, there is no figure that has a ratio.
        let above_zero = |figure: Option<f64>| figure.filter(|figure| *figure > 0.0);
        match self {
            Self::GoodputRps => trial.goodput_rps,
            Self::ServerCpuUsPerRequest => trial.server_cpu_us_per_request,
            Self::InstructionsPerRequest => trial.instructions_per_request,
            Self::DatabaseCpuUsPerRequest => trial.database_cpu_us_per_request,
            Self::DatabaseConnectionsOpen => above_zero(trial.database_connections_open.map(f64::from)),
            Self::DatabaseConnectionsActive => above_zero(trial.database_connections_active),
            Self::CapacityRps => trial.capacity_rps,
            Self::LatencyP50Ms => Some(trial.latency_ms?.p50),
            Self::LatencyP99Ms => Some(trial.latency_ms?.p99),
            Self::FirstByteP50Ms => trial.first_byte_ms,
            Self::AnswerBytes => trial.answer_bytes,
            Self::RssIdleBytes => Some(trial.rss_bytes?.idle as f64),
            Self::RssPeakBytes => Some(trial.rss_bytes?.peak as f64),
            Self::RssAfterBytes => Some(trial.rss_bytes?.after as f64),
            Self::StartupMs => trial.startup_ms,
        }
    }

    /// Its name in a record.
    pub fn id(self) -> &'static str {
        self.into()
    }

    /// Where a trial has it, as in `latency_ms.p50`.
    pub fn field(self) -> &'static str {
        self.get_str("field").unwrap_or(self.id())
    }

    /// The metric with this name in a record.
    pub fn from_id(id: &str) -> Option<Self> {
        id.parse().ok()
    }

    /// Its name for people.
    pub fn name(self) -> &'static str {
        self.get_str("name").unwrap_or_default()
    }

    /// Its name where nothing around it says what it is: `Latency p50`.
    pub fn label(self) -> &'static str {
        self.get_str("label").unwrap_or(self.name())
    }

    /// What it is called where there is little room; `None` where its unit says it.
    pub fn short(self) -> Option<&'static str> {
        self.get_str("short").or(self.column())
    }

    /// The heading of its own column in the table of a scenario, if it has one.
    pub fn column(self) -> Option<&'static str> {
        self.get_str("column")
    }

    /// Whether terminals have room for that column.
    pub fn fits_terminals(self) -> bool {
        self.get_str("only") != Some("documents")
    }

    /// Whether it is a tail, which few requests decide.
    pub fn is_tail(self) -> bool {
        self.get_str("needs").is_some()
    }

    /// Whether a round of this scenario has enough requests for it to say anything. A tail needs a fixed rate, too: in a closed loop it is
    /// the length of the queue.
    pub fn is_known_in(self, scenario: &Scenario) -> bool {
        let needed = self.get_str("needs").and_then(|needs| needs.parse().ok());
        needed.is_none_or(|needed: f64| scenario.offered().is_some_and(|requests| requests >= needed))
    }

    /// The unit in which it is shown.
    pub fn unit(self) -> &'static str {
        self.get_str("unit").unwrap_or_default()
    }

    /// What a value is divided by to be in that unit.
    pub fn divisor(self) -> f64 {
        if self.unit() == "MiB" { MIB } else { 1.0 }
    }

    /// How it is read, in a sentence or two.
    pub fn reading(self) -> String {
        self.get_documentation()
            .unwrap_or_default()
            .replace('\n', " ")
            .trim_end()
            .to_owned()
    }

    fn is_of(self, what: &str) -> bool {
        self.get_str("of") == Some(what)
    }

    /// Whether more is better.
    pub fn more_is_better(self) -> bool {
        self.is_of("rate")
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
        self.get_str("ranked").is_some() || self == Self::headline(load)
    }

    /// Whether the figure means something under this verdict of its cell.
    ///
    /// Cost per request, memory and start-up do not depend on what was the limit; rates and latencies do. What is counted depends on no
    /// load at all.
    pub fn stands_under(self, verdict: Verdict) -> bool {
        match verdict.keeps() {
            Keeps::All => true,
            Keeps::CostsAndLatencies => !self.is_of("rate"),
            Keeps::Costs => self.is_of("cost"),
            Keeps::Counts => self == Self::InstructionsPerRequest,
            Keeps::Nothing => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_metric_says_what_it_is() {
        for metric in Metric::ALL {
            assert_eq!(serde_json::to_value(metric).unwrap(), metric.id());
            assert_eq!(Metric::from_id(metric.id()), Some(metric));
            let kinds = ["cost", "rate", "latency"].into_iter().filter(|of| metric.is_of(of));
            assert_eq!(kinds.count(), 1, "{metric:?}");
            let needs = metric.get_str("needs").map(str::parse::<u32>);
            assert!(needs.is_none_or(|needs| needs.is_ok()), "{metric:?}");
            assert!(
                ![metric.name(), metric.unit(), &metric.reading()].contains(&""),
                "{metric:?}"
            );
        }
    }
}
