//! `bench ci`: what the workflows of this repository must know before they start jobs, and what is generated.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, bail, ensure};
use apps::catalog::{self, App, Catalog};
use apps::profile::Profiles;
use jiff::Timestamp;
use measure::compare::changes::between;
use measure::compare::sides::Repository;
use model::WEEKLY;
use model::store::is_name;
use serde::{Deserialize, Serialize};

use crate::cli::{Outcome, clock, print, write_files};

/// The kinds of runs that a week has; the site reads the same file.
const SCHEDULE: &str = include_str!("../../../../../../../.github/scripts/schedule.json");
const MAIN: &str = "refs/heads/main";
/// The hosted runners, which build as well.
const X64: &str = "ubuntu-24.04";
const ARM64: &str = "ubuntu-24.04-arm";
const SELF_HOSTED: &str = "self-hosted";
const PROBES: &str = "probes";

const EXAMPLES: &str = "\
The first two print lines `name=value`, as $GITHUB_OUTPUT takes them.

Examples:
  bench ci touched --base main --workspace apps/postgres
  LANES=hosted-x64 PROFILE=smoke PUBLISH=false bench ci lanes
  bench ci schemas";

/// What the workflows need to know before they start jobs
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    question: Question,
}

#[derive(Debug, clap::Subcommand)]
enum Question {
    /// Which apps differ from a commit?
    #[command(after_help = EXAMPLES)]
    Touched {
        /// The commit; without it, all apps
        #[arg(long, value_name = "REV")]
        base: Option<String>,
        /// Only apps of the workspace in this folder
        #[arg(long, value_name = "DIR", default_value = ".")]
        workspace: PathBuf,
    },
    /// What does a run of benchmark.yml measure? Its inputs come by the environment, and an empty one is none: SCHEDULE, LANES, PROFILE,
    /// APPS, SCENARIOS, ROUNDS, PUBLISH, RUNNER, `README_LANE`, REF
    #[command(after_help = EXAMPLES)]
    Lanes,
    /// Write the schemas, the site's words and the docs' table of verdicts, which follow from the types
    #[command(after_help = EXAMPLES)]
    Schemas,
}

pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let lines = match &args.question {
        Question::Touched { base, workspace } => {
            let catalog = Catalog::find()?;
            let workspace = catalog.root.join(workspace).canonicalize()?;
            let touched = touched(&catalog, base.as_deref())?;
            let ids: Vec<&str> = touched
                .iter()
                .filter(|app| app.workspace == workspace)
                .map(|app| app.id.as_str())
                .collect();
            format!("apps={}\n", ids.join(","))
        }
        Question::Lanes => {
            let value = |name: &str| std::env::var(name).unwrap_or_default();
            lanes(&value, &serde_json::from_str::<Vec<Entry>>(SCHEDULE)?, clock::now())?
        }
        Question::Schemas => {
            write_files(schemas::generated(&catalog::find_root()?)?)?;
            String::new()
        }
    };
    print(&lines)?;
    Ok(Outcome::Fine)
}

/// Apps of the working tree that the commit `base` has not, or not like this.
fn touched<'a>(catalog: &'a Catalog, base: Option<&str>) -> anyhow::Result<Vec<&'a App>> {
    let Some(base) = base.filter(|base| !base.is_empty()) else {
        return Ok(catalog.apps.iter().collect());
    };
    let repository = Repository::open(&catalog.root)?;
    let side = repository.base(Some(base), &repository.head(None)?)?;
    let (touched, _) = between(&repository.tree(side, "base", false)?.catalog, catalog);
    Ok(touched.iter().filter_map(|touched| catalog.app(&touched.id)).collect())
}

/// A kind of run, with its day.
#[derive(Debug, Clone, Deserialize)]
struct Entry {
    cron: String,
    profile: String,
    /// The group of cases that are probed as well, or `all`.
    #[serde(default)]
    probes: Option<String>,
}

/// One job of the matrix of benchmark.yml.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct LaneJob {
    lane: String,
    architecture: &'static str,
    runner: Vec<String>,
    /// The protected environment; empty for none.
    environment: &'static str,
    /// The group of cases, of probes; empty for all.
    group: String,
    /// Whether it proposes what its lane has on gh-pages and main has not: the lane that README.md is about, after the last run of a week, and
    /// after one by hand.
    proposes: bool,
}

/// What all lanes measure.
#[derive(Debug, Serialize)]
struct Settings {
    profile: String,
    apps: String,
    scenarios: String,
    rounds: String,
    publish: bool,
    /// No record of this run is older.
    started: Timestamp,
}

