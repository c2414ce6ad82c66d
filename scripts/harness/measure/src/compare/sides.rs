//! The two trees of a comparison, checked out of git, each with its own target folder.
//!
//! Both lie below `target/compare/`. A tree is rewritten only when its commit changes, so that a second comparison of
//! the same commits builds nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::slice;
use std::time::Duration;

use anyhow::{Context, anyhow};
use cargo_lock::Lockfile;
use jiff::Timestamp;
use toml::{Table, Value};

use super::patch;
use super::patch::Patch;
use crate::app_costs::finished;
use analyze::compare::outcome::Side;
use apps::catalog::{App, Catalog};
use machine::git::Git;

/// A checked-out tree that apps are built from.
#[derive(Debug)]
pub struct Tree {
    /// Its revision.
    pub side: Side,
    /// Its apps.
    pub catalog: Catalog,
    /// Target folder of its builds.
    pub target: PathBuf,
}

/// Longest time to copy a target folder: some gigabytes.
const COPYING: Duration = Duration::from_mins(10);
/// Folders between a target folder and cargo's fingerprints, at most: those of what is built with flags, and of a profile.
const TO_FINGERPRINTS: u32 = 2;

impl Tree {
    /// Lets its builds begin with a copy of what `other` has compiled, if there is nothing yet: most crates are the same on both sides.
    /// Packages of the repository are compiled anew, because cargo takes sources that are older than a build for unchanged.
    pub fn begin_with(&self, other: &Self) -> anyhow::Result<()> {
        if self.target.exists() || !other.target.exists() {
            return Ok(());
        }
        // Its name is changed last, so that an incomplete one is not taken for whole.
        let copying = self.target.with_extension("copying");
        if copying.exists() {
            fs::remove_dir_all(&copying)?;
        }
        fs::create_dir_all(&copying)?;
        // Not links: cargo writes into files that are there. With their times, by which it knows what is up to date.
        let mut copy = Command::new("cp");
        copy.args(["--archive", "--reflink=auto", "--no-target-directory"]);
        copy.args([&other.target, &copying]);
        finished(copy, COPYING)?;
        let workspaces: BTreeSet<&PathBuf> = self.catalog.apps.iter().map(|app| &app.workspace).collect();
        let mut own = BTreeSet::new();
        for workspace in workspaces {
            let packages = Lockfile::load(workspace.join("Cargo.lock"))?.packages.into_iter();
            let packages = packages.filter(|package| package.source.is_none());
            own.extend(packages.map(|package| package.name.to_string()));
        }
        forget(&own, &copying, TO_FINGERPRINTS)?;
        Ok(fs::rename(copying, &self.target)?)
    }
}

/// Removes cargo's fingerprints of these packages: folders such as `axum-app-0123456789abcdef`.
fn forget(packages: &BTreeSet<String>, target: &Path, depth: u32) -> io::Result<()> {
    for entry in fs::read_dir(target)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name == ".fingerprint" {
            for one in fs::read_dir(&path)? {
                let one = one?;
                let name = one.file_name().to_string_lossy().into_owned();
                if name
                    .rsplit_once('-')
                    .is_some_and(|(package, _)| packages.contains(package))
                {
                    fs::remove_dir_all(one.path())?;
                }
            }
        } else if depth > 0 && path.is_dir() {
            forget(packages, &path, depth - 1)?;
        }
    }
    Ok(())
}

/// The main branch, here and at every remote.
const MAIN: [&str; 4] = [
    "refs/heads/main",
    "refs/heads/master",
    "refs/remotes/*/main",
    "refs/remotes/*/master",
];
const SHALLOW: &str = "; this clone is shallow, `git fetch --unshallow` brings the rest";

/// The repository at `root`, and git in it.
#[derive(Debug, Clone)]
pub struct Repository {
    root: PathBuf,
    git: Git,
}

impl Repository {
    /// The repository at `root`.
    pub fn open(root: &Path) -> anyhow::Result<Self> {
        let (root, git) = (root.to_owned(), Git::new(root));
        let top = git.text(&["rev-parse", "--show-toplevel"]);
        top.context("a comparison needs revisions, and there are none")?;
        Ok(Self { root, git })
    }

    /// The side to compare with: `named`, or the merge-base of head and main that is nearest to head. A branch of this clone that is behind
    /// its remote would blame head for what others did.
    pub fn base(&self, named: Option<&str>, head: &Side) -> anyhow::Result<Side> {
        if let Some(revision) = named {
            return Ok(Side::new(revision, self.commit(revision)?));
        }
        let known = self
            .git
            .text(&[&["for-each-ref", "--format=%(refname:short)"][..], &MAIN].concat())?;
        let common = |main: &str| {
            let commit = self.git.text(&["merge-base", main, &head.commit]).ok()?;
            let since = format!("{commit}..{}", head.commit);
            let since: u64 = self.git.text(&["rev-list", "--count", &since]).ok()?.parse().ok()?;
            Some((since, Side::new(&format!("merge-base with {main}"), commit)))
        };
        let nearest = known.lines().filter_map(common).min_by_key(|(since, _)| *since);
        nearest.map(|(_, side)| side).ok_or_else(|| {
            anyhow!(
                "there is no common ancestor of main and {}{}; name the base with --base REV",
                head.revision,
                self.hint()
            )
        })
    }

