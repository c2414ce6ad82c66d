//! Apps that are nowhere.

use ::apps::catalog::{App, Variant};
use model::scenario::Protocol;

/// A framework without sources, for tests.
#[must_use]
pub fn framework(id: &str) -> App {
    App {
        id: id.into(),
        name: id.into(),
        framework: id.into(),
        package: format!("{id}-app"),
        variants: vec![Variant {
            name: model::DEFAULT_VARIANT.into(),
            binary: format!("{id}-app"),
            ..Variant::default()
        }],
        protocols: vec![Protocol::Http1],
        ..App::default()
    }
}
