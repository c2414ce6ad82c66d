//! A package outside of the repository that requires the wanted crates and nothing else, resolved and compiled as the repository's own would
//! be: by its compiler, with the settings of its workspace, from its lockfile on.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, anyhow, bail};
use cargo_lock::{Lockfile, Package};
use cargo_metadata::Message;
use cargo_metadata::diagnostic::DiagnosticLevel;
use tempfile::TempDir;
use toml::{Table, Value};

use super::PATIENCE;
use super::newest::{Ceilings, Registry};
use crate::cargo;
use crate::compile_error::{self, Refused, older_than, package_name};
use machine::process::{CommandOutput, finish, one_line};

/// Its name, which no crate has.
const NAME: &str = "new-app-trial";
/// Longest time to compile all of it, without optimisation, on a slow machine.
const COMPILING: Duration = Duration::from_mins(30);

pub struct TrialPackage<'a> {
    root: &'a Path,
    folder: TempDir,
    wanted: &'a [String],
    /// Its manifest, up to the dependencies.
    head: String,
    rustc: String,
    /// Manifests of what was compiled, by name.
    manifests: BTreeMap<String, String>,
}

impl<'a> TrialPackage<'a> {
    /// One that requires the crates of `wanted`, for the repository at `root`.
    pub fn new(root: &'a Path, wanted: &'a [String]) -> anyhow::Result<Self> {
        let manifest: Table = fs::read_to_string(root.join("Cargo.toml"))?.parse()?;
        let table = |table: Option<&Value>| table.and_then(Value::as_table).cloned().unwrap_or_default();
        let mut workspace = table(manifest.get("workspace"));
        let mut package = table(workspace.get("package"));
        workspace.retain(|key, _| key == "resolver");
        package.retain(|key, _| key == "edition" || key == "rust-version");
        package.insert("name".into(), NAME.into());
        let head = [("package", package), ("workspace", workspace)];
        let head = Table::from_iter(head.map(|(name, table)| (name.to_owned(), table.into())));
        let folder = tempfile::tempdir().context("no folder for a trial package")?;
        fs::create_dir(folder.path().join("src"))?;
        fs::write(folder.path().join("src/lib.rs"), "")?;
        Ok(Self {
            root,
            folder,
            wanted,
            head: head.to_string(),
            rustc: compile_error::rustc(root),
            manifests: BTreeMap::new(),
        })
    }

    /// Where a crate that was compiled lives, as it says itself.
    pub fn link(&self, name: &str) -> Option<String> {
        let manifest: Table = fs::read_to_string(self.manifests.get(name)?).ok()?.parse().ok()?;
        let package = manifest.get("package")?;
        let link = |key: &str| package.get(key)?.as_str().filter(|link| link.starts_with("https://"));
        let link = link("repository").or_else(|| link("homepage"))?;
        Some(link.trim_end_matches('/').trim_end_matches(".git").to_owned())
    }

    fn manifest(&self, ceilings: &Ceilings) -> String {
        let wanted = self.wanted.iter().map(|name| {
            let ceiling = ceilings.get(name);
            let requirement = ceiling.map_or("*".to_owned(), |ceiling| format!("<{}", ceiling.below));
            (name.clone(), Value::from(requirement))
        });
        // They are there for their versions only.
        let others = ceilings.iter().filter(|(name, _)| !self.wanted.contains(name));
        let others = others.map(|(name, ceiling)| {
            let version = ("version".to_owned(), older_than(&ceiling.below).into());
            let of = Table::from_iter([version, ("default-features".to_owned(), false.into())]);
            (name.clone(), Value::from(of))
        });
        let dependencies: Table = wanted.chain(others).collect();
        let dependencies = Table::from_iter([("dependencies".to_owned(), Value::from(dependencies))]);
        format!("{}\n{dependencies}", self.head)
    }

    /// Cargo's command about this package, as it is started in the repository: that is where the compiler and settings are found.
    fn cargo(&self, arguments: &[&str], patience: Duration) -> anyhow::Result<CommandOutput> {
        let mut command: Command = cargo::command();
        command
            .args(arguments)
            .arg("--manifest-path")
            .arg(self.folder.path().join("Cargo.toml"));
        command.current_dir(self.root);
        finish(command, patience).map_err(|error| anyhow!(error).context("cargo"))
    }
}

