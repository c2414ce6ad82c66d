//! What breaks: cases of conformance, abuse and lifecycle, and what each server made of them. It is a document of its own, because it
//! needs no quiet machine and no lane: `bench-results/probes/<id>.json`.

pub mod store;

use std::collections::BTreeMap;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{EnumProperty, IntoStaticStr, VariantArray};

use crate::AppRecord;
use crate::scenario::Protocol;

/// The version of the document that this program writes, and the newest that it reads.
pub const PROBES_VERSION: u32 = 1;

/// All cases on all servers, made by one command.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Probes {
    /// Version of this document's shape.
    pub schema_version: u32,
    /// UTC start time and a number, like a run's: `20261121T110000Z-2a`.
    pub id: String,
    /// When the first case began, UTC.
    pub started_at: Timestamp,
    /// When the last case ended, UTC.
    pub finished_at: Timestamp,
    /// What probed, and where.
    pub origin: Origin,
    /// The servers.
    pub apps: Vec<ProbedApp>,
    /// The cases.
    pub cases: Vec<ProbeCase>,
    /// Each case on each server that it is for, in the order of apps and cases.
    pub results: Vec<Probed>,
}

/// What probed, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// Version of the harness.
    pub version: String,
    /// Commit of the repository, if it is a git checkout.
    pub commit: Option<String>,
    /// Whether files differed from that commit.
    pub dirty: Option<bool>,
    /// Cargo profile with which the apps were built.
    pub cargo_profile: String,
    /// Whether all cases were probed on all frameworks. Only such documents are in history.
    pub whole: bool,
    /// Programs of others that made cases, with their versions.
    pub tools: BTreeMap<String, String>,
    /// Model of the processor.
    pub cpu_model: String,
    /// Cpus that the system shows.
    pub logical_cpus: u32,
    /// The kernel's version.
    pub kernel: String,
    /// Open files that a process may have.
    pub open_files: u64,
}

/// A server that was probed, or could not be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProbedApp {
    /// What it was built from.
    pub app: AppRecord,
    /// The HTTP engine below it; `None` if it has its own.
    pub engine: Option<Engine>,
    /// Why it could not be probed, if so.
    pub not_probed: Option<String>,
}

/// An HTTP engine that others use and that is probed by itself, too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Engine {
    /// Id of the app that is the engine without a framework.
    pub app: String,
    /// The engine's version below this framework.
    pub version: String,
}

/// What a case is about.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    JsonSchema,
    clap::ValueEnum,
    EnumProperty,
    VariantArray,
)]
#[serde(rename_all = "kebab-case")]
pub enum Group {
    /// Pipelining, and when a connection ends.
    #[strum(props(title = "Connections"))]
    Connections,
    /// Request line and methods.
    #[strum(props(title = "Request line"))]
    RequestLine,
    /// Header fields, Host among them.
    #[strum(props(title = "Header fields"))]
    Fields,
    /// Bodies, their lengths, `Expect` and `Upgrade`.
    #[strum(props(title = "Bodies"))]
    Bodies,
    /// HTTP/2: conformance and floods.
    #[strum(props(title = "HTTP/2"))]
    Http2,
    /// TLS.
    #[strum(props(title = "TLS"))]
    Tls,
    /// Clients that are slow or stuck.
    #[strum(props(title = "Slow clients"))]
    SlowClients,
    /// Connections without requests.
    #[strum(props(title = "Idle connections"))]
    IdleConnections,
    /// Start, end, panics, and clients that leave.
    #[strum(props(title = "Lifecycle"))]
    Lifecycle,
    /// Too many connections, too few files, too large bodies.
    #[strum(props(title = "Exhaustion"))]
    Exhaustion,
    /// More requests than can be answered.
    #[strum(props(title = "Overload"))]
    Overload,
    /// What happens when the database behind a server fails.
    #[strum(props(title = "Database"))]
    Database,
}

impl Group {
    /// All of them, in the order in which they are shown.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// For people.
    pub fn title(self) -> &'static str {
        self.get_str("title").unwrap_or_default()
    }
}

/// How binding a demand is, in the words of its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Level {
    /// An absolute demand.
    Must,
    /// A recommendation, which may be left out for a good reason.
    Should,
    /// No demand: only a status 5xx, an answer that is no HTTP, or a dead server is a fault.
    May,
}

