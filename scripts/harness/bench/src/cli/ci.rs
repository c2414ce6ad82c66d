//! `bench ci`: what the workflows of this repository must know before they start jobs.

use std::path::PathBuf;

use anyhow::{Context, bail, ensure};
use jiff::Timestamp;
use measure::catalog::{App, Catalog};
use measure::compare::changes::between;
use measure::compare::sides::Repository;
use measure::profile::Profiles;
use model::WEEKLY;
use serde::{Deserialize, Serialize};

use super::{Outcome, clock, print};

/// The kinds of runs that a week has; the site reads the same file.
const SCHEDULE: &str = include_str!("../../../../../.github/scripts/schedule.json");
const MAIN: &str = "refs/heads/main";
const SELF_HOSTED: &str = "self-hosted";
const PROBES: &str = "probes";

const EXAMPLES: &str = "\
Both print lines `name=value`, as $GITHUB_OUTPUT takes them.

Examples:
  bench ci touched --base main --workspace apps/postgres
  LANES=hosted-x64 PROFILE=smoke PUBLISH=false bench ci lanes";

/// What the workflows ask before they start jobs
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
    /// The block of README.md that shows it.
    #[serde(default)]
    readme: Option<String>,
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
    /// The block of README.md that shows it; empty for none.
    readme: String,
    /// The group of cases, of probes; empty for all.
    group: String,
}

/// What all lanes measure.
#[derive(Debug, Serialize)]
struct Asked {
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
    let or = |name: &str, default: &str| {
        Some(value(name))
            .filter(|value| !value.is_empty())
            .unwrap_or_else(|| default.to_owned())
    };
    let scheduled = match value("SCHEDULE") {
        cron if cron.is_empty() => None,
        cron => {
            let entry = schedule.iter().find(|entry| entry.cron == cron);
            Some(entry.with_context(|| {
                format!("schedule '{cron}' is not in schedule.json: write it there, with its profile")
            })?)
        }
    };
    let profile = or("PROFILE", scheduled.map_or(WEEKLY, |entry| &entry.profile));
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
    let publish = or("PUBLISH", "true");
    let publish: bool = publish
        .parse()
        .with_context(|| format!("publish '{publish}': write true or false"))?;

    let other = scheduled.and_then(|entry| Some((entry.lane.as_deref()?, entry.runner.clone()?)));
    let labels = |lane: &str, usual: Vec<String>| {
        other
            .clone()
            .filter(|(of, _)| *of == lane)
            .map_or(usual, |(_, labels)| labels)
    };
    let own = match value("RUNNER") {
        text if text.is_empty() => Vec::new(),
        text => serde_json::from_str(&text)
            .ok()
            .filter(|labels: &Vec<String>| !labels.is_empty())
            .with_context(|| {
                format!(
                    "variable BENCH_RUNNER '{text}': write a JSON array of labels, as in [\"self-hosted\", \"bench\"]"
                )
            })?,
    };
    let x64 = labels("hosted-x64", vec!["ubuntu-24.04".into()]);
    let arm64 = labels("hosted-arm64", vec!["ubuntu-24.04-arm".into()]);
    let own = labels(SELF_HOSTED, own);

