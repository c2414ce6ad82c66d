//! The result of a probe: what a server did when it was sent something unusual.

use serde::{Deserialize, Serialize};

/// How binding a demand is, in the words of its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// An absolute demand.
    Must,
    /// A recommendation, which may be left out for a good reason.
    Should,
    /// No demand: only a status 5xx, an answer that is no HTTP, or a dead server is a fault.
    May,
}

/// A case, as far as a reader of results must know it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProbeCase {
    /// Its id.
    pub id: String,
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
}

/// What came of a case on one server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ProbeOutcome {
    /// It did what the case allows.
    Passed,
    /// It did something else, each time.
    Failed,
    /// It did now one thing, now another: this is no fault that can be shown.
    Flickered,
}

/// A case on one server.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Probed {
    /// Id of the app.
    pub app: String,
    /// Name of the variant.
    pub variant: String,
    /// Id of the case.
    pub case: String,
    /// What came of it.
    pub outcome: ProbeOutcome,
    /// Statuses of the answers in their order, and what became of the connection: `400 closed`.
    pub got: String,
    /// The first bytes that were sent, escaped.
    pub sent: String,
    /// The first bytes that came, escaped.
    pub received: String,
    /// How long the exchange took, in ms.
    pub milliseconds: f64,
}