/// `name=value` lines: `lanes`, `builders` and `run`.
fn lanes(value: &dyn Fn(&str) -> String, schedule: &[Entry], now: Timestamp) -> anyhow::Result<String> {
    let cron = value("SCHEDULE");
    let scheduled = schedule.iter().find(|entry| entry.cron == cron);
    ensure!(
        cron.is_empty() || scheduled.is_some(),
        "schedule '{cron}' is not in schedule.json: write it there, with its profile"
    );
    let settings = settings(value, scheduled, now)?;
    let own = own_runner(&value("RUNNER"))?;
    // A profile without a day of its own is one of servers that work alone.
    let usual = schedule.iter().find(|entry| entry.profile == settings.profile);
    let probes = usual.map_or(Some("all"), |entry| entry.probes.as_deref());
    let named = value("LANES");
    let wanted = wanted(&named, probes.is_some(), !own.is_empty())?;
    // What is published, or runs on a machine of our own, comes from the branch that was reviewed.
    let branch = value("REF");
    if branch != MAIN {
        ensure!(
            !settings.publish,
            "only main is published, and this is '{branch}'; set publish to false to measure it"
        );
        ensure!(
            !wanted.contains(&SELF_HOSTED),
            "only main runs on the self-hosted runner, and this is '{branch}'"
        );
    }

    let readme_lane = or(value("README_LANE"), "hosted-arm64");
    let is_last = scheduled.is_none_or(|entry| schedule.last().is_some_and(|last| last.cron == entry.cron));
    let group = probes.filter(|group| *group != "all").unwrap_or_default();
    let job = |lane: &&str| LaneJob {
        lane: (*lane).to_owned(),
        architecture: if *lane == "hosted-arm64" { "arm64" } else { "x64" },
        runner: match *lane {
            "hosted-arm64" => vec![ARM64.to_owned()],
            SELF_HOSTED => own.clone(),
            _ => vec![X64.to_owned()],
        },
        environment: if *lane == SELF_HOSTED { SELF_HOSTED } else { "" },
        group: if *lane == PROBES { group } else { "" }.to_owned(),
        proposes: settings.publish && is_last && *lane == readme_lane,
    };
    let jobs: Vec<LaneJob> = wanted.iter().map(job).collect();
    let builders = [("x64", X64), ("arm64", ARM64)]
        .into_iter()
        .filter(|(architecture, _)| jobs.iter().any(|job| job.architecture == *architecture));
    let builders: BTreeMap<_, _> = builders.collect();
    let [jobs, builders, settings] = [
        serde_json::to_string(&jobs)?,
        serde_json::to_string(&builders)?,
        serde_json::to_string(&settings)?,
    ];
    Ok(format!("lanes={jobs}\nbuilders={builders}\nrun={settings}\n"))
}

fn or(value: String, default: &str) -> String {
    if value.is_empty() { default.to_owned() } else { value }
}

fn settings(value: &dyn Fn(&str) -> String, scheduled: Option<&Entry>, now: Timestamp) -> anyhow::Result<Settings> {
    let profile = or(value("PROFILE"), scheduled.map_or(WEEKLY, |entry| &entry.profile));
    ensure!(
        Profiles::built_in().profile(&profile).is_some(),
        "profile '{profile}' is none; `bench list` shows the profiles"
    );
    let (apps, scenarios, rounds) = (value("APPS"), value("SCENARIOS"), value("ROUNDS"));
    ensure!(
        are_names(&apps),
        "apps '{apps}': write ids with commas between, as in axum,rocket"
    );
    ensure!(
        are_names(&scenarios),
        "scenarios '{scenarios}': write names with commas between, as in plaintext,hello"
    );
    ensure!(
        rounds.is_empty() || rounds.parse().is_ok_and(|rounds: u16| (1..1000).contains(&rounds)),
        "rounds '{rounds}': write a number from 1 to 999"
    );
    let publish = or(value("PUBLISH"), "true");
    Ok(Settings {
        publish: publish
            .parse()
            .with_context(|| format!("publish '{publish}': write true or false"))?,
        started: Timestamp::from_second(now.as_second())?,
        profile,
        apps,
        scenarios,
        rounds,
    })
}

/// The lanes that are named, or all that there are.
fn wanted(named: &str, has_probes: bool, has_own: bool) -> anyhow::Result<Vec<&str>> {
    let mut known = vec!["hosted-arm64", "hosted-x64"];
    known.extend(has_probes.then_some(PROBES));
    known.extend(has_own.then_some(SELF_HOSTED));
    if named.is_empty() {
        return Ok(known);
    }
    let mut wanted: Vec<&str> = named.split(',').collect();
    wanted.sort_unstable();
    wanted.dedup();
    for lane in &wanted {
        if *lane == SELF_HOSTED && !has_own {
            bail!(
                "lane self-hosted: there is no runner; .github/MAINTAINING.md says how to configure one (variable BENCH_RUNNER)"
            );
        }
        ensure!(
            known.contains(lane),
            "there is no lane '{lane}'; there are: {}",
            known.join(" ")
        );
    }
    Ok(wanted)
}

/// The labels of the machine of our own; none where there is no such machine.
fn own_runner(labels: &str) -> anyhow::Result<Vec<String>> {
    if labels.is_empty() {
        return Ok(Vec::new());
    }
    let parsed = serde_json::from_str(labels).ok();
    let parsed = parsed.filter(|labels: &Vec<String>| !labels.is_empty());
    parsed.with_context(|| {
        format!("variable BENCH_RUNNER '{labels}': write a JSON array of labels, as in [\"self-hosted\", \"bench\"]")
    })
}

/// Nothing, or names with commas between: they stand in outputs of steps and on command lines.
fn are_names(list: &str) -> bool {
    list.is_empty() || list.split(',').all(is_name)
}

mod schemas;
#[cfg(test)]
mod tests;
