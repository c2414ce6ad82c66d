//! A scenario: one request, the connections it is sent over, and the load model. `profiles.toml` lists them;
//! `measure::profile` reads it.
//!
//! Everything that may differ between two measurements of the same server is part of the scenario: protocol, connections, rate,
//! the container around the server, the number of its workers and the load generator. To compare them is to measure two scenarios in one interleaved run,
//! and no other part of the harness has to know about it.

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use crate::{Part, Served, Service, Services};

/// The request and the load of a trial.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Name, `plaintext`.
    pub id: String,
    /// What it shows, for people.
    pub title: String,
    /// Which work of real services it stands for, in a paragraph; `None` of older runs, and of older benchmarks that are made again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stands_for: Option<String>,
    /// The scenario that it varies, if any: reports show both in one table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub varies: Option<Varies>,
    /// The request.
    pub method: Method,
    /// Path and query, beginning with `/`.
    pub path: String,
    /// Body, sent as `application/json`.
    #[serde(default)]
    pub body: Option<String>,
    /// Protocol of the connections.
    #[serde(default)]
    pub protocol: Protocol,
    /// Connections that are held open.
    pub connections: u32,
    /// Requests in flight at once on each connection; more than 1 only with HTTP/2.
    #[serde(default = "one")]
    pub streams: u32,
    /// Whether a connection serves more than one request.
    #[serde(default = "yes")]
    pub keep_alive: bool,
    /// Whether the server runs in a container.
    #[serde(default)]
    pub isolation: Isolation,
    /// The load generator.
    #[serde(default)]
    pub generator: GeneratorKind,
    /// Workers of the server, from 1 to 4,096, each with a cpu of its own among those that serve; `None` where all of them serve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workers: Option<u32>,
    /// What a network of the run's own adds to the way from the load generator to the server and back, in microseconds, from 0 to
    /// 1,000,000; `None` where the load comes over the loopback interface, or from other machines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round_trip_us: Option<u32>,
    /// The database behind the server; `None` where the server works alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub database: Option<Database>,
    /// Whether the right answer is a refusal: any status 4xx, the same for all requests.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub refused: bool,
    /// What is required of a server of services; `None` for the other parts of the contract.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<Served>,
    /// When requests are sent.
    #[serde(default)]
    pub load: LoadModel,
    /// Seconds of load that are not counted, before the measured ones.
    pub warmup_seconds: f64,
    /// Seconds of measured load in each round, all slices together; with `requests`, the longest time that they may take.
    pub seconds: f64,
    /// Seconds of one slice; `None` for one continuous load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slice_seconds: Option<f64>,
    /// Whether an answer costs less than its request costs the load generator. Where cpus cannot be divided so that servers are the limit,
    /// they then get a part of their cpus' time (`server_cpu_quota` of the environment).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cpu_quota: bool,
    /// Why it needs one continuous load instead of slices, where it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_load: Option<String>,
    /// Requests of the measured load, instead of a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests: Option<u64>,
    /// How instructions are counted for one request; `None` where the profile does not count them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted: Option<Counted>,
}

/// How a server uses the database behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Database {
    /// Connections that the server may open to the database for each of its workers, at least 1.
    pub connections_per_worker: u32,
}

/// How many requests are made, one after the other, to count the instructions of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Counted {
    /// Requests before the count.
    pub warm_up: u32,
    /// Requests that are counted, at least 1.
    pub requests: u32,
}

impl Default for Counted {
    /// Enough for requests of tens of thousands of instructions.
    fn default() -> Self {
        Self {
            warm_up: 50,
            requests: 100,
        }
    }
}

/// Longest load or warm-up in seconds: a day.
const LONGEST: f64 = 24.0 * 3600.0;
/// Most connections, and streams of one: there are not more ports than that.
const MOST_CONNECTIONS: u32 = 65_535;
/// Most workers of a server: as many cpus as are looked at.
const MOST_WORKERS: u32 = 4096;
/// Longest way to the server and back, in microseconds.
const LONGEST_ROUND_TRIP: u32 = 1_000_000;
/// Most connections of one worker to a database.
const MOST_POOLED: u32 = 1000;
/// Most routes and layers of a server, as its settings have it.
const MOST_ROUTES: u32 = 10_000;
const MOST_LAYERS: u32 = 100;
/// Most bytes of a message over a WebSocket: servers take at least that much.
const MOST_MESSAGE_BYTES: u32 = 65_536;