    /// The proposed side: `named`, or the working tree.
    pub fn head(&self, named: Option<&str>) -> anyhow::Result<Side> {
        if let Some(revision) = named {
            return Ok(Side::new(revision, self.commit(revision)?));
        }
        Ok(Side {
            dirty: self.git.is_dirty()?,
            ..Side::new("the working tree", self.commit("HEAD")?)
        })
    }

    /// The tree of `side`, checked out to `target/compare/<name>`; a working tree is used where it is.
    pub fn tree(&self, side: Side, name: &str, working_tree: bool) -> anyhow::Result<Tree> {
        let folder = self.root.join("target/compare").join(name);
        let root = if working_tree {
            self.root.clone()
        } else {
            self.unpacked(&side.commit, &folder)?
        };
        let (catalog, target) = (Catalog::read(&root)?, folder.join("target"));
        Ok(Tree { side, catalog, target })
    }

    /// The tree of a commit in `folder`; as it is where it was unpacked before.
    fn unpacked(&self, commit: &str, folder: &Path) -> anyhow::Result<PathBuf> {
        let (root, stamp) = (folder.join("tree"), folder.join("commit"));
        if fs::read_to_string(&stamp).ok().as_deref() != Some(commit) || !root.is_dir() {
            let archive = self.git.bytes(&["archive", "--format=tar", commit])?;
            let written = unpack(&archive, commit, &root, &stamp);
            written.with_context(|| format!("cannot write {}", root.display()))?;
        }
        Ok(root)
    }

    /// `base` with crates from elsewhere, in `target/compare/<name>`. What others than the apps of `base` need of the crates does not matter:
    /// these are alone in their workspaces.
    pub fn patched(&self, base: &Tree, patches: &[Patch], name: &str) -> anyhow::Result<Tree> {
        let stamp = self.root.join("target/compare").join(name).join("commit");
        let _ = fs::remove_file(stamp); // an earlier patch is undone
        let mut tree = self.tree(base.side.clone(), name, false)?;
        tree.catalog.apps.retain(|app| base.catalog.app(&app.id).is_some());
        leave_alone(&tree.catalog.apps)?;
        patch::apply(patches, &base.catalog, &tree.catalog.root)?;
        let manifests = tree.catalog.apps.into_iter().map(|app| app.manifest);
        tree.catalog = Catalog::of(tree.catalog.root, manifests)?;
        tree.side.patches = patches.iter().map(ToString::to_string).collect();
        tree.side.sources = patch::sources(patches, &base.catalog, &tree.catalog)?;
        Ok(tree)
    }

    /// An app of `base` with releases of crates, all else as it is locked, or the newest of a `day`, in `target/compare/<name>`, where every
    /// release is built in one target folder. What other apps need of the crate does not matter: it is alone in its workspace.
    pub fn released(
        &self,
        base: &Tree,
        app: &App,
        releases: Vec<Patch>,
        day: Option<Timestamp>,
        name: &str,
    ) -> anyhow::Result<App> {
        let folder = self.root.join("target/compare").join(name);
        let root = self.unpacked(&base.side.commit, &folder)?;
        let inside = |path: &Path| root.join(path.strip_prefix(&base.catalog.root).unwrap_or(path));
        let alone = App {
            workspace: inside(&app.workspace),
            manifest: inside(&app.manifest),
            ..app.clone()
        };
        let workspace = &alone.workspace;
        // An earlier release is undone; sources stay as they are, so that cargo compiles only what depends on the crate.
        fs::copy(app.workspace.join("Cargo.lock"), workspace.join("Cargo.lock"))?;
        let folders = patch::own_folders(workspace)?;
        for folder in folders.into_iter().chain([workspace.clone()]) {
            let own = folder.join("Cargo.toml");
            let as_committed = fs::read(base.catalog.root.join(own.strip_prefix(&root)?))?;
            if fs::read(&own)? != as_committed {
                fs::write(own, as_committed)?;
            }
        }
        leave_alone(slice::from_ref(&alone))?;
        if let Some(day) = day {
            patch::lock_as_of(workspace, day)?;
        }
        let before = Catalog::new(base.catalog.root.clone(), vec![app.clone()]);
        patch::in_any_order(releases, |release| {
            patch::apply(slice::from_ref(release), &before, &root)
        })?;
        let apps = Catalog::of(root, [alone.manifest])?.apps.into_iter().next();
        Ok(App {
            target: folder.join("target"),
            ..apps.with_context(|| format!("{} is no app any more", app.id))?
        })
    }

