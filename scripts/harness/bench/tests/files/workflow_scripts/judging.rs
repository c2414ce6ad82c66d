//! What passes and what does not: `gate.sh`, `verdict.sh`, `accepted.sh`, `forbidden.sh`, `scripts/audit --list`, and the texts of issues.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use apps::catalog::Catalog;
use serde_json::json;

use super::{CommandOutput, root, script};
use crate::github::world::{FIRST, SECOND, World, failed};

/// `gate.sh` where `planned` is to run and the jobs ended like this.
fn gate(plan: &str, planned: &[&str], results: &[(&str, &str)]) -> CommandOutput {
    let mut needs = json!({"plan": {"result": plan, "outputs": {"jobs": json!(planned).to_string()}}});
    for (job, result) in results {
        needs[job] = json!({"result": result, "outputs": {}});
    }
    let mut command = script(".github/scripts/gate.sh", &[]);
    command.env("NEEDS", needs.to_string());
    CommandOutput::run(command)
}

#[test]
fn the_gate_opens_for_success_and_for_what_was_not_planned() {
    let told = gate(
        "success",
        &["fmt", "app"],
        &[("fmt", "success"), ("app", "success"), ("harness", "skipped")],
    );
    assert!(told.fine().stdout.contains("ok   harness: not planned"));
    gate("success", &[], &[("fmt", "skipped")]).fine();
}

#[test]
fn the_gate_is_closed_for_everything_else() {
    for (plan, planned, results) in [
        ("success", vec!["fmt"], vec![("fmt", "failure")]),
        ("success", vec!["fmt"], vec![("fmt", "cancelled")]),
        ("success", vec!["fmt"], vec![("fmt", "skipped")]), // because another failed
        ("success", vec![], vec![("fmt", "failure")]),
        ("success", vec!["fmt"], vec![]), // the gate forgot it
        ("failure", vec![], vec![("fmt", "skipped")]),
        ("cancelled", vec!["fmt"], vec![("fmt", "success")]),
    ] {
        let told = gate(plan, &planned, &results);
        assert_eq!(told.status, Some(1), "{plan} {planned:?} {results:?}: {told:#?}");
        assert!(told.stdout.contains("FAIL ") && told.stdout.ends_with("gate: closed\n"));
    }
    for needs in ["", "{}", "not json", r#"{"plan":{"result":"success","outputs":{}}}"#] {
        let mut command = script(".github/scripts/gate.sh", &[]);
        command.env("NEEDS", needs);
        assert_ne!(CommandOutput::run(command).status, Some(0), "{needs}");
    }
}

