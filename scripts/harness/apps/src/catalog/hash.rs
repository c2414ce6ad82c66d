//! What an app is made of, as two hashes: its sources and its resolved dependencies. Two runs with the same hashes and the same
//! compiler measured the same program.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use cargo_lock::{Lockfile, Package};
use cargo_metadata::Metadata;
use model::RELEASE;
use model::store::sha256;

/// All that a package resolves to in a lockfile.
#[derive(Debug)]
pub struct Closure {
    /// SHA-256 over name, version and checksum of all packages from outside this repository.
    pub hash: String,
    /// Names of the packages from this repository.
    pub local_packages: BTreeSet<String>,
    /// Versions of all packages from outside this repository, by name.
    pub versions: BTreeMap<String, Vec<String>>,
    /// Versions of the crates that the package itself depends on, by name.
    pub direct: BTreeMap<String, String>,
}

/// What `package` resolves to; `None` if the lockfile does not hold it.
pub fn closure(lock: &Lockfile, package: &str) -> Option<Closure> {
    let is_root = |known: &&Package| known.name.as_str() == package && known.source.is_none();
    let root = lock.packages.iter().find(is_root)?;
    let mut seen: BTreeMap<(String, String), &Package> = BTreeMap::new();
    let mut open = vec![root];
    while let Some(package) = open.pop() {
        let key = (package.name.to_string(), package.version.to_string());
        if seen.insert(key, package).is_none() {
            let needed = package.dependencies.iter();
            open.extend(needed.filter_map(|needed| lock.packages.iter().find(|known| needed.matches(known))));
        }
    }
    let mut text = String::new();
    let mut local_packages = BTreeSet::new();
    let mut versions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for ((name, version), package) in &seen {
        if package.source.is_none() {
            local_packages.insert(name.clone());
            continue; // its sources are hashed
        }
        versions.entry(name.clone()).or_default().push(version.clone());
        let checksum = package.checksum.as_ref().map(ToString::to_string).unwrap_or_default();
        let _ = writeln!(text, "{name} {version} {checksum}"); // a String takes everything
    }
    let direct = root.dependencies.iter();
    let direct = direct.map(|needed| (needed.name.to_string(), needed.version.to_string()));
    Some(Closure {
        hash: sha256([text.as_bytes()]),
        local_packages,
        versions,
        direct: direct.collect(),
    })
}

/// SHA-256 over the files of `folder` and of the named packages: members of the workspace, and packages outside it that a
/// member names by path, as legacy apps do with the contract. One that only such a package names is an error: nobody would notice that
/// it changes.
pub fn sources(folder: &Path, packages: &BTreeSet<String>, metadata: &Metadata) -> anyhow::Result<String> {
    let mut folders: BTreeSet<PathBuf> = BTreeSet::from([folder.to_owned()]);
    let mut unseen = packages.clone();
    for package in metadata.workspace_packages() {
        if !packages.contains(package.name.as_str()) {
            continue;
        }
        unseen.remove(package.name.as_str());
        folders.extend(package.manifest_path.parent().map(|path| path.as_std_path().to_owned()));
        for named in package
            .dependencies
            .iter()
            .filter(|named| packages.contains(&named.name))
        {
            if let Some(path) = &named.path {
                unseen.remove(&named.name);
                folders.insert(path.into());
            }
        }
    }
    let root = metadata.workspace_root.as_std_path();
    // A patch belongs to a comparison, which does not go by hashes.
    if let Some(unseen) = unseen.first().filter(|_| !is_patched(root)) {
        bail!("`{unseen}` is part of it, and lies outside of its workspace: name it by path in [dependencies] as well");
    }
    let mut files = Vec::new();
    for folder in &folders {
        collect(folder, &mut files)?;
    }
    files.sort();
    files.dedup();
    let mut hashed = Vec::new();
    for file in files {
        let content = fs::read(&file).with_context(|| cannot_read(&file))?;
        // The hash must not depend on where the repository lies, even for files outside the workspace.
        let name = root.ancestors().find_map(|above| file.strip_prefix(above).ok());
        let name = name.unwrap_or(&file).to_string_lossy().into_owned();
        hashed.extend([format!("{name}\0{}\0", content.len()).into_bytes(), content]);
    }
    Ok(sha256(hashed.iter().map(Vec::as_slice)))
}

fn is_patched(root: &Path) -> bool {
    let manifest = fs::read_to_string(root.join("Cargo.toml")).unwrap_or_default();
    manifest
        .parse()
        .is_ok_and(|table: toml::Table| table.contains_key("patch"))
}

/// SHA-256 over the parts of the workspace manifest and of cargo's configuration that affect a build: profiles, patches, flags.
pub fn profile(root: &Path) -> anyhow::Result<String> {
    let manifest = root.join("Cargo.toml");
    let text = fs::read_to_string(&manifest).with_context(|| cannot_read(&manifest))?;
    let table: toml::Table = text.parse().with_context(|| cannot_read(&manifest))?;
    let release = table.get("profile").and_then(|profile| profile.get("release"));
    let parts = [release, table.get("patch"), table.get("replace")].map(|part| part.map(ToString::to_string));
    let config = above(root, ".cargo/config.toml").map(|text| of_release(&text));
    Ok(sha256([format!("{parts:?}{config:?}").as_bytes()]))
}

