//! What a record is held against before it is published, from the command line.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, ensure};
use jiff::Timestamp;

use super::clock;
use analyze::sense::{Expected, findings, moved};
use apps::build::describe;
use apps::catalog::Catalog;
use apps::profile::Profiles;
use machine::environment;
use measure::plan::Plan;
use model::probe::Probes;
use model::{AppRecord, Lane, RELEASE, Record, SubjectId};

/// What was asked for. Without any of it, a record is only held against itself and the clock.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "What the records must be, or they are refused")]
pub struct Expectations {
    /// Of this lane
    #[arg(long, value_enum, value_name = "LANE")]
    expect_lane: Option<Lane>,
    /// Of this profile
    #[arg(long, value_name = "NAME")]
    expect_profile: Option<String>,
    /// Made on the runner with these labels, a JSON array such as `["ubuntu-24.04"]`
    #[arg(long, value_name = "LABELS", value_parser = labels)]
    expect_runner: Option<Labels>,
    /// Of this commit, with no file changed
    #[arg(long, value_name = "SHA")]
    expect_commit: Option<String>,
    /// Begun after this time, such as 2026-11-21T10:30:00Z
    #[arg(long, value_name = "TIME")]
    since: Option<Timestamp>,
    /// Of the commit that is checked out here, and of its apps: their names, links, sources and dependencies
    #[arg(long, value_name = "DIR")]
    checkout: Option<PathBuf>,
}

/// Labels of a runner; clap would take a plain `Vec` for several values.
#[derive(Debug, Clone)]
struct Labels(Vec<String>);

fn labels(text: &str) -> Result<Labels, String> {
    let labels = serde_json::from_str(text).map(Labels);
    labels.map_err(|_| "that is no JSON array of labels, such as [\"self-hosted\", \"bench\"]".to_owned())
}

impl Expectations {
    /// Whether nothing speaks against a record, which lies at `path`. Each reason is printed in a line.
    pub fn are_met(&self, record: &Record, path: &Path) -> anyhow::Result<bool> {
        let catalog = self.catalog(record.harness.commit.as_deref())?;
        let expected = Expected {
            now: clock::now(),
            since: self.since,
            lane: self.expect_lane,
            profile: self.expect_profile.clone(),
            runner: self.expect_runner.as_ref().map(|labels| labels.0.clone()),
            commit: self.expect_commit.clone(),
            apps: catalog.as_ref().map(described),
        };
        let mut found = findings(record, &expected);
        if catalog.is_some_and(|catalog| record.harness.whole && !is_whole(record, &catalog)) {
            found.push(format!(
                "it says that it is a whole run of profile {}, and lacks apps, scenarios or rounds of it",
                record.profile
            ));
        }
        refuse(&found, path);
        Ok(found.is_empty())
    }

    /// The same for a document of probes, which has neither lane nor profile.
    pub fn are_met_by_probes(&self, probes: &Probes, path: &Path) -> anyhow::Result<bool> {
        let catalog = self.catalog(probes.origin.commit.as_deref())?;
        let expected = Expected {
            since: self.since,
            commit: self.expect_commit.clone(),
            apps: catalog.as_ref().map(described),
            ..Expected::anything(clock::now())
        };
        let found = analyze::probes::findings(probes, &expected);
        refuse(&found, path);
        Ok(found.is_empty())
    }

    fn catalog(&self, own: Option<&str>) -> anyhow::Result<Option<Catalog>> {
        self.checkout.as_deref().map(|root| catalog(root, own)).transpose()
    }
}

/// Whether reference and ceiling are where the runs `before` had them. Each reason is printed in a line.
pub fn is_unmoved(record: &Record, before: &[Record], path: &Path) -> bool {
    let mut found = moved(record, before);
    let is_unmoved = found.is_empty();
    if let Some(last) = found.last_mut() {
        last.push_str("; if the machine did change that much, publish with --accept-moved");
    }
    refuse(&found, path);
    is_unmoved
}

fn refuse(reasons: &[String], path: &Path) {
    for reason in reasons {
        super::complain(&anyhow!("{} is refused: {reason}", path.display()));
    }
}

/// All variants of all apps.
fn described(catalog: &Catalog) -> Vec<AppRecord> {
    let apps = catalog.apps.iter();
    apps.flat_map(|app| app.variants.iter().map(|variant| describe(app, variant, None, None)))
        .collect()
}

/// The apps of the checkout at `root`, which must be of the commit `own` of the record.
fn catalog(root: &Path, own: Option<&str>) -> anyhow::Result<Catalog> {
    let (commit, _) = environment::commit(root).with_context(|| format!("{} is no checkout of git", root.display()))?;
    ensure!(
        own == Some(commit.as_str()),
        "{} is at commit {commit}, and the record is of {}; check that one out",
        root.display(),
        own.unwrap_or("none")
    );
    Catalog::read(root)
}

/// Whether a record has all of its profile, by the rule that [`Plan::is_whole`] is.
fn is_whole(record: &Record, catalog: &Catalog) -> bool {
    let ids = record.apps.iter().map(|app| SubjectId::new(&app.id, &app.variant));
    let speaks = record.apps.iter().map(|app| (app.id.clone(), app.protocols.clone()));
    let plan = Plan {
        profile: record.profile.clone(),
        seed: record.seed,
        rounds: record.harness.rounds,
        subjects: ids.collect(),
        scenarios: record.scenarios.clone(),
        speaks: speaks.collect(),
        only: BTreeMap::new(),
    };
    record.harness.cargo_profile == RELEASE && plan.is_whole(catalog, &Profiles::built_in())
}
