//! How the harness's own sources are kept: small files, and modules whose knowledge of one another goes one way.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const CRATES: [&str; 5] = ["model", "analyze", "measure", "report", "bench"];
/// Most lines of a source file, without its tests in files of their own.
const MOST_LINES: usize = 500;

/// Each source file of a crate with its text, but for samples, which tests use.
fn sources(name: &str) -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name).join("src");
    let mut folders = vec![root.clone()];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let is_test = path.file_stem().is_some_and(|stem| stem == "tests" || stem == "sample");
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") && !is_test {
                let text = fs::read_to_string(&path).unwrap();
                found.push((path.strip_prefix(&root).unwrap().to_owned(), text));
            }
        }
    }
    assert!(found.len() > 5, "{name}: {found:?}");
    found
}

/// The modules of the crate that a line names, `crate::machine::lock` or `crate::{build, plan}`.
fn modules_named(line: &str) -> Vec<&str> {
    let is_letter = |letter: char| letter.is_ascii_lowercase() || letter == '_';
    let mut names = Vec::new();
    for rest in line.split("crate::").skip(1) {
        let listed = rest.strip_prefix('{').and_then(|rest| rest.split('}').next());
        for part in listed.unwrap_or(rest).split(", ") {
            names.push(part.split(|letter| !is_letter(letter)).next().unwrap());
            if listed.is_none() {
                break;
            }
        }
    }
    names
}

#[test]
fn no_source_file_is_too_long_to_be_one_idea() {
    for name in CRATES {
        for (path, text) in sources(name) {
            let lines = text.lines().count();
            assert!(
                lines <= MOST_LINES,
                "{name}/src/{} has {lines} lines: split it by idea",
                path.display()
            );
        }
    }
}

#[test]
fn no_circle_of_modules_crosses_folders() {
    for name in CRATES {
        let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (path, text) in sources(name) {
            let first = Path::new(path.components().next().unwrap().as_os_str());
            let module = first.file_stem().unwrap().to_str().unwrap();
            let own_code = text.split("#[cfg(test)]\nmod ").next().unwrap();
            let code = own_code.lines().filter(|line| !line.trim_start().starts_with("//"));
            let others = code.flat_map(modules_named).filter(|other| *other != module);
            uses.entry(module.to_owned())
                .or_default()
                .extend(others.map(str::to_owned));
        }
        // What uses no other that is left is in no circle.
        let all: BTreeSet<String> = uses.keys().cloned().collect();
        for used in uses.values_mut() {
            used.retain(|other| all.contains(other));
        }
        while let Some(leaf) = uses.iter().find(|(_, used)| used.is_empty()) {
            let leaf = leaf.0.clone();
            uses.remove(&leaf);
            for used in uses.values_mut() {
                used.remove(&leaf);
            }
        }
        assert!(
            uses.is_empty(),
            "{name}: modules use one another in a circle, or use some that do: {uses:#?}"
        );
    }
}
