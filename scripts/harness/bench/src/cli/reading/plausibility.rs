//! What a record is held against before it is published, from the command line.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, ensure};
use jiff::Timestamp;

use crate::cli::clock;
use analyze::plausibility::{Expected, baseline_drift, findings};
use apps::build::describe;
use apps::catalog::Catalog;
use machine::environment;
use model::{AppRecord, Lane, Record};

/// What was requested. Without any of it, a record is only held against itself and the clock.
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

/// Labels of a runner; by another name, because clap would take a `Vec` for several values.
type Labels = Vec<String>;

fn labels(text: &str) -> Result<Labels, String> {
    let labels = serde_json::from_str(text);
    labels.map_err(|_| "that is no JSON array of labels, such as [\"self-hosted\", \"bench\"]".to_owned())
}

impl Expectations {
    /// Whether nothing speaks against a record, which lies at `path`. Each reason is printed in a line.
    pub fn are_met(&self, record: &Record, path: &Path) -> anyhow::Result<bool> {
        let own_commit = record.harness.commit.as_deref();
        let catalog = self.checkout.as_deref().map(|root| catalog(root, own_commit));
        let expected = Expected {
            now: clock::now(),
            since: self.since,
            lane: self.expect_lane,
            profile: self.expect_profile.clone(),
            runner: self.expect_runner.clone(),
            commit: self.expect_commit.clone(),
            apps: catalog.transpose()?.as_ref().map(described),
        };
        Ok(accept(&findings(record, &expected), path))
    }
}

/// Whether reference and ceiling are where the runs `before` had them. Each reason is printed in a line.
pub fn is_unmoved(record: &Record, before: &[Record], path: &Path) -> bool {
    let mut found = baseline_drift(record, before);
    if let Some(last) = found.last_mut() {
        last.push_str("; if the machine did change that much, publish with --accept-moved");
    }
    accept(&found, path)
}

/// Whether there is no reason against what lies at `path`.
fn accept(reasons: &[String], path: &Path) -> bool {
    for reason in reasons {
        crate::cli::complain(&anyhow!("{} is refused: {reason}", path.display()));
    }
    reasons.is_empty()
}

/// All variants of all apps.
fn described(catalog: &Catalog) -> Vec<AppRecord> {
    let apps = catalog.apps.iter();
    apps.flat_map(|app| app.variants.iter().map(|variant| describe(app, variant, None, None)))
        .collect()
}

/// The apps of the checkout at `root`, which must be at the record's commit, `own`.
fn catalog(root: &Path, own: Option<&str>) -> anyhow::Result<Catalog> {
    let (commit, _) =
        environment::commit(root)?.with_context(|| format!("{} is no checkout of git", root.display()))?;
    ensure!(
        own == Some(commit.as_str()),
        "{} is at commit {commit}, and the record's is {}; check that one out",
        root.display(),
        own.unwrap_or("none")
    );
    Catalog::read(root)
}
