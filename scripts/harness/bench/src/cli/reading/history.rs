//! `bench history`.

use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use clap::ValueEnum;

use crate::cli::{Outcome, clock, print, print_json, results_folder};
use crate::lockfiles::CommittedLockfiles;
use analyze::history::{HistoryReport, Timeline, judge};
use analyze::reading;
use apps::profile::Profiles;
use model::probe::PROBES;
use model::store;
use model::{Lane, Record, WEEKLY};
use report::{history_alarm, history_markdown, history_news, history_state, probe_changes};

const EXAMPLES: &str = "\
Examples:
  bench history --lane hosted-x64 --results ../pages/runs
                                                  all whole weekly runs of gh-pages
  bench history --lane local                      of the records in bench-results
  bench history --csv figures.csv                 date,app,scenario,metric,value; more
                                                  columns may be causes
  bench history --lane local --scenario plaintext --app axum
  bench history --lane local --format alarm       what a maintainer must look at
  bench history --probes                          which cases of `bench probe` began or
                                                  ceased to fail

A change is one app's, relative to the median of all apps of the same run: a
machine that is slower for all is no change. Two or more runs on the new level
confirm it; the last run alone is only a suspicion. What was confirmed is never
withdrawn, but may end. Each change lists what else differed in that
run: versions of crates in the lockfile (from git, by the commits of the records),
compiler, kernel, image. If nearly all move, the reference decides who changed
(in a CSV: the rows with role `reference`). Without one, nothing is better or worse.

Exit status: 0 done, 1 with --format alarm if there is an alarm, 2 could not be
carried out.";

/// Show what changed over all runs, how certain that is, and why
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Lane to read [default: the only one with records]
    #[arg(long, value_enum, value_name = "LANE")]
    lane: Option<Lane>,
    /// Profile of the runs [default: weekly, or the newest whole run's where there is no weekly one]
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// Read a long-form CSV file instead: date,app,scenario,metric,value and more columns
    #[arg(long, value_name = "FILE", conflicts_with_all = ["lane", "profile", "results"])]
    csv: Option<PathBuf>,
    /// Show probes instead: the cases that began or ceased to fail
    #[arg(long, conflicts_with_all = ["lane", "profile", "csv", "scenario", "metric"])]
    probes: bool,
    /// Only changes of these apps
    #[arg(long, value_delimiter = ',', value_name = "ID")]
    app: Vec<String>,
    /// Only changes in these scenarios
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    scenario: Vec<String>,
    /// Only changes of these metrics, as in `server_cpu_us_per_request`
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    metric: Vec<String>,
    /// What is printed
    #[arg(long, value_enum, default_value_t)]
    format: Shape,
    /// Folder of the results, with a folder for each lane [default: bench-results of the repository]
    #[arg(long, value_name = "DIR")]
    results: Option<PathBuf>,
}

/// What is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Shape {
    /// Tables for people, which are Markdown too
    #[default]
    Text,
    /// Everything, for programs
    Json,
    /// The body of an issue: confirmed regressions that still stand; nothing if there are none
    Alarm,
    /// A section of a pull request's body: what the newest run adds
    News,
    /// One line: which apps became worse; nothing if none did
    State,
}

pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    if args.probes {
        return probes(args);
    }
    let timeline = match &args.csv {
        Some(path) => csv(path)?,
        None => records(args)?,
    };
    timeline.undirected().iter().for_each(|reason| crate::cli::warn(reason));
    let lockfiles = CommittedLockfiles::of_this_repository();
    let mut report = judge(&timeline, &lockfiles);
    if args.format == Shape::News {
        let before = timeline.until(timeline.runs.len().saturating_sub(1));
        report = report.without(&judge(&before, &lockfiles));
    }
    narrow(&mut report, &timeline, args)?;
    let has_alarm = report.alarms().next().is_some();
    match args.format {
        Shape::Text => print(&history_markdown(&report))?,
        Shape::Json => print_json(&report)?,
        Shape::News => print(&history_news(&report))?,
        Shape::Alarm => print(&history_alarm(&report).unwrap_or_default())?,
        Shape::State if has_alarm => print(&format!("{}\n", history_state(&report)))?,
        Shape::State => {}
    }
    Ok(Outcome::failed_if(args.format == Shape::Alarm && has_alarm))
}

fn csv(path: &Path) -> anyhow::Result<Timeline> {
    let shown = path.display().to_string();
    let file = File::open(path).with_context(|| format!("cannot read {shown}"))?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    Timeline::from_csv(&name, file).context(shown)
}