#[test]
fn a_failure_of_a_schedule_is_told_with_its_jobs() {
    let needs = json!({
        "plan": {"result": "success", "outputs": {"jobs": r#"["hosted-x64","self-hosted"]"#}},
        "hosted-x64": {"result": "success"}, "self-hosted": {"result": "failure"}, "gate": {"result": "failure"},
    });
    let mut command = script(".github/scripts/failure.sh", &["https://example.com/runs/7"]);
    command.env("NEEDS", needs.to_string());
    let told = CommandOutput::run(command).fine();
    for part in [
        "(https://example.com/runs/7)",
        "ok   hosted-x64: success\n",
        "FAIL self-hosted: failure\n",
    ] {
        assert!(told.stdout.contains(part), "{told:#?}");
    }
    assert!(!told.stdout.contains("FAIL gate"), "{told:#?}");
}

#[test]
fn only_a_regression_that_nobody_accepted_stops_a_pull_request() {
    let folder = tempfile::tempdir().unwrap();
    let comparison = folder.path().join("comparison.json");
    let verdict = |decision: &str, accepted: &str| {
        let sides = json!({"decision": decision, "base": {"commit": "b1"}, "head": {"commit": "h1"}});
        fs::write(&comparison, sides.to_string()).unwrap();
        let arguments = [comparison.to_str().unwrap(), "b1", "h1"];
        let mut command = script(".github/scripts/verdict.sh", &arguments);
        command.env("ACCEPTED", accepted);
        CommandOutput::run(command)
    };
    for fine in ["nothing_to_measure", "no_change", "improvement", "inconclusive"] {
        assert_eq!(verdict(fine, "").status, Some(0), "{fine}");
    }
    for (accepted, status, told) in [
        ("", 1, "which counts until the next push"),
        ("false", 1, "which counts until the next push"),
        (
            "before",
            1,
            "was set before the last push or change of the base, and does not count",
        ),
        ("maybe", 1, "which counts until the next push"),
        ("true", 0, "::notice::a regression, accepted"),
    ] {
        let verdict = verdict("regression", accepted);
        assert_eq!(verdict.status, Some(status), "{accepted}: {verdict:#?}");
        assert!(
            verdict.stdout.contains(told) && verdict.stdout.lines().count() == 1,
            "{verdict:#?}"
        );
    }
    assert_eq!(verdict("excellent", "true").status, Some(2));
}

#[test]
fn what_was_not_measured_stops_a_pull_request_whatever_the_others_show() {
    let folder = tempfile::tempdir().unwrap();
    let comparison = folder.path().join("comparison.json");
    let apps = json!([{"id": "axum", "status": "measured"}, {"id": "viz", "status": "not_measured"}]);
    let sides = json!({"decision": "inconclusive", "base": {"commit": "b1"}, "head": {"commit": "h1"}, "apps": apps});
    fs::write(&comparison, sides.to_string()).unwrap();
    let mut command = script(
        ".github/scripts/verdict.sh",
        &[comparison.to_str().unwrap(), "b1", "h1"],
    );
    command.env("ACCEPTED", "true");
    let stopped = CommandOutput::run(command);
    assert_eq!(
        (stopped.status, stopped.stdout.as_str()),
        (
            Some(1),
            "::error::could not be measured: viz; run the failed jobs of this workflow again\n"
        ),
        "{stopped:#?}"
    );
}

#[test]
fn a_comparison_of_another_base_or_head_is_no_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let comparison = folder.path().join("comparison.json");
    for (base, head, told) in [
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
            refused.error().contains(told) && refused.error().ends_with("run this workflow again"),
            "{told}: {refused:#?}"
        );
    }
}

const ONE: &str = "2026-11-23T10:00:00Z";
const TWO: &str = "2026-11-23T11:00:00Z";
const THREE: &str = "2026-11-23T12:00:00Z";

/// `accepted.sh` where these events of labels happened, and these runs were started: title, head, time.
fn accepted_by(events: &[(&str, &str, &str)], runs: &[(&str, &str, &str)]) -> CommandOutput {
    let world = World::new();
    let event = |(id, (event, label, at)): (usize, &(&str, &str, &str))| json!({"id": id, "event": event, "label": {"name": label}, "created_at": at});
    let events: Vec<_> = events.iter().enumerate().map(event).collect();
    // Others have no label.
    let pages = [
        json!([{"id": 900, "event": "head_ref_force_pushed", "created_at": THREE}]),
        json!(events),
    ];
    world.set("events", &pages);
    let run =
        |(title, head, at): &(&str, &str, &str)| json!({"display_title": title, "head_sha": head, "created_at": at});
    let runs: Vec<_> = runs.iter().map(run).collect();
    world.set("runs", &[json!({"workflow_runs": []}), json!({"workflow_runs": runs})]);
    CommandOutput::run(world.script("accepted.sh", &["owner/name", "7", FIRST]))
}

/// A workflow with one job, whose lines these are.
fn workflow(job: &str) -> String {
    let lines: Vec<_> = job.lines().map(|line| format!("    {line}\n")).collect();
    let job = lines.concat();
    format!("permissions: {{}}\njobs:\n  before:\n    steps:\n      - run: cargo build\n  planted:\n{job}")
}

