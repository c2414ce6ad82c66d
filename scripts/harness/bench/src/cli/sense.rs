//! What a record is held against before it is published, from the command line.

use std::path::{Path, PathBuf};

use anyhow::anyhow;
use jiff::Timestamp;

use super::clock;
use judge::sense::{Expected, findings};
use measure::build::describe;
use measure::plan::Plan;
use measure::profile::Profiles;
use measure::supply::Supply;
use record::{Lane, Record, SubjectId};

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
    /// Of this commit, with no file changed
    #[arg(long, value_name = "SHA")]
    expect_commit: Option<String>,
    /// Begun after this time, such as 2026-11-21T10:30:00Z
    #[arg(long, value_name = "TIME")]
    since: Option<Timestamp>,
    /// Of the apps in this handover (`bench build --out DIR`), with their names, links, sources and dependencies
    #[arg(long, value_name = "DIR")]
    binaries: Option<PathBuf>,
}

impl Expectations {
    /// Whether nothing speaks against a record, which lies at `path`. Each reason is printed in a line.
    pub fn are_met(&self, record: &Record, path: &Path) -> anyhow::Result<bool> {
        let supply = self.binaries.as_deref().map(|folder| Supply::find(Some(folder)));
        let supply = supply.transpose()?;
        let expected = Expected {
            now: clock::now(),
            since: self.since,
            lane: self.expect_lane,
            profile: self.expect_profile.clone(),
            commit: self.expect_commit.clone(),
            apps: supply.as_ref().map(|supply| {
                let apps = supply.catalog.apps.iter();
                apps.flat_map(|app| app.variants.iter().map(|variant| describe(app, variant, None, None)))
                    .collect()
            }),
        };
        let mut found = findings(record, &expected);
        if supply.is_some_and(|supply| record.harness.whole == Some(true) && !is_whole(record, &supply)) {
            found.push(format!(
                "it says that it is a whole run of profile {}, and lacks apps, scenarios or rounds of it",
                record.profile
            ));
        }
        for reason in &found {
            super::complain(&anyhow!("{} is refused: {reason}", path.display()));
        }
        Ok(found.is_empty())
    }
}

/// Whether a record has all of its profile, by the rule that [`Plan::is_whole`] is.
fn is_whole(record: &Record, supply: &Supply) -> bool {
    let ids = record.apps.iter().map(|app| SubjectId::new(&app.id, &app.variant));
    let speaks = record.apps.iter().map(|app| (app.id.clone(), app.protocols.clone()));
    let plan = Plan {
        profile: record.profile.clone(),
        seed: record.seed,
        rounds: record.harness.rounds,
        subjects: ids.collect(),
        scenarios: record.scenarios.clone(),
        speaks: speaks.collect(),
        only: Default::default(),
    };
    supply.is_whole(&plan, &Profiles::built_in(), &record.harness.cargo_profile)
}
