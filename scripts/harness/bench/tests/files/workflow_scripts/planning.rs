//! What is to run: `plan.sh` and `lanes.sh`.

use std::fs;
use std::process::Command;

use apps::catalog::Catalog;
use serde_json::{Value, json};

use super::{CommandOutput, Repository, json_output, output, root, script};

const ALL_JOBS: [&str; 6] = ["workflows", "fmt", "deny", "harness", "dashboard", "app"];

/// Ids of all apps, in order.
fn all_apps() -> Vec<String> {
    let mut ids: Vec<String> = Catalog::read(&root())
        .unwrap()
        .apps
        .into_iter()
        .map(|app| app.id)
        .collect();
    ids.sort();
    ids
}

/// What a change of these files asks for: jobs, and ids of apps.
fn planned(files: &[&str]) -> (Vec<String>, Vec<String>) {
    let repository = Repository::new();
    repository.git(&["switch", "--quiet", "--create", "change"]);
    let files: Vec<_> = files.iter().map(|file| (*file, "# changed\n")).collect();
    repository.commit(&files);
    // What main did since is not this change's doing.
    repository.git(&["switch", "--quiet", "main"]);
    repository.commit(&[("apps/rocket/src/main.rs", "of main\n")]);
    repository.git(&["switch", "--quiet", "change"]);
    plan(&repository, "main")
}

fn plan(repository: &Repository, base: &str) -> (Vec<String>, Vec<String>) {
    let told = CommandOutput::run(repository.script("plan.sh", &["checks", base])).fine();
    let strings = |value: Value| -> Vec<String> { serde_json::from_value(value).unwrap() };
    let apps = json_output(&told, "apps");
    let mut ids: Vec<String> = apps
        .as_array()
        .unwrap()
        .iter()
        .map(|app| app["id"].as_str().unwrap().to_owned())
        .collect();
    ids.sort();
    (strings(json_output(&told, "jobs")), ids)
}

#[test]
fn text_and_results_ask_for_nothing() {
    for file in [
        "README.md",
        "bench-results/local/x.json",
        "apps/README.md",
        "LICENSE-MIT",
    ] {
        assert_eq!(planned(&[file]), (vec![], vec![]), "{file}");
    }
}

const OF_RUST: [&str; 4] = ["fmt", "deny", "harness", "app"];

#[test]
fn an_app_asks_for_itself() {
    let (jobs, apps) = planned(&[
        "apps/axum/src/main.rs",
        "apps/axum/Cargo.toml",
        "apps/reference/src/main.rs",
    ]);
    assert_eq!(
        (jobs, apps),
        (
            OF_RUST.map(String::from).to_vec(),
            vec!["axum".into(), "reference".into()]
        )
    );
}

#[test]
fn the_harness_and_the_workflows_ask_for_no_app() {
    let jobs = |file: &str| {
        let (jobs, apps) = planned(&[file]);
        assert_eq!(apps, Vec::<String>::new(), "{file}");
        jobs
    };
    assert_eq!(
        jobs("scripts/harness/analyze/src/lib.rs"),
        ["fmt", "deny", "harness", "dashboard"]
    );
    assert_eq!(jobs("scripts/dashboard/src/main.ts"), ["workflows", "dashboard"]);
    assert_eq!(jobs("scripts/runner/tune.sh"), ["workflows", "fmt", "deny", "harness"]);
    assert_eq!(jobs(".github/dependabot.yml"), ["workflows"]);
}

#[test]
fn another_base_starts_what_depends_on_it() {
    for (workflow, lines) in [
        (
            "pr-benchmark.yml",
            [
                "types: [opened, synchronize, reopened, ready_for_review, labeled, unlabeled, edited]",
                // accepted.sh reads it.
                "run-name: \"${{ github.event.changes.base && 'base' || github.event.action }}: ${{ github.event.pull_request.title }}\"",
            ],
        ),
        (
            "cargo-checks.yml",
            [
                "types: [opened, synchronize, reopened, ready_for_review, edited]",
                // A new title must not turn the required check green.
                "name: ${{ github.event.action == 'edited' && github.event.changes.base == null && 'Nothing to check' || 'Checks passed' }}",
            ],
        ),
    ] {
        let text = std::fs::read_to_string(root().join(".github/workflows").join(workflow)).unwrap();
        for wanted in lines {
            assert!(text.lines().any(|line| line.trim() == wanted), "{workflow}: {wanted}");
        }
    }
}