impl Scenario {
    /// Requests of a round at a fixed rate; `None` under another load.
    pub fn offered(&self) -> Option<f64> {
        let LoadModel::Open { rate_rps } = self.load else {
            return None;
        };
        let planned = self.requests.map(|requests| requests as f64);
        Some(planned.unwrap_or(rate_rps * self.seconds))
    }

    /// Whether it is a load that can be made; the error names the field that is wrong.
    pub fn check(&self) -> Result<(), String> {
        let time = |seconds: f64| seconds > 0.0 && seconds <= LONGEST;
        let rate = match self.load {
            LoadModel::Closed => 1.0,
            LoadModel::Open { rate_rps } => rate_rps,
            LoadModel::Capacity { p99_ms } => p99_ms,
        };
        let counted = self.counted.unwrap_or_default();
        let fields = [
            ("seconds", time(self.seconds)),
            (
                "warmup_seconds",
                self.warmup_seconds == 0.0 || time(self.warmup_seconds),
            ),
            ("slice_seconds", self.slice_seconds.is_none_or(time)),
            ("connections", (1..=MOST_CONNECTIONS).contains(&self.connections)),
            ("streams", (1..=MOST_CONNECTIONS).contains(&self.streams)),
            (
                "workers",
                self.workers.is_none_or(|workers| (1..=MOST_WORKERS).contains(&workers)),
            ),
            (
                "round_trip_us",
                self.round_trip_us.is_none_or(|added| added <= LONGEST_ROUND_TRIP),
            ),
            ("load", rate > 0.0 && rate <= 1e9),
            ("requests", self.requests != Some(0)),
            ("counted", counted.requests > 0),
            (
                "database",
                self.database
                    .is_none_or(|database| (1..=MOST_POOLED).contains(&database.connections_per_worker)),
            ),
            (
                "service",
                self.service.is_none_or(|served| {
                    self.database.is_none()
                        && (1..=MOST_ROUTES).contains(&served.routes)
                        && served.layers <= MOST_LAYERS
                        && served.message_bytes.is_some() == (served.kind == Service::Websocket)
                        && served
                            .message_bytes
                            .is_none_or(|bytes| (1..=MOST_MESSAGE_BYTES).contains(&bytes))
                }),
            ),
            ("path", self.path.starts_with('/')),
        ];
        let wrong = fields.into_iter().find(|(_, right)| !right);
        wrong.map_or(Ok(()), |(field, _)| {
            Err(format!("its `{field}` describes no load that can be made"))
        })
    }

    /// The part of the contract that it exercises.
    pub fn part(&self) -> Part {
        match (self.database, self.service) {
            (Some(_), _) => Part::Database,
            (None, Some(_)) => Part::Services,
            (None, None) => Part::Plain,
        }
    }

    /// Whether a server that does these `services` does what it requires; one of another part of the contract is not held to that.
    pub fn is_offered_by(&self, services: Option<&Services>) -> bool {
        let both = services.zip(self.service);
        both.is_none_or(|(services, required)| services.offers.contains(&required.kind))
    }

    /// Whether another one requires the same, whatever it is called.
    pub fn same_work_as(&self, other: &Self) -> bool {
        let named = |scenario: &Self| Self {
            id: String::new(),
            title: String::new(),
            stands_for: None,
            ..scenario.clone()
        };
        named(self) == named(other)
    }

    /// Whether the size of its answers is the server's choice.
    pub fn is_compressed(&self) -> bool {
        let kind = self.service.map(|served| served.kind);
        matches!(kind, Some(Service::Gzip | Service::Brotli | Service::Zstd))
    }

    /// Whether its answers are streams.
    pub fn is_streamed(&self) -> bool {
        self.service.is_some_and(|served| served.kind == Service::Stream)
    }

    /// Whether the clock says how long an answer takes: then the end of a load, when the last ones are awaited, says nothing of the server.
    pub fn is_clocked(&self) -> bool {
        self.service.is_some_and(|served| served.kind == Service::Events)
    }

    /// Slices of each server in a round; `None` where it has one continuous load.
    pub fn slices(&self) -> Option<u32> {
        let slices = (self.seconds / self.slice_seconds?).round().clamp(1.0, 1e6);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // clamped
        Some(slices as u32)
    }

    /// Whether servers get a part of their cpus' time where the load generator would be the limit. What is compared by answers per second,
    /// such as widths and whole loads, needs all of it.
    pub fn takes_quota(&self) -> bool {
        self.cpu_quota && self.load == LoadModel::Closed && self.slice_seconds.is_some() && self.workers.is_none()
    }

    /// Requests in flight at once in a closed loop.
    pub fn in_flight(&self) -> u32 {
        self.connections.saturating_mul(self.streams)
    }
}