/// As they were when a build script of a framework could publish.
#[test]
fn the_workflows_that_a_build_script_could_take_over_are_refused() {
    let file = "scripts/harness/bench/tests/fixtures/workflows/takes-the-handover.yml";
    let told = CommandOutput::run(script(".github/scripts/forbidden.sh", &[file]));
    assert_eq!(told.status, Some(1));
    let reasons: Vec<_> = told
        .stdout
        .lines()
        .map(|line| line.split("    <- ").nth(1).unwrap())
        .collect();
    let handover =
        "a job that can write takes nothing that was built beside a framework: take the program of bench.yml";
    let key = "no handed-over program runs where the key of the App is: hand over plain files (pack.sh)";
    assert_eq!(reasons, [handover, handover, handover, handover, key], "{told:#?}");
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
        let told = accepted(day, &list);
        assert_eq!(told.status, Some(status), "{day}: {told:#?}");
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
        let told = accepted("2026-11-21", &format!("ignore = [\n{entry}\n]"));
        assert_eq!(told.status, Some(2), "{entry}: {told:#?}");
        assert!(told.error().contains("until YYYY-MM-DD: why"), "{told:#?}");
    }
    // Everything on one line would be overlooked.
    let told = accepted("2026-11-21", r#"ignore = ["RUSTSEC-2023-0071"]"#);
    assert_eq!(told.status, Some(2), "{told:#?}");
}

#[test]
fn what_an_audit_found_is_told_in_short() {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("audit.txt");
    fs::write(
        &report,
        format!(
            "::: Cargo.lock\nCrate:     abc\n\u{1b}[31merror: 1 found\u{1b}[0m\nnoise\n{}",
            "error: x\n".repeat(999)
        ),
    )
    .unwrap();
    let text = |report: &str| {
        CommandOutput::run(script(
            ".github/scripts/advisories.sh",
            &["https://example.com/1", report],
        ))
        .fine()
        .stdout
    };
    let told = text(report.to_str().unwrap());
    assert!(
        told.contains("\nCrate:     abc\nerror: 1 found\n") && !told.contains("noise"),
        "{told}"
    );
    assert_eq!(told.matches("error: x\n").count(), 197);
    assert!(text("/no/such/report").contains("the run has all of it"));
}

#[test]
fn what_the_fuzzer_found_is_told_with_its_inputs_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let text = || {
        CommandOutput::run(script(
            ".github/scripts/fuzzed.sh",
            &["https://example.com/1", folder.path().to_str().unwrap()],
        ))
        .fine()
        .stdout
    };
    assert!(text().contains("the run has all of it"));
    let put = |name: &str, content: &[u8]| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    };
    let name = format!("crash-{}", "0123456789".repeat(4));
    put("report.txt", b"record: FOUND ````\n\x1b[31m@octocat\n");
    put(&format!("found/record/{name}"), b"\0\x01abc");
    put(&format!("found/csv/slow-unit-{}", "a".repeat(40)), &[7; 3001]);
    put("found/record/` @octocat", b"x");
    let told = text();
    assert!(told.contains("record: FOUND \n [31m@octocat\n````"), "{told}");
    let line = format!("base64 -d <<<'AAFhYmM=' >scripts/harness/fuzz/corpus/record/{name}\n");
    assert!(told.contains(&line), "{told}");
    assert!(told.contains("`, 3001 bytes: in the artifact"), "{told}");
    assert!(!told.contains("` @octocat"), "{told}");
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
    installed("cargo-checks.yml", &format!("cargo-deny@{deny}"));
    installed("security-audit.yml", &format!("cargo-audit@{audit},cargo-deny@{deny}"));
}

