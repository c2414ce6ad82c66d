//! Which apps of this repository a change touches: exactly those that are made of what changed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use analyze::compare::outcome::Cause;
use apps::catalog::Catalog;
use measure::compare::changes::between;

use crate::files::command::{catalog, root};

/// What belongs to this repository, elsewhere, but for results; also what is not committed yet.
pub fn copy() -> tempfile::TempDir {
    let copy = tempfile::tempdir().unwrap();
    let mut git = Command::new("git");
    git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let listed = git.current_dir(root()).output().unwrap();
    let names = String::from_utf8(listed.stdout).unwrap();
    // What is deleted and not committed is still listed.
    let names = names.split('\0').filter(|name| !name.starts_with("bench-results/"));
    for name in names.filter(|name| root().join(name).is_file()) {
        let to = copy.path().join(name);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(root().join(name), to).unwrap();
    }
    copy
}

/// Ids of the apps that a change touches, and why.
fn touched(change: impl FnOnce(&Path)) -> Vec<(String, Vec<Cause>)> {
    let copy = copy();
    change(copy.path());
    let (touched, _) = between(catalog(), &Catalog::read(copy.path()).unwrap());
    touched
        .into_iter()
        .map(|touched| (touched.id, touched.causes))
        .collect()
}

fn append(path: &Path, text: &str) {
    let before = fs::read_to_string(path).unwrap();
    fs::write(path, before + text).unwrap();
}

/// Another version of a crate in the lockfile, and nothing else.
fn bump(workspace: &Path, name: &str) {
    let path = workspace.join("Cargo.lock");
    let text = fs::read_to_string(&path).unwrap();
    let begin = format!("name = \"{name}\"\nversion = \"");
    assert_eq!(text.matches(&begin).count(), 1, "one version of {name} is expected");
    let at = text.find(&begin).unwrap() + begin.len();
    let end = at + text[at..].find('"').unwrap();
    fs::write(&path, format!("{}99.0.0{}", &text[..at], &text[end..])).unwrap();
}

fn because(ids: &[impl AsRef<str>], cause: Cause) -> Vec<(String, Vec<Cause>)> {
    ids.iter().map(|id| (id.as_ref().to_owned(), vec![cause])).collect()
}

/// Ids of the apps that lie in none of these workspaces of their own.
fn all_but(workspaces: &[&str]) -> Vec<String> {
    let workspaces: Vec<PathBuf> = workspaces.iter().map(|workspace| root().join(workspace)).collect();
    let inside = |manifest: &Path| workspaces.iter().any(|workspace| manifest.starts_with(workspace));
    let apps = catalog().apps.iter().filter(|app| !inside(&app.manifest));
    apps.map(|app| app.id.clone()).collect()
}

/// Those of the root's workspace.
fn all_of_the_root() -> Vec<String> {
    all_but(&["apps/legacy", "apps/postgres", "apps/services", "apps/reference"])
}

/// Each of these changes touches others, so that all of them are seen at once.
#[test]
fn a_change_touches_who_is_made_of_it_and_nobody_else() {
    let found = touched(|root| {
        append(&root.join("README.md"), "More text.\n");
        append(&root.join("apps/README.md"), "More text.\n");
        append(&root.join("scripts/harness/analyze/src/lib.rs"), "// Something else.\n");
        append(&root.join("apps/axum/src/main.rs"), "// Something else.\n");
        append(&root.join("apps/reference/src/main.rs"), "// Something else.\n");
        bump(root, "oha"); // the load generator is no app
        bump(root, "figment");
        bump(&root.join("apps/legacy"), "roa-core");
        let profile = root.join("apps/postgres/Cargo.toml");
        let text = fs::read_to_string(&profile).unwrap();
        assert!(text.contains("lto = \"fat\""), "{text}");
        fs::write(&profile, text.replace("lto = \"fat\"", "lto = \"thin\"")).unwrap();
    });
    let lies_in_postgres = |id: &str| {
        catalog()
            .app(id)
            .unwrap()
            .manifest
            .starts_with(root().join("apps/postgres"))
    };
    let (of_postgres, others): (Vec<_>, Vec<_>) = found.into_iter().partition(|(id, _)| lies_in_postgres(id));
    let expected = [
        because(&["axum", "reference"], Cause::Sources),
        because(&["roa", "roa-services", "rocket"], Cause::Dependencies),
    ];
    assert_eq!(others, sorted(expected.concat()));
    // The reference is in a workspace of its own.
    let ids = catalog()
        .apps
        .iter()
        .map(|app| &*app.id)
        .filter(|id| lies_in_postgres(id) && *id != "reference-postgres");
    assert_eq!(of_postgres, because(&ids.collect::<Vec<_>>(), Cause::Profile));
}

fn sorted(mut found: Vec<(String, Vec<Cause>)>) -> Vec<(String, Vec<Cause>)> {
    found.sort();
    found
}

#[test]
fn a_package_whose_changes_nobody_would_see_is_an_error() {
    let copy = copy();
    let manifest = copy.path().join("apps/legacy/tide-services/Cargo.toml");
    let text = fs::read_to_string(&manifest).unwrap();
    let named = "\ncontract.workspace = true\n";
    assert!(text.contains(named), "{text}");
    fs::write(&manifest, text.replace(named, "\n")).unwrap();
    let error = format!("{:#}", Catalog::read(copy.path()).unwrap_err());
    assert!(
        error.contains("apps/legacy/tide-services/Cargo.toml: `contract` is part of it"),
        "{error}"
    );
}

mod slow {
    use super::*;

    #[test]
    fn the_contract_touches_everybody() {
        let found = touched(|root| append(&root.join("apps/contract/src/lib.rs"), "// Something else.\n"));
        assert_eq!(
            found,
            because(
                &all_but(&[
                    "apps/reference",
                    "apps/postgres/reference-postgres",
                    "apps/services/reference-services",
                ]),
                Cause::Sources
            )
        );
    }

    #[test]
    fn a_bump_of_what_nearly_all_use_touches_them() {
        let mut users = all_of_the_root();
        users.retain(|id| id != "may-minihttp"); // it stands on coroutines of its own
        assert_eq!(
            touched(|root| bump(root, "tokio")),
            because(&users, Cause::Dependencies)
        );
    }

    #[test]
    fn the_build_profile_touches_everybody_who_is_built_by_it() {
        let found = touched(|root| {
            let path = root.join("Cargo.toml");
            let text = fs::read_to_string(&path).unwrap();
            assert!(text.contains("lto = \"fat\""));
            fs::write(&path, text.replace("lto = \"fat\"", "lto = \"thin\"")).unwrap();
        });
        assert_eq!(found, because(&all_of_the_root(), Cause::Profile));
    }
}
