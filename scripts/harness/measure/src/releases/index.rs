//! The releases of a crate, from what cargo keeps of the registry's index.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, ensure};
use cargo_lock::Version;
use jiff::Timestamp;
use model::Release;
use serde::Deserialize;

/// A version in the registry's index; it has more fields.
#[derive(Deserialize)]
struct Indexed {
    name: String,
    vers: Version,
    #[serde(default)]
    yanked: bool,
    pubtime: Option<Timestamp>,
}

/// The releases of a crate, the newest first, from what cargo keeps of the registry's index: after a head, the version and a line of JSON of
/// each, every one ended by a zero.
pub fn listed(name: &str, index: &Path) -> anyhow::Result<Vec<(Version, Release)>> {
    let folder = match name.len() {
        1 | 2 => name.len().to_string(),
        3 => format!("3/{}", &name[..1]),
        _ => format!("{}/{}", &name[..2], &name[2..4]),
    };
    let registries = fs::read_dir(index).into_iter().flatten().flatten();
    let files = registries.map(|registry| registry.path().join(".cache").join(&folder).join(name));
    let newest = files
        .filter_map(|file| Some((file.metadata().ok()?.modified().ok()?, file)))
        .max();
    let (_, file) = newest.with_context(|| {
        format!(
            "cargo knows no releases of `{name}`: there is nothing of it in {}; `cargo fetch` asks the registry",
            index.display()
        )
    })?;
    let bytes = fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let lines = bytes
        .split(|byte| *byte == 0)
        .filter(|part| part.first() == Some(&b'{'));
    let indexed = lines.filter_map(|line| serde_json::from_slice::<Indexed>(line).ok());
    let mut found: Vec<Indexed> = indexed.filter(|indexed| indexed.name == name).collect();
    ensure!(
        !found.is_empty(),
        "{} has no versions in a form that is known",
        file.display()
    );
    found.sort_by(|one, other| other.vers.cmp(&one.vers));
    let released = found.into_iter().map(|indexed| {
        let release = Release {
            of: indexed.name,
            version: indexed.vers.to_string(),
            published: indexed.pubtime,
            yanked: indexed.yanked,
            of_its_day: false,
            together_with: Vec::new(),
        };
        (indexed.vers, release)
    });
    Ok(released.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_read_from_cargos_index_the_newest_first() {
        let index = tempfile::tempdir().unwrap();
        let folder = index.path().join("index.crates.io-1949cf/.cache/ax/um");
        fs::create_dir_all(&folder).unwrap();
        let one = r#"{"name":"axum","vers":"0.8.4","yanked":false,"pubtime":"2025-04-30T14:02:01Z","deps":[]}"#;
        let two = r#"{"name":"axum","vers":"0.8.10","yanked":true,"deps":[]}"#;
        let head = "\u{3}\u{2}\0\0\0etag: x";
        fs::write(
            folder.join("axum"),
            format!("{head}\x000.8.4\0{one}\x000.8.10\0{two}\0"),
        )
        .unwrap();
        let found = listed("axum", index.path()).unwrap();
        let versions: Vec<&str> = found.iter().map(|(_, release)| release.version.as_str()).collect();
        assert_eq!(versions, ["0.8.10", "0.8.4"], "by number, not by letter");
        let [(_, new), (_, old)] = &found[..] else {
            panic!("two")
        };
        assert!(new.yanked && new.published.is_none() && !old.yanked);
        assert_eq!(old.published, Some("2025-04-30T14:02:01Z".parse().unwrap()));
        let missing = listed("hyper", index.path()).unwrap_err().to_string();
        assert!(
            missing.contains("`hyper`") && missing.contains("cargo fetch"),
            "{missing}"
        );
        fs::write(folder.join("axum"), "of another cargo").unwrap();
        let unknown = listed("axum", index.path()).unwrap_err().to_string();
        assert!(unknown.contains("has no versions"), "{unknown}");
    }
}
