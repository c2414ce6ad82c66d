//! The subject of a figure: an app in a variant.

use serde::{Deserialize, Serialize};

/// Name of the variant that follows the framework's own guide.
pub const DEFAULT_VARIANT: &str = "default";
/// The server that the framework's guide writes, with no setting of the contract but the address. It is no variant that is measured.
pub const PLAIN: &str = "plain";

/// An app in a variant.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SubjectId {
    /// Name of the app.
    pub app: String,
    /// Name of the variant.
    pub variant: String,
}

impl SubjectId {
    /// The app `app` in the variant `variant`.
    pub fn new(app: &str, variant: &str) -> Self {
        Self {
            app: app.to_owned(),
            variant: variant.to_owned(),
        }
    }

    /// `axum`, `axum (tuned)`.
    pub fn label(&self) -> String {
        label(&self.app, &self.variant)
    }
}

/// Name of an app in a variant: `axum`, `axum (tuned)`.
pub fn label(id: &str, variant: &str) -> String {
    match variant {
        DEFAULT_VARIANT => id.to_owned(),
        variant => format!("{id} ({variant})"),
    }
}
