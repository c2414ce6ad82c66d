//! Which releases of which apps are measured.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::{Context as _, bail, ensure};
use cargo_lock::Version;
use model::{DEFAULT_VARIANT, Release, Role};

use super::Releases;
use super::index::listed;
use crate::compare::patch;
use crate::plan::Plan;
use crate::versions::compatible;
use apps::cargo;
use apps::catalog::{App, Catalog};

/// The apps of the plan, but for reference and ceiling, with each wanted release that is compatible with the locked one, the newest first. If
/// none is `named`, apps that are not built from the crate are left out.
pub fn fitting<'a>(
    catalog: &'a Catalog,
    plan: &Plan,
    named: &[String],
    wanted: &Releases,
) -> anyhow::Result<Vec<(&'a App, Release)>> {
    let index = cargo::home()
        .context("cargo has no folder of its own")?
        .join("registry/index");
    let planned = plan.subjects.iter().filter(|id| id.variant == DEFAULT_VARIANT);
    let planned = planned.filter_map(|id| catalog.app(&id.app));
    let mut planned: Vec<&App> = planned.filter(|app| app.role == Role::Framework).collect();
    if named.is_empty() {
        planned.retain(|app| locked(app, wanted.of.as_deref()).is_ok());
    }
    // What cargo keeps of the index may lack the newest release. Without a network it is what there is.
    let workspaces: BTreeSet<&PathBuf> = planned.iter().map(|app| &app.workspace).collect();
    for workspace in workspaces {
        let mut update = patch::cargo(workspace, "update");
        update.arg("--dry-run");
        let _ = patch::finished(update);
    }
    // Wrong names are reported before anything is built.
    let fitting = planned.iter().map(|app| {
        let (of, locked) = locked(app, wanted.of.as_deref())?;
        let mut releases = listed(&of, &index)?;
        releases.retain(|(version, _)| version.pre.is_empty() && locked.iter().any(|old| compatible(old, version)));
        if let Some(unknown) = wanted
            .versions
            .iter()
            .find(|version| releases.iter().all(|(known, _)| known != *version))
        {
            bail!("{} has no release {of} {unknown} that it could be built with", app.id);
        }
        releases.retain(|(version, _)| wanted.versions.is_empty() || wanted.versions.contains(version));
        releases.truncate(wanted.newest.unwrap_or(usize::MAX));
        let as_locked = releases.into_iter().map(|(_, release)| release);
        let both = as_locked.flat_map(|release| {
            let then = Release {
                of_its_day: true,
                ..release.clone()
            };
            [Some(release), wanted.of_its_day.then_some(then)]
        });
        Ok(both.flatten().map(|release| (*app, release)).collect::<Vec<_>>())
    });
    let fitting: Vec<(&App, Release)> = fitting.collect::<anyhow::Result<Vec<_>>>()?.concat();
    ensure!(
        !fitting.is_empty(),
        "there is no release to measure; `bench list` shows all apps"
    );
    Ok(fitting)
}

/// The crate whose releases an app is built with, its framework unless one is named, and the versions that are locked.
fn locked(app: &App, named: Option<&str>) -> anyhow::Result<(String, Vec<Version>)> {
    let of = named.unwrap_or(&app.framework);
    let locked = app.dependencies.get(of).into_iter().flatten();
    let locked: Vec<Version> = locked.filter_map(|version| version.parse().ok()).collect();
    let (id, package) = (&app.id, &app.package);
    ensure!(
        !locked.is_empty(),
        "{id} is not built from a crate `{of}`; `cargo tree --package {package}` lists what it is built from"
    );
    Ok((of.to_owned(), locked))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_that_the_app_is_not_built_from_is_refused() {
        let app = App {
            dependencies: [("axum".to_owned(), vec!["0.8.9".to_owned()])].into(),
            ..samples::framework("axum")
        };
        assert_eq!(
            locked(&app, None).unwrap(),
            ("axum".to_owned(), vec![Version::new(0, 8, 9)])
        );
        let refused = locked(&app, Some("rocket")).unwrap_err().to_string();
        assert!(
            refused.starts_with("axum is not built from a crate `rocket`; `cargo tree --package axum-app`"),
            "{refused}"
        );
    }
}
