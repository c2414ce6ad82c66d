//! Apps that are nowhere.

use std::collections::BTreeMap;
use std::path::PathBuf;

use ::apps::catalog::{App, Variant};
use model::scenario::Protocol;
use model::{Role, Tier};

/// A framework without sources, for tests.
#[must_use]
pub fn framework(id: &str) -> App {
    App {
        id: id.into(),
        name: id.into(),
        link: String::new(),
        role: Role::Framework,
        tier: Tier::Maintained,
        framework: id.into(),
        framework_version: String::new(),
        package: format!("{id}-app"),
        variants: vec![Variant {
            rustflags: Vec::new(),
            added_work: None,
            name: model::DEFAULT_VARIANT.into(),
            binary: format!("{id}-app"),
        }],
        plain: None,
        protocols: vec![Protocol::Http1],
        known_fault: None,
        note: None,
        waiting: None,
        connections: None,
        stack: None,
        services: None,
        manifest: PathBuf::new(),
        workspace: PathBuf::new(),
        target: PathBuf::new(),
        is_default_member: false,
        sources_hash: String::new(),
        profile_hash: String::new(),
        toolchain_hash: String::new(),
        dependencies: BTreeMap::new(),
        lockfile_hash: String::new(),
    }
}
