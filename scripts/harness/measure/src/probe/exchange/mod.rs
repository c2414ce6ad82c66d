//! Exchanges: bytes that are sent, and what may come back.

mod allowed;
pub mod answers;
mod observed;
mod talk;

use model::probe::Level;
use serde::Deserialize;
use std::net::SocketAddr;

use super::Attempt;
use allowed::Allowed;

/// What is sent, and what may come.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exchange {
    /// What is sent.
    pub send: Vec<Part>,
    /// Methods of the requests where they are not all GET or POST: an answer to HEAD has no body.
    #[serde(default)]
    pub methods: Vec<String>,
    /// What may come; empty where it is only observed.
    #[serde(default)]
    pub allow: Vec<Allowed>,
    /// Fields of the first answer that are told where it is observed, in small letters; `body` for its beginning.
    #[serde(default)]
    pub shows: Vec<String>,
    /// The end of the connection is awaited for so long, and when it came is told.
    pub wait_seconds: Option<u64>,
    /// The body that the first answer must have if it is a 200.
    pub body: Option<String>,
    /// A field that an answer of this status must have, in small letters.
    pub field_of: Option<(u16, String)>,
    /// A field that an answer of this status must not have, in small letters.
    pub no_field_of: Option<(u16, String)>,
    /// Whether the server is started for it, and gets no other exchange.
    #[serde(default)]
    pub alone: bool,
    /// A status that says that the case cannot be put to this server, and why.
    pub unless: Option<(u16, String)>,
}

/// A piece of what is sent.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum Part {
    /// Text as it is.
    Text(String),
    /// Text that is repeated.
    Repeat {
        /// The text.
        repeat: String,
        /// How often.
        times: usize,
    },
    /// Nothing for a while; what was sent before is a packet of its own.
    Pause {
        /// For how long.
        pause_ms: u64,
    },
    /// The client says that it sends no more, and still reads.
    Shut {
        /// Always true.
        shut: bool,
    },
}

impl Exchange {
    /// The first bytes that are sent, at most `most`.
    pub fn beginning(&self, most: usize) -> Vec<u8> {
        let bytes = self.send.iter().flat_map(|part| match part {
            Part::Text(text) => vec![(text, 1)],
            Part::Repeat { repeat, times } => vec![(repeat, *times)],
            Part::Pause { .. } | Part::Shut { .. } => Vec::new(),
        });
        let bytes = bytes.flat_map(|(text, times)| std::iter::repeat_n(text.bytes(), times).flatten());
        bytes.take(most).collect()
    }

    /// Puts it to the server at `address`, and holds what comes against what is allowed.
    pub fn put_to(&self, address: SocketAddr, level: Level) -> Attempt {
        let (heard, received, took) = match talk::talk(address, self) {
            Ok(talk) => talk,
            Err(error) => return Attempt::new(false, format!("no connection: {error}")),
        };
        if level == Level::Observed {
            return Attempt::new(true, observed::told(&heard, self, took)).came(&received);
        }
        let answers = &heard.answers;
        let mut got = heard.to_string();
        let mut passed = self.allow.iter().any(|allowed| allowed.is(&heard));
        if level == Level::May && !passed {
            // Nothing is demanded but to stay in one piece.
            passed = !heard.is_other && answers.iter().all(|answer| answer.status < 500);
        }
        let first = answers.iter().find(|answer| answer.status >= 200);
        if let (Some((status, reason)), Some(answer)) = (&self.unless, first)
            && answer.status == *status
        {
            return Attempt::not_applicable(reason);
        }
        if let (Some(wanted), Some(answer)) = (&self.body, first)
            && answer.status == 200
            && answer.body != wanted.as_bytes()
        {
            passed = false;
            got.push_str(", with another body");
        }
        for (wanted, is_wanted, how) in [(&self.field_of, true, "without"), (&self.no_field_of, false, "with")] {
            if let (Some((status, field)), Some(answer)) = (wanted, first)
                && answer.status == *status
                && answer.field(field).is_some() != is_wanted
            {
                passed = false;
                got = format!("{got}, {how} {field}");
            }
        }
        Attempt::new(passed, got).came(&received)
    }
}

#[cfg(test)]
mod tests;
