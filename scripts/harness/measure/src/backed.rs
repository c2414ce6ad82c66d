//! Whether servers have a database behind them: what needs one and what needs none is never asked together.

use crate::catalog::Catalog;
use record::scenario::Scenario;

/// Which servers are meant, by whether a database is behind them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backed {
    /// Those that work alone.
    Alone,
    /// Those with a database.
    WithDatabase,
    /// Both.
    Mixed,
}

impl Backed {
    /// Those that can be asked these scenarios.
    pub fn by_scenarios<'a>(scenarios: impl IntoIterator<Item = &'a Scenario>) -> Self {
        Self::of_each(scenarios.into_iter().map(|scenario| scenario.database.is_some()))
    }

    /// Those for whom each of these says whether it needs a database.
    pub fn of_each(needs: impl IntoIterator<Item = bool>) -> Self {
        let mut needs = needs.into_iter();
        match needs.next() {
            Some(first) if needs.any(|other| other != first) => Self::Mixed,
            Some(true) => Self::WithDatabase,
            _ => Self::Alone,
        }
    }

    /// What the named `apps` are; all, if none is named.
    pub fn of_apps(apps: &[String], catalog: &Catalog) -> Self {
        let mut named = apps
            .iter()
            .filter_map(|name| catalog.app(name))
            .map(|app| app.stack.is_some());
        match named.next() {
            Some(true) if named.all(|backed| backed) => Self::WithDatabase,
            Some(false) if named.all(|backed| !backed) => Self::Alone,
            _ => Self::Mixed,
        }
    }

    /// Whether what needs a database, or what needs none, is among them.
    pub fn includes(self, has_database: bool) -> bool {
        match self {
            Self::Alone => !has_database,
            Self::WithDatabase => has_database,
            Self::Mixed => true,
        }
    }
}
