//! The name of a commit.

use std::str::FromStr;

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
