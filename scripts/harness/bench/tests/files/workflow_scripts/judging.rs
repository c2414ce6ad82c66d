//! What passes and what does not: `gate.sh`, `verdict.sh`, `forbidden.sh`, `scripts/audit --list`, and the texts of issues.

use std::fs;
use std::path::PathBuf;

use serde_json::json;

use super::{CommandOutput, root, script};

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
    let verdict = |decision: &str, labels: &str| {
        fs::write(&comparison, json!({"decision": decision}).to_string()).unwrap();
        let mut command = script(".github/scripts/verdict.sh", &[comparison.to_str().unwrap()]);
        command.env("LABELS", labels);
        CommandOutput::run(command).status
    };
    for fine in ["nothing_to_measure", "no_change", "improvement", "inconclusive"] {
        assert_eq!(verdict(fine, "[]"), Some(0), "{fine}");
    }
    assert_eq!(verdict("no_change", "null"), Some(0), "as act has it for no label");
    assert_eq!(verdict("regression", "[]"), Some(1));
    assert_eq!(verdict("regression", "null"), Some(1));
    assert_eq!(verdict("regression", r#"["accept-regression-not", "bug"]"#), Some(1));
    assert_eq!(verdict("regression", r#"["bug", "accept-regression"]"#), Some(0));
    assert_eq!(verdict("excellent", r#"["accept-regression"]"#), Some(2));
    assert_ne!(verdict("regression", "not json"), Some(0));
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
        assert!(text.contains(&format!("tool: {wanted}\n")), "{workflow}: {wanted}");
    };
    installed("cargo-checks.yml", &format!("cargo-deny@{deny}"));
    installed("security-audit.yml", &format!("cargo-audit@{audit},cargo-deny@{deny}"));
}
