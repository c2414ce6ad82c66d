//! Which PostgreSQL a command uses.

use std::path::PathBuf;

use super::{DatabaseError, Elsewhere, Programs};

/// What the user wants.
#[derive(Debug, Clone)]
pub enum Wanted {
    /// A private one, of the programs in this folder, or where distributions put them.
    Private(Option<PathBuf>),
    /// One that somebody else runs.
    Elsewhere(Elsewhere),
}

/// What there is.
#[derive(Debug, Clone)]
pub enum Source {
    /// Programs to start.
    Programs(Programs),
    /// One that runs.
    Elsewhere(Elsewhere),
}

impl Wanted {
    /// What there is of it; starts and changes nothing. One that somebody else runs was examined when they were asked.
    pub fn find(&self) -> Result<Source, DatabaseError> {
        Ok(match self {
            Self::Private(folder) => Source::Programs(Programs::find(folder.as_deref())?),
            Self::Elsewhere(elsewhere) => Source::Elsewhere(elsewhere.clone()),
        })
    }
}
