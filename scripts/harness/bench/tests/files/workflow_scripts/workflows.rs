//! What a change calls for, what passes, and what the workflows say: `plan.sh`, `forbidden.sh`, `scripts/audit --list`,
//! and the workflows themselves as text.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use apps::catalog::Catalog;
use serde_json::{Value, json};

use super::{CommandOutput, root, script};
use crate::common::words;

/// `plan.sh` for each of these changes, in one process.
fn plans(changes: &[&str]) -> Vec<Vec<String>> {
    let mut bash = Command::new("bash");
    let each = r#"for change in "$@"; do .github/scripts/plan.sh <<<"$change"; done"#;
    bash.args(["-euc", each, "plan"]).args(changes).current_dir(root());
    let output = CommandOutput::run(bash).fine().stdout;
    let lines: Vec<String> = output.lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), 4 * changes.len(), "{output}");
    lines.chunks(4).map(<[String]>::to_vec).collect()
}

/// A change, and the jobs, workspaces and comparison that it calls for.
const PLANNED: &str = r#"
M README.md                                                    |                   |                 | none
M apps/axum/README.md                                          |                   |                 | none
M scripts/harness/docs/run.md                                  |                   |                 | none
M bench-results/hosted-x64/summary.md; M bench-results/hosted-x64/figures.json; M README.md |                   |                 | none
D bench-results/local/1.json.gz                                | harness           |                 | none
M apps/axum/src/main.rs                                        | apps              | .               | one
M apps/reference/src/main.rs                                   | apps              | apps/reference  | one
M apps/control/src/work.rs                                     | deny harness      |                 | none
M apps/postgres/axum-sqlx/src/main.rs                          | apps              | apps/postgres   | one
M apps/postgres/axum-sqlx/src/main.rs; M apps/axum/src/main.rs | apps              | . apps/postgres | many
M apps/postgres/store-sqlx/src/lib.rs                          | apps              | apps/postgres   | many
M apps/postgres/axum-postgres/src/lib.rs                       | apps              | apps/postgres   | many
M apps/hyper/src/lib.rs                                        | apps              | . apps/postgres apps/services | many
M apps/axum/Cargo.toml                                         | deny harness apps | .               | many
M Cargo.lock                                                   | deny harness apps | .               | many
M apps/legacy/Cargo.lock                                       | deny apps         | apps/legacy     | many
M apps/contract-tokio/src/lib.rs                               | deny harness apps | all             | many
M apps/services/contract/src/lib.rs                            | deny harness apps | all             | many
M rust-toolchain.toml                                          | all               | all             | many
M a-file-of-a-new-kind                                         | all               | all             | many
M "apps/axum/src/\303\251.rs"                                  | all               | all             | many
M scripts/harness/analyze/src/lib.rs                           | harness           |                 | none
M scripts/harness/bench/src/cli/mod.rs                         | workflows harness |                 | none
M scripts/harness/docs/published/words.json                    | harness site      |                 | none
M scripts/dashboard/src/main.ts                                | site              |                 | none
M scripts/runner/tune.sh                                       | workflows harness |                 | none
M .github/dependabot.yml                                       | workflows         |                 | none
M .github/workflows/lane.yml                                   | workflows harness |                 | none
M .github/scripts/plan.sh                                      | all               | .               | none
"#;
const JOBS: &str = "workflows deny harness site apps";
const WORKSPACES: &str = ". apps/legacy apps/postgres apps/reference apps/services";

