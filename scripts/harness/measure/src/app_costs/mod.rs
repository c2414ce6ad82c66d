//! App costs: what an app takes besides its speed. Size, build times, dependencies, and the counts of one request
//! ([`crate::request_counts`]).
//!
//! Everything is built in a copy of the repository with its own target folder, so that a clean build is clean and the user's
//! files stay untouched; both are removed afterwards. Apps are built one at a time, because a build takes all cpus. If a figure
//! cannot be measured, it holds the reason; other figures and other apps are not affected.

mod copy;
mod requests;

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, anyhow, bail, ensure};
use tempfile::TempDir;

pub use requests::Counting;

use apps::build;
use apps::build::{Binary, BuildError, BuildRequest};
use apps::cargo;
use apps::catalog::metadata::manifests_only;
use apps::catalog::{App, Catalog, Variant};
use machine::process::finish;
use model::{BuildCosts, Cost, Costs, Dependencies, Repeated};

/// Longest time for a download of all dependencies of one workspace.
const DOWNLOAD: Duration = Duration::from_mins(15);
/// Longest time for a command that does not compile.
const COMMAND_TIMEOUT: Duration = Duration::from_mins(2);

/// Where apps are built.
#[derive(Debug)]
pub struct BuildSandbox<'a> {
    counting: &'a Counting<'a>,
    cargo_profile: &'a str,
    root: PathBuf,
    folder: TempDir,
}

impl<'a> BuildSandbox<'a> {
    /// Copies the catalog's repository to a folder in `target`, the target folder of cargo.
    pub fn new(
        catalog: &Catalog,
        target: &Path,
        counting: &'a Counting<'a>,
        cargo_profile: &'a str,
    ) -> anyhow::Result<Self> {
        let copied = || -> io::Result<(PathBuf, TempDir)> {
            fs::create_dir_all(target)?;
            // Not in /tmp, which may be in memory: too small, and too fast.
            let folder = tempfile::Builder::new().prefix("costs-").tempdir_in(target)?;
            let root = catalog.root.canonicalize()?;
            // Without symbolic links, so that the copy is recognised before it is copied into itself.
            copy::tree(&root, &folder.path().join("tree"), &target.canonicalize()?)?;
            Ok((root, folder))
        };
        let (root, folder) = copied().map_err(|error| {
            let target = target.display();
            anyhow!("cannot copy the repository to {target}: {error}; it needs a few megabytes there")
        })?;
        Ok(Self {
            counting,
            cargo_profile,
            root,
            folder,
        })
    }

    /// Builds one app in one variant, and measures its costs. `report` gets each step before it begins.
    pub fn measure(
        &self,
        app: &App,
        variant: &Variant,
        mut report: impl FnMut(&str),
    ) -> anyhow::Result<(Binary, Costs)> {
        report("clean build");
        // A new one for each app: gigabytes that the next cannot use, and leftovers would make its build unclean.
        let target = tempfile::Builder::new().prefix("build-").tempdir_in(self.folder.path());
        let target = target.map_err(|error| BuildError::File(self.folder.path().to_owned(), error))?;
        let manifest = self.fetch(app)?;
        let request = BuildRequest {
            manifest: &manifest,
            target: Some(target.path()),
            ..BuildRequest::for_variant(app, variant, self.cargo_profile)
        };
        let binary = self.build(request)?;
        // Before the next builds overwrite the program.
        let requests = self.counting.requests(&binary.program, &mut report)?;
        let build = BuildCosts {
            stripped_bytes: self.stripped_bytes(binary.program.path()).into(),
            clean_build_seconds: Cost::Measured(binary.seconds),
            dependencies: dependencies(&manifest, &app.package).into(),
            incremental_build_seconds: self.rebuild(request, &mut report).into(),
        };
        let costs = Costs {
            with: self.counting.tools.clone(),
            build: Some(build),
            requests,
            release: None,
        };
        Ok((binary, costs))
    }

    /// Downloads everything that a build of the app needs; returns its manifest in the copy.
    fn fetch(&self, app: &App) -> anyhow::Result<PathBuf> {
        let manifest = app.manifest.canonicalize();
        let manifest = manifest.map_err(|error| BuildError::File(app.manifest.clone(), error))?;
        let inside = manifest.strip_prefix(&self.root);
        let inside = inside.map_err(|_| anyhow!("{} lies outside of the repository", manifest.display()))?;
        let manifest = self.folder.path().join("tree").join(inside);
        let mut command = cargo(&manifest, "fetch");
        // Crates for other systems are not needed, and may be missing on a machine without a network.
        let mut rustc = Command::new("rustc");
        rustc.arg("-vV").current_dir(folder_of(&manifest));
        if let Ok(version) = finished(rustc, COMMAND_TIMEOUT)
            && let Some(host) = version.lines().find_map(|line| line.strip_prefix("host: "))
        {
            command.args(["--target", host]);
        }
        finished(command, DOWNLOAD)?;
        Ok(manifest)
    }

