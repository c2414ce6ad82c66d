//! Lockfiles of old commits, read from git.

use std::cell::RefCell;
use std::collections::BTreeMap;

use cargo_lock::Lockfile;

use analyze::compare::outcome::Dependency;
use analyze::history::Lockfiles;
use apps::catalog::hash::closure;
use apps::catalog::search_root;
use machine::git::Git;

/// Versions of all that an app depends on, by name.
type Versions = BTreeMap<String, Vec<String>>;

/// The lockfiles of one repository.
#[derive(Debug)]
pub struct CommittedLockfiles {
    git: Git,
    /// Lockfiles by commit; empty if the commit is not available.
    read: RefCell<BTreeMap<String, Vec<Lockfile>>>,
}

impl CommittedLockfiles {
    /// The lockfiles of the repository in which the command runs.
    pub fn of_this_repository() -> Self {
        Self::new(Git::new(&search_root()))
    }

    /// The lockfiles of the repository of `git`.
    fn new(git: Git) -> Self {
        Self {
            git,
            read: RefCell::default(),
        }
    }

    fn versions(&self, commit: &str, app: &str) -> Option<Versions> {
        let mut read = self.read.borrow_mut();
        let lockfiles = read
            .entry(commit.to_owned())
            .or_insert_with(|| self.all(commit).unwrap_or_default());
        let package = format!("{app}-app");
        let crates = lockfiles.iter().find_map(|lockfile| closure(lockfile, &package))?;
        Some(crates.versions)
    }

    /// All lockfiles of a commit, one for each workspace.
    fn all(&self, commit: &str) -> Option<Vec<Lockfile>> {
        let paths = self
            .git
            .text(&["ls-tree", "-r", "--name-only", "--full-tree", commit])
            .ok()?;
        let lockfiles = paths
            .lines()
            .filter(|path| path.rsplit('/').next() == Some("Cargo.lock"))
            .filter_map(|path| self.git.text(&["cat-file", "blob", &format!("{commit}:{path}")]).ok())
            .filter_map(|text| text.parse().ok());
        Some(lockfiles.collect())
    }
}

impl Lockfiles for CommittedLockfiles {
    fn moved(&self, before: &str, after: &str, app: &str) -> Option<Vec<Dependency>> {
        Some(Dependency::moved(
            &self.versions(before, app)?,
            &self.versions(after, app)?,
        ))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const LOCK: &str = "version = 4\n\n[[package]]\nname = \"axum-app\"\nversion = \"0.1.0\"\ndependencies = [\"tokio\"]\n\n\
                        [[package]]\nname = \"tokio\"\nversion = \"1.47.0\"\n\
                        source = \"registry+https://github.com/rust-lang/crates.io-index\"\n";

    #[test]
    fn what_moved_between_two_commits_is_read_from_their_lockfiles() {
        let folder = tempfile::tempdir().unwrap();
        let git = Git::new(folder.path());
        git.bytes(&["init", "--quiet"]).unwrap();
        // A workspace of its own, as apps/legacy is.
        let lock = folder.path().join("apps/Cargo.lock");
        fs::create_dir(folder.path().join("apps")).unwrap();
        let commit = |text: &str| {
            fs::write(&lock, text).unwrap();
            git.bytes(&["add", "apps"]).unwrap();
            let author = ["-c", "user.name=Test", "-c", "user.email=test@example.org"];
            let commit = ["commit", "--quiet", "--allow-empty", "-m", "A commit"];
            git.bytes(&[author.as_slice(), &commit].concat()).unwrap();
            git.text(&["rev-parse", "HEAD"]).unwrap()
        };
        let (before, after) = (commit(LOCK), commit(&LOCK.replace("1.47.0", "1.48.0")));
        let committed = CommittedLockfiles::new(git.clone());
        let moved = committed.moved(&before, &after, "axum").unwrap();
        assert_eq!(moved.len(), 1);
        assert_eq!(
            (moved[0].name.as_str(), moved[0].after.as_slice()),
            ("tokio", ["1.48.0".to_owned()].as_slice())
        );
        assert_eq!(committed.moved(&before, &before, "axum"), Some(Vec::new()));
        assert_eq!(committed.moved(&before, &after, "rocket"), None, "no such app");
        assert_eq!(
            committed.moved(&before, &"0".repeat(40), "axum"),
            None,
            "no such commit"
        );
    }
}