#[test]
fn a_change_calls_for_what_it_concerns() {
    let rows: Vec<Vec<&str>> = PLANNED
        .trim()
        .lines()
        .map(|row| row.split('|').map(str::trim).collect())
        .collect();
    let changes: Vec<String> = rows.iter().map(|row| row[0].replace("; ", "\n")).collect();
    let changes: Vec<&str> = changes.iter().map(String::as_str).collect();
    for (row, plan) in rows.iter().zip(plans(&changes)) {
        let [change, jobs, workspaces, compare] = row[..] else {
            panic!("{row:?}")
        };
        let jobs = if jobs == "all" { JOBS } else { jobs };
        let workspaces = if workspaces == "all" { WORKSPACES } else { workspaces };
        let array = |names: &str| json!(names.split_whitespace().collect::<Vec<_>>()).to_string();
        let is_left = |job: &&str| !jobs.split(' ').any(|one| one == *job);
        let skipped: Vec<&str> = JOBS.split(' ').filter(is_left).collect();
        let wanted = [
            format!("jobs={}", array(jobs)),
            format!("skipped={}", array(&skipped.join(" "))),
            format!("workspaces={}", array(workspaces)),
            format!("compare={compare}"),
        ];
        assert_eq!(plan, wanted, "{change}");
    }
}

/// A pull request that changes or removes what a test includes is tested before main is.
#[test]
fn what_tests_are_made_of_is_tested() {
    let mut listed = Command::new("git");
    let grep = r#"grep --fixed-strings -h include_str!("../../ -- scripts/harness"#;
    listed.args(words(grep)).current_dir(root());
    let output = CommandOutput::run(listed).fine().stdout;
    let included = output
        .lines()
        .filter_map(|line| line.split("include_str!(\"").nth(1)?.split('"').next());
    let changes: Vec<String> = included
        .map(|path| path.trim_start_matches("../"))
        // The others lie in a folder of the harness.
        .filter(|path| root().join(path).is_file())
        .flat_map(|path| ["M", "D"].map(|how| format!("{how}\t{path}")))
        .chain([
            "M\tscripts/harness/docs/compare.md".to_owned(),
            "M\tbench-results/record.schema.json".to_owned(),
        ])
        .collect();
    assert!(changes.len() > 8, "{changes:?}");
    let changes: Vec<&str> = changes.iter().map(String::as_str).collect();
    for (change, plan) in changes.iter().zip(plans(&changes)) {
        assert!(plan[0].contains("\"harness\""), "{change}: {plan:?}");
    }
}

fn workflow(name: &str) -> String {
    fs::read_to_string(root().join(".github/workflows").join(name)).unwrap()
}

/// The lines of a workflow that hold this, without what stands around them.
fn lines(name: &str, wanted: &str) -> Vec<String> {
    let text = workflow(name);
    let found = text.lines().filter(|line| line.contains(wanted));
    found.map(|line| line.trim().to_owned()).collect()
}

#[test]
fn every_schedule_has_a_profile_and_every_profile_an_issue() {
    let all: Vec<Value> =
        serde_json::from_str(include_str!("../../../../../../.github/scripts/schedule.json")).unwrap();
    let crons: Vec<&str> = all.iter().map(|day| day["cron"].as_str().unwrap()).collect();
    let scheduled = lines("benchmark.yml", "- cron: ");
    let scheduled: Vec<&str> = scheduled.iter().map(|line| line.split('"').nth(1).unwrap()).collect();
    assert_eq!(scheduled, crons);
    // And a name in the list of runs: Monday's is what is left.
    let named = |day: &&Value| {
        workflow("benchmark.yml")
            .contains(&format!("'{}' && {}", day["cron"].as_str().unwrap(), day["profile"]).replace('"', "'"))
    };
    assert_eq!(all.iter().filter(named).count(), all.len() - 1);
    // Tuesday's success must not close Monday's issue.
    assert_eq!(lines("benchmark.yml", "\"plan-$profile\"").len(), 1);
    assert_eq!(lines("lane.yml", "\"benchmark-$PROFILE-$LANE\"").len(), 1);
}

/// Nobody looks at a run that nobody started.
#[test]
fn what_fails_is_told() {
    for name in [
        "benchmark.yml",
        "lane.yml",
        "site.yml",
        "maintenance.yml",
        "security-audit.yml",
    ] {
        let text = workflow(name).to_lowercase();
        assert!(
            text.contains("issue.sh \"$result\"") && text.contains("    if: always() && "),
            "{name}"
        );
    }
}

