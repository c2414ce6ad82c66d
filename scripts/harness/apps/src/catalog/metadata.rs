//! Reads `[package.metadata.bench]` of the apps of one workspace, and the versions in its lockfile.

use std::collections::BTreeMap;
use std::env::consts::ARCH;
use std::fs;
use std::path::{Path, PathBuf, absolute};

use anyhow::{Context, anyhow, bail, ensure};
use cargo_lock::Lockfile;
use cargo_metadata::{Metadata, MetadataCommand, Package};

use super::{App, Variant, hash};
use crate::cargo::{TARGET_DIR, target_dir};
use model::scenario::Protocol;
use model::{DEFAULT_VARIANT, PLAIN};

/// All apps of the workspace that `manifest` belongs to.
pub fn apps(manifest: &Path) -> anyhow::Result<Vec<App>> {
    let metadata = manifests_only(manifest).map_err(|error| {
        let reason = first_line(&error.to_string());
        anyhow!("cargo cannot read {}: {reason}", manifest.display())
    })?;
    let lockfile = metadata.workspace_root.join("Cargo.lock");
    let lock = Lockfile::load(&lockfile).map_err(|error| {
        let reason = first_line(&error.to_string());
        anyhow!("{lockfile}: {reason}; `cargo generate-lockfile` there writes one")
    })?;
    metadata
        .workspace_packages()
        .into_iter()
        .filter(|package| package.metadata.get("bench").is_some())
        .map(|package| app(package, &metadata, &lock).with_context(|| package.manifest_path.to_string()))
        .collect()
}

/// Without dependencies cargo only reads manifests: nothing is downloaded, and it takes milliseconds.
pub fn manifests_only(manifest: &Path) -> Result<Metadata, cargo_metadata::Error> {
    let manifest = absolute(manifest)?;
    let mut command = MetadataCommand::new();
    command.manifest_path(&manifest).no_deps();
    // Cargo finds .cargo/config.toml, which names the target folder, from where it is started.
    if let Some(folder) = manifest.parent() {
        command.current_dir(folder);
    }
    if let Some(folder) = target_dir() {
        command.env(TARGET_DIR, folder);
    }
    command.other_options(["--offline".to_owned()]).exec()
}

fn app(package: &Package, metadata: &Metadata, lock: &Lockfile) -> anyhow::Result<App> {
    let manifest: PathBuf = package.manifest_path.clone().into();
    let context = "[package.metadata.bench]";
    let mut bench = package.metadata["bench"].clone();
    // Flags of the compiler, by variant; `x86_64: FLAG` is for that architecture only.
    let flags = bench.as_object_mut().and_then(|bench| bench.remove("rustflags"));
    let flags: Option<BTreeMap<String, Vec<String>>> =
        flags.map(serde_json::from_value).transpose().context(context)?;
    // Variants of a control, which are the default one's program, by steps of known work.
    let added_work = bench.as_object_mut().and_then(|bench| bench.remove("added-work"));
    let added_work: Option<BTreeMap<String, u32>> =
        added_work.map(serde_json::from_value).transpose().context(context)?;
    // The rest is what an app is by itself.
    let app: App = serde_json::from_value(bench).context(context)?;
    ensure!(
        app.protocols.contains(&Protocol::Http1),
        "`protocols` lacks `http1`, which every app speaks"
    );
    if let Some(services) = &app.services {
        let checked = services.check().map_err(|reason| anyhow!("{reason}"));
        checked.context("[package.metadata.bench.services]")?;
    }
    let folder = manifest.parent().unwrap_or(Path::new("."));
    let id = folder
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    ensure!(is_id(&id), "the folder's name `{id}` may hold a-z, 0-9 and - only");
    let package_name = format!("{id}-app");
    ensure!(
        package.name.as_str() == package_name,
        "the package is called `{}`; call it `{package_name}`",
        package.name
    );
    let mut variants = variants(package, &package_name);
    let plain = variants.extract_if(.., |variant| variant.name == PLAIN).next();
    for (name, flags) in flags.unwrap_or_default() {
        let variant = variants.iter_mut().find(|variant| variant.name == name);
        let variant = variant
            .with_context(|| format!("`rustflags` names the variant `{name}`, and there is no bin target of it"))?;
        let of_here = |flag: String| match flag.split_once(": ") {
            Some((architecture, flag)) => (architecture == ARCH).then(|| flag.to_owned()),
            None => Some(flag),
        };
        variant.rustflags = flags.into_iter().filter_map(of_here).collect();
    }
    if let (Some(added_work), Some(default)) = (added_work, variants.first_mut()) {
        default.added_work = Some(0);
        let default = default.clone();
        variants.extend(added_work.into_iter().map(|(name, steps)| Variant {
            name,
            added_work: Some(steps),
            ..default.clone()
        }));
    }
    if variants.first().is_none_or(|variant| variant.name != DEFAULT_VARIANT) {
        bail!("there is no bin target `{package_name}`, which is the default variant");
    }
    let closure = hash::closure(lock, &package_name)
        .with_context(|| format!("Cargo.lock does not hold `{package_name}`; run `cargo update --workspace`"))?;
    let framework_version = closure.direct.get(&app.framework).cloned().with_context(|| {
        format!(
            "`framework` is `{}`, which is not a dependency of this package",
            app.framework
        )
    })?;
    let root = metadata.workspace_root.as_std_path();
    Ok(App {
        sources_hash: hash::sources(folder, &closure.local_packages, metadata)?,
        profile_hash: hash::profile(root)?,
        toolchain_hash: hash::toolchain(root),
        id,
        framework_version,
        package: package_name,
        variants,
        plain,
        workspace: root.to_owned(),
        is_default_member: is_default_member(root, folder),
        target: metadata.target_directory.clone().into(),
        dependencies: closure.versions,
        lockfile_hash: closure.hash,
        manifest,
        ..app
    })
}

/// Whether the workspace's manifest names the folder among its default members. Cargo says so only of a workspace without a root package,
/// and only if it runs there.
fn is_default_member(root: &Path, folder: &Path) -> bool {
    let manifest = fs::read_to_string(root.join("Cargo.toml")).unwrap_or_default();
    let manifest: toml::Table = manifest.parse().unwrap_or_default();
    let workspace = manifest
        .get("workspace")
        .and_then(|workspace| workspace.get("default-members"));
    let mut members = workspace.and_then(toml::Value::as_array).into_iter().flatten();
    members.any(|member| member.as_str().is_some_and(|member| root.join(member) == folder))
}

/// Bin target `<package>` is the default variant, `<package>-<name>` another.
fn variants(package: &Package, package_name: &str) -> Vec<Variant> {
    let binaries = package.targets.iter().filter(|target| target.is_bin());
    let mut found: Vec<Variant> = binaries
        .filter_map(|target| {
            let name = match target.name.strip_prefix(package_name)? {
                "" => DEFAULT_VARIANT,
                rest => rest.strip_prefix('-')?,
            };
            Some(Variant {
                name: name.to_owned(),
                binary: target.name.clone(),
                rustflags: Vec::new(),
                added_work: None,
            })
        })
        .collect();
    found.sort_by_key(|variant| (variant.name != DEFAULT_VARIANT, variant.name.clone()));
    found
}

/// Ids become file names, arguments and labels of charts.
fn is_id(text: &str) -> bool {
    !text.is_empty()
        && text
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}

fn first_line(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| line.starts_with("error:"));
    line.or_else(|| text.lines().map(str::trim).find(|line| !line.is_empty()))
        .unwrap_or("no reason given")
        .to_owned()
}
