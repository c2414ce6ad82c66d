//! A comparison that a pull request's own workflow has written, read as untrusted input.
//!
//! The workflow that measures a pull request runs that pull request's code, so it can write anything into its artifact. Everything
//! used from it is checked here: [`folder`] reads one plain file from the folder that the artifact was unpacked into, and
//! [`check()`] accepts pairs that `bench compare` could have measured of the commit that GitHub named, and computes the rest. Whether they
//! were really measured cannot be known: authors can lie about the speed of their own pull request, in one comment on that pull
//! request, and nowhere else.

mod check;
mod commit;
pub mod folder;

use std::io;
use std::path::PathBuf;

pub use check::{Known, check, check_upstream};
pub use commit::CommitId;

/// Why there is no comparison.
#[derive(Debug, thiserror::Error)]
pub enum ArtifactError {
    /// The folder or the file cannot be read.
    #[error("cannot read {0}: {1}")]
    Unreadable(PathBuf, #[source] io::Error),
    /// It is not what `bench compare` writes.
    #[error("the artifact is refused: {0}")]
    Refused(String),
}

fn refused(reason: impl Into<String>) -> ArtifactError {
    ArtifactError::Refused(reason.into())
}
