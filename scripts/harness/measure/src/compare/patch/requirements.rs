//! What a version is compatible with, and what a manifest requires.

use std::fs;
use std::path::Path;

use anyhow::Context as _;
use cargo_lock::Version;
use toml::{Table, Value};

/// Whether a dependency on `old` takes `new`, by cargo's default requirement.
pub fn compatible(old: &Version, new: &Version) -> bool {
    all_like(old) == all_like(new)
}

/// The requirement that a version meets with all that are compatible with it: `1`, `0.8`, `0.0.3`.
fn all_like(version: &Version) -> String {
    match (version.major, version.minor) {
        (0, 0) => format!("0.0.{}", version.patch),
        (0, minor) => format!("0.{minor}"),
        (major, _) => major.to_string(),
    }
}

/// Lets a manifest take every version that is compatible with what it requires, of each crate whose name and least version `is_too_new`: an
/// app requires the release that it is measured with, and cargo would refuse an older one for that alone.
pub fn loosen(manifest: &Path, is_too_new: &dyn Fn(&str, &Version) -> bool) -> anyhow::Result<()> {
    let of_manifest = || manifest.display().to_string();
    let mut table: Table = fs::read_to_string(manifest).with_context(of_manifest)?.parse()?;
    if loosened(&mut table, is_too_new) {
        fs::write(manifest, table.to_string()).with_context(of_manifest)?;
    }
    Ok(())
}

/// Whether a requirement keeps cargo from taking a version of the crate `name` that is compatible with it.
pub fn is_newer(name: &str, version: &Version) -> impl Fn(&str, &Version) -> bool {
    move |required, least| required == name && compatible(least, version) && least > version
}

/// Whether a requirement was changed, in a table or in those that it holds.
fn loosened(table: &mut Table, is_too_new: &dyn Fn(&str, &Version) -> bool) -> bool {
    let mut changed = false;
    for (key, inner) in table.iter_mut() {
        let Value::Table(inner) = inner else { continue };
        if !key.ends_with("dependencies") {
            changed |= loosened(inner, is_too_new);
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
                && let Some(least) = least(requirement).filter(|least| is_too_new(&name, least))
            {
                *requirement = all_like(&least);
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

    #[test]
    fn versions_are_compatible_as_cargo_takes_them() {
        let fits = |old: &str, new: &str| compatible(&old.parse().unwrap(), &new.parse().unwrap());
        assert!(fits("1.12.0", "1.2.0") && fits("0.8.9", "0.8.0") && fits("0.0.3", "0.0.3"));
        assert!(!fits("1.12.0", "2.0.0") && !fits("0.14.32", "0.13.0") && !fits("0.0.3", "0.0.4"));
    }

    #[test]
    fn only_a_requirement_that_is_too_new_is_loosened() {
        let loose = |manifest: &str, version: &str| {
            let mut table: Table = manifest.parse().unwrap();
            let version = version.parse().unwrap();
            loosened(&mut table, &is_newer("hyper", &version)).then(|| table.to_string())
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
