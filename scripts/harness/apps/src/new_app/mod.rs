//! Creates a new app: a folder that builds, passes the linter and is found by the catalog, but does not keep the contract yet.
//!
//! It is written completely or not at all: the folder is removed if cargo does not accept it.

mod framework;
mod newest;
mod trial_package;

pub use framework::Framework;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{anyhow, bail, ensure};

use crate::cargo;
use crate::catalog::App;
use machine::process::finish;
use trial_package::said;

/// Longest name, because tables and charts show it.
const LONGEST: usize = 32;
/// Longest time for cargo to write the lockfile, from the registry if need be.
const PATIENCE: Duration = Duration::from_mins(5);
/// Names with another meaning: folders that are not apps, and the name for all apps.
const RESERVED: [&str; 4] = ["all", "contract", "legacy", "postgres"];

/// Files of a new folder, with `{name}` where its name goes.
const FILES: [(&str, &str); 3] = [
    ("Cargo.toml", include_str!("template/Cargo.toml.txt")),
    ("src/main.rs", include_str!("template/main.rs.txt")),
    ("src/routes.rs", include_str!("template/routes.rs.txt")),
];

/// Fails if no app of the repository at `root`, which has these `apps`, may have this name.
pub fn ensure_free(root: &Path, apps: &[App], name: &str) -> anyhow::Result<()> {
    if let Some(problem) = problem(name) {
        let shown: String = name.chars().take(60).flat_map(char::escape_debug).collect();
        bail!("`{shown}` cannot be the name of an app: {problem}");
    }
    let folder = root.join("apps").join(name);
    ensure!(
        folder.symlink_metadata().is_err(),
        "{} is there already; take another name, or remove it first",
        folder.display()
    );
    // An app may also lie one folder deeper, as a legacy one does.
    if let Some(other) = apps.iter().find(|app| app.id == name) {
        let other = other.manifest.parent().unwrap_or(&other.manifest);
        bail!(
            "{} is an app of this name; take another name",
            other.strip_prefix(root).unwrap_or(other).display()
        );
    }
    Ok(())
}

/// Makes `apps/<name>` for `framework` in the repository at `root`, which has these `apps`, and puts it into the lockfile.
pub fn create(root: &Path, apps: &[App], name: &str, framework: &Framework) -> anyhow::Result<PathBuf> {
    ensure_free(root, apps, name)?;
    let folder = root.join("apps").join(name);
    let failed = |error: io::Error| anyhow!("cannot write {}: {error}; nothing was made", folder.display());
    // Fails if another process was faster.
    fs::create_dir(&folder).map_err(failed)?;
    if let Err(error) = write(&folder, name, framework) {
        fs::remove_dir_all(&folder).map_err(failed)?;
        return Err(failed(error));
    }
    if let Err(reason) = lock(root) {
        fs::remove_dir_all(&folder).map_err(failed)?;
        bail!("cargo cannot add {name}-app to Cargo.lock: {reason}; nothing was made");
    }
    Ok(folder)
}

fn write(folder: &Path, name: &str, framework: &Framework) -> io::Result<()> {
    for (file, template) in FILES {
        let path = folder.join(file);
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        fs::write(path, framework.filled_in(template).replace("{name}", name))?;
    }
    Ok(())
}

/// Adds the new package to the lockfile without changing others; first offline, then with the registry if that is not enough.
fn lock(root: &Path) -> Result<(), String> {
    let update = |offline: &[&str]| {
        let mut command = cargo::command();
        command
            .args(["update", "--workspace", "--quiet"])
            .args(offline)
            .current_dir(root);
        let output = finish(command, PATIENCE).map_err(|error| error.to_string())?;
        if output.status.success() {
            return Ok(());
        }
        Err(said(&output.stderr_tail))
    };
    update(&["--offline"]).or_else(|_| update(&[]))
}

/// What is wrong with a name, and what to write instead.
fn problem(name: &str) -> Option<String> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let problems = [
        (name.is_empty(), "it is empty"),
        (name.len() > LONGEST, "it is longer than 32 characters"),
        (!name.chars().all(plain), "it may hold a-z, 0-9 and - only"),
        (
            !name.starts_with(|c: char| c.is_ascii_lowercase()),
            "it must begin with a letter",
        ),
        (
            name.ends_with('-') || name.contains("--"),
            "a - must stand between two others",
        ),
        (RESERVED.contains(&name), "it means something else here"),
    ];
    let found = problems.into_iter().find(|(is_wrong, _)| *is_wrong);
    let found = found.map(|(_, problem)| problem.to_owned());
    let suffixed = || format!("`-app` is added by itself; write `{}`", name.trim_end_matches("-app"));
    found.or_else(|| name.ends_with("-app").then(suffixed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_folder_a_package_and_a_label() {
        for good in ["axum", "may-minihttp", "h2o", "x"] {
            assert_eq!(problem(good), None, "{good}");
        }
        let long = "x".repeat(33);
        for wrong in [
            "", "Axum", "axum_2", "../axum", "a/b", ".", "ünder", "2axum", "-a", "a-", "a--b", "all", "contract",
            "legacy", "postgres", "axum-app", &long,
        ] {
            assert!(problem(wrong).is_some(), "{wrong:?}");
        }
    }

    #[test]
    fn what_fails_leaves_nothing() {
        let root = tempfile::tempdir().unwrap();
        // No workspace, so cargo refuses.
        fs::create_dir(root.path().join("apps")).unwrap();
        let error = create(root.path(), &[], "hello", &Framework::unknown("hello")).unwrap_err();
        assert!(error.to_string().starts_with("cargo cannot add hello-app"), "{error}");
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 1);
        assert_eq!(fs::read_dir(root.path().join("apps")).unwrap().count(), 0);
        // No folder for apps at all.
        fs::remove_dir(root.path().join("apps")).unwrap();
        let error = create(root.path(), &[], "hello", &Framework::unknown("hello")).unwrap_err();
        assert!(error.to_string().starts_with("cannot write "), "{error}");
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0);
    }
}