impl Registry for TrialPackage<'_> {
    fn choose(&mut self, ceilings: &Ceilings) -> Result<Vec<Package>, String> {
        let lockfile = self.folder.path().join("Cargo.lock");
        let written = fs::write(self.folder.path().join("Cargo.toml"), self.manifest(ceilings));
        let written = written.and_then(|()| fs::write(&lockfile, fs::read(self.root.join("Cargo.lock"))?));
        written.map_err(|error| error.to_string())?;
        let output = self.cargo(&["update", "--workspace", "--quiet"], PATIENCE);
        let output = output.map_err(|error| format!("{error:#}"))?;
        if !output.status.success() {
            return Err(said(&output.stderr_tail));
        }
        let lock = Lockfile::load(&lockfile).map_err(|error| error.to_string())?;
        let packages = lock.packages.into_iter();
        Ok(packages.filter(|package| package.name.as_str() != NAME).collect())
    }

    fn compile(&mut self) -> anyhow::Result<Option<Refused>> {
        let target = self.folder.path().join("target").to_string_lossy().into_owned();
        let arguments = [
            "check",
            "--locked",
            "--quiet",
            "--message-format=json",
            "--target-dir",
            &target,
        ];
        let output = self.cargo(&arguments, COMPILING)?;
        let mut refused = None;
        for message in Message::parse_stream(output.stdout.as_slice()).map_while(Result::ok) {
            match message {
                Message::CompilerArtifact(artifact) => {
                    let name = package_name(&artifact.package_id.repr).to_owned();
                    self.manifests.insert(name, artifact.manifest_path.into());
                }
                Message::CompilerMessage(compiler) if compiler.message.level == DiagnosticLevel::Error => {
                    refused = refused.or_else(|| Refused::by_compiler(&compiler, &self.rustc));
                }
                _ => {}
            }
        }
        if output.status.success() {
            return Ok(None);
        }
        match refused.or_else(|| Refused::by_cargo(&output.stderr_tail, &self.rustc)) {
            None => bail!("{}", said(&output.stderr_tail)),
            refused => Ok(refused),
        }
    }
}

/// The error that cargo ends with, in one line: what failed, and the cause that lies deepest.
pub(super) fn said(stderr: &str) -> String {
    let lines = || stderr.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines()
        .find_map(|line| line.strip_prefix("error: "))
        .or_else(|| lines().next());
    let first = first.unwrap_or_default();
    let cause = stderr
        .rsplit_once("Caused by:")
        .and_then(|(_, cause)| cause.lines().map(str::trim).find(|line| !line.is_empty()));
    one_line(&match cause {
        Some(cause) => format!("{}: {cause}", first.trim_end_matches(':')),
        None => first.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use cargo_metadata::semver::Version;

    use super::*;
    use crate::new_app::newest::Ceiling;

    fn repository() -> TempDir {
        let root = tempfile::tempdir().unwrap();
        let manifest = "[workspace]\nresolver = \"3\"\n[workspace.package]\nedition = \"2024\"\nrust-version = \"1.95\"\nversion = \"1.0.0\"\n";
        fs::write(root.path().join("Cargo.toml"), manifest).unwrap();
        fs::write(root.path().join("Cargo.lock"), "version = 4\n").unwrap();
        root
    }

    #[test]
    fn it_is_resolved_as_the_repository_and_only_what_is_wanted_has_its_features() {
        let (root, wanted) = (repository(), ["trillium".to_owned()]);
        let package = TrialPackage::new(root.path(), &wanted).unwrap();
        let ceiling = |minor| Ceiling {
            below: Version::new(1, minor, 0),
            why: String::new(),
        };
        let ceilings = [
            ("trillium".to_owned(), ceiling(4)),
            ("trillium-http".to_owned(), ceiling(8)),
        ]
        .into();
        let manifest: Table = package.manifest(&ceilings).parse().unwrap();
        assert_eq!(manifest["workspace"]["resolver"].as_str(), Some("3"));
        assert_eq!(manifest["package"]["rust-version"].as_str(), Some("1.95"));
        let dependencies = &manifest["dependencies"];
        assert_eq!(dependencies["trillium"].as_str(), Some("<1.4.0"));
        let of_http = "{ default-features = false, version = \">=1, <1.8.0\" }";
        assert_eq!(dependencies["trillium-http"].to_string(), of_http);
        let manifest: Table = package.manifest(&Ceilings::new()).parse().unwrap();
        assert_eq!(manifest["dependencies"].to_string(), "{ trillium = \"*\" }");
    }

    #[test]
    fn an_error_of_cargo_is_one_line_with_its_cause() {
        assert_eq!(
            said(
                "    Updating index\nerror: no matching package named `nope` found\nlocation searched: crates.io index\nrequired by package"
            ),
            "no matching package named `nope` found"
        );
        assert_eq!(
            said(
                "error: failed to get `axum` as a dependency\n\nCaused by:\n  download of config.json failed\n\nCaused by:\n  [6] Could not resolve hostname\n"
            ),
            "failed to get `axum` as a dependency: [6] Could not resolve hostname"
        );
    }
}
