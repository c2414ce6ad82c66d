//! `bench ci`: what the workflows of this repository must know before they start jobs.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, bail, ensure};
use apps::catalog::{App, Catalog};
use apps::profile::Profiles;
use jiff::Timestamp;
use measure::compare::changes::between;
use measure::compare::sides::Repository;
use model::WEEKLY;
use model::store::is_name;
use serde::{Deserialize, Serialize};

use crate::cli::{Outcome, clock, print};

/// The kinds of runs that a week has; the site reads the same file.
const SCHEDULE: &str = include_str!("../../../../../../.github/scripts/schedule.json");
const MAIN: &str = "refs/heads/main";
const SELF_HOSTED: &str = "self-hosted";
const PROBES: &str = "probes";

const EXAMPLES: &str = "\
Both print lines `name=value`, as $GITHUB_OUTPUT takes them.

Examples:
  bench ci touched --base main --workspace apps/postgres
  LANES=hosted-x64 PROFILE=smoke PUBLISH=false bench ci lanes";

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
    /// A lane that is measured on another runner as well: the one before or the next one.
    #[serde(default)]
    lane: Option<String>,
    /// The labels of that runner.
    #[serde(default)]
    runner: Option<Vec<String>>,
}

/// One job of the matrix of benchmark.yml.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct LaneJob {
    lane: String,
    architecture: &'static str,
    runner: Vec<String>,
    /// The protected environment; empty for none.
    environment: &'static str,
    /// Where its results are below bench-results/; no other kind of run changes it.
    folder: String,
    branch: String,
    /// Whether its summary and chart are committed, besides its figures: of one lane, which README.md is about.
    summary: bool,
    /// The group of cases, of probes; empty for all.
    group: String,
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
    let other = scheduled.and_then(|entry| Some((entry.lane.as_deref()?, entry.runner.clone()?)));
    let machines = Machines::new(&value("RUNNER"), other.as_ref())?;
    // A profile without a day of its own is one of servers that work alone.
    let usual = schedule
        .iter()
        .find(|entry| entry.profile == settings.profile && entry.runner.is_none());
    let probes = usual.map_or(Some("all"), |entry| entry.probes.as_deref());
    let named = or(value("LANES"), other.as_ref().map_or("", |(lane, _)| lane));
    let wanted = wanted(&named, probes.is_some(), !machines.own.is_empty())?;
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

    // A run of some apps, scenarios or rounds is in no series, and its summary is not committed.
    let is_partial = [&settings.apps, &settings.scenarios, &settings.rounds]
        .iter()
        .any(|some| !some.is_empty());
    let kind = match (is_partial, other.is_some(), settings.profile.as_str()) {
        (true, ..) => "partial".to_owned(),
        (false, true, WEEKLY) => "beside".to_owned(),
        (false, true, profile) => format!("{profile}-beside"),
        (false, false, WEEKLY) => String::new(),
        (false, false, profile) => profile.to_owned(),
    };
    let readme_lane = or(value("README_LANE"), "hosted-x64");
    let group = probes.filter(|group| *group != "all").unwrap_or_default();
    let of_probes = if settings.apps.is_empty() { group } else { "partial" };
    let job = |lane: &&str| {
        let (kind, group) = if *lane == PROBES {
            (of_probes, group)
        } else {
            (kind.as_str(), "")
        };
        let summary = *lane == readme_lane && !is_partial && other.is_none();
        LaneJob {
            summary,
            ..machines.job(lane, kind, group)
        }
    };
    let jobs: Vec<LaneJob> = wanted.iter().map(job).collect();
    let builders = [("x64", &machines.x64), ("arm64", &machines.arm64)]
        .into_iter()
        .filter(|(architecture, _)| jobs.iter().any(|job| job.architecture == *architecture))
        .map(|(architecture, runner)| (architecture, &runner[0]));
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

/// The labels of the machines.
struct Machines {
    x64: Vec<String>,
    arm64: Vec<String>,
    own: Vec<String>,
}

impl Machines {
    /// The usual ones, and for one lane perhaps `other`.
    fn new(own: &str, other: Option<&(&str, Vec<String>)>) -> anyhow::Result<Self> {
        let labels = |lane: &str, usual: &[&str]| match other {
            Some((of, labels)) if *of == lane => labels.clone(),
            _ => usual.iter().map(|label| (*label).to_owned()).collect(),
        };
        let parsed: Vec<String> = if own.is_empty() {
            Vec::new()
        } else {
            let labels = serde_json::from_str(own)
                .ok()
                .filter(|labels: &Vec<String>| !labels.is_empty());
            labels.with_context(|| {
                format!(
                    "variable BENCH_RUNNER '{own}': write a JSON array of labels, as in [\"self-hosted\", \"bench\"]"
                )
            })?
        };
        let usual: Vec<&str> = parsed.iter().map(String::as_str).collect();
        Ok(Self {
            x64: labels("hosted-x64", &["ubuntu-24.04"]),
            arm64: labels("hosted-arm64", &["ubuntu-24.04-arm"]),
            own: labels(SELF_HOSTED, &usual),
        })
    }

    fn job(&self, lane: &str, kind: &str, group: &str) -> LaneJob {
        // A hyphen in the branch: git cannot have a/b besides a branch a.
        let joined = |by: &str| {
            if kind.is_empty() {
                lane.to_owned()
            } else {
                format!("{lane}{by}{kind}")
            }
        };
        let (architecture, runner) = match lane {
            "hosted-arm64" => ("arm64", &self.arm64),
            SELF_HOSTED => ("x64", &self.own),
            _ => ("x64", &self.x64),
        };
        LaneJob {
            architecture,
            runner: runner.clone(),
            environment: if lane == SELF_HOSTED { SELF_HOSTED } else { "" },
            folder: joined("/"),
            branch: format!("bench-results/{}", joined("-")),
            lane: lane.to_owned(),
            summary: false,
            group: group.to_owned(),
        }
    }
}

/// Nothing, or names with commas between: they stand in outputs of steps and on command lines.
fn are_names(list: &str) -> bool {
    list.is_empty() || list.split(',').all(is_name)
}

#[cfg(test)]
mod tests;