pub(crate) fn one() -> u32 {
    1
}

fn yes() -> bool {
    true
}

/// The scenario that another one varies, and how.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Varies {
    /// Name of the scenario that it varies.
    pub like: String,
    /// How it differs.
    pub by: Dimension,
}

/// How a variation differs from the scenario that it varies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Dimension {
    /// HTTP/1.1 or HTTP/2, cleartext or TLS.
    Protocol,
    /// Number of connections.
    Connections,
    /// Offered rate, or the search for the highest one.
    Rate,
    /// Whether connections are kept.
    KeepAlive,
    /// Native or in a container.
    Isolation,
    /// The load generator.
    Generator,
    /// Number of connections to the database.
    Pool,
    /// Number of routes.
    Routes,
    /// Number of layers of middleware.
    Layers,
    /// Number of workers of the server, each with a cpu of its own.
    Workers,
    /// What a network adds to the way to the server and back.
    RoundTrip,
    /// What is wrong with a request that must be refused.
    Refusal,
}

/// HTTP method.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, IntoStaticStr)]
#[serde(rename_all = "UPPERCASE")]
#[strum(serialize_all = "UPPERCASE")]
pub enum Method {
    /// GET
    #[default]
    Get,
    /// POST
    Post,
}

impl Method {
    /// As it stands in a request line.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// Protocol between the load generator and the server.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, JsonSchema, ValueEnum,
)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// HTTP/1.1 in cleartext.
    #[default]
    Http1,
    /// HTTP/1.1 over TLS 1.3.
    Http1Tls,
    /// HTTP/2 in cleartext, by prior knowledge.
    Http2,
    /// HTTP/2 over TLS 1.3, by ALPN.
    Http2Tls,
}

impl Protocol {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 4] = [Self::Http1, Self::Http1Tls, Self::Http2, Self::Http2Tls];

    /// Whether it is encrypted.
    pub fn is_tls(self) -> bool {
        matches!(self, Self::Http1Tls | Self::Http2Tls)
    }

    /// Whether it is HTTP/2.
    pub fn is_http2(self) -> bool {
        matches!(self, Self::Http2 | Self::Http2Tls)
    }

    /// As it is written in a manifest: `http2-tls`.
    pub fn id(self) -> &'static str {
        match self {
            Self::Http1 => "http1",
            Self::Http1Tls => "http1-tls",
            Self::Http2 => "http2",
            Self::Http2Tls => "http2-tls",
        }
    }
}

/// Whether a server runs in a container.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize, JsonSchema, ValueEnum,
)]
#[serde(rename_all = "kebab-case")]
pub enum Isolation {
    /// Natively: a process of this machine.
    #[default]
    Native,
    /// A container with the network of the host.
    Docker,
    /// A container behind the engine's bridge, as most are.
    DockerBridge,
}

impl Isolation {
    /// Suffix of the scenario's name; empty for native.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Native => "",
            Self::Docker => "-docker",
            Self::DockerBridge => "-docker-bridge",
        }
    }
}

/// A load generator.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize, JsonSchema, ValueEnum,
)]
#[serde(rename_all = "kebab-case")]
pub enum GeneratorKind {
    /// oha, which `Cargo.lock` pins.
    #[default]
    Oha,
    /// wrk, which the user installs. HTTP/1.1 in a closed loop.
    Wrk,
    /// h2load of nghttp2, which the user installs. Closed loop.
    H2load,
}

impl GeneratorKind {
    /// Name of the program.
    pub fn program(self) -> &'static str {
        match self {
            Self::Oha => "oha",
            Self::Wrk => "wrk",
            Self::H2load => "h2load",
        }
    }

    /// Whether requests in flight at the deadline are dropped, counted neither as answers nor as errors; otherwise they are awaited.
    pub fn drops_the_last(self) -> bool {
        self != Self::Oha
    }

    /// Suffix of the scenario's name; empty for oha.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Oha => "",
            Self::Wrk => "-wrk",
            Self::H2load => "-h2load",
        }
    }
}

/// When the next request is sent.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "model", rename_all = "snake_case", deny_unknown_fields)]
pub enum LoadModel {
    /// As soon as the connection's last answer has arrived: finds the highest goodput.
    #[default]
    Closed,
    /// At a fixed rate that does not depend on the server: the only model in which latency is the server's.
    Open {
        /// Requests per second over all connections.
        rate_rps: f64,
    },
    /// At one rate after another, until the highest is found that is sustained within a latency limit.
    Capacity {
        /// Limit of the 99th percentile of latency, in milliseconds.
        p99_ms: f64,
    },
}
