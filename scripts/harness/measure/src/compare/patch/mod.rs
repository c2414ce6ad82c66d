//! A crate from another source, by cargo's own means: in a copy of the tree, cargo's `[patch]` or `cargo update --precise`.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use analyze::compare::outcome::Cause;
use anyhow::{Context as _, anyhow, bail, ensure};
use cargo_lock::{Lockfile, Package, SourceId, Version};

use super::changes::{Touched, between};
use crate::versions::compatible;
use apps::catalog::{self, Catalog};
use apps::suggest;

mod checkout;
mod release;
mod requirements;
mod workspace;

pub use checkout::{of_base, sources};
pub use release::{in_any_order, lock_as_of};
pub use workspace::{cargo, finished, own_folders};
use workspace::{folder_with, members, resolved};

const FORM: &str = "write CRATE=SOURCE, with a folder (hyper=../hyper), a repository (axum=git+https://…#REV) or a version (hyper=1.11.0)";

/// A crate, and where a side takes it from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patch {
    name: String,
    /// As the user wrote it.
    written: String,
    source: Source,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Source {
    /// Folder of the crate.
    Path(PathBuf),
    Git {
        url: String,
        revision: Option<String>,
    },
    Version(Version),
}

impl FromStr for Patch {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Self> {
        let (name, written) = text.split_once('=').context(FORM)?;
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
        ensure!(is_name, "`{name}` is no name of a crate; {FORM}");
        let source = if let Some(repository) = written.strip_prefix("git+") {
            let (url, revision) = match repository.split_once('#') {
                Some((url, revision)) => (url, Some(revision.to_owned())),
                None => (repository, None),
            };
            let url = url.to_owned();
            Source::Git { url, revision }
        } else if Path::new(written).is_dir() {
            Source::Path(folder_of(name, Path::new(written))?)
        } else if let Ok(version) = Version::parse(written) {
            Source::Version(version)
        } else if written.starts_with(|first: char| first.is_ascii_digit()) {
            bail!("`{written}` is no whole version, such as 1.11.0");
        } else {
            bail!("there is no folder `{written}`; {FORM}");
        };
        Ok(Self {
            name: name.to_owned(),
            written: written.to_owned(),
            source,
        })
    }
}

/// As the user wrote it.
impl fmt::Display for Patch {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}={}", self.name, self.written)
    }
}

/// The folder of the crate `name` in the checkout `folder`: itself, or the member of its workspace.
fn folder_of(name: &str, folder: &Path) -> anyhow::Result<PathBuf> {
    let folder = folder
        .canonicalize()
        .map_err(|error| anyhow!("{}: {error}", folder.display()))?;
    // Where this repository is, whose toolchain is ours: the checkout's may not be installed.
    let ours = catalog::find_root().unwrap_or_else(|_| folder.clone());
    let mut members = members(&folder, &ours)
        .map_err(|reason| anyhow!("cargo finds no crate in {}: {reason:#}", folder.display()))?;
    members.remove(name).with_context(|| {
        let names = members.into_keys().collect::<Vec<_>>().join(", ");
        format!("{} has no crate `{name}`, but {names}", folder.display())
    })
}

/// Fails at a crate that no app is built from.
pub fn ensure_used(patches: &[Patch], catalog: &Catalog) -> anyhow::Result<()> {
    let all = catalog.apps.iter().flat_map(|app| app.dependencies.keys());
    let all: BTreeSet<&str> = all.map(String::as_str).collect();
    let mut names = patches.iter().map(|patch| patch.name.as_str());
    names.find(|name| !all.contains(name)).map_or(Ok(()), |unknown| {
        let all = all.iter().copied();
        Err(suggest::unknown_in("cargo tree", "dependency", unknown, all))
    })
}

