//! Cargo in a workspace, and the folders of what is built there.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::anyhow;
use cargo_metadata::{Metadata, MetadataCommand, Package};

use crate::app_costs;
use apps::cargo;
use machine::process::one_line;

/// Longest time for cargo to resolve a workspace, downloads of a repository included.
const PATIENCE: Duration = Duration::from_mins(5);

/// The crates of the workspace in `folder`, or above it, with their folders. Files in the folder `at` choose the toolchain.
pub fn members(folder: &Path, at: &Path) -> anyhow::Result<BTreeMap<String, PathBuf>> {
    let members = members_only(folder, at)?.packages.into_iter();
    Ok(members.map(|one| (one.name.to_string(), folder_with(&one))).collect())
}

/// The folders of a workspace's members, and of what they name by path in other workspaces.
pub fn own_folders(workspace: &Path) -> anyhow::Result<BTreeSet<PathBuf>> {
    let members = members_only(workspace, workspace)?.packages;
    let named = members.iter().flat_map(|member| &member.dependencies);
    let named = named.filter_map(|dependency| dependency.path.clone().map(PathBuf::from));
    Ok(members.iter().map(folder_with).chain(named).collect())
}

/// All packages that cargo resolves a workspace to; its lockfile is written if it has to change.
pub fn resolved(workspace: &Path) -> anyhow::Result<Metadata> {
    let mut command = cargo(workspace, "metadata");
    command.arg("--format-version=1");
    Ok(MetadataCommand::parse(finished(command)?)?)
}

fn members_only(folder: &Path, at: &Path) -> anyhow::Result<Metadata> {
    let mut command = cargo(folder, "metadata");
    command.args(["--no-deps", "--format-version=1"]).current_dir(at);
    Ok(MetadataCommand::parse(finished(command)?)?)
}

/// The folder of a package.
pub fn folder_with(package: &Package) -> PathBuf {
    let manifest = &package.manifest_path;
    manifest.parent().unwrap_or(manifest).into()
}

/// Cargo in a workspace.
pub fn cargo(workspace: &Path, subcommand: &str) -> Command {
    let mut command = cargo::command();
    command
        .args([subcommand, "--manifest-path"])
        .arg(workspace.join("Cargo.toml"));
    command.current_dir(workspace);
    command
}

/// What a command of cargo printed, or its error in a line, which names no folder of this machine: records keep it.
pub fn finished(command: Command) -> anyhow::Result<String> {
    let here = command
        .get_current_dir()
        .map(|folder| format!("{}/", folder.components().as_path().display()));
    let without = |text: String| here.iter().fold(text, |text, here| text.replace(here, ""));
    app_costs::finished(command, PATIENCE).map_err(|error| anyhow!("{}", without(one_line(&error.to_string()))))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use apps::catalog;

    #[test]
    fn what_a_member_names_by_path_counts_as_its_workspaces() {
        let root = catalog::find_root().unwrap();
        let folders = own_folders(&root.join("apps/services")).unwrap();
        for named in ["apps/services/hyper-services", "apps/hyper"] {
            assert!(folders.contains(&root.join(named)), "{named}: {folders:?}");
        }
        assert!(!folders.contains(&root.join("apps/axum")), "{folders:?}");
    }

    #[test]
    fn an_error_of_cargo_names_no_folder_of_this_machine() {
        let folder = tempfile::tempdir().unwrap();
        let broken = folder.path().join("part/Cargo.toml");
        fs::create_dir(broken.parent().unwrap()).unwrap();
        fs::write(folder.path().join("Cargo.toml"), "[workspace]\nmembers = [\"part\"]\n").unwrap();
        fs::write(broken, "[package]\n").unwrap();
        let at_its_end = folder.path().join(""); // As the workspace of the root is named.
        let said = finished(cargo(&at_its_end, "metadata")).unwrap_err().to_string();
        assert!(said.contains("part/Cargo.toml"), "{said}");
        assert!(!said.contains(folder.path().to_str().unwrap()), "{said}");
    }
}