/// What an earlier run has left in a cache is in nothing that publishes.
#[test]
fn nothing_that_publishes_reads_a_cache() {
    for name in [
        "benchmark.yml",
        "lane.yml",
        "site.yml",
        "pr-comment.yml",
        "maintenance.yml",
    ] {
        assert!(!workflow(name).contains("cache@"), "{name}");
    }
}

/// The guard of the self-hosted machine lets one workflow through, and no other requests that machine.
#[test]
fn the_guard_knows_the_workflow_that_measures() {
    let guard = fs::read_to_string(root().join("scripts/runner/job-started.sh")).unwrap();
    assert!(guard.contains("\nreadonly workflow=.github/workflows/benchmark.yml\n"));
    for entry in fs::read_dir(root().join(".github/workflows")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let calls = workflow(&name).contains("uses: ./.github/workflows/lane.yml");
        assert_eq!(calls, name == "benchmark.yml", "{name}");
        assert!(name == "lane.yml" || !workflow(&name).contains(").runner }}"), "{name}");
    }
}

/// The gate's own step, with what the job that compares can have left.
#[test]
fn only_a_regression_stops_a_pull_request_that_was_measured() {
    let text = workflow("pr-benchmark.yml");
    let step = text.split("        run: |\n          case $RESULT").nth(1).unwrap();
    let step = format!("case $RESULT{}", step.split("\n\n").next().unwrap());
    for (result, outcome, status) in [
        ("success", "none ", 0),
        ("success", "accepted ", 0),
        ("success", "one no_change", 0),
        ("success", "one regression", 1),
        ("success", "one excellent", 2),
        ("success", "one ", 2),
        ("success", " ", 2),
        ("failure", "none ", 2),
        ("cancelled", "one no_change", 2),
        ("skipped", " ", 0),
    ] {
        let mut bash = Command::new("bash");
        bash.args(["-euc", &step])
            .envs([("RESULT", result), ("OUTCOME", outcome)])
            .env("GITHUB_STEP_SUMMARY", "/dev/null");
        let judged = CommandOutput::run(bash);
        assert_eq!(judged.status, Some(status), "{result} {outcome}: {judged:#?}");
    }
}

/// A workflow with one job, whose lines these are.
fn planted(job: &str) -> String {
    let lines: Vec<_> = job.lines().map(|line| format!("    {line}\n")).collect();
    let job = lines.concat();
    format!("permissions: {{}}\njobs:\n  before:\n    steps:\n      - run: cargo build\n  planted:\n{job}")
}

/// `scripts/audit --list` on this day, with these lines in the list of what is accepted.
fn accepted(day: &str, entries: &str) -> CommandOutput {
    let folder = tempfile::tempdir().unwrap();
    let config: PathBuf = folder.path().join("deny.toml");
    let text = format!(
        "[graph]\n\n[advisories]\n# why\nyanked = \"deny\"\n{entries}\n[licenses]\nignore = [\n    \"x\",\n]\n"
    );
    fs::write(&config, text).unwrap();
    let mut command = script("scripts/audit", &["--list"]);
    command.env("AUDIT_CONFIG", &config).env("AUDIT_TODAY", day);
    CommandOutput::run(command)
}

#[test]
fn an_accepted_advisory_expires() {
    let entry = r#"    { id = "RUSTSEC-2023-0071", reason = "until 2027-03-31: no fixed version" },"#;
    let list = format!("ignore = [\n{entry}\n]");
    for (day, status) in [("2026-11-21", 0), ("2027-03-31", 0), ("2027-04-01", 1)] {
        let output = accepted(day, &list);
        assert_eq!(output.status, Some(status), "{day}: {output:#?}");
    }
    assert!(
        accepted("2027-04-01", &list)
            .error()
            .contains("RUSTSEC-2023-0071 was accepted until 2027-03-31")
    );
    for empty in ["ignore = []", "ignore = [\n]", ""] {
        assert_eq!(accepted("2026-11-21", empty).fine().stdout, "");
    }
}

