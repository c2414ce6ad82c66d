//! The two trees of a comparison, checked out of git, each with its own target folder.
//!
//! Both lie below `target/compare/`. A tree is rewritten only when its commit changes, so that a second comparison of
//! the same commits builds nothing.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};

use super::patch;
use super::patch::Patch;
use analyze::compare::outcome::Side;
use apps::catalog::Catalog;
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
        let target = folder.join("target");
        let root = if working_tree {
            self.root.clone()
        } else {
            let (root, stamp) = (folder.join("tree"), folder.join("commit"));
            if fs::read_to_string(&stamp).ok().as_deref() != Some(&side.commit) || !root.is_dir() {
                let archive = self.git.bytes(&["archive", "--format=tar", &side.commit])?;
                let written = unpack(&archive, &side.commit, &root, &stamp);
                written.with_context(|| format!("cannot write {}", root.display()))?;
            }
            root
        };
        let catalog = Catalog::read(&root)?;
        Ok(Tree { side, catalog, target })
    }

    /// `base` with crates from elsewhere, in `target/compare/patched`.
    pub fn patched(&self, base: &Tree, patches: &[Patch]) -> anyhow::Result<Tree> {
        let _ = fs::remove_file(self.root.join("target/compare/patched/commit")); // an earlier patch is undone
        let side = Side {
            patches: patches.iter().map(ToString::to_string).collect(),
            ..base.side.clone()
        };
        let mut tree = self.tree(side, "patched", false)?;
        patch::apply(patches, &base.catalog, &tree.catalog.root)?;
        tree.catalog = Catalog::read(&tree.catalog.root)?;
        Ok(tree)
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
