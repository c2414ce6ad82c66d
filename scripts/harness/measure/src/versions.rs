//! Which versions cargo takes for each other.

use cargo_lock::Version;

/// Whether a dependency on `old` takes `new`, by cargo's default requirement.
pub fn compatible(old: &Version, new: &Version) -> bool {
    all_like(old) == all_like(new)
}

/// The requirement that a version meets with all that are compatible with it: `1`, `0.8`, `0.0.3`.
pub fn all_like(version: &Version) -> String {
    match (version.major, version.minor) {
        (0, 0) => format!("0.0.{}", version.patch),
        (0, minor) => format!("0.{minor}"),
        (major, _) => major.to_string(),
    }
}

/// What is compatible with a version, and all that is older: `<2`, `<0.9`.
pub fn older(least: &Version) -> String {
    match (least.major, least.minor) {
        (0, 0) => format!("<0.0.{}", least.patch + 1),
        (0, minor) => format!("<0.{}", minor + 1),
        (major, _) => format!("<{}", major + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compatible_as_cargo_takes_them() {
        let fits = |old: &str, new: &str| compatible(&old.parse().unwrap(), &new.parse().unwrap());
        assert!(fits("1.12.0", "1.2.0") && fits("0.14.2", "0.14.32") && fits("0.0.3", "0.0.3"));
        assert!(!fits("1.12.0", "2.0.0") && !fits("0.14.32", "0.13.0") && !fits("0.0.3", "0.0.4"));
    }
}