#[test]
fn an_advisory_is_accepted_with_reason_and_day_or_not_at_all() {
    for entry in [
        r#""RUSTSEC-2023-0071""#,
        r#"{ id = "RUSTSEC-2023-0071" }"#,
        r#"{ id = "RUSTSEC-2023-0071", reason = "no fixed version" }"#,
        r#"{ id = "RUSTSEC-2023-0071", reason = "until next year: no fixed version" }"#,
        r#"{ id = "RUSTSEC-2023-0071", reason = "until 2027-02-31: no fixed version" }"#,
        r#"{ id = "RUSTSEC-2023-0071", reason = "until 2027-03-31: " }"#,
    ] {
        let output = accepted("2026-11-21", &format!("ignore = [{entry}]"));
        assert_eq!(output.status, Some(2), "{entry}: {output:#?}");
        assert!(output.error().contains("until YYYY-MM-DD: why"), "{output:#?}");
    }
}

#[test]
fn tools_have_one_version_everywhere() {
    let version = |name: &str, tool: &str| {
        let text = fs::read_to_string(root().join(name)).unwrap();
        let after = text.split(&format!("\n{tool}_version=")).nth(1).expect(tool);
        after.lines().next().unwrap().to_owned()
    };
    let (deny, audit) = (version("scripts/audit", "deny"), version("scripts/audit", "audit"));
    assert_eq!(version("scripts/test", "deny"), deny);
    for (name, tools) in [
        ("ci.yml", format!("cargo-deny@{deny}")),
        ("security-audit.yml", format!("cargo-audit@{audit},cargo-deny@{deny}")),
    ] {
        let installed = format!("tool: {tools}\n          fallback: none #");
        assert!(workflow(name).contains(&installed), "{name}: {tools}");
    }
    let (_, h2spec) = measure::probe::behaviour::h2spec::INSTALL.rsplit_once('@').unwrap();
    assert_eq!(version("scripts/test", "h2spec"), h2spec);
    assert_eq!(lines("lane.yml", &format!("h2spec@{h2spec}")).len(), 1);
}

mod slow {
    use super::*;

