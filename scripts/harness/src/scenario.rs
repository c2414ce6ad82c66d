//! A scenario: one request, the connections it is sent over, and the load model. Which there are is data:
//! `profiles.toml`, read by [`crate::profile`].

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is asked of a server in one trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Name, `plaintext`.
    pub id: String,
    /// What it shows, for people.
    pub title: String,
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
    /// When a request is sent.
    #[serde(default)]
    pub load: LoadModel,
    /// Seconds of load that are not counted, before the measured ones.
    pub warmup_seconds: f64,
    /// Seconds of measured load.
    pub seconds: f64,
}

/// HTTP method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Method {
    /// GET
    Get,
    /// POST
    Post,
}

impl Method {
    /// As it stands in a request line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
        }
    }
}

/// Protocol between the load generator and the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// HTTP/1.1 with keep-alive, in cleartext.
    #[default]
    Http1,
}

/// When the next request is sent.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "model", rename_all = "snake_case", deny_unknown_fields)]
pub enum LoadModel {
    /// As soon as the connection's last answer is there: finds the highest goodput.
    #[default]
    Closed,
    /// At a fixed rate, whatever the server does: the only model in which latency is the server's.
    Open {
        /// Requests per second over all connections.
        rate_rps: f64,
    },
}
