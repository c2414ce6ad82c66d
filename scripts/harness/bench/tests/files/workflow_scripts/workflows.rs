//! What a change calls for, what passes, and what the workflows say: `plan.sh`, `verdict.sh`, `forbidden.sh`, `scripts/audit --list`,
//! and the workflows themselves as text.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use apps::catalog::Catalog;
use serde_json::{Value, json};

use super::{CommandOutput, newest_in, root, script};

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
const PLANNED: &[(&str, &str, &str, &str)] = &[
    ("M\tREADME.md", "text", "", "none"),
    ("M\tapps/axum/README.md", "text", "", "none"),
    ("M\tscripts/harness/docs/run.md", "text", "", "none"),
    (
        "M\tbench-results/hosted-x64/summary.md\nM\tbench-results/hosted-x64/figures.json\nM\tREADME.md",
        "text",
        "",
        "none",
    ),
    ("D\tbench-results/local/1.json.gz", "text harness", "", "none"),
    ("M\tapps/axum/src/main.rs", "text apps", ".", "one"),
    ("M\tapps/reference/src/main.rs", "text apps", "apps/reference", "one"),
    ("M\tapps/control/src/work.rs", "text deny harness", "", "none"),
    (
        "M\tapps/postgres/axum-sqlx/src/main.rs",
        "text apps",
        "apps/postgres",
        "one",
    ),
    (
        "M\tapps/postgres/axum-sqlx/src/main.rs\nM\tapps/axum/src/main.rs",
        "text apps",
        ". apps/postgres",
        "many",
    ),
    (
        "M\tapps/postgres/store-sqlx/src/lib.rs",
        "text apps",
        "apps/postgres",
        "many",
    ),
    ("M\tapps/axum/Cargo.toml", "text deny harness apps", ".", "many"),
    ("M\tCargo.lock", "text deny harness apps", ".", "many"),
    ("M\tapps/legacy/Cargo.lock", "text deny apps", "apps/legacy", "many"),
    (
        "M\tapps/services/contract/src/lib.rs",
        "text deny harness apps",
        ALL,
        "many",
    ),
    (
        "M\trust-toolchain.toml",
        "text workflows deny harness site apps",
        ALL,
        "many",
    ),
    (
        "M\ta-file-of-a-new-kind",
        "text workflows deny harness site apps",
        ALL,
        "many",
    ),
    (
        "M\t\"apps/axum/src/\\303\\251.rs\"",
        "text workflows deny harness site apps",
        ALL,
        "many",
    ),
    ("M\tscripts/harness/analyze/src/lib.rs", "text harness", "", "none"),
    (
        "M\tscripts/harness/docs/published/words.json",
        "text harness site",
        "",
        "none",
    ),
    ("M\tscripts/dashboard/src/main.ts", "text site", "", "none"),
    ("M\tscripts/runner/tune.sh", "text workflows harness", "", "none"),
    ("M\t.github/dependabot.yml", "text workflows", "", "none"),
    ("M\t.github/workflows/lane.yml", "text workflows harness", "", "none"),
    (
        "M\t.github/scripts/plan.sh",
        "text workflows deny harness site apps",
        ".",
        "none",
    ),
];
const ALL: &str = ". apps/legacy apps/postgres apps/reference apps/services";

