//! A comparison that a pull request's own workflow has written, read as untrusted input.
//!
//! The workflow that measures a pull request runs that pull request's code, so it can write anything into its artifact. Everything
//! used from it is checked here: [`folder`] reads one plain file from the folder that the artifact was unpacked into, and
//! [`check()`] accepts pairs that `bench compare` could have measured of the commit that GitHub named, and computes the rest. Whether they
//! were really measured cannot be known: authors can lie about the speed of their own pull request, in one comment on that pull
//! request, and nowhere else.

mod check;
pub mod folder;

use std::io;
use std::path::PathBuf;
use std::str::FromStr;

pub use check::{Known, check, check_upstream};

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

/// Full name of a commit: 40 hexadecimal digits (SHA-1) or 64 (SHA-256).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitId(String);

impl FromStr for CommitId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_hex = text.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f'));
        if is_hex && matches!(text.len(), 40 | 64) {
            Ok(Self(text.to_owned()))
        } else {
            Err("a commit is written with all of its 40 hexadecimal digits, in lower case".into())
        }
    }
}

impl CommitId {
    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_has_all_its_digits() {
        assert!("0123456789abcdef0123456789abcdef01234567".parse::<CommitId>().is_ok());
        for bad in ["", "0123456", "0123456789ABCDEF0123456789ABCDEF01234567", "main"] {
            assert!(bad.parse::<CommitId>().is_err(), "{bad}");
        }
    }
}
