//! What breaks: cases of conformance, abuse and lifecycle, and what each server made of them. They are facts of a [`Record`].

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, from_str, from_value, to_value};
use strum::{EnumProperty, IntoStaticStr, VariantArray};

use crate::scenario::Protocol;
use crate::{Record, SCHEMA_VERSION};

/// The profile of a record of `bench probe`, and the folder of results in which it is kept.
pub const PROBES: &str = "probes";

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
    /// What the server that the framework's guide writes does where the sources leave a choice.
    #[strum(props(title = "What clients notice"))]
    Clients,
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
    /// What came is told, and nothing can fail.
    Observed,
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
    /// The server's memory while connections came and left, in the order of time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memory: Vec<MemoryAt>,
}

/// Memory of a server at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemoryAt {
    /// Time since the first of these moments, in s.
    pub seconds: f64,
    /// Connections that were open.
    pub connections: u32,
    /// Resident memory, in bytes.
    pub bytes: u64,
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
    /// Share of the added memory that was given back after the connections were gone, from 0 to 1. In newer records it follows from
    /// [`Probed::memory`].
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

/// The record of what `bench probe` wrote until November 2026: a document of its own, which knew less of the machine.
pub fn from_document(text: &str) -> Option<Record> {
    let old: Value = from_str(text).ok()?;
    let mut new = to_value(Record::default()).ok()?;
    (new["schema_version"], new["profile"]) = (SCHEMA_VERSION.into(), PROBES.into());
    for key in ["id", "started_at", "finished_at", "cases"] {
        new[key] = old[key].clone();
    }
    for key in ["version", "commit", "dirty", "cargo_profile", "whole"] {
        new["harness"][key] = old["origin"][key].clone();
    }
    for key in ["tools", "cpu_model", "logical_cpus", "kernel", "open_files"] {
        new["environment"][key] = old["origin"][key].clone();
    }
    new["probed"] = old["results"].clone();
    let apps = old["apps"].as_array()?.iter().map(|one| {
        let mut app = one["app"].as_object()?.clone();
        app.extend(["engine", "not_probed"].map(|key| (key.to_owned(), one[key].clone())));
        Some(app)
    });
    new["apps"] = apps.collect();
    from_value(new).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_older_document_is_read_and_what_is_none_is_not() {
        let old = json!({
            "schema_version": 1, "id": "20261126T010034Z-958",
            "started_at": "2026-11-26T01:00:34Z", "finished_at": "2026-11-26T01:29:20Z",
            "origin": {
                "version": "0.1.0", "commit": null, "dirty": null, "cargo_profile": "release", "whole": true,
                "tools": {"h2spec": "v2"}, "cpu_model": "A cpu", "logical_cpus": 2, "kernel": "6", "open_files": 9,
            },
            "apps": [{
                "app": {
                    "id": "axum", "variant": "default", "name": "Axum", "link": "", "role": "framework", "tier": "maintained",
                    "framework": "axum", "framework_version": "1", "source_hash": "", "lockfile_hash": "",
                    "binary_bytes": null, "build_seconds": null, "build_error": null, "protocols": [],
                },
                "engine": {"app": "hyper", "version": "1"}, "not_probed": "it died",
            }],
            "cases": [], "results": [],
        });
        let record = from_document(&old.to_string()).unwrap();
        assert_eq!((record.folder(), record.harness.whole), (PROBES, true));
        assert_eq!(
            (
                record.environment.tools["h2spec"].as_str(),
                record.environment.open_files
            ),
            ("v2", Some(9))
        );
        assert_eq!(record.apps[0].engine.as_ref().unwrap().app, "hyper");
        assert_eq!(record.apps[0].not_probed.as_deref(), Some("it died"));
        assert!(from_document("{\"apps\":[]}").is_none() && from_document("[]").is_none());
    }
}
