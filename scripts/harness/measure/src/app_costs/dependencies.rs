//! Counts the crates that a program is built from, with `cargo tree`, which knows features and targets. The lockfile also has
//! crates that only tests, other systems and unused features need.

use std::collections::BTreeSet;
use std::path::Path;

use super::{COMMAND_TIMEOUT, cargo, finished};
use crate::build::BuildError;
use record::Dependencies;

/// The numbers of crates of `package`, without those of this repository.
pub fn crates_of(manifest: &Path, package: &str) -> Result<Dependencies, BuildError> {
    let mut command = cargo(manifest);
    command
        .args(["tree", "--locked", "--offline", "--edges", "normal,build"])
        .args([
            "--prefix",
            "none",
            "--format",
            "{p}",
            "--package",
            package,
            "--manifest-path",
        ])
        .arg(manifest);
    let listed = finished(command, COMMAND_TIMEOUT)?;
    Ok(count(&listed))
}

/// Lines such as `serde v1.0.228`, `serde_derive v1.0.228 (proc-macro) (*)` and `contract v0.1.0 (/path/of/it)`.
fn count(listed: &str) -> Dependencies {
    let mut names = BTreeSet::new();
    let mut versions = BTreeSet::new();
    for line in listed.lines() {
        // A crate with a path belongs to this repository.
        if line.contains("(/") {
            continue;
        }
        let mut words = line.split_whitespace();
        if let (Some(name), Some(version)) = (words.next(), words.next()) {
            names.insert(name);
            versions.insert((name, version));
        }
    }
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    Dependencies {
        names: number(names.len()),
        versions: number(versions.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_versions_are_counted_once() {
        let listed = "\
axum-app v0.1.0 (/work/apps/axum)
serde v1.0.228
serde_derive v1.0.228 (proc-macro)
contract v0.1.0 (/work/apps/contract)
serde v1.0.228 (*)
rand v0.9.1
rand v0.10.0

";
        assert_eq!(count(listed), Dependencies { names: 3, versions: 4 });
        assert_eq!(count(""), Dependencies { names: 0, versions: 0 });
    }
}
