//! Service features: kinds of work beyond plain answers that a framework offers or not, each with servers of its own.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

/// A part of the contract. A server keeps one, and a scenario exercises one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// The plain endpoints.
    Plain,
    /// Those with a database behind the server.
    Database,
    /// Service features.
    Services,
}

impl Part {
    /// The part of an app with this stack and these services.
    pub fn of_app(stack: Option<&String>, services: Option<&Services>) -> Self {
        match (stack, services) {
            (Some(_), _) => Self::Database,
            (None, Some(_)) => Self::Services,
            (None, None) => Self::Plain,
        }
    }
}

/// A kind of work of services.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, IntoStaticStr, VariantArray,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Service {
    /// Many routes.
    Routes,
    /// Layers of middleware.
    Middleware,
    /// A JSON Web Token that is checked.
    Auth,
    /// An order whose fields are checked.
    Validate,
    /// A large JSON document that is read and written back.
    Json,
    /// A form with a file.
    Upload,
    /// Files.
    Static,
    /// Files that the client has already: 304.
    Revalidate,
    /// A part of a file.
    Range,
    /// JSON, compressed by gzip.
    Gzip,
    /// The same by Brotli.
    Brotli,
    /// The same by Zstandard.
    Zstd,
    /// A body in chunks, as they are made.
    Stream,
    /// Server-sent events.
    Events,
    /// Messages on a WebSocket that come back.
    Websocket,
}

impl Service {
    /// All of them.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// As it is written in a manifest.
    pub fn id(self) -> &'static str {
        self.into()
    }
}

/// Which kinds of work a server does.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Services {
    /// Those that it does.
    pub offers: BTreeSet<Service>,
    /// Those that it does not, with the reason: the framework documents no way.
    #[serde(default)]
    pub not_offered: BTreeMap<Service, String>,
}

impl Services {
    /// Whether each kind of work is either offered or not; the error names one that is not.
    pub fn check(&self) -> Result<(), String> {
        for &service in Service::ALL {
            let id = service.id();
            match (self.offers.contains(&service), self.not_offered.contains_key(&service)) {
                (true, true) => return Err(format!("`{id}` is both in `offers` and in `not_offered`")),
                (false, false) => {
                    return Err(format!(
                        "`{id}` is missing: name it in `offers`, or in `not_offered` with the reason"
                    ));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// What a scenario requires of such a server, and how it is set up for that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Served {
    /// The kind of work.
    pub kind: Service,
    /// Routes that the server registers besides its endpoints.
    #[serde(default = "crate::scenario::one")]
    pub routes: u32,
    /// Layers of middleware before the endpoint.
    #[serde(default)]
    pub layers: u32,
    /// Bytes of a message over WebSocket.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_bytes: Option<u32>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_offered_or_not_with_a_reason() {
        let mut services = Services {
            offers: Service::ALL.iter().copied().collect(),
            ..Services::default()
        };
        assert_eq!(services.check(), Ok(()));
        services.not_offered.insert(Service::Auth, "no".into());
        assert!(services.check().unwrap_err().starts_with("`auth` is both"));
        services.offers.remove(&Service::Auth);
        assert_eq!(services.check(), Ok(()));
        services.offers.remove(&Service::Json);
        assert!(services.check().unwrap_err().starts_with("`json` is missing: name it"));
    }

    #[test]
    fn a_kind_is_written_as_its_id() {
        for &service in Service::ALL {
            assert_eq!(serde_json::to_value(service).unwrap(), service.id());
        }
    }
}
