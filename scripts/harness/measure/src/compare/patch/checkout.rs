//! What the source of a patch is: its versions, its commit, and what its branch began with.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use cargo_lock::{Lockfile, Package, SourceId};

use super::{Patch, Source};
use crate::compare::sides::Repository;
use analyze::compare::outcome::{CrateSource, Side};
use apps::catalog::Catalog;
use machine::git::Git;

/// What the patches put in place of what, in the tree of `head`, a copy of `base`.
pub fn sources(patches: &[Patch], base: &Catalog, head: &Catalog) -> anyhow::Result<Vec<CrateSource>> {
    patches.iter().map(|patch| patch.described(base, head)).collect()
}

/// Where base takes the crates of `patches` from, if not from the lockfile: as `named`, or what the branch of a checkout began with.
pub fn of_base(patches: &[Patch], named: &[Patch]) -> Vec<Patch> {
    if named.is_empty() {
        patches.iter().filter_map(Patch::before_the_branch).collect()
    } else {
        named.to_vec()
    }
}

impl Patch {
    /// The crate at the merge-base of its checkout and the checkout's main branch. `None` if the source is no checkout of git, or if it has no
    /// main branch, as where only the newest commit was fetched, or if nothing was changed since.
    fn before_the_branch(&self) -> Option<Self> {
        let Source::Path(folder) = &self.source else {
            return None;
        };
        let (git, repository) = (Git::new(folder), Repository::open(folder).ok()?);
        let head = git.text(&["rev-parse", "HEAD"]).ok()?;
        let base = repository.base(None, &Side::new("HEAD", head.clone())).ok()?;
        if base.commit == head && !is_dirty(&git) {
            return None;
        }
        // What would end the path of an address.
        let top = git.text(&["rev-parse", "--show-toplevel"]).ok()?;
        let url = format!(
            "file://{}",
            top.replace('%', "%25").replace('#', "%23").replace('?', "%3F")
        );
        Some(Self {
            name: self.name.clone(),
            written: format!("git+{url}#{}", base.commit),
            source: Source::Git {
                url,
                revision: Some(base.commit),
            },
        })
    }

    fn described(&self, base: &Catalog, head: &Catalog) -> anyhow::Result<CrateSource> {
        let users = base.apps.iter().filter(|app| app.dependencies.contains_key(&self.name));
        let workspaces: BTreeSet<&PathBuf> = users.map(|app| &app.workspace).collect();
        let (mut before, mut after) = (BTreeSet::new(), BTreeSet::new());
        let mut commit = None;
        for workspace in workspaces {
            let patched = head
                .root
                .join(workspace.strip_prefix(&base.root).unwrap_or(Path::new("")));
            let (was, is) = (self.locked(workspace)?, self.locked(&patched)?);
            let versions = |packages: &[Package]| packages.iter().map(|one| one.version.to_string()).collect();
            let is_left = |one: &Package| one.source.as_ref().is_some_and(SourceId::is_default_registry);
            let (left, new): (Vec<_>, Vec<_>) = match self.source {
                Source::Version(_) => is.into_iter().partition(|one| was.contains(one)),
                _ => is.into_iter().partition(is_left),
            };
            if new.is_empty() {
                continue;
            }
            let (was, left): (BTreeSet<String>, BTreeSet<String>) = (versions(&was), versions(&left));
            before.extend(was.difference(&left).cloned());
            after.extend::<BTreeSet<String>>(versions(&new));
            let sources = new.iter().filter_map(|one| one.source.as_ref()?.precise());
            commit = commit.or(sources.filter(|precise| precise.len() >= 40).map(str::to_owned).next());
        }
        let mut dirty = false;
        if let Source::Path(folder) = &self.source {
            let git = Git::new(folder);
            commit = git.text(&["rev-parse", "HEAD"]).ok();
            dirty = commit.is_some() && is_dirty(&git);
        }
        Ok(CrateSource {
            before: before.into_iter().collect(),
            after: after.into_iter().collect(),
            commit,
            dirty,
        })
    }