#[test]
fn a_title_that_is_edited_asks_for_nothing() {
    let told = CommandOutput::run(Repository::new().script("plan.sh", &["nothing", "main"])).fine();
    assert_eq!(told.stdout, "jobs=[]\napps=[]\n");
}

#[test]
fn a_base_that_is_not_there_is_an_error() {
    let told = CommandOutput::run(Repository::new().script("plan.sh", &["checks", "no-such-commit"]));
    assert_ne!(told.status, Some(0), "{told:#?}");
    assert_eq!(told.stdout, "");
}

/// `lanes.sh` with these settings, on main if they do not say otherwise.
fn lanes(settings: &[(&str, &str)]) -> CommandOutput {
    let mut command: Command = script(".github/scripts/lanes.sh", &[]);
    for unset in [
        "LANES",
        "SCHEDULE",
        "PROFILE",
        "APPS",
        "SCENARIOS",
        "ROUNDS",
        "PUBLISH",
        "RUNNER",
        "README_LANE",
    ] {
        command.env_remove(unset);
    }
    command.env("REF", "refs/heads/main").envs(settings.iter().copied());
    CommandOutput::run(command)
}

#[test]
fn a_schedule_measures_everything_on_every_machine_there_is() {
    let told = lanes(&[]).fine();
    assert_eq!(
        json_output(&told, "lanes"),
        json!({
            "hosted-arm64": {"architecture": "arm64", "runner": ["ubuntu-24.04-arm"],
                "folder": "hosted-arm64", "branch": "bench-results/hosted-arm64", "readme": ""},
            "hosted-x64": {"architecture": "x64", "runner": ["ubuntu-24.04"],
                "folder": "hosted-x64", "branch": "bench-results/hosted-x64", "readme": "results"},
            "probes": {"architecture": "x64", "runner": ["ubuntu-24.04"],
                "folder": "probes", "branch": "bench-results/probes", "group": ""},
        })
    );
    assert_eq!(
        json_output(&told, "jobs"),
        json!([
            "hosted-arm64",
            "hosted-x64",
            "probes",
            "build-bench",
            "build-arm64",
            "build-x64"
        ])
    );
    assert_eq!((output(&told, "profile"), output(&told, "publish")), ("weekly", "true"));
    assert_eq!(
        json_output(&told, "builders"),
        json!({"x64": "ubuntu-24.04", "arm64": "ubuntu-24.04-arm"})
    );
    let started: jiff::Timestamp = output(&told, "started").parse().unwrap();
    let age = jiff::Timestamp::now().as_second() - started.as_second();
    assert!((0..60).contains(&age), "{started}");

    let own = lanes(&[
        ("RUNNER", r#"["self-hosted", "bench"]"#),
        ("README_LANE", "self-hosted"),
    ])
    .fine();
    let lanes = json_output(&own, "lanes");
    assert_eq!(
        lanes["self-hosted"],
        json!({"architecture": "x64", "runner": ["self-hosted", "bench"],
            "folder": "self-hosted", "branch": "bench-results/self-hosted", "readme": "results"})
    );
    assert_eq!(lanes["hosted-x64"]["readme"], json!(""), "README.md shows one lane");
}

/// The kinds of runs that a week has, without those of a second runner.
fn schedule() -> Vec<Value> {
    let text = fs::read_to_string(root().join(".github/scripts/schedule.json")).unwrap();
    let entries: Vec<Value> = serde_json::from_str(&text).unwrap();
    entries.into_iter().filter(|entry| entry["runner"].is_null()).collect()
}

/// A second runner of a lane is an entry of the schedule with a time of its own.
#[test]
fn a_lane_is_measured_on_two_runners_side_by_side() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(root().join(".github/scripts/lanes.sh"), folder.path().join("lanes.sh")).unwrap();
    let mut entries = schedule();
    entries.push(json!({"cron": "23 9 * * 1", "profile": "weekly", "lane": "hosted-x64", "runner": ["ubuntu-22.04"]}));
    fs::write(folder.path().join("schedule.json"), json!(entries).to_string()).unwrap();
    let planned = |cron: &str| {
        let mut command = Command::new(folder.path().join("lanes.sh"));
        command.env("SCHEDULE", cron).env("REF", "refs/heads/main");
        CommandOutput::run(command).fine()
    };
    let second = planned("23 9 * * 1");
    assert_eq!(
        json_output(&second, "lanes"),
        json!({"hosted-x64": {"architecture": "x64", "runner": ["ubuntu-22.04"], "folder": "hosted-x64/beside",
            "branch": "bench-results/hosted-x64-beside", "readme": ""}})
    );
    assert_eq!(json_output(&second, "builders")["x64"], "ubuntu-22.04");
    let first = json_output(&planned("23 0 * * 1"), "lanes");
    assert_eq!(first["hosted-x64"]["readme"], "results");
    assert_ne!(first["hosted-x64"]["runner"], json!(["ubuntu-22.04"]));
}