    // A profile without a day of its own is one of servers that work alone.
    let usual = schedule
        .iter()
        .find(|entry| entry.profile == profile && entry.runner.is_none());
    let probes = usual.map_or(Some("all"), |entry| entry.probes.as_deref());
    let mut known = vec!["hosted-arm64", "hosted-x64"];
    known.extend(probes.map(|_| PROBES));
    known.extend((!own.is_empty()).then_some(SELF_HOSTED));
    let named = or("LANES", other.as_ref().map_or("", |(lane, _)| lane));
    let mut wanted: Vec<&str> = if named.is_empty() {
        known.clone()
    } else {
        named.split(',').collect()
    };
    wanted.sort_unstable();
    wanted.dedup();
    for lane in &wanted {
        if *lane == SELF_HOSTED && own.is_empty() {
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
    // What is published, or runs on a machine of our own, comes from the branch that was reviewed.
    let branch = value("REF");
    if branch != MAIN {
        ensure!(
            !publish,
            "only main is published, and this is '{branch}'; set publish to false to measure it"
        );
        ensure!(
            !wanted.contains(&SELF_HOSTED),
            "only main runs on the self-hosted runner, and this is '{branch}'"
        );
    }

    // A run of some apps, scenarios or rounds is in no series, and README.md does not show it.
    let is_partial = !(apps.is_empty() && scenarios.is_empty() && rounds.is_empty());
    let kind = if profile == WEEKLY { "" } else { &profile };
    let kind = match (is_partial, other.is_some()) {
        (true, _) => "partial".to_owned(),
        (false, true) => [kind, "beside"]
            .iter()
            .filter(|part| !part.is_empty())
            .copied()
            .collect::<Vec<_>>()
            .join("-"),
        (false, false) => kind.to_owned(),
    };
    let shown = usual
        .and_then(|entry| entry.readme.as_deref())
        .filter(|_| !is_partial && other.is_none());
    let group = probes.filter(|group| *group != "all").unwrap_or_default();
    let readme_lane = or("README_LANE", "hosted-x64");
    let jobs: Vec<LaneJob> = wanted
        .iter()
        .map(|lane| {
            let is_of_probes = *lane == PROBES;
            let kind = match (is_of_probes, apps.is_empty()) {
                (true, true) => group,
                (true, false) => "partial",
                (false, _) => &kind,
            };
            // A hyphen in the branch: git cannot have a/b besides a branch a.
            let joined = |by: &str| {
                if kind.is_empty() {
                    (*lane).to_owned()
                } else {
                    format!("{lane}{by}{kind}")
                }
            };
            let (architecture, runner) = match *lane {
                "hosted-arm64" => ("arm64", &arm64),
                SELF_HOSTED => ("x64", &own),
                _ => ("x64", &x64),
            };
            LaneJob {
                lane: (*lane).to_owned(),
                architecture,
                runner: runner.clone(),
                environment: if *lane == SELF_HOSTED { SELF_HOSTED } else { "" },
                folder: joined("/"),
                branch: format!("bench-results/{}", joined("-")),
                readme: shown.filter(|_| *lane == readme_lane).unwrap_or_default().to_owned(),
                group: if is_of_probes { group.to_owned() } else { String::new() },
            }
        })
        .collect();
    let builders = [("x64", &x64), ("arm64", &arm64)]
        .into_iter()
        .filter(|(architecture, _)| jobs.iter().any(|job| job.architecture == *architecture))
        .map(|(architecture, runner)| serde_json::json!({ "architecture": architecture, "runner": runner[0] }));
    let builders: Vec<_> = builders.collect();
    let asked = Asked {
        profile,
        apps,
        scenarios,
        rounds,
        publish,
        started: Timestamp::from_second(now.as_second())?,
    };
    let [jobs, builders, asked] = [
        serde_json::to_string(&jobs)?,
        serde_json::to_string(&builders)?,
        serde_json::to_string(&asked)?,
    ];
    Ok(format!("lanes={jobs}\nbuilders={builders}\nrun={asked}\n"))
}

/// Nothing, or names with commas between: they stand in lines of $GITHUB_OUTPUT and on command lines.
fn are_names(list: &str) -> bool {
    let is_name = |name: &str| {
        let mut letters = name.bytes();
        letters
            .next()
            .is_some_and(|first| first.is_ascii_lowercase() || first.is_ascii_digit())
            && letters.all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == b'-')
    };
    list.is_empty() || list.split(',').all(is_name)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::{Value, json};

    use super::*;

    fn schedule() -> Vec<Entry> {
        serde_json::from_str(SCHEDULE).unwrap()
    }

    /// What is planned with these settings, on main if they do not say otherwise.
    fn planned_by(schedule: &[Entry], settings: &[(&str, &str)]) -> anyhow::Result<[Value; 3]> {
        let value = |name: &str| {
            let found = settings.iter().find(|(key, _)| *key == name);
            found
                .map_or(if name == "REF" { MAIN } else { "" }, |(_, value)| value)
                .to_owned()
        };
        let now = "2026-11-23T00:23:00.5Z".parse().unwrap();
        let lines = lanes(&value, schedule, now)?;
        let values: Vec<Value> = ["lanes=", "builders=", "run="]
            .into_iter()
            .zip(lines.lines())
            .map(|(name, line)| serde_json::from_str(line.strip_prefix(name).unwrap()).unwrap())
            .collect();
        Ok(values.try_into().unwrap())
    }

    fn planned(settings: &[(&str, &str)]) -> [Value; 3] {
        planned_by(&schedule(), settings).unwrap()
    }

    #[test]
    fn a_schedule_measures_everything_on_every_machine_there_is() {
        let [lanes, builders, run] = planned(&[("SCHEDULE", "23 0 * * 1")]);
        let lane = |lane, architecture, label, readme| {
            json!({"lane": lane, "architecture": architecture, "runner": [label], "environment": "", "folder": lane,
                "branch": format!("bench-results/{lane}"), "readme": readme, "group": ""})
        };
        assert_eq!(
            lanes,
            json!([
                lane("hosted-arm64", "arm64", "ubuntu-24.04-arm", ""),
                lane("hosted-x64", "x64", "ubuntu-24.04", "results"),
                lane("probes", "x64", "ubuntu-24.04", "")
            ])
        );
        assert_eq!(
            builders,
            json!([{"architecture": "x64", "runner": "ubuntu-24.04"}, {"architecture": "arm64", "runner": "ubuntu-24.04-arm"}])
        );
        assert_eq!(
            run,
            json!({"profile": "weekly", "apps": "", "scenarios": "", "rounds": "", "publish": true, "started": "2026-11-23T00:23:00Z"})
        );
        let [own, ..] = planned(&[
            ("RUNNER", r#"["self-hosted", "bench"]"#),
            ("README_LANE", "self-hosted"),
        ]);
        let wanted = json!({"lane": "self-hosted", "architecture": "x64", "runner": ["self-hosted", "bench"],
            "environment": "self-hosted", "folder": "self-hosted", "branch": "bench-results/self-hosted", "readme": "results", "group": ""});
        assert_eq!(own[3], wanted);
        assert_eq!(own[1]["readme"], "", "README.md shows one lane");
    }

    #[test]
    fn each_kind_of_run_has_a_day_and_files_of_its_own() {
        let mut places: BTreeSet<(String, String)> = BTreeSet::new();
        let mut add = |settings: &[(&str, &str)]| {
            let [lanes, ..] = planned(settings);
            for lane in lanes.as_array().unwrap() {
                places.insert((
                    lane["folder"].as_str().unwrap().into(),
                    lane["branch"].as_str().unwrap().into(),
                ));
            }
            lanes
        };
        for (cron, folder, readme, probes) in [
            ("23 0 * * 1", "hosted-x64", "results", json!(["probes", ""])),
            (
                "23 0 * * 2",
                "hosted-x64/database",
                "database-results",
                json!(["probes/database", "database"]),
            ),
            ("23 0 * * 3", "hosted-x64/drivers", "", Value::Null),
            ("23 0 * * 4", "hosted-x64/services", "", Value::Null),
            ("23 0 * * 5", "hosted-x64/variants", "", Value::Null),
        ] {
            let lanes = add(&[("SCHEDULE", cron)]);
            assert_eq!(
                (&lanes[1]["folder"], &lanes[1]["readme"]),
                (&json!(folder), &json!(readme)),
                "{cron}"
            );
            let found = lanes.get(2).map(|lane| json!([lane["folder"], lane["group"]]));
            assert_eq!(found.unwrap_or_default(), probes, "{cron}");
        }
        for by_hand in [("PROFILE", "smoke"), ("ROUNDS", "1"), ("APPS", "axum")] {
            let lanes = add(&[by_hand]);
            assert_eq!(lanes[1]["readme"], "", "README.md shows whole runs only");
            assert_ne!(lanes[1]["folder"], "hosted-x64");
        }
        // Git keeps branches as files: none may be a folder of another. And no two may share one, or a folder.
        for (folder, branch) in &places {
            let same = places
                .iter()
                .filter(|(other, of)| (other == folder) != (of == branch) || of.starts_with(&format!("{branch}/")));
            assert_eq!(same.count(), 0, "{folder}, {branch}: {places:?}");
        }
        assert_eq!(places.len(), 17, "{places:?}");
    }

    #[test]
    fn a_lane_is_measured_on_two_runners_side_by_side() {
        let mut schedule = schedule();
        let second =
            json!({"cron": "23 9 * * 1", "profile": "weekly", "lane": "hosted-x64", "runner": ["ubuntu-22.04"]});
        schedule.push(serde_json::from_value(second).unwrap());
        let [lanes, builders, _] = planned_by(&schedule, &[("SCHEDULE", "23 9 * * 1")]).unwrap();
        assert_eq!(lanes.as_array().unwrap().len(), 1);
        let lane = &lanes[0];
        assert_eq!(lane["branch"], "bench-results/hosted-x64-beside");
        assert_eq!(
            (&lane["folder"], &lane["readme"]),
            (&json!("hosted-x64/beside"), &json!(""))
        );
        assert_eq!(
            (&lane["runner"], &builders[0]["runner"]),
            (&json!(["ubuntu-22.04"]), &json!("ubuntu-22.04"))
        );
        let [first, ..] = planned_by(&schedule, &[("SCHEDULE", "23 0 * * 1")]).unwrap();
        assert_eq!(
            (&first[1]["readme"], &first[1]["runner"]),
            (&json!("results"), &json!(["ubuntu-24.04"]))
        );
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let runner = ("RUNNER", r#"["bench"]"#);
        for (settings, told) in [
            (vec![("LANES", "hosted-x46")], "no lane 'hosted-x46'"),
            (vec![("LANES", "self-hosted")], "there is no runner"),
            (vec![("RUNNER", "bench")], "a JSON array of labels"),
            (vec![("RUNNER", "[]")], "a JSON array of labels"),
            (vec![("PROFILE", "$(id)")], "is none"),
            (vec![("APPS", "axum; id")], "ids with commas"),
            (vec![("APPS", "--out=/")], "ids with commas"),
            (vec![("SCENARIOS", "a\nlanes={}")], "names with commas"),
            (vec![("ROUNDS", "-1")], "a number"),
            (vec![("PUBLISH", "maybe")], "true or false"),
            (vec![("SCHEDULE", "23 0 * * 6")], "is not in schedule.json"),
            (vec![("REF", "refs/heads/other")], "only main is published"),
            (
                vec![("REF", "refs/heads/other"), ("PUBLISH", "false"), runner],
                "only main runs on the self-hosted",
            ),
        ] {
            let error = planned_by(&schedule(), &settings).unwrap_err().to_string();
            assert!(error.contains(told), "{settings:?}: {error}");
        }
        let [lanes, builders, _] = planned(&[("REF", "refs/heads/other"), ("PUBLISH", "false"), ("LANES", "probes")]);
        assert_eq!(
            (&lanes[0]["lane"], builders.as_array().unwrap().len()),
            (&json!("probes"), 1)
        );
    }
}