    #[test]
    fn foreign_code_next_to_a_write_token_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("planted.yml");
        let found = |content: &str| {
            fs::write(&file, content).unwrap();
            CommandOutput::run(script(".github/scripts/forbidden.sh", &[file.to_str().unwrap()]))
        };
        let writes = "permissions:\n  contents: read # checkout\n  issues: write # the issue\n";
        let keeps = "permissions: {}\nenv:\n  KEY: ${{ secrets.BENCH_APP_PRIVATE_KEY }}\n";
        let compiles = "a job that can write compiles nothing";
        for (job, reason) in [
            ("steps:\n  - run: cargo build --release", compiles),
            (
                "steps:\n  - name: Build the command\n    run: ./scripts/bench --version",
                compiles,
            ),
            ("steps:\n  - run: |\n      cd x\n      (npm ci)", compiles),
            ("steps:\n  - run: /usr/bin/make all", compiles),
            ("steps:\n  - run: ./scripts/test fmt", compiles),
            (
                "steps:\n  - uses: Swatinem/rust-cache@6323deb102c322ba6fcbdcafc7e3dddab59af2b6 # v2.9.2",
                "restores and installs",
            ),
            (
                "steps:\n  - uses: taiki-e/install-action@ba47c86ac325773530516bb756137ac718732518 # v2.86.5",
                "restores and installs",
            ),
            (
                "steps:\n  - with:\n      name: handover-x64",
                "nothing that was built next to a framework",
            ),
            ("steps:\n  - *checkout", "an alias in a job that can write"),
            (
                "steps:\n  - run: .github/scripts/results.sh a",
                "it builds bench next to a token",
            ),
            (
                "steps:\n  - env:\n      BENCH: x\n    run: .github/scripts/results.sh a\n  - run: .github/scripts/results.sh a",
                "it builds bench next to a token",
            ),
        ] {
            for rights in [
                writes,
                keeps,
                "permissions: {contents: write}\n",
                "permissions: write-all\n",
            ] {
                let output = found(&planted(&format!("{rights}{job}")));
                assert_eq!(output.status, Some(1), "{rights}{job}: {output:#?}");
                assert!(output.stdout.contains(reason), "{reason}: {output:#?}");
            }
            let harmless = found(&planted(&format!("permissions:\n  contents: read\n{job}")));
            assert_eq!(harmless.status, Some(0), "{job}: {harmless:#?}");
        }
        let bench =
            "steps:\n  - env:\n      BENCH: ${{ steps.take.outputs.bench }}\n    run: .github/scripts/results.sh a";
        assert_eq!(found(&planted(&format!("{writes}{bench}"))).status, Some(0));
        let output = found(&planted(&format!("{keeps}{bench}")));
        assert!(
            output.stdout.contains("no handed-over program runs where the key"),
            "{output:#?}"
        );
        let output = found("permissions:\n  contents: write\njobs:\n");
        assert!(output.stdout.contains("a permission belongs to a job"), "{output:#?}");
        // What only passes rights on has no steps.
        assert_eq!(
            found(&planted(&format!("{writes}uses: ./.github/workflows/lane.yml"))).status,
            Some(0)
        );
    }

    /// What the job `plan` of benchmark.yml builds gets tokens. Of what is measured, it is made of these alone, on which the harness itself stands.
    #[test]
    fn the_bench_that_publishes_is_built_without_any_framework() {
        let mut cargo = Command::new(env!("CARGO"));
        let tree = "tree --locked --offline --package bench --edges normal,build --prefix none";
        cargo.args(words(tree)).current_dir(root());
        let tree = CommandOutput::run(cargo).fine();
        let crates: BTreeSet<&str> = tree.stdout.lines().filter_map(|line| line.split(' ').next()).collect();
        let apps = Catalog::read(&root()).unwrap().apps;
        let measured: BTreeSet<&str> = apps
            .iter()
            .flat_map(|app| [app.framework.as_str(), app.package.as_str()])
            .collect();
        let both: Vec<_> = crates.intersection(&measured).copied().collect();
        assert_eq!(both, ["hyper", "tokio", "tokio-util"]);

        // And nothing else is built or restored in the same job.
        let text = workflow("benchmark.yml");
        let plan = text
            .split("\n  plan:\n")
            .nth(1)
            .unwrap()
            .split("\n  build-x64:\n")
            .next()
            .unwrap();
        let used: Vec<&str> = plan
            .lines()
            .filter_map(|line| line.trim().strip_prefix("uses: ")?.split('@').next())
            .collect();
        assert_eq!(used, ["actions/checkout", "actions/upload-artifact"]);
        assert_eq!(plan.matches(" run: ./").count(), 1);
        assert!(plan.contains("run: ./scripts/bench ci lanes | tee"));
    }

    #[test]
    fn what_is_forbidden_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("planted.yml");
        let found = |line: &str| {
            fs::write(&file, format!("{line}\n")).unwrap();
            CommandOutput::run(script(".github/scripts/forbidden.sh", &[file.to_str().unwrap()])).status
        };
        for planted in [
            "    continue-on-error: true",
            "        run: false || true",
            "        run: false ||true; echo",
            "        run: false || :",
            "        run: something | grep -xq this",
            "          NAME: ${{ github.event.repository.name }}",
        ] {
            assert_eq!(found(planted), Some(1), "{planted}");
        }
        for fine in [
            "    # continue-on-error is not used here",
            "        run: something || truely",
        ] {
            assert_eq!(found(fine), Some(0), "{fine}");
        }
        CommandOutput::run(script(".github/scripts/forbidden.sh", &[])).fine();
    }
}

#[test]
fn the_action_takes_nothing_for_an_answer_but_true_and_false() {
    let mut action = script(".github/actions/compare/compare.sh", &[]);
    action.env("FAIL", "True");
    let output = CommandOutput::run(action);
    assert_eq!(output.status, Some(2));
    assert!(
        output.stdout.contains("::error::fail is true or false, not 'True'"),
        "{output:#?}"
    );
}