#[test]
fn each_kind_of_run_has_a_day_and_files_of_its_own() {
    for (cron, profile, lane, probes) in [
        ("23 0 * * 1", "weekly", ("hosted-x64", "results"), Some(("probes", ""))),
        (
            "23 0 * * 2",
            "database",
            ("hosted-x64/database", "database-results"),
            Some(("probes/database", "database")),
        ),
        ("23 0 * * 3", "drivers", ("hosted-x64/drivers", ""), None),
        ("23 0 * * 4", "services", ("hosted-x64/services", ""), None),
        ("23 0 * * 5", "variants", ("hosted-x64/variants", ""), None),
    ] {
        let told = lanes(&[("SCHEDULE", cron)]).fine();
        assert_eq!(output(&told, "profile"), profile);
        let lanes = json_output(&told, "lanes");
        let hosted = &lanes["hosted-x64"];
        assert_eq!(
            (&hosted["folder"], &hosted["readme"]),
            (&json!(lane.0), &json!(lane.1)),
            "{cron}"
        );
        assert_eq!(lanes["hosted-arm64"]["readme"], json!(""), "{cron}");
        let (folder, group) = probes.unzip();
        assert_eq!(
            (lanes["probes"]["folder"].as_str(), lanes["probes"]["group"].as_str()),
            (folder, group),
            "{cron}"
        );
    }
    let told = lanes(&[("SCHEDULE", "23 0 * * 6")]);
    assert_eq!(told.status, Some(1));
    assert!(
        told.error().contains("schedule '23 0 * * 6' is not in schedule.json"),
        "{told:#?}"
    );
}

/// Git keeps branches as files: none may be a folder of another. And no two lanes or kinds of run may share one, or a folder.
#[test]
fn no_two_kinds_of_run_share_a_branch_or_a_folder() {
    let mut places: Vec<(String, String)> = Vec::new();
    let by_hand = [
        vec![("PROFILE", "smoke")],
        vec![("ROUNDS", "1")],
        vec![("APPS", "axum"), ("LANES", "probes")],
    ];
    let crons: Vec<String> = schedule()
        .iter()
        .map(|day| day["cron"].as_str().unwrap().to_owned())
        .collect();
    let scheduled = crons.iter().map(|cron| vec![("SCHEDULE", cron.as_str())]);
    for settings in scheduled.chain(by_hand) {
        let lanes = json_output(&lanes(&settings).fine(), "lanes");
        for lane in lanes.as_object().unwrap().values() {
            let place = |field: &str| lane[field].as_str().unwrap().to_owned();
            places.push((place("folder"), place("branch")));
        }
    }
    // What breaks is asked of all servers whatever the profile or the rounds.
    places.sort();
    places.dedup();
    for (folder, branch) in &places {
        let same = places
            .iter()
            .filter(|(other, of)| (other == folder) != (of == branch) || of.starts_with(&format!("{branch}/")));
        assert_eq!(same.count(), 0, "{folder}, {branch}: {places:?}");
    }
    assert_eq!(places.len(), 17, "{places:?}");
}

