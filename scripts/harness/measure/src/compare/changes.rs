//! Finds the apps that a change touches by comparing what each app is built from, not by paths. A bump of tokio touches exactly
//! the apps that use it; a change of the README touches none.

use std::collections::BTreeSet;

use analyze::compare::outcome::{Cause, Dependency};
use apps::catalog::{App, Catalog};

/// An app that differs between the sides, or that only one of them has.
#[derive(Debug, Clone, PartialEq)]
pub struct Touched {
    /// Name of the app's folder.
    pub id: String,
    /// What differs; empty if only one side has it.
    pub causes: Vec<Cause>,
    /// Dependencies whose versions differ.
    pub dependencies: Vec<Dependency>,
}

/// Apps that differ between two catalogs, and the ids of those that do not.
pub fn between(base: &Catalog, head: &Catalog) -> (Vec<Touched>, Vec<String>) {
    let ids: BTreeSet<&str> = base.apps.iter().chain(&head.apps).map(|app| app.id.as_str()).collect();
    let mut touched = Vec::new();
    let mut untouched = Vec::new();
    for id in ids {
        let both = base.app(id).zip(head.app(id));
        let change = Touched {
            id: id.to_owned(),
            causes: both.map(|(before, after)| causes(before, after)).unwrap_or_default(),
            dependencies: both
                .map(|(before, after)| Dependency::moved(&before.dependencies, &after.dependencies))
                .unwrap_or_default(),
        };
        if both.is_some() && change.causes.is_empty() {
            untouched.push(change.id);
        } else {
            touched.push(change);
        }
    }
    (touched, untouched)
}

fn causes(before: &App, after: &App) -> Vec<Cause> {
    [
        (Cause::Sources, before.sources_hash != after.sources_hash),
        (Cause::Dependencies, before.lockfile_hash != after.lockfile_hash),
        (Cause::Profile, before.profile_hash != after.profile_hash),
        (Cause::Toolchain, before.toolchain_hash != after.toolchain_hash),
    ]
    .into_iter()
    .filter_map(|(cause, differs)| differs.then_some(cause))
    .collect()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    /// Name, hash of the sources, dependencies.
    type Sketch<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)]);

    fn catalog(apps: &[Sketch<'_>]) -> Catalog {
        let app = |(id, sources, dependencies): &Sketch<'_>| App {
            sources_hash: (*sources).into(),
            dependencies: dependencies
                .iter()
                .map(|(name, version)| ((*name).into(), vec![(*version).into()]))
                .collect(),
            lockfile_hash: format!("{dependencies:?}"),
            ..samples::framework(id)
        };
        Catalog::new(PathBuf::new(), apps.iter().map(app).collect())
    }

    #[test]
    fn a_bump_touches_exactly_those_who_use_the_crate() {
        let before = catalog(&[
            ("axum", "a", &[("hyper", "1.0.0"), ("tokio", "1.50.0")]),
            ("may", "m", &[("may", "0.3.0")]),
            ("rocket", "r", &[("tokio", "1.50.0"), ("figment", "0.10.0")]),
        ]);
        let tokio = catalog(&[
            ("axum", "a", &[("hyper", "1.0.0"), ("tokio", "1.52.1")]),
            ("may", "m", &[("may", "0.3.0")]),
            ("rocket", "r", &[("tokio", "1.52.1"), ("figment", "0.10.0")]),
        ]);
        let (touched, untouched) = between(&before, &tokio);
        assert_eq!(untouched, ["may"]);
        let names: Vec<&str> = touched.iter().map(|touched| touched.id.as_str()).collect();
        assert_eq!(names, ["axum", "rocket"]);
        let moved = Dependency {
            name: "tokio".into(),
            before: vec!["1.50.0".into()],
            after: vec!["1.52.1".into()],
        };
        assert_eq!(
            (touched[0].causes.as_slice(), touched[0].dependencies.as_slice()),
            (&[Cause::Dependencies][..], &[moved][..])
        );

        let figment = catalog(&[
            ("axum", "a", &[("hyper", "1.0.0"), ("tokio", "1.50.0")]),
            ("may", "m", &[("may", "0.3.0")]),
            ("rocket", "r", &[("tokio", "1.50.0")]),
        ]);
        let (touched, _) = between(&before, &figment);
        assert_eq!(touched.len(), 1);
        assert_eq!(
            (touched[0].id.as_str(), touched[0].dependencies[0].after.len()),
            ("rocket", 0)
        );
        assert_eq!(between(&before, &before).1.len(), 3, "nothing touches nothing");
    }

    #[test]
    fn what_only_one_side_has_is_touched() {
        let (one, both) = (
            catalog(&[("axum", "a", &[])]),
            catalog(&[("axum", "b", &[]), ("viz", "v", &[])]),
        );
        let (touched, _) = between(&one, &both);
        assert_eq!(touched[0].causes, [Cause::Sources]);
        assert_eq!((touched[1].id.as_str(), touched[1].causes.as_slice()), ("viz", &[][..]));
        assert_eq!(between(&both, &one).0, touched);
    }
}
