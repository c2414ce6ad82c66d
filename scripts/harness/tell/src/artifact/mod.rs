//! A comparison that a pull request's own workflow has written, read as what it is: the work of a stranger.
//!
//! The workflow that measures a pull request runs that pull request's code, so it can write anything into its artifact. What
//! is believed of it is believed because it was checked here: [`folder`] takes the bytes of one plain file out of the folder
//! that the artifact was unpacked into, and [`check`] lets through what `bench compare` could have written of the commit that
//! GitHub named. Whether the pairs in it were really measured cannot be known: somebody can lie about how fast their own pull
//! request is, in one comment on that pull request, and do nothing else.

pub mod check;
pub mod folder;

mod commit;
mod field;

use std::io;
use std::path::PathBuf;

pub use check::{Known, Unchecked};
pub use commit::CommitId;

/// Why there is no comparison.
#[derive(Debug, thiserror::Error)]
pub enum ArtifactError {
    /// The folder or the file cannot be read: nothing is said about what is in it.
    #[error("cannot read {0}: {1}")]
    Unreadable(PathBuf, #[source] io::Error),
    /// It is not what `bench compare` writes.
    #[error("the artifact is refused: {0}")]
    Refused(String),
}

fn refused(reason: impl Into<String>) -> ArtifactError {
    ArtifactError::Refused(reason.into())
}