#[test]
fn every_place_that_tells_the_schedule_tells_the_same() {
    let text = |name: &str| fs::read_to_string(root().join(name)).unwrap();
    let workflow = text(".github/workflows/weekly-benchmark.yml");
    let told: Vec<&str> = workflow
        .lines()
        .filter_map(|line| line.trim().strip_prefix("- cron: \"")?.split('"').next())
        .collect();
    let all: Vec<Value> = serde_json::from_str(&text(".github/scripts/schedule.json")).unwrap();
    let crons: Vec<&str> = all.iter().map(|day| day["cron"].as_str().unwrap()).collect();
    assert_eq!(told, crons);
    let schedule = schedule();

    let maintaining = text(".github/MAINTAINING.md");
    let rows: Vec<&str> = maintaining
        .lines()
        .skip_while(|line| *line != "| day | profile | block of README.md | probes |")
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .collect();
    let days = [
        "Sunday",
        "Monday",
        "Tuesday",
        "Wednesday",
        "Thursday",
        "Friday",
        "Saturday",
    ];
    let profiles = apps::profile::Profiles::built_in();
    let wanted: Vec<String> = schedule
        .iter()
        .map(|day| {
            let profile = day["profile"].as_str().unwrap();
            assert!(profiles.profile(profile).is_some(), "there is no profile {profile}");
            let cron: Vec<&str> = day["cron"].as_str().unwrap().split(' ').collect();
            let [minute, hour, "*", "*", weekday] = cron[..] else {
                panic!("not once a week: {cron:?}");
            };
            let weekday = days[weekday.parse::<usize>().unwrap()];
            let or_none = |field: &str, none: &str| match day[field].as_str() {
                Some(some) => format!("`{some}`"),
                None => none.to_owned(),
            };
            let probes = match day["probes"].as_str() {
                Some("all") => "every case, for servers without a database or services".to_owned(),
                Some(group) => format!("the group `{group}`"),
                None => "none".to_owned(),
            };
            format!(
                "| {weekday} {hour:0>2}:{minute:0>2} UTC | `{profile}` | {} | {probes} |",
                or_none("readme", "none")
            )
        })
        .collect();
    assert_eq!(rows, wanted);
    let first = wanted[0].split(" UTC").next().unwrap().trim_start_matches("| ");
    assert!(
        text("README.md").contains(&format!("{} UTC", first.replace(' ', ", "))),
        "{first}"
    );
}

#[test]
fn a_run_by_hand_measures_what_it_names_and_readme_shows_whole_runs_only() {
    let told = lanes(&[
        ("LANES", "hosted-arm64"),
        ("PROFILE", "smoke"),
        ("APPS", "axum,actix-web"),
        ("ROUNDS", "3"),
        ("PUBLISH", "false"),
    ])
    .fine();
    assert_eq!(
        json_output(&told, "jobs"),
        json!(["hosted-arm64", "build-bench", "build-arm64"])
    );
    assert_eq!(
        (output(&told, "apps"), output(&told, "rounds")),
        ("axum,actix-web", "3")
    );
    for narrowed in [
        ("APPS", "axum"),
        ("SCENARIOS", "hello"),
        ("ROUNDS", "1"),
        ("PROFILE", "smoke"),
    ] {
        let lanes = json_output(&lanes(&[narrowed]).fine(), "lanes");
        assert_eq!(lanes["hosted-x64"]["readme"], json!(""), "{narrowed:?}");
        assert_ne!(lanes["hosted-x64"]["folder"], json!("hosted-x64"), "{narrowed:?}");
    }
}

#[test]
fn what_breaks_can_be_asked_for_alone() {
    let told = lanes(&[("LANES", "probes")]).fine();
    assert_eq!(
        json_output(&told, "jobs"),
        json!(["probes", "build-bench", "build-x64"])
    );
}

#[test]
fn h2spec_is_the_same_wherever_it_is_installed() {
    let (_, version) = measure::probe::behaviour::h2spec::INSTALL.rsplit_once('@').unwrap();
    for (file, line) in [
        (".github/workflows/probes.yml", format!("@{version}")),
        ("scripts/test", format!("h2spec_version={version}")),
    ] {
        let text = std::fs::read_to_string(root().join(file)).unwrap();
        assert!(text.lines().any(|one| one.ends_with(&line)), "{file}: {line}");
    }
}

