//! Cargo as this program starts it, and what reaches it from outside of the repository.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf, absolute};
use std::process::Command;

use anyhow::anyhow;
use machine::environment::version_of;
use toml::{Table, Value};

/// The variable that names the target folder.
pub const TARGET_DIR: &str = "CARGO_TARGET_DIR";
/// Variables that cargo sets for a program that it starts, such as a test. The apps are not built with them: build scripts that
/// read them would run again each time, and with them everything that depends on them.
const OF_OUR_PACKAGE: [&str; 4] = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_"];
/// Variables that change what is built, and how the names of others begin that do.
const SETTINGS: [&str; 12] = [
    "RUSTFLAGS",
    "CARGO_ENCODED_RUSTFLAGS",
    "RUSTC",
    "RUSTC_WRAPPER",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTC_BOOTSTRAP",
    "CARGO_BUILD_TARGET",
    "CARGO_INCREMENTAL",
    "CC",
    "CXX",
    "CFLAGS",
    "CXXFLAGS",
];
const KINDS_OF_SETTINGS: [&str; 6] = [
    "CARGO_PROFILE_",
    "CARGO_BUILD_INCREMENTAL",
    "CARGO_BUILD_RUSTC",
    "CARGO_BUILD_RUSTFLAGS",
    "CARGO_TARGET_",
    "CARGO_UNSTABLE_",
];
/// The same in a file of cargo's configuration: tables, and keys of `build`.
const TABLES: [&str; 6] = ["profile", "target", "env", "patch", "unstable", "host"];
const OF_BUILD: [&str; 6] = [
    "incremental",
    "rustflags",
    "rustc",
    "rustc-wrapper",
    "rustc-workspace-wrapper",
    "target",
];

/// Cargo, with the caller's target folder wherever it is started.
pub fn command() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    forget_our_package(&mut command);
    command.envs(target_dir().map(|folder| (TARGET_DIR, folder)));
    command
}

/// The target folder that the caller has named, from the root.
pub fn target_dir() -> Option<PathBuf> {
    absolute(std::env::var_os(TARGET_DIR).filter(|folder| !folder.is_empty())?).ok()
}

/// Keeps from a cargo that is started here what another cargo said of this program's own package.
pub fn forget_our_package(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let shown = name.to_string_lossy();
        if OF_OUR_PACKAGE.iter().any(|prefix| shown.starts_with(prefix)) {
            command.env_remove(&name);
        }
    }
}

/// What reaches the builds of the repository at `root` from outside and may change them, as `NAME=value`: variables, and the
/// configuration of the user and of folders above. Values of variables that a configuration sets may be secrets, and are left out.
pub fn foreign_settings(root: &Path) -> Vec<String> {
    let files = foreign_files(root).into_iter();
    let configured = files.filter_map(|path| fs::read_to_string(path).ok());
    let mut all = variables(std::env::vars_os());
    all.extend(configured.flat_map(|text| configured_settings(&text)));
    all
}

fn variables(all: impl Iterator<Item = (OsString, OsString)>) -> Vec<String> {
    let changes = |name: &str| {
        let is_place = name.starts_with("CARGO_TARGET_") && (name.ends_with("_DIR") || name.ends_with("_TMPDIR"));
        let of_kind = KINDS_OF_SETTINGS.iter().any(|kind| name.starts_with(kind));
        SETTINGS.contains(&name) || (of_kind && !is_place && !name.ends_with("_RUNNER"))
    };
    let all = all.map(|(name, value)| [name, value].map(|text| text.to_string_lossy().into_owned()));
    let mut found: Vec<String> = all
        .filter(|[name, value]| changes(name) && !value.is_empty() && !is_usual(name, value))
        .map(|[name, value]| format!("{name}={value}"))
        .collect();
    found.sort();
    found
}

/// Whether it is set as a release is built anyway.
fn is_usual(name: &str, value: &str) -> bool {
    name.to_lowercase().ends_with("incremental") && ["0", "false"].contains(&value)
}

/// Files of cargo's configuration outside of the repository, the nearest first.
fn foreign_files(root: &Path) -> Vec<PathBuf> {
    // A repository may lie within another, as the fixtures' does.
    let top = root.ancestors().find(|folder| folder.join(".git").exists());
    top.unwrap_or(root).parent().map_or_else(Vec::new, files_from)
}

/// Files of cargo's configuration in a folder, in those above, and of the user, the nearest first.
fn files_from(folder: &Path) -> Vec<PathBuf> {
    let above = folder.ancestors().map(|folder| folder.join(".cargo"));
    let mut folders: Vec<PathBuf> = above.chain(home()).collect();
    folders.dedup();
    let files = folders
        .iter()
        .flat_map(|folder| [folder.join("config.toml"), folder.join("config")]);
    files.filter(|file| file.is_file()).collect()
}

