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

fn because(ids: &[&str], cause: Cause) -> Vec<(String, Vec<Cause>)> {
    ids.iter().map(|id| ((*id).to_owned(), vec![cause])).collect()
}

/// Ids of the apps that lie in none of these folders below `apps`.
fn all_but(folders: &[&str]) -> Vec<&'static str> {
    let folders: Vec<PathBuf> = folders.iter().map(|folder| root().join("apps").join(folder)).collect();
    let inside = |manifest: &Path| folders.iter().any(|folder| manifest.starts_with(folder));
    let apps = catalog().apps.iter().filter(|app| !inside(&app.manifest));
    apps.map(|app| &*app.id).collect()
}

/// Each of these changes touches others, so that all of them are seen at once.
#[test]
fn a_change_touches_who_is_made_of_it_and_nobody_else() {
    let found = touched(|root| {
        append(&root.join("README.md"), "More text.\n");
        append(&root.join("apps/README.md"), "More text.\n");
        append(&root.join("scripts/harness/analyze/src/lib.rs"), "// Something else.\n");
        append(&root.join("apps/axum/src/main.rs"), "// Something else.\n");
        append(&root.join("apps/may-minihttp/src/lib.rs"), "// Something else.\n");
        append(&root.join("apps/reference/src/main.rs"), "// Something else.\n");
        bump(root, "oha"); // the load generator is no app
        bump(root, "figment");
        bump(&root.join("apps/legacy"), "roa-core");
        let profile = root.join("apps/postgres/Cargo.toml");
        let text = fs::read_to_string(&profile).unwrap();
        assert!(text.contains("lto = \"fat\""), "{text}");
        fs::write(&profile, text.replace("lto = \"fat\"", "lto = \"thin\"")).unwrap();
    });
    let mut expected = [
        because(
            &["axum", "may-minihttp", "may-minihttp-services", "reference"],
            Cause::Sources,
        ),
        because(&["roa", "roa-services", "rocket"], Cause::Dependencies),
        because(&of_postgres(), Cause::Profile),
    ]
    .concat();
    expected.sort();
    assert_eq!(found, expected);
}

/// Ids of the apps in the workspace `apps/postgres`; the reference is in one of its own.
fn of_postgres() -> Vec<&'static str> {
    let folder = root().join("apps/postgres");
    let apps = catalog().apps.iter().filter(|app| app.manifest.starts_with(&folder));
    apps.map(|app| &*app.id)
        .filter(|id| *id != "reference-postgres")
        .collect()
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
        let frozen = [
            "reference",
            "postgres/reference-postgres",
            "services/reference-services",
        ];
        assert_eq!(found, because(&all_but(&frozen), Cause::Sources));
    }

    #[test]
    fn a_bump_of_what_nearly_all_use_touches_them() {
        let mut users = all_but(&["legacy", "postgres", "services", "reference"]);
        users.retain(|id| *id != "may-minihttp"); // it stands on coroutines of its own
        assert_eq!(
            touched(|root| bump(root, "tokio")),
            because(&users, Cause::Dependencies)
        );
    }
}
