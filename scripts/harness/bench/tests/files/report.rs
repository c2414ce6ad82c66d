//! `bench report` on a record that was measured here and now, and on files that are none.

use std::fs;
use std::path::Path;

use crate::common::{Bench, CommandOutput};
use record::SCHEMA_VERSION;

const README: &str = "# Title\n\n<!-- results:begin -->\nthe block before\n<!-- results:end -->\n\nThe end.\n";

/// A small record; what it says does not matter here.
fn measured(bench: &Bench) {
    let arguments = [
        "--app",
        "good,wrong-body",
        "--scenario",
        "plaintext",
        "--duration",
        "50ms",
        "--connections",
        "2",
    ];
    bench.run(&[&arguments[..], &["--rounds", "1"]].concat()).fine();
}

fn report(bench: &Bench, run: &str, arguments: &[&str]) -> CommandOutput {
    let mut command = bench.command(&["report", run, "--results"]);
    command.arg(bench.results()).args(arguments);
    CommandOutput::run(command)
}

#[test]
fn the_newest_record_is_shown_as_markdown_and_written_with_charts_and_readme() {
    let bench = Bench::on_fixtures_beside_others();
    measured(&bench);
    let record = bench.record();
    for name in ["latest", record.id.as_str()] {
        let told = report(&bench, name, &[]).fine();
        assert!(
            told.stdout.starts_with("# ") && told.stdout.contains("Hello, Wurld"),
            "{told:#?}"
        );
    }

    let table = report(&bench, "latest", &["--format", "table"]).fine();
    assert!(
        table.stdout.contains("÷ reference") && !table.stdout.contains("# "),
        "{table:#?}"
    );

    let readme = bench.results().join("README.md");
    fs::write(&readme, README).unwrap();
    let write = || report(&bench, "latest", &["--readme", readme.to_str().unwrap()]).fine();
    write();
    let first = fs::read_to_string(&readme).unwrap();
    assert!(
        first.starts_with("# Title\n") && first.ends_with("The end.\n") && !first.contains("the block before"),
        "{first}"
    );
    assert!(first.contains("local/charts/overview.svg") && first.contains(&format!("local/{}.json", record.id)));
    for written in [
        "local/charts/overview.svg",
        "local/charts/plaintext.svg",
        "local/summary.md",
    ] {
        assert!(bench.results().join(written).is_file(), "{written}");
    }
    write();
    assert_eq!(fs::read_to_string(&readme).unwrap(), first, "twice is once");

    // A try is the newest result only where there is no whole run.
    let newest = || report(&bench, "latest", &["--format", "table"]).fine().stdout;
    assert!(newest().contains(" (partial) on "), "{}", newest());
    let mut whole = record.clone();
    (whole.id, whole.harness.whole) = ("20200101T000000Z-1".into(), Some(true));
    let whole = record::store::write(bench.results(), &whole).unwrap();
    assert!(!newest().contains("partial"), "{}", newest());
    fs::remove_file(whole).unwrap();

    let elsewhere = bench.results().join("elsewhere");
    report(&bench, "latest", &["--out", elsewhere.to_str().unwrap()]).fine();
    assert!(elsewhere.join("summary.md").is_file() && elsewhere.join("charts/plaintext.svg").is_file());
}

#[test]
fn what_is_no_record_is_one_line_and_changes_nothing() {
    let bench = Bench::on_fixtures_beside_others();
    measured(&bench);
    let good = bench.files().remove(0);
    let text = fs::read_to_string(&good).unwrap();
    let readme = bench.results().join("README.md");
    fs::write(&readme, README).unwrap();
    let broken = bench.results().join("broken.json");
    let check = |path: &Path, told: &str| {
        let answer = report(&bench, path.to_str().unwrap(), &["--readme", readme.to_str().unwrap()]);
        assert_eq!(answer.status, Some(2), "{answer:#?}");
        assert!(answer.error().contains(told), "{told}: {answer:#?}");
        assert_eq!(fs::read_to_string(&readme).unwrap(), README);
        assert!(!bench.results().join("charts").exists());
    };
    let nan = text.replacen("\"steal_share\":", "\"steal_share\":NaN,\"x\":", 1);
    let version = |version: u32| format!("\"schema_version\":{version},");
    let newer = text.replacen(&version(SCHEMA_VERSION), &version(99), 1);
    for (content, told) in [
        (&text[..text.len() / 2], "is not a record"),
        (nan.as_str(), "is not a record"),
        (newer.as_str(), "schema version 99"),
    ] {
        assert_ne!(content, text);
        fs::write(&broken, content).unwrap();
        check(&broken, told);
    }
    check(Path::new("no-such-run"), "there is no record no-such-run");
    fs::write(&readme, "no markers").unwrap();
    let answer = report(&bench, good.to_str().unwrap(), &["--readme", readme.to_str().unwrap()]);
    assert_eq!(answer.status, Some(2));
    assert!(answer.error().contains("results:begin"), "{answer:#?}");
    assert_eq!(fs::read_to_string(&readme).unwrap(), "no markers");
}
