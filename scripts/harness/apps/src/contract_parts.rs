//! Which parts of the contract are meant: a server keeps one, and need not keep the others.

use std::collections::BTreeSet;

use crate::catalog::{App, Catalog};
use model::Part;
use model::scenario::Scenario;

/// Parts of the contract; at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parts(BTreeSet<Part>);

impl Parts {
    /// All of them.
    pub fn all() -> Self {
        Self([Part::Plain, Part::Database, Part::Services].into())
    }

    /// One of them.
    pub fn only(part: Part) -> Self {
        Self([part].into())
    }

    /// Those that these scenarios need.
    pub fn by_scenarios<'a>(scenarios: impl IntoIterator<Item = &'a Scenario>) -> Self {
        scenarios.into_iter().map(Scenario::part).collect()
    }

    /// Those that the named `apps` keep; all, if none is named.
    pub fn of_apps(apps: &[String], catalog: &Catalog) -> Self {
        let named = apps.iter().filter_map(|name| catalog.app(name)).map(App::part);
        let parts: BTreeSet<Part> = named.collect();
        if parts.is_empty() { Self::all() } else { Self(parts) }
    }

    /// Whether this one is among them.
    pub fn includes(&self, part: Part) -> bool {
        self.0.contains(&part)
    }

    /// Whether there are several.
    pub fn are_mixed(&self) -> bool {
        self.0.len() > 1
    }
}

/// The plain endpoints, if there is none.
impl FromIterator<Part> for Parts {
    fn from_iter<T: IntoIterator<Item = Part>>(parts: T) -> Self {
        let parts: BTreeSet<Part> = parts.into_iter().collect();
        if parts.is_empty() {
            Self::only(Part::Plain)
        } else {
            Self(parts)
        }
    }
}