    fn commit(&self, revision: &str) -> anyhow::Result<String> {
        let name = format!("{revision}^{{commit}}");
        self.git
            .text(&["rev-parse", "--verify", "--quiet", "--end-of-options", &name])
            .map_err(|_| anyhow!("git knows no revision `{revision}`{}", self.hint()))
    }

    fn hint(&self) -> &'static str {
        let shallow = self.git.text(&["rev-parse", "--is-shallow-repository"]);
        shallow.map_or("", |answer| if answer == "true" { SHALLOW } else { "" })
    }
}

/// Leaves the workspaces of these apps their packages, and those of their folders that these depend on.
fn leave_alone(apps: &[App]) -> anyhow::Result<()> {
    let mut members: BTreeMap<&Path, Vec<Value>> = BTreeMap::new();
    for app in apps {
        let folder = app.manifest.parent().unwrap_or(&app.manifest);
        let folder = folder.strip_prefix(&app.workspace)?.display().to_string();
        members.entry(&app.workspace).or_default().push(folder.into());
    }
    for (workspace, members) in members {
        let manifest = workspace.join("Cargo.toml");
        let mut table: Table = fs::read_to_string(&manifest)?.parse()?;
        if let Some(Value::Table(all)) = table.get_mut("workspace") {
            all.remove("default-members");
            all.insert("members".into(), members.into());
        }
        fs::write(manifest, table.to_string())?;
    }
    Ok(())
}

/// Unpacks the tree of `commit` to `root`. The stamp is written last, so that an incomplete tree is unpacked again.
fn unpack(archive: &[u8], commit: &str, root: &Path, stamp: &Path) -> io::Result<()> {
    let _ = fs::remove_file(stamp); // may not be there
    if root.exists() {
        fs::remove_dir_all(root)?;
    }
    fs::create_dir_all(root)?;
    let mut archive = tar::Archive::new(archive);
    // With the current time, not the commit's: cargo takes older files for unchanged.
    archive.set_preserve_mtime(false);
    archive.unpack(root)?;
    fs::write(stamp, commit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn apps_are_left_alone_in_their_workspace() {
        let folder = tempfile::tempdir().unwrap();
        let manifest = folder.path().join("Cargo.toml");
        let app = |name: &str| App {
            workspace: folder.path().to_owned(),
            manifest: folder.path().join("apps").join(name).join("Cargo.toml"),
            ..samples::framework(name)
        };
        let text = "[workspace]\nmembers = [\"apps/*\"]\ndefault-members = [\"apps/other\"]\nexclude = [\"docs\"]\n";
        fs::write(&manifest, text).unwrap();
        leave_alone(&["axum", "hyper"].map(app)).unwrap();
        let left: Table = fs::read_to_string(manifest).unwrap().parse().unwrap();
        let expected = "[workspace]\nmembers = [\"apps/axum\", \"apps/hyper\"]\nexclude = [\"docs\"]\n";
        assert_eq!(left, expected.parse().unwrap());
    }

    #[test]
    fn what_base_compiled_is_copied_but_for_the_packages_of_the_repository() {
        let folder = tempfile::tempdir().unwrap();
        let [base, head] = ["base", "head"].map(|name| {
            let root = folder.path().join(name);
            fs::create_dir_all(&root).unwrap();
            let lock = "version = 4\n\n[[package]]\nname = \"axum-app\"\nversion = \"0.0.0\"\n\n[[package]]\nname = \"http-body\"\nversion = \
                        \"1.0.0\"\nsource = \"registry+https://github.com/rust-lang/crates.io-index\"\n";
            fs::write(root.join("Cargo.lock"), lock).unwrap();
            let app = App {
                workspace: root.clone(),
                ..samples::framework("axum")
            };
            Tree {
                side: Side::default(),
                target: root.join("target"),
                catalog: Catalog::new(root, vec![app]),
            }
        });
        let print = |target: &Path, name: &str| target.join("release/.fingerprint").join(name);
        let flagged = |target: &Path| target.join("flagged/release/.fingerprint/axum-app-0123456789abcdef");
        head.begin_with(&base).unwrap();
        assert!(!head.target.exists(), "base has compiled nothing");
        for name in ["http-body-0123456789abcdef", "axum-app-0123456789abcdef"] {
            fs::create_dir_all(print(&base.target, name)).unwrap();
        }
        fs::create_dir_all(flagged(&base.target)).unwrap();
        head.begin_with(&base).unwrap();
        let is_there = |target: &Path, name| print(target, name).exists();
        assert!(is_there(&head.target, "http-body-0123456789abcdef"));
        assert!(!is_there(&head.target, "axum-app-0123456789abcdef") && !flagged(&head.target).exists());
        assert!(is_there(&base.target, "axum-app-0123456789abcdef"), "it is a copy");
        fs::remove_dir_all(print(&head.target, "http-body-0123456789abcdef")).unwrap();
        head.begin_with(&base).unwrap();
        assert!(
            !is_there(&head.target, "http-body-0123456789abcdef"),
            "what it has is its own"
        );
    }
}
