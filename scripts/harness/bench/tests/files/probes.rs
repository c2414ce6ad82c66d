//! Files of probes, as `bench report`, `bench history` and `bench publish` read them.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::CommandOutput;
use record::probe::{ProbeOutcome, Probes, store};
use record::sample;
use tempfile::TempDir;

type Change = fn(&mut Probes);

fn bench(arguments: &[&str]) -> CommandOutput {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bench"));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    command
        .args(["--now", "2027-01-01T00:00:00Z"])
        .args(arguments)
        .env("BENCH_ROOT", root)
        .env_remove("GITHUB_ACTIONS")
        .stdin(Stdio::null());
    CommandOutput::run(command)
}

/// Results with the probes of two weeks, in the second of which axum passes a case that it failed.
fn results() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut probes = sample::probes();
    // Of this program, so that they may be published.
    probes.cases.clear();
    probes.results.retain(|one| one.case == "date");
    let listed = bench(&["probe", "--list", "--case", "date,h2spec", "--format", "json"])
        .fine()
        .json();
    probes.cases = serde_json::from_value(listed).unwrap();
    // A server that does not speak HTTP/2 has one result for all cases of h2spec.
    let mut unspoken = probes.results[0].clone();
    (unspoken.case, unspoken.outcome) = ("h2spec".into(), ProbeOutcome::NotApplicable);
    probes.results.push(unspoken);
    let mut later = probes.clone();
    later.id = "20261128T110000Z-1".into();
    (later.started_at, later.finished_at) = (at("2026-11-28T11:00:00Z"), at("2026-11-28T11:20:00Z"));
    probes.results[0].outcome = ProbeOutcome::Failed;
    for document in [&probes, &later] {
        store::write(folder.path(), document).unwrap();
    }
    folder
}

fn at(text: &str) -> jiff::Timestamp {
    text.parse().unwrap()
}

#[test]
fn what_breaks_is_reported_and_its_history_told() {
    let folder = results();
    let path = folder.path().to_str().unwrap();
    let told = bench(&["report", "probes", "--results", path]).fine();
    assert!(
        told.stdout.starts_with("# What breaks\n\n2 cases on 3 servers"),
        "{told:#?}"
    );
    let table = bench(&["report", "probes", "--results", path, "--format", "table"]).fine();
    assert!(table.stdout.starts_with("fails"), "{table:#?}");
    let out = folder.path().join("probes");
    let told = bench(&["report", "probes", "--results", path, "--out", out.to_str().unwrap()]).fine();
    assert_eq!(told.stdout.trim(), out.join("summary.md").display().to_string());
    assert!(
        fs::read_to_string(out.join("summary.md"))
            .unwrap()
            .contains("2026-11-28")
    );
    let told = bench(&["history", "--probes", "--results", path]).fine();
    assert!(
        told.stdout
            .contains("| 2026-11-28 | axum | date (must) | http1 | passes now |"),
        "{told:#?}"
    );
    let told = bench(&["history", "--probes", "--results", path, "--app", "rocket"]).fine();
    assert!(told.stdout.contains("nothing began or ceased to fail"), "{told:#?}");
}

#[test]
fn what_is_wrong_with_a_file_of_probes_is_one_line() {
    let empty = tempfile::tempdir().unwrap();
    let path = empty.path().to_str().unwrap();
    for arguments in [
        &["report", "probes", "--results", path][..],
        &["history", "--probes", "--results", path],
    ] {
        let told = bench(arguments);
        assert_eq!(told.status, Some(2), "{told:#?}");
        assert!(told.error().contains("`bench probe --out"), "{told:#?}");
    }
    let folder = results();
    let file = store::path_of(folder.path(), "20261128T110000Z-1");
    let changes: [(Change, &str); 6] = [
        (|probes| probes.schema_version = 9, "schema_version 9"),
        (
            |probes| probes.results[0].app = "nobody".into(),
            "no app and case of its own",
        ),
        (|probes| probes.results.extend(probes.results.clone()), "twice"),
        (|probes| probes.results[0].milliseconds = -1.0, "is no figure"),
        (|probes| probes.results[0].got = "x".repeat(20_000), "is too long"),
        (|probes| probes.apps[0].app.id = "../axum".into(), "is not a name"),
    ];
    let good = fs::read_to_string(&file).unwrap();
    for (change, told) in changes {
        let mut probes: Probes = serde_json::from_str(&good).unwrap();
        change(&mut probes);
        fs::write(&file, serde_json::to_string(&probes).unwrap()).unwrap();
        let output = bench(&["report", file.to_str().unwrap()]);
        assert_eq!(output.status, Some(2), "{output:#?}");
        assert!(output.error().contains(told), "{told}: {output:#?}");
    }
    fs::write(&file, good.replacen("\"id\"", "\"idea\"", 1)).unwrap();
    assert!(
        bench(&["report", file.to_str().unwrap()])
            .error()
            .contains("unknown field")
    );
}

#[test]
fn probes_are_published_if_nothing_speaks_against_them() {
    let folder = results();
    let path = folder.path().to_str().unwrap();
    let pages = tempfile::tempdir().unwrap();
    let to = pages.path().to_str().unwrap();
    let publish = |more: &[&str]| {
        let arguments = ["publish", "probes", "--results", path, "--pages", to];
        bench(&[&arguments[..], more].concat())
    };
    let told = publish(&["--expect-commit", "ffffffffffffffffffffffffffffffffffffffff"]);
    assert_eq!(told.status, Some(1), "{told:#?}");
    assert!(told.stderr.contains("was asked for"), "{told:#?}");
    publish(&[]).fine();
    assert!(pages.path().join("data/probes/20261128T110000Z-1.json").is_file());
    assert!(pages.path().join("data/probes/index.json").is_file());
    let told = publish(&[]).fine();
    assert!(told.stdout.contains("everything was there already"), "{told:#?}");
    bench(&["publish", "--check", "--pages", to]).fine();
}
