//! The machines that make the load: those that a user names, or a network namespace of this one.

use std::fmt;
use std::fs;
use std::str::FromStr;

/// A machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// One that SSH reaches: `HOST`, `USER@HOST`, or a name from the user's configuration of SSH.
    Ssh(String),
    /// This machine, in the network namespace of this name.
    Namespace(&'static str),
}

impl fmt::Display for Destination {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ssh(name) => out.write_str(name),
            Self::Namespace(name) => write!(out, "network namespace {name}"),
        }
    }
}

/// All machines of a load, each once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Destinations(pub(super) Vec<Destination>);

impl Destinations {
    /// This machine alone, in the network namespace of this name.
    pub(super) fn namespace(name: &'static str) -> Self {
        Self(vec![Destination::Namespace(name)])
    }

    /// How many they are; at least one.
    #[allow(clippy::len_without_is_empty)] // it never is
    pub fn len(&self) -> usize {
        self.0.len()
    }
}

/// `USER@HOST[,USER@HOST…]`, or `@FILE` with one in each line; a line that begins with # is a comment.
impl FromStr for Destinations {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let content;
        let names: Vec<&str> = match text.strip_prefix('@') {
            Some(path) => {
                content = fs::read_to_string(path).map_err(|error| format!("{path} cannot be read: {error}"))?;
                let lines = content.lines().map(str::trim);
                lines
                    .filter(|line| !line.is_empty() && !line.starts_with('#'))
                    .collect()
            }
            None => text.split(',').map(str::trim).collect(),
        };
        let mut all: Vec<Destination> = Vec::new();
        let fits = |letter: char| letter.is_ascii_alphanumeric() || "._-:%".contains(letter);
        let is_word = |word: &str| !word.is_empty() && !word.starts_with('-') && word.chars().all(fits);
        for name in names {
            let (user, host) = name.split_once('@').unwrap_or(("nobody", name));
            if !is_word(user) || !is_word(host) {
                return Err(format!("`{name}` is no USER@HOST"));
            }
            let destination = Destination::Ssh(name.to_owned());
            if all.contains(&destination) {
                return Err(format!("{destination} is named twice"));
            }
            all.push(destination);
        }
        if all.is_empty() {
            return Err(format!("{text} names no machine; write USER@HOST"));
        }
        Ok(Self(all))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> Result<Vec<String>, String> {
        let all: Destinations = text.parse()?;
        Ok(all.0.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn machines_are_named_in_a_list_or_a_file() {
        assert_eq!(named("bench@10.0.0.2,load-2").unwrap(), ["bench@10.0.0.2", "load-2"]);
        assert_eq!(named("fe80::1%eth0").unwrap(), ["fe80::1%eth0"]);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("machines");
        fs::write(&file, "# two\nbench@a\n\n  bench@b \n").unwrap();
        assert_eq!(named(&format!("@{}", file.display())).unwrap(), ["bench@a", "bench@b"]);
    }

    #[test]
    fn what_is_no_machine_is_refused() {
        for (text, reason) in [
            ("-oProxyCommand=touch x", "is no USER@HOST"),
            ("bench@-oProxyCommand", "is no USER@HOST"),
            ("bench@host;reboot", "is no USER@HOST"),
            ("bench@host name", "is no USER@HOST"),
            ("bench@a@b", "is no USER@HOST"),
            ("@/nonexistent", "cannot be read"),
            ("@/dev/null", "names no machine"),
            ("a,,b", "is no USER@HOST"),
            ("", "is no USER@HOST"),
            ("a,a", "named twice"),
        ] {
            let error = named(text).unwrap_err();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }
}