    fn build(&self, request: BuildRequest<'_>) -> Result<Binary, BuildError> {
        let jobs = self.counting.tools.jobs.to_string();
        let prepare = |command: &mut Command| {
            // A cache of compiled crates would be measured instead of the compiler.
            command.args(["--offline", "--jobs", &jobs]).env("RUSTC_WRAPPER", "");
        };
        build::build_with(request, prepare, |_| {})
    }

    /// Builds after changes to the program's main source file, in the copy.
    fn rebuild(&self, request: BuildRequest<'_>, mut report: impl FnMut(&str)) -> anyhow::Result<Repeated> {
        let path = main_source(request)?;
        let failed = |error| BuildError::File(path.clone(), error);
        let original = fs::read_to_string(&path).map_err(failed)?;
        let repetitions = self.counting.plan.rounds;
        let each = (1..=repetitions).map(|number| {
            report(&format!("incremental build {number} of {repetitions}"));
            // The compiler would ignore a comment, and drop unused code.
            let changed = format!("{original}\n#[used]\nstatic BENCH_CHANGE: u32 = {number};\n");
            fs::write(&path, changed).map_err(failed)?;
            Ok(self.build(request)?.seconds)
        });
        let each: Result<Vec<f64>, BuildError> = each.collect();
        // Other variants of the app are built from the same copy, so restore it even after a failed build.
        let restored = fs::write(&path, &original).map_err(failed);
        let each = each?;
        restored?;
        Ok(Repeated {
            median: stats::median(&each).unwrap_or_default(),
            each,
        })
    }

    /// Bytes that `strip --strip-all` leaves of `program`, which is not changed. Programs are shipped stripped, by this command or by
    /// `strip = true` in the cargo profile.
    fn stripped_bytes(&self, program: &Path) -> anyhow::Result<u64> {
        ensure_installed(self.counting.tools.strip.as_ref(), "strip", "binutils")?;
        let stripped = self.folder.path().join("stripped");
        let mut command = Command::new("strip");
        command.args(["--strip-all", "-o"]).arg(&stripped).arg(program);
        let size = finished(command, COMMAND_TIMEOUT).and_then(|_| Ok(stripped.metadata()?.len()));
        size.map_err(|error| anyhow!("strip failed: {error}"))
    }
}

fn ensure_installed(version: Option<&String>, tool: &str, package: &str) -> anyhow::Result<()> {
    ensure!(
        version.is_some(),
        "{tool} is not installed (Debian and Ubuntu: apt-get install {package})"
    );
    Ok(())
}

/// The main source file of the program.
fn main_source(request: BuildRequest<'_>) -> anyhow::Result<PathBuf> {
    let metadata = manifests_only(request.manifest)?;
    let mut targets = metadata.packages.iter().flat_map(|package| &package.targets);
    let target = targets.find(|target| target.is_bin() && target.name == request.binary);
    let target = target.with_context(|| format!("cargo knows no source of {}", request.binary))?;
    Ok(target.src_path.clone().into())
}

/// How many crates a package is built from, without this repository's own, by `cargo tree`, which knows features and
/// targets. The lockfile also has crates that only tests, other systems and unused features need.
fn dependencies(manifest: &Path, package: &str) -> anyhow::Result<Dependencies> {
    let mut command = cargo(manifest, "tree");
    command.args([
        "--offline",
        "--edges",
        "normal,build",
        "--prefix",
        "none",
        "--format",
        "{p}",
        "--package",
        package,
    ]);
    Ok(count_crates(&finished(command, COMMAND_TIMEOUT)?))
}

/// Lines such as `serde v1.0.228`, `serde_derive v1.0.228 (proc-macro) (*)` and `contract v0.1.0 (/path/of/it)`.
fn count_crates(listed: &str) -> Dependencies {
    let mut names = BTreeSet::new();
    let mut versions = BTreeSet::new();
    // A crate with a path belongs to this repository.
    for line in listed.lines().filter(|line| !line.contains("(/")) {
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

/// Cargo, started where the manifest lies, so that it finds the configuration there.
fn cargo(manifest: &Path, subcommand: &str) -> Command {
    let mut command = cargo::command();
    command.args([subcommand, "--locked", "--manifest-path"]).arg(manifest);
    command.current_dir(folder_of(manifest));
    command
}

fn folder_of(manifest: &Path) -> &Path {
    manifest.parent().unwrap_or(manifest)
}

/// Runs a command and returns its output.
pub(crate) fn finished(command: Command, patience: Duration) -> anyhow::Result<String> {
    let name = command.get_program().display().to_string();
    let output = finish(command, patience).map_err(|error| anyhow!("{name}: {error}"))?;
    if output.status.success() {
        return Ok(output.text());
    }
    let words = output.stderr_tail;
    let from = words.find("error").unwrap_or(0);
    bail!("{}", words[from..].trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crates_are_counted_once_by_name_and_by_version() {
        let listed = "\
axum-app v0.1.0 (/work/apps/axum)
serde v1.0.228
serde_derive v1.0.228 (proc-macro)
contract v0.1.0 (/work/apps/contract)
serde v1.0.228 (*)
rand v0.9.1
rand v0.10.0

";
        assert_eq!(count_crates(listed), Dependencies { names: 3, versions: 4 });
        assert_eq!(count_crates(""), Dependencies { names: 0, versions: 0 });
    }
}