/// Makes the workspaces of the tree at `root`, a copy of `base`, take the crates from their sources. Their lockfiles change no more than
/// cargo needs.
pub fn apply(patches: &[Patch], base: &Catalog, root: &Path) -> anyhow::Result<()> {
    for patch in patches {
        let users = base
            .apps
            .iter()
            .filter(|app| app.dependencies.contains_key(&patch.name));
        let workspaces: BTreeSet<&Path> = users.map(|app| app.workspace.as_path()).collect();
        // Apps of another workspace may need another major version.
        let mut unused = Vec::new();
        for workspace in &workspaces {
            let workspace = &root.join(workspace.strip_prefix(&base.root).unwrap_or(Path::new("")));
            let needed = patch.apply(workspace)?;
            if needed.is_none() {
                for sibling in patch.siblings(workspace)? {
                    sibling.apply(workspace)?;
                }
            }
            unused.extend(needed);
        }
        if !unused.is_empty() && unused.len() == workspaces.len() {
            let needed: BTreeSet<String> = unused
                .into_iter()
                .flatten()
                .map(|version| version.to_string())
                .collect();
            let needed = needed.into_iter().collect::<Vec<_>>().join(", ");
            bail!("cargo does not use {patch}, which is not compatible with what the apps need: {needed}");
        }
    }
    Ok(())
}

impl Patch {
    /// Name of the crate.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Nothing if the workspace uses it now, or else the versions that it needs.
    fn apply(&self, workspace: &Path) -> anyhow::Result<Option<Vec<Version>>> {
        let [manifest, lockfile] = ["Cargo.toml", "Cargo.lock"].map(|name| workspace.join(name));
        let untouched = (fs::read(&manifest)?, fs::read(&lockfile)?);
        let of_name = |package: &&Package| package.name.as_str() == self.name;
        let before = Lockfile::load(&lockfile)?.packages;
        let before: Vec<Version> = before
            .iter()
            .filter(of_name)
            .map(|package| package.version.clone())
            .collect();
        if let Source::Version(version) = &self.source {
            let Some(old) = before.iter().find(|old| compatible(old, version)) else {
                return Ok(Some(before));
            };
            for folder in own_folders(workspace)?.into_iter().chain([workspace.to_owned()]) {
                let requires = requirements::all_with(&self.name, version);
                requirements::loosen(&folder.join("Cargo.toml"), &requires)?;
            }
            self.update(workspace, old, &["--precise", &version.to_string()])?;
            self.released(&Lockfile::load(&lockfile)?)?;
            return Ok(None);
        }
        self.write(&manifest)?;
        // Where the version is the locked one, cargo takes the patch by itself.
        resolved(workspace).map_err(|error| self.refused(&error))?;
        let is_used = || -> anyhow::Result<bool> {
            let is_other = |package: &Package| {
                package
                    .source
                    .as_ref()
                    .is_none_or(|source| !source.is_default_registry())
            };
            Ok(Lockfile::load(&lockfile)?.packages.iter().filter(of_name).any(is_other))
        };
        let resolved = fs::read(&lockfile)?;
        for old in &before {
            if is_used()? {
                return Ok(None);
            }
            fs::write(&lockfile, &resolved)?;
            self.update(workspace, old, &[])?;
        }
        if is_used()? {
            return Ok(None);
        }
        fs::write(manifest, untouched.0)?;
        fs::write(lockfile, untouched.1)?;
        Ok(Some(before))
    }

    /// Fails unless this lockfile has its version from the registry: of a crate that a manifest patches, cargo says yes to any version and takes
    /// none.
    fn released(&self, lockfile: &Lockfile) -> anyhow::Result<()> {
        let of_name = lockfile.packages.iter().filter(|one| one.name.as_str() == self.name);
        let from = |one: &Package| one.source.as_ref().map_or("a folder".to_owned(), ToString::to_string);
        let is_released = |one: &&Package| one.source.as_ref().is_some_and(SourceId::is_default_registry);
        let mut released = of_name.clone().filter(is_released);
        if released.any(|one| Source::Version(one.version.clone()) == self.source) {
            return Ok(());
        }
        let others = of_name.map(|one| format!("{} from {}", one.version, from(one)));
        let others = others.collect::<Vec<_>>().join(" and ");
        bail!(
            "cargo does not use {self}, but {} {others}: take it out of [patch] in the workspace's Cargo.toml",
            self.name
        )
    }