    /// The packages of its name in a workspace's lockfile.
    fn locked(&self, workspace: &Path) -> anyhow::Result<Vec<Package>> {
        let packages = Lockfile::load(workspace.join("Cargo.lock"))?.packages.into_iter();
        Ok(packages.filter(|package| package.name.as_str() == self.name).collect())
    }
}

/// Whether files of a checkout were changed that git knows: what a bisection leaves behind changes nothing.
fn is_dirty(git: &Git) -> bool {
    let changed = git.text(&["status", "--porcelain", "--untracked-files=no"]);
    changed.is_ok_and(|changed| !changed.is_empty()) || git.has_unseen().unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// A checkout with a crate `part`, and git in it.
    fn checkout() -> (tempfile::TempDir, Git) {
        let folder = tempfile::tempdir().unwrap();
        let git = Git::new(folder.path());
        git.text(&["init", "--quiet", "--initial-branch=main"]).unwrap();
        fs::write(
            folder.path().join("Cargo.toml"),
            "[package]\nname = \"part\"\nversion = \"1.2.3\"\n",
        )
        .unwrap();
        fs::create_dir(folder.path().join("src")).unwrap();
        fs::write(folder.path().join("src/lib.rs"), "").unwrap();
        commit(&git);
        (folder, git)
    }

    fn commit(git: &Git) -> String {
        let who = [
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@example.org",
            "-c",
            "commit.gpgsign=false",
        ];
        git.text(&["add", "--all"]).unwrap();
        git.text(&[&who[..], &["commit", "--quiet", "--allow-empty", "-m", "x"]].concat())
            .unwrap();
        git.text(&["rev-parse", "HEAD"]).unwrap()
    }

    #[test]
    fn base_is_what_a_branch_began_with_and_the_release_where_there_is_none() {
        let (folder, git) = checkout();
        let patch: Patch = format!("part={}", folder.path().display()).parse().unwrap();
        let began = git.text(&["rev-parse", "HEAD"]).unwrap();
        let base = || of_base(std::slice::from_ref(&patch), &[]);
        fs::write(folder.path().join("left-behind"), "").unwrap();
        assert_eq!(base(), [], "main itself is compared with the release");
        let top = folder.path().canonicalize().unwrap();
        let expected = format!("part=git+file://{}#{began}", top.display());
        fs::write(folder.path().join("src/lib.rs"), "// Changed.\n").unwrap();
        assert_eq!(base()[0].to_string(), expected);
        git.text(&["checkout", "--quiet", "-b", "mine"]).unwrap();
        commit(&git);
        assert_eq!(base()[0].to_string(), expected);
        assert_eq!(base()[0], expected.parse().unwrap(), "it can be written");
        let named: Patch = "part=1.2.2".parse().unwrap();
        assert_eq!(of_base(&[patch], std::slice::from_ref(&named)), [named]);
    }

    #[test]
    fn versions_commit_and_changes_are_known() {
        let (folder, git) = checkout();
        let patch: Patch = format!("part={}", folder.path().display()).parse().unwrap();
        let lock =
            |version: &str, source: &str| format!("[[package]]\nname = \"part\"\nversion = \"{version}\"\n{source}\n");
        let registry = "source = \"registry+https://github.com/rust-lang/crates.io-index\"\n";
        let locks = [
            [lock("0.9.0", registry), lock("1.3.0", registry)].concat(),
            [lock("0.9.0", registry), lock("1.2.3", "")].concat(),
        ];
        let [base, head] = locks.map(|lock| {
            let root = tempfile::tempdir().unwrap();
            fs::write(root.path().join("Cargo.lock"), format!("version = 4\n\n{lock}")).unwrap();
            let app = apps::catalog::App {
                workspace: root.path().to_owned(),
                dependencies: [("part".to_owned(), Vec::new())].into(),
                ..samples::framework("axum")
            };
            (Catalog::new(root.path().to_owned(), vec![app]), root)
        });
        fs::write(folder.path().join("src/lib.rs"), "// Changed.\n").unwrap();
        let expected = CrateSource {
            before: vec!["1.3.0".into()],
            after: vec!["1.2.3".into()],
            commit: git.text(&["rev-parse", "HEAD"]).ok(),
            dirty: true,
        };
        assert_eq!(sources(&[patch], &base.0, &head.0).unwrap(), [expected]);
    }
}