fn records(args: &Args) -> anyhow::Result<Timeline> {
    let results = results_folder(args.results.as_deref());
    let lane = match args.lane {
        Some(lane) => lane,
        None => only_lane(&results)?,
    };
    let (name, now) = (lane.name(), clock::now());
    let mut records = reading::records_of_lane(&results, lane)?;
    records.retain(|record| {
        if record.is_after(now) {
            crate::cli::warn(&format!(
                "left out: {} of lane {name} is from the future; now it is {now}",
                record.id
            ));
        }
        !record.is_after(now) && !record.measures_costs()
    });
    let known: Vec<String> = records.iter().map(|record| record.profile.clone()).collect();
    let unknown = |profile: &&String| !known.contains(profile) && Profiles::built_in().profile(profile).is_none();
    if let Some(profile) = args.profile.as_ref().filter(unknown).filter(|_| !known.is_empty()) {
        let known = known.iter().map(String::as_str);
        return Err(apps::suggest::unknown("profile", profile, known));
    }
    // A series holds one kind of run; partial runs belong to none.
    records.retain(Record::is_whole);
    let newest = records.iter().max_by_key(|record| record.started_at);
    // As on the site: a smoke run, made by hand, is not what the lane is about.
    let weekly = records.iter().find(|record| record.profile == WEEKLY);
    let usual = weekly.or(newest).map(|record| record.profile.clone());
    let Some(profile) = args.profile.clone().or(usual).filter(|_| !known.is_empty()) else {
        let whole = if known.is_empty() { "" } else { "of a whole run " };
        bail!(
            "there is no record {whole}of lane {name} in {}; `bench run --lane {name}` makes one",
            results.display()
        );
    };
    records.retain(|record| record.profile == profile);
    Ok(Timeline {
        lane: name.to_owned(),
        profile: Some(profile),
        ..Timeline::from_records(&records)
    })
}

fn only_lane(results: &Path) -> anyhow::Result<Lane> {
    let records = store::all(results);
    let has_records = |lane: &Lane| {
        let folder = results.join(lane.name());
        records.iter().any(|path| path.parent() == Some(&*folder))
    };
    let lanes: Vec<Lane> = Lane::ALL.into_iter().filter(has_records).collect();
    match lanes.as_slice() {
        [lane] => Ok(*lane),
        [] => bail!("there is no record in {}; `bench run` makes one", results.display()),
        some => {
            let names: Vec<&str> = some.iter().map(|lane| lane.name()).collect();
            bail!(
                "several lanes have records: name one of {} with --lane",
                names.join(", ")
            )
        }
    }
}

/// Keeps what the options name. All figures were judged, because the others show what all have in common.
fn narrow(report: &mut HistoryReport, timeline: &Timeline, args: &Args) -> anyhow::Result<()> {
    let series = || timeline.series.iter();
    let apps = || series().flat_map(|series| series.rows.keys().map(|subject| subject.app.as_str()));
    check("app", &args.app, apps())?;
    check(
        "scenario",
        &args.scenario,
        series().map(|series| series.scenario.as_str()),
    )?;
    check("metric", &args.metric, series().map(|series| series.metric.as_str()))?;
    let among = |wanted: &[String], name: &String| wanted.is_empty() || name.is_empty() || wanted.contains(name);
    for changes in [&mut report.changes, &mut report.common, &mut report.drifts] {
        changes.retain(|change| {
            among(&args.app, &change.app)
                && among(&args.scenario, &change.scenario)
                && among(&args.metric, &change.metric)
        });
    }
    Ok(())
}

fn check<'a>(kind: &str, wanted: &[String], known: impl Iterator<Item = &'a str> + Clone) -> anyhow::Result<()> {
    let strange = wanted.iter().find(|name| !known.clone().any(|one| one == *name));
    match strange {
        Some(name) => Err(apps::suggest::unknown(kind, name, known)),
        None => Ok(()),
    }
}

/// Changes of what breaks. With --format news, only the newest probes'.
fn probes(args: &Args) -> anyhow::Result<Outcome> {
    let results = results_folder(args.results.as_deref());
    let records = reading::whole_probes(&results, clock::now())?;
    ensure!(
        !records.is_empty(),
        "there is no record of whole probes in {}; `bench probe --out {}` makes one",
        results.join(PROBES).display(),
        results.display()
    );
    let apps = records
        .iter()
        .flat_map(|record| record.apps.iter().map(|app| app.id.as_str()));
    check("app", &args.app, apps)?;
    let lockfiles = CommittedLockfiles::of_this_repository();
    let mut story = analyze::probes::story(&records, &lockfiles);
    let newest = story.runs.last().map(|run| run.id.clone());
    story.changes.retain(|change| {
        let is_news = args.format != Shape::News || Some(&change.run) == newest.as_ref();
        is_news && (args.app.is_empty() || args.app.contains(&change.app))
    });
    match args.format {
        Shape::News if story.changes.is_empty() => {}
        Shape::Text | Shape::News => print(&probe_changes(&story))?,
        Shape::Json => print_json(&story)?,
        Shape::Alarm | Shape::State => bail!("--probes has no alarm and no state; use --format text, json or news"),
    }
    Ok(Outcome::Fine)
}