    /// The other crates of its repository's workspace that this one takes from the registry: what a framework is made of comes from one
    /// commit.
    fn siblings(&self, workspace: &Path) -> anyhow::Result<Vec<Self>> {
        if matches!(self.source, Source::Version(_)) {
            return Ok(Vec::new());
        }
        let packages = resolved(workspace)?.packages.into_iter();
        let is_released = |one: &cargo_metadata::Package| {
            one.source
                .as_ref()
                .is_some_and(|source| source.repr.starts_with("registry+"))
        };
        let (released, others): (Vec<_>, Vec<_>) = packages.partition(is_released);
        let own = others.into_iter().find(|one| *one.name == self.name);
        let own = own.with_context(|| format!("cargo does not use {self}"))?;
        let mut members = members(&folder_with(&own), workspace)?;
        let of_workspace = released.into_iter().filter_map(|released| {
            let (name, folder) = members.remove_entry(released.name.as_str())?;
            let source = match &self.source {
                Source::Path(_) => Source::Path(folder),
                source => source.clone(),
            };
            Some(Self {
                name,
                source,
                ..self.clone()
            })
        });
        Ok(of_workspace.filter(|sibling| sibling.name != self.name).collect())
    }

    /// Adds the patch to a workspace's manifest.
    fn write(&self, manifest: &Path) -> anyhow::Result<()> {
        let mut table: toml::Table = fs::read_to_string(manifest)?.parse()?;
        let mut source = toml::Table::new();
        let mut say = |key: &str, value: String| source.insert(key.to_owned(), value.into());
        match &self.source {
            Source::Path(folder) => say("path", folder.display().to_string()),
            Source::Git { url, revision } => {
                say("git", url.clone());
                revision.clone().and_then(|revision| say("rev", revision))
            }
            Source::Version(_) => None,
        };
        let mut level = &mut table;
        for name in ["patch", "crates-io"] {
            let entry = level.entry(name).or_insert_with(|| toml::Table::new().into());
            level = entry.as_table_mut().context("[patch] is no table")?;
        }
        level.insert(self.name.clone(), source.into());
        Ok(fs::write(manifest, table.to_string())?)
    }

    fn update(&self, workspace: &Path, old: &Version, more: &[&str]) -> anyhow::Result<()> {
        let mut command = cargo(workspace, "update");
        command.arg(format!("{}@{old}", self.name)).args(more);
        finished(command).map(|_| ()).map_err(|error| self.refused(&error))
    }

    fn refused(&self, error: &anyhow::Error) -> anyhow::Error {
        anyhow!("cargo refuses {self}: {error}")
    }
}

/// The apps whose lockfile the patches change, with what it holds instead, and the ids of the others.
pub fn touched(patches: &[Patch], base: &Catalog, head: &Catalog) -> (Vec<Touched>, Vec<String>) {
    let (touched, untouched) = between(base, head);
    let is_moved = |touched: &Touched| touched.causes.contains(&Cause::Dependencies);
    let (moved, others): (Vec<_>, Vec<_>) = touched.into_iter().partition(is_moved);
    let moved = moved.into_iter().map(|mut touched| {
        // The patch in the manifest was requested.
        touched.causes = vec![Cause::Dependencies];
        for dependency in &mut touched.dependencies {
            let patch = patches.iter().find(|patch| patch.name == dependency.name);
            dependency.after.extend(
                patch
                    .filter(|patch| !matches!(patch.source, Source::Version(_)))
                    .map(|patch| patch.written.clone()),
            );
        }
        touched
    });
    let others = others.into_iter().map(|touched| touched.id);
    (moved.collect(), untouched.into_iter().chain(others).collect())
}