/// download-artifact gives each artifact a folder of its own, but none to the only one that there is.
#[test]
fn shards_are_found_however_few_are_left() {
    let workflow = fs::read_to_string(root().join(".github/workflows/pr-benchmark.yml")).unwrap();
    let (_, step) = workflow.split_once("      - name: Merge\n        run: |\n").unwrap();
    let (step, _) = step.split_once("      - name: ").unwrap();
    for files in [
        &["target/shards/comparison.json"][..],
        &[
            "target/shards/shard-1/comparison.json",
            "target/shards/shard-2/comparison.json",
        ],
    ] {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let mut command = Command::new("bash");
        command
            .args(["-eo", "pipefail", "-c"])
            .arg(step.replace("./scripts/bench", "echo"))
            .env("RESULT", "merged.json")
            .env("GITHUB_STEP_SUMMARY", "summary.md")
            .current_dir(folder.path());
        let told = CommandOutput::run(command).fine();
        assert_eq!(
            told.stdout,
            format!("compare --merge {} --out merged.json\n", files.join(" "))
        );
    }
}

mod slow {
    use super::*;

    #[test]
    fn foreign_code_beside_a_token_that_can_write_is_found() {
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
                "nothing that was built beside a framework",
            ),
            (
                "steps:\n  - run: .github/scripts/publish.sh a",
                "it builds bench beside a token",
            ),
            (
                "steps:\n  - env:\n      BENCH: x\n    run: .github/scripts/charts.sh a\n  - run: .github/scripts/history.sh a",
                "it builds bench beside a token",
            ),
        ] {
            for rights in [
                writes,
                keeps,
                "permissions: {contents: write}\n",
                "permissions: write-all\n",
            ] {
                let told = found(&workflow(&format!("{rights}{job}")));
                assert_eq!(told.status, Some(1), "{rights}{job}: {told:#?}");
                assert!(told.stdout.contains(reason), "{reason}: {told:#?}");
            }
            let harmless = found(&workflow(&format!("permissions:\n  contents: read\n{job}")));
            assert_eq!(harmless.status, Some(0), "{job}: {harmless:#?}");
        }
        let bench =
            "steps:\n  - env:\n      BENCH: ${{ steps.take.outputs.bench }}\n    run: .github/scripts/publish.sh a";
        assert_eq!(found(&workflow(&format!("{writes}{bench}"))).status, Some(0));
        let told = found(&workflow(&format!("{keeps}{bench}")));
        assert!(
            told.stdout.contains("no handed-over program runs where the key"),
            "{told:#?}"
        );
        let told = found("permissions:\n  contents: write\njobs:\n");
        assert!(told.stdout.contains("a permission belongs to a job"), "{told:#?}");
        // What only passes rights on has no steps.
        assert_eq!(
            found(&workflow(&format!("{writes}uses: ./.github/workflows/lane.yml"))).status,
            Some(0)
        );
    }

    /// What bench.yml builds gets tokens. Of what is measured, it is made of these alone, on which the harness itself stands.
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
        let told = CommandOutput::run(cargo).fine();
        let crates: BTreeSet<&str> = told.stdout.lines().filter_map(|line| line.split(' ').next()).collect();
        let apps = Catalog::read(&root()).unwrap().apps;
        let measured: BTreeSet<&str> = apps
            .iter()
            .flat_map(|app| [app.framework.as_str(), app.package.as_str()])
            .collect();
        let both: Vec<_> = crates.intersection(&measured).copied().collect();
        assert_eq!(both, ["hyper", "tokio", "tokio-util"]);

        let workflow = fs::read_to_string(root().join(".github/workflows/bench.yml")).unwrap();
        let lines: Vec<&str> = workflow.lines().map(str::trim).collect();
        let actions: Vec<_> = lines
            .iter()
            .filter_map(|line| line.strip_prefix("uses: actions/"))
            .collect();
        assert!(
            matches!(actions[..], [checkout, upload] if checkout.starts_with("checkout@") && upload.starts_with("upload-artifact@")),
            "no cache: {actions:?}"
        );
        assert_eq!(lines.iter().filter(|line| line.contains("scripts/")).count(), 1);
        assert!(lines.contains(&"./scripts/bench --version"), "it builds nothing else");
    }

    #[test]
    fn the_label_counts_for_what_was_pushed_before_it_was_set() {
        let set = |at| ("labeled", "accept-regression", at);
        let pushed = |at| ("synchronize: x", FIRST, at);
        for (events, runs, accepted) in [
            (vec![], vec![pushed(ONE)], "false"),
            (vec![("labeled", "bug", TWO)], vec![pushed(ONE)], "false"),
            (vec![set(TWO)], vec![pushed(ONE)], "true"),
            (
                vec![set(TWO), ("unlabeled", "accept-regression", THREE)],
                vec![pushed(ONE)],
                "false",
            ),
            (vec![set(TWO), ("unlabeled", "bug", THREE)], vec![pushed(ONE)], "true"),
            // The attack: a push after the label, and then whatever starts the workflow again.
            (vec![set(ONE)], vec![pushed(TWO), ("edited: x", FIRST, THREE)], "before"),
            (vec![set(TWO)], vec![pushed(TWO)], "before"),
            // The same head was there before, and something else between.
            (
                vec![set(TWO)],
                vec![pushed(ONE), ("synchronize: x", SECOND, TWO), pushed(THREE)],
                "before",
            ),
            (
                vec![set(TWO)],
                vec![("opened: x", FIRST, ONE), ("reopened: x", FIRST, THREE)],
                "before",
            ),
            // Another base is another question; a title that says so is none.
            (vec![set(TWO)], vec![pushed(ONE), ("base: x", FIRST, THREE)], "before"),
            (
                vec![set(TWO)],
                vec![pushed(ONE), ("edited: base: synchronize: x", FIRST, THREE)],
                "true",
            ),
            (vec![set(TWO)], vec![pushed(ONE), ("labeled: x", FIRST, THREE)], "true"),
            // Set again for what is here now.
            (
                vec![set(ONE), ("unlabeled", "accept-regression", TWO), set(THREE)],
                vec![pushed(TWO)],
                "true",
            ),
            // Opened by a workflow, which starts none.
            (
                vec![set(TWO)],
                vec![("ready_for_review: x", FIRST, ONE), ("labeled: x", FIRST, THREE)],
                "true",
            ),
            (vec![set(ONE)], vec![("ready_for_review: x", FIRST, TWO)], "before"),
        ] {
            let told = accepted_by(&events, &runs).fine();
            assert_eq!(told.stdout, format!("accepted={accepted}\n"), "{events:?} {runs:?}");
        }
        let unknown = accepted_by(&[set(TWO)], &[("synchronize: x", SECOND, ONE)]);
        failed(&unknown, "has no run of pr-benchmark.yml for 1111");
    }

    #[test]
    fn what_is_forbidden_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("planted.yml");
        let found = |line: &str| {
            fs::write(&file, format!("{line}\n")).unwrap();
            CommandOutput::run(script(".github/scripts/forbidden.sh", &[file.to_str().unwrap()])).status
        };
        let pinned = "      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1";
        for planted in [
            "    continue-on-error: true",
            "        run: false || true",
            "        run: false ||true; echo",
            "        run: false || :",
            "        run: something | grep -xq this",
            "          persist-credentials: true",
            "          NAME: ${{ github.event.repository.name }}",
            "      - uses: actions/checkout@v7",
            "        uses: actions/checkout@main # v7.0.1",
            "      - uses: docker://alpine",
            pinned,
            &format!("{pinned} # v7"),
        ] {
            assert_eq!(found(planted), Some(1), "{planted}");
        }
        for fine in [
            &format!("{pinned} # v7.0.1") as &str,
            "    uses: ./.github/workflows/lane.yml",
            "          persist-credentials: false",
            "    # continue-on-error is not used here",
            "        run: something || truely",
        ] {
            assert_eq!(found(fine), Some(0), "{fine}");
        }
        CommandOutput::run(script(".github/scripts/forbidden.sh", &[])).fine();
    }
}
