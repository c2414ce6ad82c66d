//! Finds PostgreSQL's programs where distributions put them.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, anyhow, bail, ensure};
use machine::process::{CommandOutput, finish};

/// Oldest major version that is used: it has all that is needed, and is still maintained.
pub const OLDEST: u32 = 14;
/// Longest time for `postgres --version`.
const PATIENCE: Duration = Duration::from_secs(10);
/// The programs that are needed.
const NEEDED: [&str; 2] = ["postgres", "initdb"];
/// Parents of a folder for each version: Debian, Ubuntu and GitHub's runners; Fedora and its relatives.
const VERSIONED: [(&str, &str); 2] = [("usr/lib/postgresql", ""), ("usr", "pgsql-")];
/// Where it goes if it is built from its sources.
const FROM_SOURCE: &str = "usr/local/pgsql/bin";

/// PostgreSQL's programs.
#[derive(Debug, Clone)]
pub struct Programs {
    /// Folder of `postgres` and `initdb`.
    pub folder: PathBuf,
    /// `15.18`.
    pub version: String,
}

impl Programs {
    /// Those in the folder `named`; otherwise the first in `PATH`, or the newest where distributions put them.
    pub fn find(named: Option<&Path>) -> anyhow::Result<Self> {
        Self::search(named)?.context(
            "there is no PostgreSQL here, which scenarios with a database need: install it (Debian and Ubuntu: apt-get install \
             postgresql), or name the folder of `postgres` and `initdb` with --postgres DIR",
        )
    }

    /// The same; `None` if there is none and none was named.
    pub fn search(named: Option<&Path>) -> anyhow::Result<Option<Self>> {
        let Some(folder) = named else {
            let path = std::env::var_os("PATH").unwrap_or_default();
            return Self::first_of(known_folders(&path, Path::new("/")));
        };
        if let Some(program) = NEEDED.into_iter().find(|program| !folder.join(program).is_file()) {
            bail!(
                "there is no `{program}` in {}: --postgres wants the folder of PostgreSQL's programs, such as /usr/lib/postgresql/16/bin",
                folder.display()
            );
        }
        Self::in_folder(folder.to_owned()).map(Some)
    }

    /// The first that can be used, or what is wrong with the first.
    fn first_of(folders: Vec<PathBuf>) -> anyhow::Result<Option<Self>> {
        let mut refused = None;
        for folder in folders {
            match Self::in_folder(folder) {
                Ok(found) => return Ok(Some(found)),
                Err(error) => refused = refused.or(Some(error)),
            }
        }
        refused.map_or(Ok(None), Err)
    }

    fn in_folder(folder: PathBuf) -> anyhow::Result<Self> {
        let place = folder.display();
        let mut command = Command::new(folder.join("postgres"));
        command.arg("--version");
        let said = finish(command, PATIENCE).map_err(|error| error.to_string());
        let version = said
            .and_then(CommandOutput::success)
            .and_then(|said| version_in(&said).ok_or_else(|| format!("it says it is {said:?}")))
            .map_err(|reason| anyhow!("the PostgreSQL in {place} does not run: {reason}"))?;
        ensure!(
            !is_too_old(&version),
            "the PostgreSQL in {place} is version {version}; {OLDEST} or later is needed"
        );
        Ok(Self { folder, version })
    }
}

/// `postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)` → `15.18`.
fn version_in(said: &str) -> Option<String> {
    let version = said.split("(PostgreSQL) ").nth(1)?.split_whitespace().next()?;
    major(version).map(|_| version.to_owned())
}

/// `16.1` → 16, `17beta1` → 17.
fn major(version: &str) -> Option<u32> {
    let end = version.find(|c: char| !c.is_ascii_digit()).unwrap_or(version.len());
    version[..end].parse().ok()
}

/// Whether this version is older than [`OLDEST`], or none.
pub fn is_too_old(version: &str) -> bool {
    major(version).is_none_or(|major| major < OLDEST)
}

/// Folders with both programs: in `path`, and the distributions' below `root`.
fn known_folders(path: &OsStr, root: &Path) -> Vec<PathBuf> {
    // A link in PATH leads to where the other programs and the libraries are.
    let real = |folder: PathBuf| {
        let program = fs::canonicalize(folder.join("postgres")).ok()?;
        program.parent().map(Path::to_owned)
    };
    let mut folders: Vec<PathBuf> = std::env::split_paths(path).filter_map(real).collect();
    let mut versioned: Vec<(u32, PathBuf)> = Vec::new();
    for (parent, prefix) in VERSIONED {
        for entry in fs::read_dir(root.join(parent)).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let version = name.to_str().and_then(|name| name.strip_prefix(prefix)).and_then(major);
            versioned.extend(version.map(|version| (version, entry.path().join("bin"))));
        }
    }
    versioned.sort_by(|one, other| other.cmp(one));
    folders.extend(versioned.into_iter().map(|(_, folder)| folder));
    folders.push(root.join(FROM_SOURCE));
    folders.retain(|folder| NEEDED.iter().all(|program| folder.join(program).is_file()));
    folders
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    /// A folder whose `postgres` says that.
    fn saying(said: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for program in NEEDED {
            let path = folder.path().join(program);
            fs::write(&path, format!("#!/bin/sh\necho '{said}'\n")).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        folder
    }

    #[test]
    fn a_named_folder_is_looked_at_and_no_other() {
        let found = |said| Programs::find(Some(saying(said).path()));
        let new = found("postgres (PostgreSQL) 16.4 (Ubuntu 16.4-0ubuntu0.24.04.2)").unwrap();
        assert_eq!(new.version, "16.4");
        assert_eq!(found("postgres (PostgreSQL) 18beta1").unwrap().version, "18beta1");
        let old = found("postgres (PostgreSQL) 13.22").unwrap_err().to_string();
        assert!(old.ends_with("is version 13.22; 14 or later is needed"), "{old}");
        let other = found("nothing of use").unwrap_err().to_string();
        assert!(
            other.ends_with("does not run: it says it is \"nothing of use\""),
            "{other}"
        );
        let empty = tempfile::tempdir().unwrap();
        let missing = Programs::find(Some(empty.path())).unwrap_err().to_string();
        assert!(missing.starts_with("there is no `postgres` in /"), "{missing}");
    }

    #[test]
    fn without_a_named_one_the_newest_of_a_distribution_is_found() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("usr/bin");
        fs::create_dir_all(&path).unwrap();
        let find = || Programs::first_of(known_folders(path.as_os_str(), root.path())).unwrap();
        assert!(find().is_none());
        for version in ["9", "14", "16"] {
            let said = saying(&format!("postgres (PostgreSQL) {version}.1"));
            let folder = root.path().join("usr/lib/postgresql").join(version);
            fs::create_dir_all(&folder).unwrap();
            fs::rename(said.path(), folder.join("bin")).unwrap();
        }
        assert_eq!(find().unwrap().version, "16.1");
    }
}