/// Why the patches change none of these apps, each of which is one of `base` and is not touched.
pub fn unchanged<'a>(patches: &[Patch], base: &Catalog, apps: impl Iterator<Item = &'a str>) -> Vec<String> {
    let why = |app: &str, patch: &Patch| {
        let name = &patch.name;
        match (base.app(app)?.dependencies.get(name), &patch.source) {
            (None, _) => Some(format!("{app} does not use {name}")),
            (Some(has), Source::Version(version)) if has.contains(&version.to_string()) => {
                Some(format!("{app} has {name} {version} already"))
            }
            _ => None,
        }
    };
    apps.flat_map(|app| patches.iter().filter_map(move |patch| why(app, patch)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_is_a_folder_a_repository_or_a_version() {
        let parsed = |text: &str| text.parse::<Patch>().map_err(|error| error.to_string());
        let git = parsed("axum=git+https://example.org/axum#main").unwrap();
        let (url, revision) = ("https://example.org/axum".to_owned(), Some("main".to_owned()));
        assert_eq!(git.source, Source::Git { url, revision });
        assert_eq!(git.to_string(), "axum=git+https://example.org/axum#main");
        let version = parsed("hyper=1.11.0").unwrap();
        assert_eq!(version.source, Source::Version(Version::new(1, 11, 0)));
        let own = parsed(&format!("measure={}", env!("CARGO_MANIFEST_DIR"))).unwrap();
        assert_eq!(own.source, Source::Path(env!("CARGO_MANIFEST_DIR").into()));

        assert_eq!(parsed("hyper").unwrap_err(), FORM);
        assert!(parsed("=../hyper").unwrap_err().starts_with("`` is no name of a crate"));
        assert_eq!(
            parsed("hyper=1.11").unwrap_err(),
            "`1.11` is no whole version, such as 1.11.0"
        );
        assert!(
            parsed("hyper=../none")
                .unwrap_err()
                .starts_with("there is no folder `../none`")
        );
        let other = parsed(&format!("hyperr={}", env!("CARGO_MANIFEST_DIR"))).unwrap_err();
        assert!(
            other.contains("has no crate `hyperr`, but ") && other.contains("measure"),
            "{other}"
        );
    }

    #[test]
    fn why_a_folder_has_no_crate_is_said_in_cargos_words() {
        let refused = |manifest: &str| {
            let folder = tempfile::tempdir().unwrap();
            fs::write(folder.path().join("Cargo.toml"), manifest).unwrap();
            let patch = format!("part={}", folder.path().display()).parse::<Patch>();
            patch.unwrap_err().to_string()
        };
        for (manifest, reason) in [
            ("[package\n", "unclosed table"),
            (
                "[package]\nname = \"part\"\nversion.workspace = true\n",
                "failed to find a workspace root",
            ),
        ] {
            let said = refused(manifest);
            assert!(
                said.starts_with("cargo finds no crate in ") && said.contains(reason),
                "{said}"
            );
        }
    }

    #[test]
    fn a_version_that_cargo_says_yes_to_and_does_not_take_is_refused() {
        let patch: Patch = "itoa=1.0.19".parse().unwrap();
        let released = |locked: &[(&str, &str)]| {
            let package = |(version, source): &(&str, &str)| {
                format!("[[package]]\nname = \"itoa\"\nversion = \"{version}\"\n{source}\n")
            };
            let packages: String = locked.iter().map(package).collect();
            let lockfile = format!("version = 4\n\n{packages}").parse().unwrap();
            patch.released(&lockfile).map_err(|error| error.to_string())
        };
        let registry = "source = \"registry+https://github.com/rust-lang/crates.io-index\"\n";
        let git = "source = \"git+https://example.org/itoa#0123456789012345678901234567890123456789\"\n";
        assert_eq!(released(&[("1.0.19", registry)]), Ok(()));
        assert_eq!(released(&[("0.4.8", registry), ("1.0.19", registry)]), Ok(()));
        for (locked, said) in [
            (("1.0.18", ""), "itoa 1.0.18 from a folder: "),
            (("1.0.19", ""), "itoa 1.0.19 from a folder: "),
            (("1.0.19", git), "itoa 1.0.19 from git+https://example.org/itoa"),
            (("1.0.18", registry), "itoa 1.0.18 from registry+"),
        ] {
            let error = released(&[locked]).unwrap_err();
            assert!(
                error.starts_with("cargo does not use itoa=1.0.19, but ") && error.contains(said),
                "{error}"
            );
        }
    }

    #[test]
    fn an_app_that_has_the_version_already_is_said_to() {
        let app = apps::catalog::App {
            dependencies: [("itoa".to_owned(), vec!["1.0.18".to_owned()])].into(),
            ..samples::framework("axum")
        };
        let base = Catalog::new(PathBuf::new(), vec![app, samples::framework("may")]);
        let why = |patch: &str| unchanged(&[patch.parse().unwrap()], &base, ["axum", "may"].into_iter());
        assert_eq!(
            why("itoa=1.0.18"),
            ["axum has itoa 1.0.18 already", "may does not use itoa"]
        );
        assert_eq!(why("itoa=1.0.19"), ["may does not use itoa"]);
    }
}
