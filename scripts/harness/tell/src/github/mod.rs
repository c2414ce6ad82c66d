//! GitHub, as far as this project writes to it: one comment on a pull request, one issue for each matter.
//!
//! [`client`] asks the REST API and trusts no answer, with [`settings`] from the environment and rules of how long to
//! [`wait`]; [`comment`] and [`issue`] keep what they write recognisable by a mark
//! and by its author, so that nothing that anybody else has written is ever changed. What is written is made elsewhere
//! ([`crate::report`]), of data that was checked before ([`crate::artifact`]).

pub mod client;
pub mod comment;
pub mod issue;
pub mod settings;
pub mod wait;

use std::fmt;
use std::str::FromStr;

pub use client::{Client, GithubError};
pub use settings::Settings;

/// The account that `GITHUB_TOKEN` of a workflow writes as.
pub const WORKFLOW_AUTHOR: &str = "github-actions[bot]";

/// Longest name of an owner or a repository.
const LONGEST_NAME: usize = 100;

/// A repository on GitHub, `owner/name`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository(String);

impl FromStr for Repository {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_name = |name: &str| {
            (1..=LONGEST_NAME).contains(&name.len())
                && name
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
                && !name.starts_with('.')
        };
        match text.split_once('/') {
            Some((owner, name)) if is_name(owner) && is_name(name) => Ok(Self(text.to_owned())),
            _ => Err("a repository is written OWNER/NAME".into()),
        }
    }
}

impl fmt::Display for Repository {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
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

impl fmt::Display for CommitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
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
    fn names_cannot_lead_elsewhere() {
        for good in ["owner/name", "o-1/n.a_m-e"] {
            assert_eq!(good.parse::<Repository>().unwrap().to_string(), good);
        }
        for bad in [
            "", "owner", "owner/", "/name", "a/b/c", "a/..", "a b/c", "a/b?x", "a/b#x", "ä/b",
        ] {
            assert!(bad.parse::<Repository>().is_err(), "{bad}");
        }
        assert!("0123456789abcdef0123456789abcdef01234567".parse::<CommitId>().is_ok());
        for bad in ["", "0123456", "0123456789ABCDEF0123456789ABCDEF01234567", "main"] {
            assert!(bad.parse::<CommitId>().is_err(), "{bad}");
        }
    }
}
