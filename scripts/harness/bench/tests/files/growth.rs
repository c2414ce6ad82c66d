//! How much a week adds to `main` and to gh-pages: all scheduled profiles on two lanes, with the apps, scenarios and rounds of today, and
//! trials that were measured with all their digits.

use std::fs;
use std::process::Command;

use analyze::reading;
use apps::build::describe;
use apps::profile::Profiles;
use measure::plan::{Plan, RunOptions};
use model::store::{LARGEST, gzip, read_text};
use model::{AppRecord, Record, Trial};
use report::export::{Measure, github_action_benchmark};
use report::publish::{Fact, Published, add};
use report::site::{self, CommittedFigures};
use report::{Around, OVERVIEW, Readme, charts, published_markdown};
use serde_json::Value;

use crate::files::command::{catalog, root};

const SCHEDULE: &str = include_str!("../../../../../.github/scripts/schedule.json");
/// Most bytes that a week adds to `main`, compressed as git does it, without what it saves where a file hardly changed.
const MAIN: usize = 250_000;
/// Most bytes of one lane's and profile's figures.
const FIGURES: usize = 100_000;
/// Most bytes that a week adds to gh-pages.
const PAGES: usize = 3_000_000;
/// Most bytes of what is committed in bench-results.
const RESULTS: u64 = 5_000_000;
/// What github-action-benchmark stores of a figure besides its value, name, unit, range and note.
const OF_THE_ACTION: usize = 40;

/// A whole run of this profile: the plan of today, filled with trials that were measured.
fn whole_run(profile: &str, like: &Record) -> Record {
    let options = RunOptions {
        profile: Some(profile.to_owned()),
        seed: Some(1),
        ..RunOptions::default()
    };
    let plan = Plan::new(&options, catalog(), &Profiles::built_in()).unwrap();
    let mut record = like.clone();
    (record.profile, record.harness.rounds) = (profile.to_owned(), plan.rounds);
    record.apps = plan
        .subjects
        .iter()
        .filter_map(|subject| {
            let app = catalog().app(&subject.app)?; // not a control, which has a few trials
            Some(describe(app, app.variant(&subject.variant).unwrap(), None, None))
        })
        .collect();
    record.scenarios.clone_from(&plan.scenarios);
    // Each app as one that was measured, in a scenario that was measured.
    let place = |trial: &&Trial, app: usize, scenario: usize| {
        trial.app == like.apps[app % like.apps.len()].id
            && trial.scenario == like.scenarios[scenario % like.scenarios.len()].id
    };
    record.trials.clear();
    for round in 1..=plan.rounds {
        for (subject, scenario) in plan.round(round) {
            let is_it = |known: &AppRecord| (&known.id, &known.variant) == (&subject.app, &subject.variant);
            let Some(app) = record.apps.iter().position(is_it) else {
                continue;
            };
            let scenario = plan.scenarios.iter().position(|known| known == scenario).unwrap();
            let measured: Vec<&Trial> = like.trials.iter().filter(|trial| place(trial, app, scenario)).collect();
            let trial = measured[round as usize % measured.len()];
            // Where it stands for several scenarios, with figures of their own: what is alike would be compressed away.
            let times = |figure: Option<f64>| figure.map(|figure| figure * (1.0 + scenario as f64 * 0.1737));
            record.trials.push(Trial {
                goodput_rps: times(trial.goodput_rps),
                server_cpu_us_per_request: times(trial.server_cpu_us_per_request),
                app: subject.app.clone(),
                variant: subject.variant.clone(),
                scenario: plan.scenarios[scenario].id.clone(),
                round,
                ..trial.clone()
            });
        }
    }
    reading::parse("record.json".as_ref(), &serde_json::to_string(&record).unwrap()).unwrap()
}

#[test]
fn a_week_fits_into_what_a_week_may_add() {
    let path = root().join("bench-results/local/sessions/20261126T075437Z-9e1c.json.gz");
    let mut like = reading::parse(&path, &read_text(&path, LARGEST).unwrap()).unwrap();
    like.trials.iter_mut().for_each(|trial| trial.slices = None);
    let schedule: Vec<Value> = serde_json::from_str(SCHEDULE).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (mut main, mut pages, mut lines) = (0, 0, Vec::new());
    for day in &schedule {
        let profile = day["profile"].as_str().unwrap();
        let record = whole_run(profile, &like);
        let added = add(folder.path(), &[Fact::of_record(folder.path(), record.clone())]).unwrap();
        let published = Published::at(&added[0], "https://github.com/owner/name/blob/gh-pages/runs").unwrap();
        let stored = fs::read(&added[0]).unwrap().len();
        let charted = (profile == "weekly").then(|| github_action_benchmark(&record, Measure::Cpu).benches);
        let charted: usize = charted
            .iter()
            .flatten()
            .map(|bench| serde_json::to_string_pretty(&bench).unwrap().len() + OF_THE_ACTION)
            .sum();

        let figures = site::text(&CommittedFigures::of(&record, &published));
        assert!(figures.len() <= FIGURES, "{profile}: {}", figures.len());
        let compressed = gzip(&figures).len();
        let overview = charts(&record)
            .into_iter()
            .find(|(name, _)| name == OVERVIEW)
            .unwrap()
            .1;
        let mut of_readme = vec![published_markdown(&record, "charts", &published), overview];
        if let Some(readme) = Readme::of(&record, None).filter(|_| profile == "weekly") {
            let around = Around {
                charts: &["readme.svg", "readme-narrow.svg"].map(str::to_owned),
                places: &[("summary.md".to_owned(), published.url.clone())],
                sessions: &analyze::analysis::Sessions::default(),
                carried: &analyze::carried::Carried::default(),
                breaks: None,
            };
            of_readme.push(readme.block(&around));
            of_readme.extend(readme.charts());
        }
        let of_readme: usize = of_readme.iter().map(|text| gzip(text).len()).sum();
        main += compressed + of_readme;
        pages += 2 * (stored + charted);
        lines.push(format!(
            "{profile}: {} trials, {} cells; main {compressed} of figures and {of_readme} of one lane; gh-pages {stored} and {charted}",
            record.trials.len(),
            record.summary.len()
        ));
        fs::remove_file(&added[0]).unwrap();
    }
    // What breaks is probed once, of two kinds.
    let probes = |name: &str| root().join("bench-results/probes").join(name);
    main += gzip(&fs::read_to_string(probes("summary.md")).unwrap()).len() * 2;
    pages += fs::read(probes("20261126T010034Z-958.json.gz")).unwrap().len() * 2;
    println!("{}\nmain {main}, gh-pages {pages}", lines.join("\n"));
    assert!(
        main <= MAIN && pages <= PAGES,
        "main {main}, gh-pages {pages}: {lines:#?}"
    );
}

/// A clone has all of it, and nobody takes out what a week brings.
#[test]
fn the_committed_results_are_small() {
    let mut listed = Command::new("git");
    let output = listed
        .args(["ls-files", "-z", "bench-results"])
        .current_dir(root())
        .output()
        .unwrap();
    let listed = String::from_utf8(output.stdout).unwrap();
    let sizes = listed
        .split_terminator('\0')
        .map(|file| fs::metadata(root().join(file)).map_or(0, |file| file.len()));
    let bytes: u64 = sizes.sum();
    assert!(
        (1..=RESULTS).contains(&bytes),
        "{bytes} bytes: put records into a release, or fewer digits into them"
    );
}