/// Cargo's own folder.
pub fn home() -> Option<PathBuf> {
    let named = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    named.or_else(|| Some(std::env::home_dir()?.join(".cargo")))
}

fn configured_settings(text: &str) -> Vec<String> {
    let table: Table = text.parse().unwrap_or_default(); // of a broken file, cargo itself complains
    let mut found = Vec::new();
    for (name, value) in &table {
        if name == "build" {
            let build = value.as_table().into_iter().flatten();
            let settings =
                build.filter(|(name, value)| OF_BUILD.contains(&name.as_str()) && !is_usual(name, &value.to_string()));
            found.extend(settings.map(|(name, value)| format!("build.{name}={value}")));
        } else if TABLES.contains(&name.as_str()) {
            leaves(name, value, &mut found);
        }
    }
    found
}

fn leaves(path: &str, value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Table(table) if !path.starts_with("env.") => {
            for (name, value) in table {
                leaves(&format!("{path}.{name}"), value, found);
            }
        }
        _ if path.ends_with(".runner") => {}
        _ if path.starts_with("env.") => found.push(format!("{path}=…")),
        value => found.push(format!("{path}={value}")),
    }
}

/// `rustc --version` of the compiler by which cargo builds in `root`: the one that is named, or the first in PATH.
pub fn rustc(root: &Path) -> anyhow::Result<String> {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    let named = variable("RUSTC")
        .or_else(|| variable("CARGO_BUILD_RUSTC"))
        .map(PathBuf::from);
    let configured = |file: PathBuf| {
        let table: Table = fs::read_to_string(&file).ok()?.parse().ok()?;
        let rustc = Path::new(table.get("build")?.get("rustc")?.as_str()?).to_owned();
        // A name is looked for in PATH; a path is relative to the folder of `.cargo`.
        let is_name = rustc.components().count() == 1;
        Some(if is_name {
            rustc
        } else {
            file.parent()?.parent()?.join(rustc)
        })
    };
    let rustc = named.or_else(|| files_from(root).into_iter().find_map(configured));
    let rustc = rustc.unwrap_or_else(|| "rustc".into());
    version_of(&rustc, root).map_err(|reason| anyhow!("the version of {}: {reason}", rustc.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_change_a_build_is_named_and_what_cannot_is_not() {
        let set = [
            ("RUSTFLAGS", "-Cforce-frame-pointers"),
            ("CARGO_PROFILE_RELEASE_LTO", "off"),
            ("CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_LINKER", "clang"),
            ("CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER", "qemu"),
            ("CARGO_TARGET_DIR", "elsewhere"),
            ("CARGO_BUILD_TARGET_DIR", "elsewhere"),
            ("CARGO_BUILD_JOBS", "1"),
            ("CARGO_NET_OFFLINE", "true"),
            ("CARGO_INCREMENTAL", "0"),
            ("CC", "clang"),
            ("CARGO_BUILD_INCREMENTAL", "true"),
            ("RUSTC", ""),
        ];
        let found = variables(set.map(|(name, value)| (name.into(), value.into())).into_iter());
        assert_eq!(
            found,
            [
                "CARGO_BUILD_INCREMENTAL=true",
                "CARGO_PROFILE_RELEASE_LTO=off",
                "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_LINKER=clang",
                "CC=clang",
                "RUSTFLAGS=-Cforce-frame-pointers"
            ]
        );
    }

    #[test]
    fn a_users_configuration_is_named_by_its_keys_without_secrets() {
        let text = "[build]\njobs = 2\ntarget = \"x86_64-unknown-linux-musl\"\n[net]\noffline = true\n[env]\nTOKEN = \"secret\"\n\
                    LATER = { value = \"secret\", force = true }\n[profile.release]\nlto = false\n\
                    [target.'cfg(unix)']\nrustflags = [\"-Ctarget-cpu=native\"]\nrunner = \"time\"\n";
        assert_eq!(
            configured_settings(text),
            [
                "build.target=\"x86_64-unknown-linux-musl\"",
                "env.LATER=…",
                "env.TOKEN=…",
                "profile.release.lto=false",
                "target.cfg(unix).rustflags=[\"-Ctarget-cpu=native\"]"
            ]
        );
        assert!(configured_settings("[build\n").is_empty());
        assert!(configured_settings("[build]\nincremental = false\n").is_empty());
        assert_eq!(
            configured_settings("[build]\nincremental = true\n"),
            ["build.incremental=true"]
        );
    }
}