#[test]
fn what_cannot_be_is_refused_in_one_line() {
    let runner = ("RUNNER", r#"["bench"]"#);
    for (settings, told) in [
        (vec![("LANES", "hosted-x46")], "no lane 'hosted-x46'"),
        (vec![("LANES", "self-hosted")], "there is no runner"),
        (vec![("RUNNER", "bench")], "a JSON array of labels"),
        (vec![("RUNNER", "[]")], "a JSON array of labels"),
        (vec![("PROFILE", "$(id)")], "no name"),
        (vec![("APPS", "axum; id")], "ids with commas"),
        (vec![("APPS", "--out=/")], "ids with commas"),
        (vec![("SCENARIOS", "a\nlanes={}")], "names with commas"),
        (vec![("ROUNDS", "-1")], "a number"),
        (vec![("PUBLISH", "maybe")], "true or false"),
        (vec![("REF", "refs/heads/other")], "only main is published"),
        (
            vec![("REF", "refs/heads/other"), ("PUBLISH", "false"), runner],
            "only main runs on the self-hosted",
        ),
    ] {
        let refused = lanes(&settings);
        assert_eq!(refused.status, Some(1), "{settings:?}: {refused:#?}");
        assert!(refused.stderr.contains(told), "{settings:?}: {refused:#?}");
        assert_eq!(refused.stdout, "", "nothing is planned");
    }
    lanes(&[("REF", "refs/heads/other"), ("PUBLISH", "false")]).fine();
}

mod slow {
    use super::*;

    #[test]
    fn what_is_shared_asks_for_all() {
        for shared in [
            "apps/contract/src/lib.rs",
            "apps/no-app/src/main.rs",
            "Cargo.lock",
            "rust-toolchain.toml",
            ".cargo/config.toml",
            "a-file-of-a-new-kind",
        ] {
            let (jobs, apps) = planned(&[shared]);
            assert_eq!(
                (jobs, apps),
                (OF_RUST.map(String::from).to_vec(), all_apps()),
                "{shared}"
            );
        }
    }

    #[test]
    fn what_some_apps_share_asks_for_those() {
        let shared = [
            "apps/legacy/Cargo.lock",
            "apps/legacy/Cargo.toml",
            "apps/legacy/deny.toml",
        ];
        let legacy = [
            "nickel",
            "nickel-services",
            "roa",
            "roa-services",
            "tide",
            "tide-services",
        ];
        for file in shared {
            assert_eq!(planned(&[file]).1, legacy, "{file}");
        }
        assert_eq!(planned(&["apps/legacy/tide/src/main.rs"]).1, ["tide"]);
        assert_eq!(planned(&["apps/reference/Cargo.lock"]).1, ["reference"]);
    }

    #[test]
    fn what_checks_is_checked_by_everything_and_so_is_main() {
        let all = (ALL_JOBS.map(String::from).to_vec(), all_apps());
        assert_eq!(planned(&[".github/scripts/gate.sh"]), all);
        assert_eq!(planned(&["scripts/test"]), all);
        assert_eq!(plan(&Repository::new(), ""), all, "a push to main has no base");
    }

    #[test]
    fn the_packages_of_the_plan_are_those_that_the_check_knows() {
        let told = CommandOutput::run(Repository::new().script("plan.sh", &["checks"])).fine();
        let apps = json_output(&told, "apps");
        let packages = apps
            .as_array()
            .unwrap()
            .iter()
            .map(|app| app["package"].as_str().unwrap());
        let mut arguments: Vec<&str> = packages.flat_map(|package| ["--package", package]).collect();
        // fmt knows no packages and is quick: what is asked here is whether a name is refused.
        arguments.push("fmt");
        CommandOutput::run(script("scripts/test", &arguments)).fine();
        let refused = CommandOutput::run(script("scripts/test", &["--package", "no-app", "fmt"]));
        assert_eq!(refused.status, Some(2));
        assert!(refused.error().contains("there is no package 'no-app'"), "{refused:#?}");
    }

    #[test]
    fn only_what_apps_are_made_of_is_worth_a_comparison() {
        for (file, measured) in [
            ("apps/axum/src/main.rs", "true"),
            ("Cargo.lock", "true"),
            ("rust-toolchain.toml", "true"),
            ("apps/README.md", "false"),
            ("scripts/harness/analyze/src/lib.rs", "false"),
            (".github/workflows/lane.yml", "false"),
        ] {
            let repository = Repository::new();
            let base = repository.git(&["rev-parse", "HEAD"]);
            let head = repository.commit(&[(file, "changed\n")]);
            repository.git(&["branch", "base", &base]);
            let told = CommandOutput::run(repository.script("plan.sh", &["measured", "base"])).fine();
            assert_eq!(output(&told, "measured"), measured, "{file}");
            assert_eq!((output(&told, "base"), output(&told, "head")), (&*base, &*head));
        }
    }
}
