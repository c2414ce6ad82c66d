//! What a manifest requires.

use std::fs;
use std::path::Path;

use anyhow::Context as _;
use cargo_lock::Version;
use toml::{Table, Value};

use crate::versions::{all_like, compatible};

/// What a manifest is to require of a crate, by its name and the least version that it requires; `None` if that may stay.
pub type Requires<'a> = &'a dyn Fn(&str, &Version) -> Option<String>;

/// Lets a manifest require something else: an app requires the release that it is measured with, and cargo would refuse an older one for
/// that alone.
pub fn loosen(manifest: &Path, requires: Requires<'_>) -> anyhow::Result<()> {
    let of_manifest = || manifest.display().to_string();
    let mut table: Table = fs::read_to_string(manifest).with_context(of_manifest)?.parse()?;
    if loosened(&mut table, requires) {
        fs::write(manifest, table.to_string()).with_context(of_manifest)?;
    }
    Ok(())
}

/// All that is compatible with a version of the crate `name`, where something newer is required.
pub fn all_with(name: &str, version: &Version) -> impl Fn(&str, &Version) -> Option<String> {
    move |required, least| {
        let is_too_new = required == name && compatible(least, version) && least > version;
        is_too_new.then(|| all_like(version))
    }
}

/// Whether a requirement was changed, in a table or in those that it holds.
fn loosened(table: &mut Table, requires: Requires<'_>) -> bool {
    let mut changed = false;
    for (key, inner) in table.iter_mut() {
        let Value::Table(inner) = inner else { continue };
        if !key.ends_with("dependencies") {
            changed |= loosened(inner, requires);
            continue;
        }
        for (own, dependency) in inner.iter_mut() {
            let package = dependency.get("package").and_then(Value::as_str);
            let name = package.unwrap_or(own).to_owned();
            let requirement = match dependency {
                Value::Table(dependency) => dependency.get_mut("version"),
                other => Some(other),
            };
            if let Some(Value::String(requirement)) = requirement
                && let Some(looser) = least(requirement).and_then(|least| requires(&name, &least))
            {
                *requirement = looser;
                changed = true;
            }
        }
    }
    changed
}

/// The oldest version that meets a requirement for all that are compatible with it, or for one alone.
fn least(requirement: &str) -> Option<Version> {
    let plain = requirement.trim_start_matches(['^', '=', '~', ' ']);
    let missing = 2_usize.checked_sub(plain.matches('.').count())?;
    Version::parse(&format!("{plain}{}", ".0".repeat(missing))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::versions::older;

    #[test]
    fn an_old_day_has_what_is_compatible_or_older() {
        let manifest = "[dependencies]\naxum-server = { version = \"0.8\", features = [\"tls\"] }\ntokio = \"1\"\nfixed = \"0.0.3\"\n";
        let mut table: Table = manifest.parse().unwrap();
        assert!(loosened(&mut table, &|_, least| Some(older(least))));
        let dependencies = &table["dependencies"];
        assert_eq!(dependencies["axum-server"]["version"].as_str(), Some("<0.9"));
        let others = ["tokio", "fixed"].map(|name| dependencies[name].as_str());
        assert_eq!(others, [Some("<2"), Some("<0.0.4")]);
    }

    #[test]
    fn only_a_requirement_that_is_too_new_is_loosened() {
        let loose = |manifest: &str, version: &str| {
            let mut table: Table = manifest.parse().unwrap();
            let version = version.parse().unwrap();
            loosened(&mut table, &all_with("hyper", &version)).then(|| table.to_string())
        };
        for (requirement, version, expected) in [
            ("\"1.12.0\"", "1.11.0", "\"1\""),
            ("\"=1.12\"", "1.11.0", "\"1\""),
            ("\"0.8.9\"", "0.8.4", "\"0.8\""),
        ] {
            let changed = loose(&format!("[dependencies]\nhyper = {requirement}\n"), version);
            assert_eq!(changed, Some(format!("[dependencies]\nhyper = {expected}\n")));
        }
        let deep = "[target.'cfg(unix)'.dev-dependencies.engine]\npackage = \"hyper\"\nversion = \"1.12\"\n";
        assert!(loose(deep, "1.11.0").is_some_and(|changed| changed.contains("version = \"1\"")));
        for untouched in [
            "[workspace.dependencies]\nhyper = \"1\"\n",
            "[dependencies]\nhyper = \"0.14.32\"\n",
            "[dependencies]\nhyper = \">=1.12, <3\"\n",
            "[dependencies]\nhyper = { path = \"../hyper\" }\nother = \"1.12.0\"\n",
            "[dependencies.hyper]\npackage = \"other\"\nversion = \"1.12.0\"\n",
        ] {
            assert_eq!(loose(untouched, "1.11.0"), None, "{untouched}");
        }
    }
}