impl Level {
    /// As the sources write it, in small letters.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// A case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProbeCase {
    /// Its id.
    pub id: String,
    /// What it is about.
    pub group: Group,
    /// What is done, in a few words.
    pub title: String,
    /// How binding the demand is.
    pub level: Level,
    /// Where it stands: `RFC 9112, section 3.2`.
    pub source: String,
    /// The demand, in our own words.
    pub demand: String,
    /// Whether a server that fails can disagree with a proxy on where a request ends.
    pub smuggles: bool,
    /// The first bytes that are sent, escaped; empty where it is a behaviour and not a text.
    pub sent: String,
}

/// What came of a case on one server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProbeOutcome {
    /// It did what the case allows.
    Passed,
    /// It did something else, each time.
    Failed,
    /// It did now one thing, now another: this is no fault that can be shown.
    #[serde(rename = "flickered")]
    Flaky,
    /// The case cannot be put to this server; `got` says why.
    NotApplicable,
}

/// A case on one server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Probed {
    /// Id of the app.
    pub app: String,
    /// Name of the variant.
    pub variant: String,
    /// Protocol that it spoke.
    pub protocol: Protocol,
    /// Id of the case.
    pub case: String,
    /// What came of it.
    pub outcome: ProbeOutcome,
    /// What the server did: statuses of the answers in their order and what became of the connection (`400 closed`), or a sentence.
    pub got: String,
    /// The first bytes that came, escaped. Empty where it passed, unless the case was requested by its name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub received: String,
    /// How long it took, in ms.
    pub milliseconds: f64,
    /// What else was measured.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub figures: BTreeMap<ProbeFigure, f64>,
}

/// What a case measures besides passing or failing. No ranking uses it.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, EnumProperty, VariantArray,
)]
#[serde(rename_all = "snake_case")]
pub enum ProbeFigure {
    /// Connections that were open at once.
    #[strum(props(title = "connections at once"))]
    Connections,
    /// Connections that were accepted in a second.
    #[strum(props(title = "new connections per second"))]
    ConnectionsPerSecond,
    /// Resident memory that each connection added, in bytes.
    #[strum(props(title = "bytes per connection"))]
    BytesPerConnection,
    /// Share of the added memory that was given back after the connections were gone, from 0 to 1.
    #[strum(props(title = "share of memory given back"))]
    GivenBack,
    /// Resident memory at most, in bytes.
    #[strum(props(title = "peak memory, bytes"))]
    PeakBytes,
    /// CPU time of the server, in ms.
    #[strum(props(title = "CPU time, ms"))]
    CpuMs,
    /// 99th percentile of the time of ordinary requests meanwhile, in ms.
    #[strum(props(title = "p99 of other requests, ms"))]
    OthersP99Ms,
    /// Time until the server closed a connection that did nothing useful, in ms.
    #[strum(props(title = "gave up after, ms"))]
    GaveUpAfterMs,
    /// Time from the signal to the end of the process, in ms.
    #[strum(props(title = "exit after, ms"))]
    ExitAfterMs,
    /// Requests that were under way and were answered.
    #[strum(props(title = "requests finished"))]
    Finished,
    /// Requests that were under way and were cut.
    #[strum(props(title = "requests cut"))]
    Cut,
    /// Connections made after the signal whose request was answered.
    #[strum(props(title = "new connections answered"))]
    NewAnswered,
    /// Connections made after the signal that nobody took, or whose request had a 503.
    #[strum(props(title = "new connections refused"))]
    NewRefused,
    /// Connections made after the signal that ended without an answer.
    #[strum(props(title = "new connections dropped"))]
    NewDropped,
    /// Share of the work for clients that had left which the server still did, by its CPU time, from 0 to 1.
    #[strum(props(title = "share of abandoned work finished"))]
    WorkFinished,
    /// Expected answers per second.
    #[strum(props(title = "answers per second"))]
    GoodputRps,
    /// Resident memory once the server answered as before, in bytes.
    #[strum(props(title = "memory afterwards, bytes"))]
    AfterBytes,
    /// The load generator's CPU time as a share of one cpu, from 0 to 1.
    #[strum(props(title = "CPU of the load generator, share of one"))]
    ClientCpu,
    /// Time until the server answered as before, in ms.
    #[strum(props(title = "recovered after, ms"))]
    RecoveredAfterMs,
}

impl ProbeFigure {
    /// All of them, in the order in which they are shown.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// For people, with its unit where it has one.
    pub fn title(self) -> &'static str {
        self.get_str("title").unwrap_or_default()
    }
}

impl Probes {
    /// A case of the document.
    pub fn case(&self, id: &str) -> Option<&ProbeCase> {
        self.cases.iter().find(|case| case.id == id)
    }
}