/// A configuration of cargo without the profiles that build nothing that is published.
fn of_release(text: &str) -> String {
    let Ok(mut config) = text.parse::<toml::Table>() else {
        return text.to_owned();
    };
    if let Some(profiles) = config.get_mut("profile").and_then(toml::Value::as_table_mut) {
        profiles.retain(|name, _| name == RELEASE);
    }
    config.to_string()
}

/// SHA-256 over what chooses the compiler.
pub fn toolchain(root: &Path) -> String {
    sha256([format!("{:?}", above(root, "rust-toolchain.toml")).as_bytes()])
}

/// The nearest file of this name in `root` or above, within the repository (a workspace of its own is two folders deep).
fn above(root: &Path, name: &str) -> Option<String> {
    root.ancestors()
        .take(3)
        .find_map(|folder| fs::read_to_string(folder.join(name)).ok())
}

/// Every file that may become part of a program: whatever can be compiled in, such as templates, statements and data, but no text for
/// people, no test and nothing hidden. A lockfile has a hash of its own.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder).with_context(|| cannot_read(folder))? {
        let entry = entry.with_context(|| cannot_read(folder))?;
        let (path, name) = (entry.path(), entry.file_name());
        if name.to_string_lossy().starts_with('.') {
            continue;
        }
        if path.is_dir() {
            if name != "target" && name != "tests" {
                collect(&path, files)?;
            }
        } else if path.extension().is_none_or(|kind| kind != "md" && kind != "lock") {
            files.push(path);
        }
    }
    Ok(())
}

fn cannot_read(path: &Path) -> String {
    format!("cannot read {}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_compiled_in_counts_and_text_and_tests_do_not() {
        let folder = tempfile::tempdir().unwrap();
        let counted = ["Cargo.toml", "data.sql", "page.html", "src/main.rs"];
        for file in counted
            .into_iter()
            .chain(["README.md", "Cargo.lock", ".swp", "tests/it.rs", "target/out.rs"])
        {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let mut files = Vec::new();
        collect(folder.path(), &mut files).unwrap();
        files.sort();
        let found: Vec<&Path> = files
            .iter()
            .map(|file| file.strip_prefix(folder.path()).unwrap())
            .collect();
        assert_eq!(found, counted.map(Path::new));
    }

    #[test]
    fn only_the_profile_of_what_is_published_counts() {
        let config = |dev: u8, release: u8| {
            let text = format!(
                "[build]\ntarget-dir = \"t\"\n[profile.dev]\nopt-level = {dev}\n[profile.release]\nopt-level = {release}\n"
            );
            of_release(&text)
        };
        assert_eq!(config(0, 3), config(1, 3));
        assert_ne!(config(0, 3), config(0, 2));
        assert!(config(0, 3).contains("target-dir"));
    }

    const LOCK: &str = r#"
version = 4
[[package]]
name = "a-app"
version = "0.1.0"
dependencies = ["http 1.1.0", "shared"]
[[package]]
name = "b-app"
version = "0.1.0"
dependencies = ["http 0.2.0"]
[[package]]
name = "shared"
version = "0.1.0"
dependencies = ["bytes"]
[[package]]
name = "http"
version = "0.2.0"
source = "registry+https://github.com/rust-lang/crates.io-index"
[[package]]
name = "http"
version = "1.1.0"
source = "registry+https://github.com/rust-lang/crates.io-index"
[[package]]
name = "bytes"
version = "1.0.0"
source = "registry+https://github.com/rust-lang/crates.io-index"
"#;

    #[test]
    fn the_version_is_that_of_the_apps_own_dependency() {
        let lock: Lockfile = LOCK.parse().unwrap();
        let direct = |package| closure(&lock, package).unwrap().direct;
        assert_eq!(direct("a-app")["http"], "1.1.0");
        assert_eq!(direct("b-app")["http"], "0.2.0");
        assert!(!direct("b-app").contains_key("bytes"));
        assert!(closure(&lock, "c-app").is_none());
    }

    #[test]
    fn a_bump_changes_the_hash_of_those_who_use_it() {
        let before: Lockfile = LOCK.parse().unwrap();
        let after: Lockfile = LOCK
            .replace("bytes\"\nversion = \"1.0.0\"", "bytes\"\nversion = \"1.0.1\"")
            .parse()
            .unwrap();
        let hash = |lock: &Lockfile, package: &str| closure(lock, package).unwrap().hash;
        assert_ne!(hash(&before, "a-app"), hash(&after, "a-app"), "through shared");
        assert_eq!(hash(&before, "b-app"), hash(&after, "b-app"));
    }
}