#[test]
fn a_change_calls_for_what_it_concerns() {
    let changes: Vec<&str> = PLANNED.iter().map(|(change, ..)| *change).collect();
    for ((change, jobs, workspaces, compare), plan) in PLANNED.iter().zip(plans(&changes)) {
        let array = |names: &str| json!(names.split_whitespace().collect::<Vec<_>>()).to_string();
        let all = ["text", "workflows", "deny", "harness", "site", "apps"];
        let skipped: Vec<&str> = all
            .into_iter()
            .filter(|job| !jobs.split(' ').any(|one| one == *job))
            .collect();
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
    listed
        .args([
            "grep",
            "--fixed-strings",
            "-h",
            "include_str!(\"../../",
            "--",
            "scripts/harness",
        ])
        .current_dir(root());
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

/// Text alone is checked by the job of a minute, which has to see this, whatever lane the README on main is about.
#[test]
fn the_check_of_readme_sees_another_figure_and_another_verdict() {
    const DOCS: &str = "scripts/harness/docs";
    let folder = tempfile::tempdir().unwrap();
    let at = |file: &str| folder.path().join(file).to_str().unwrap().to_owned();
    fs::create_dir_all(at(DOCS)).unwrap();
    for same in [
        "bench-results",
        &format!("{DOCS}/compare.md"),
        &format!("{DOCS}/database.md"),
        &format!("{DOCS}/services.md"),
    ] {
        std::os::unix::fs::symlink(root().join(same), at(same)).unwrap();
    }
    let change = |file: &str, from: &str, to: &str, text: &str| {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text);
        fs::write(at(file), changed).unwrap();
    };
    fs::copy(root().join("README.md"), at("README.md")).unwrap();
    let [record, database] = ["local", "local/database"].map(|of| {
        let name = newest_in(of).file_name().unwrap().to_owned();
        at(&format!("bench-results/{of}/{}", name.to_str().unwrap()))
    });
    let mut report = Command::new(env!("CARGO_BIN_EXE_bench"));
    report.args([
        "report",
        &record,
        "--results",
        &at("bench-results"),
        "--out",
        &at("out"),
    ]);
    report
        .args(["--readme", &at("README.md"), "--database", &database])
        .env("BENCH_ROOT", root());
    CommandOutput::run(report).fine();
    let readme = fs::read_to_string(at("README.md")).unwrap();
    change("README.md", "| **best** | ", "| +99 % | ", &readme);
    let reading = format!("{DOCS}/reading.md");
    change(
        &reading,
        "| `valid` | ",
        "| `valid` | never ",
        &fs::read_to_string(root().join(&reading)).unwrap(),
    );
    let mut python = Command::new("python3");
    python
        .args(["scripts/harness/docs/readme.py", "--block", &at("README.md")])
        .current_dir(root());
    let output = CommandOutput::run(python);
    assert!(
        output.status == Some(1) && output.stdout.contains("verdict") && output.stdout.contains("row of "),
        "{output:#?}"
    );
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

#[test]
fn a_run_that_waits_is_not_cancelled_by_the_next() {
    for (name, last) in [("benchmark.yml", 0), ("lane.yml", 0), ("pr-benchmark.yml", 1)] {
        let [queue] = lines(name, "queue: max").try_into().unwrap();
        assert!(queue.starts_with("queue: max #"));
        assert_eq!(lines(name, "cancel-in-progress:")[last], "cancel-in-progress: false");
    }
}

#[test]
fn a_new_title_or_base_or_label_is_judged_as_what_it_is() {
    for (name, wanted) in [
        (
            "ci.yml",
            "types: [opened, synchronize, reopened, edited] # another base is another merge",
        ),
        (
            "ci.yml",
            "name: ${{ github.event.action == 'edited' && !github.event.changes.base && 'Nothing to check' || 'Checks passed' }}",
        ),
        (
            "ci.yml",
            "BASE: ${{ github.event.pull_request.base.sha || github.event.merge_group.base_sha || github.event.before }}",
        ),
        (
            "pr-benchmark.yml",
            "types: [opened, synchronize, reopened, edited, labeled, unlabeled] # another base is another question",
        ),
        (
            "pr-benchmark.yml",
            "if: (github.event.action != 'edited' || github.event.changes.base) && (!github.event.label || github.event.label.name == 'accept-regression')",
        ),
        // The label counts for the head that it was set on: no event of another push has this action.
        ("pr-benchmark.yml", "ACCEPTED: ${{ github.event.action == 'labeled' }}"),
    ] {
        assert!(
            lines(name, wanted).iter().any(|line| line == wanted),
            "{name}: {wanted}"
        );
    }
}

/// Nobody looks at a run that nobody started, and a comment is written of what failed as well.
#[test]
fn what_fails_is_told() {
    for name in [
        "benchmark.yml",
        "lane.yml",
        "site.yml",
        "maintenance.yml",
        "security-audit.yml",
    ] {
        assert!(
            workflow(name).contains("issue.sh \"$RESULT\"") || workflow(name).contains("issue.sh \"$result\""),
            "{name}"
        );
        assert!(workflow(name).contains("    if: always() && "), "{name}");
    }
    let kept = "      - name: Keep the comparison\n        if: ${{ !cancelled() }}\n";
    assert!(workflow("pr-benchmark.yml").contains(kept));
    let answered = "if: ${{ !cancelled() && (inputs.number || needs.read.result == 'success' && needs.read.outputs.compared != 'nothing') }}";
    assert_eq!(lines("pr-comment.yml", answered).len(), 1);
}

/// GitHub starts no workflow for what `GITHUB_TOKEN` has done, but for a dispatch. And its pull requests wait for an approval, draft or not.
#[test]
fn what_a_workflow_starts_is_dispatched() {
    assert_eq!(lines("pr-benchmark.yml", "gh workflow run pr-comment.yml").len(), 1);
    assert_eq!(lines("lane.yml", "gh workflow run site.yml").len(), 1);
    for name in ["pr-benchmark.yml", "pr-comment.yml", "site.yml"] {
        assert!(workflow(name).contains("\n  workflow_dispatch:"), "{name}");
    }
    for name in ["lane.yml", "pr-comment.yml", "pr-benchmark.yml"] {
        assert!(
            !workflow(name).contains("draft") && !workflow(name).contains("rerun"),
            "{name}"
        );
    }
}

/// 10 GB hold one cache of what was compiled, and nothing that publishes reads it.
#[test]
fn one_cache_is_saved_by_one_job_of_main() {
    let caches = |name: &str| {
        (
            lines(name, "rust-cache@").len(),
            lines(name, "shared-key: harness").len(),
        )
    };
    assert_eq!((caches("ci.yml"), caches("pr-benchmark.yml")), ((2, 2), (1, 1)));
    assert_eq!(
        lines("ci.yml", "save-if: ${{ github.ref == 'refs/heads/main' }}").len(),
        1
    );
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

#[test]
fn only_a_regression_stops_a_pull_request_that_was_measured() {
    let folder = tempfile::tempdir().unwrap();
    let comparison = folder.path().join("comparison.json");
    for (decision, exit, expected) in [
        ("nothing_to_measure", 0, "comparison: nothing_to_measure\n"),
        ("inconclusive", 0, "comparison: inconclusive\n"),
        ("regression", 1, "::error::a regression; the summary says"),
        ("excellent", 2, ""),
    ] {
        let sides = json!({"decision": decision, "base": {"commit": "b1"}, "head": {"commit": "h1"}});
        fs::write(&comparison, sides.to_string()).unwrap();
        let verdict = CommandOutput::run(script(
            ".github/scripts/verdict.sh",
            &[comparison.to_str().unwrap(), "b1", "h1"],
        ));
        assert_eq!(verdict.status, Some(exit), "{decision}: {verdict:#?}");
        assert!(
            verdict.stdout.starts_with(expected) && verdict.stdout.lines().count() <= 1,
            "{verdict:#?}"
        );
    }
}

#[test]
fn a_comparison_of_another_base_or_head_is_no_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let comparison = folder.path().join("comparison.json");
    for (base, head, expected) in [
        ("b2", "h1", "it compares b2\\ with\\ h1, and not b1 with h1"),
        ("b1", "h2", "it compares b1\\ with\\ h2, and not b1 with h1"),
        ("x\n::error::", "h1", "it compares $'x\\n::error::"),
    ] {
        let sides = json!({"decision": "no_change", "base": {"commit": base}, "head": {"commit": head}});
        fs::write(&comparison, sides.to_string()).unwrap();
        let arguments = [comparison.to_str().unwrap(), "b1", "h1"];
        let refused = CommandOutput::run(script(".github/scripts/verdict.sh", &arguments));
        assert_eq!((refused.status, refused.stdout.as_str()), (Some(2), ""), "{refused:#?}");
        assert!(
            refused.error().contains(expected) && refused.error().ends_with("run this workflow again"),
            "{expected}: {refused:#?}"
        );
    }
}

/// A workflow with one job, whose lines these are.
fn planted(job: &str) -> String {
    let lines: Vec<_> = job.lines().map(|line| format!("    {line}\n")).collect();
    let job = lines.concat();
    format!("permissions: {{}}\njobs:\n  before:\n    steps:\n      - run: cargo build\n  planted:\n{job}")
}

/// As they were when a build script of a framework could publish.
#[test]
fn the_workflows_that_a_build_script_could_take_over_are_refused() {
    let file = "scripts/harness/bench/tests/fixtures/workflows/takes-the-handover.yml";
    let output = CommandOutput::run(script(".github/scripts/forbidden.sh", &[file]));
    assert_eq!(output.status, Some(1));
    let reasons: Vec<_> = output
        .stdout
        .lines()
        .map(|line| line.split("    <- ").nth(1).unwrap())
        .collect();
    let handover =
        "a job that can write takes nothing that was built next to a framework: take the program of the job `plan`";
    let key = "no handed-over program runs where the key of the App is: hand over plain files";
    assert_eq!(reasons, [handover, handover, handover, handover, key], "{output:#?}");
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
        r#"    "RUSTSEC-2023-0071","#,
        r#"    { id = "RUSTSEC-2023-0071" },"#,
        r#"    { id = "RUSTSEC-2023-0071", reason = "no fixed version" },"#,
        r#"    { id = "RUSTSEC-2023-0071", reason = "until next year: no fixed version" },"#,
        r#"    { id = "RUSTSEC-2023-0071", reason = "until 2027-02-31: no fixed version" },"#,
        r#"    { id = "RUSTSEC-2023-0071", reason = "until 2027-03-31: " },"#,
        r"    # a comment",
    ] {
        let output = accepted("2026-11-21", &format!("ignore = [\n{entry}\n]"));
        assert_eq!(output.status, Some(2), "{entry}: {output:#?}");
        assert!(output.error().contains("until YYYY-MM-DD: why"), "{output:#?}");
    }
    // Everything on one line would be overlooked.
    let output = accepted("2026-11-21", r#"ignore = ["RUSTSEC-2023-0071"]"#);
    assert_eq!(output.status, Some(2), "{output:#?}");
}

#[test]
fn tools_have_one_version_everywhere() {
    let read = |path: &str| fs::read_to_string(root().join(path)).unwrap();
    let version = |script: &str, name: &str| {
        let text = read(script);
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix(&format!("{name}_version=")));
        line.unwrap().to_owned()
    };
    let deny = version("scripts/test", "deny");
    assert_eq!(version("scripts/audit", "deny"), deny);
    let audit = version("scripts/audit", "audit");
    let installed = |workflow: &str, wanted: &str| {
        let text = read(&format!(".github/workflows/{workflow}"));
        assert!(
            text.contains(&format!("tool: {wanted}\n          fallback: none #")),
            "{workflow}: {wanted}"
        );
    };
    installed("ci.yml", &format!("cargo-deny@{deny}"));
    installed("security-audit.yml", &format!("cargo-audit@{audit},cargo-deny@{deny}"));
}

#[test]
fn h2spec_is_the_same_wherever_it_is_installed() {
    let (_, version) = measure::probe::behaviour::h2spec::INSTALL.rsplit_once('@').unwrap();
    let test = fs::read_to_string(root().join("scripts/test")).unwrap();
    assert!(test.contains(&format!("\nh2spec_version={version}\n")));
    assert_eq!(lines("lane.yml", &format!("h2spec@{version}")).len(), 1);
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
        cargo
            .args([
                "tree",
                "--locked",
                "--offline",
                "--package",
                "bench",
                "--edges",
                "normal,build",
                "--prefix",
                "none",
            ])
            .current_dir(root());
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
