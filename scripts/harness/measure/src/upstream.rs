//! What is coming: the newest commit of a framework's main branch against the release that its app is built from.

use std::path::Path;

use analyze::compare::gates::Gates;
use analyze::compare::outcome::{App, Comparison, SCHEMA_VERSION, Side, Status};
use anyhow::{Context as _, ensure};
use model::{DEFAULT_VARIANT, Metric, Part, RELEASE, Role, Tier};

use crate::compare::sides::Repository;
use crate::compare::{ComparisonRequest, run};
use crate::plan;
use crate::progress::Reporter;
use apps::catalog;
use apps::catalog::Catalog;
use machine::clock;
use machine::git::Git;
use machine::interrupt;
use machine::process::one_line;

/// The apps of frameworks that have a future and work alone, or those that are named.
pub fn chosen<'a>(catalog: &'a Catalog, wanted: &[String]) -> anyhow::Result<Vec<&'a catalog::App>> {
    let has_future =
        |app: &&catalog::App| app.role == Role::Framework && app.tier != Tier::Legacy && app.part() == Part::Plain;
    let all: Vec<&catalog::App> = catalog.apps.iter().filter(has_future).collect();
    if wanted.is_empty() {
        return Ok(all);
    }
    let named = wanted.iter().map(|name| {
        let found = all.iter().find(|app| app.id == *name);
        found
            .copied()
            .ok_or_else(|| plan::unknown("maintained framework", name, all.iter().map(|app| app.id.as_str())))
    });
    named.collect()
}

/// Instructions per request and the quick cases of an app, by the release and by the newest commit. Where they cannot be compared, its status
/// is [`Status::NotMeasured`], with the reason.
///
/// # Errors
/// If `root` is no git repository, or the user stops it.
pub fn compare(
    app: &catalog::App,
    root: &Path,
    wait: bool,
    version: &str,
    reporter: &dyn Reporter,
) -> anyhow::Result<Comparison> {
    let began = clock::now();
    let base = Repository::open(root)?.head(Some("HEAD"))?;
    let (patches, compared) = match newest(app, root) {
        Ok(patch) => (vec![patch.clone()], compared(app, &patch, wait, (version, reporter))),
        Err(error) => (Vec::new(), Err(error)),
    };
    interrupt::check()?;
    let error = match compared {
        Ok(comparison) => return Ok(comparison),
        Err(error) => one_line(&format!("{error:#}")),
    };
    let app = App {
        id: app.id.clone(),
        variant: DEFAULT_VARIANT.to_owned(),
        status: Status::NotMeasured,
        reason: Some(error),
        ..App::default()
    };
    let comparison = Comparison {
        schema_version: SCHEMA_VERSION,
        head: Side {
            patches,
            ..base.clone()
        },
        base,
        started_at: began,
        harness: version.to_owned(),
        gates: Gates::built_in(),
        apps: vec![app],
        ..Comparison::default()
    };
    Ok(comparison.ended(clock::now()))
}

/// The patch to the newest commit of the main branch.
fn newest(app: &catalog::App, root: &Path) -> anyhow::Result<String> {
    let newest = Git::new(root).text(&["ls-remote", "--exit-code", &app.link, "HEAD"])?;
    let commit = newest.split_whitespace().next().context("git names no commit")?;
    Ok(format!("{}{commit}", app.upstream()))
}

fn compared(
    app: &catalog::App,
    patch: &str,
    wait: bool,
    (version, reporter): (&str, &dyn Reporter),
) -> anyhow::Result<Comparison> {
    let request = ComparisonRequest {
        patch: vec![patch.parse()?],
        app: vec![app.id.clone()],
        variant: vec![DEFAULT_VARIANT.to_owned()],
        metric: vec![Metric::InstructionsPerRequest],
        cargo_profile: RELEASE.to_owned(),
        wait,
        ..ComparisonRequest::default()
    };
    let (comparison, _) = run(&request, version, reporter)?;
    ensure!(!comparison.apps.is_empty(), "cargo does not use {patch}");
    Ok(comparison)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frameworks_with_a_future_are_chosen_and_no_others() {
        let legacy = catalog::App {
            tier: Tier::Legacy,
            ..samples::framework("tide")
        };
        let reference = catalog::App {
            role: Role::Reference,
            ..samples::framework("reference")
        };
        let backed = catalog::App {
            stack: Some("sqlx".into()),
            ..samples::framework("axum-sqlx")
        };
        let all = vec![
            samples::framework("axum"),
            backed,
            legacy,
            reference,
            samples::framework("viz"),
        ];
        let catalog = Catalog::new("".into(), all);
        let ids = |wanted: &[&str]| {
            let wanted: Vec<String> = wanted.iter().map(|name| (*name).to_owned()).collect();
            chosen(&catalog, &wanted).map(|apps| apps.iter().map(|app| app.id.clone()).collect::<Vec<_>>())
        };
        assert_eq!(ids(&[]).unwrap(), ["axum", "viz"]);
        assert_eq!(ids(&["viz"]).unwrap(), ["viz"]);
        let refused = ids(&["tide"]).unwrap_err().to_string();
        assert!(refused.contains("there is no maintained framework `tide`"), "{refused}");
    }
}
