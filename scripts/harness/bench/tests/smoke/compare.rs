//! `bench compare` on a small git repository.

use std::fs;
use std::path::{Path, PathBuf};

use judge::compare::gates::Gauge;
use judge::compare::outcome::{Comparison, Decision};

use crate::common::{Bench, CommandOutput, git, oha, repository, words};

/// A repository with one app, whose base, slower and same heads are tags. What it builds is kept from test to test.
fn compared_repository() -> PathBuf {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compared");
    for folder in [".git", "apps", "faulty"] {
        let _ = fs::remove_dir_all(root.join(folder)); // may not be there
    }
    repository(&root, &["good"]);
    for (tag, fault) in [("base", "None"), ("slower", "Costly"), ("same", "Burden(1)")] {
        let main = format!("fn main() {{\n    faulty::plain::serve(faulty::plain::Fault::{fault})\n}}\n");
        fs::write(root.join("apps/good/src/main.rs"), main).unwrap();
        git(&root, &["commit", "--quiet", "--all", "--allow-empty", "-m", tag]);
        git(&root, &["tag", tag]);
    }
    root
}

#[test]
fn a_slower_head_is_a_regression_and_one_that_does_the_same_is_not() {
    let bench = Bench::with_root(&compared_repository());
    let compared = |line: &str, status: i32| -> Comparison {
        let line = format!("compare --base base --scenario plaintext --cargo-profile dev --format json {line}");
        let mut command = bench.command(&words(&line));
        command.arg("--oha").arg(oha());
        let told = CommandOutput::run(command);
        assert_eq!(told.status, Some(status), "{told:#?}");
        serde_json::from_value(told.json()).unwrap()
    };
    // Instructions decide: no machine moves them.
    let worse = compared("--head slower --metric instructions", 1);
    let [series] = worse.series.as_slice() else {
        panic!("is valgrind installed? {worse:?}")
    };
    assert_eq!(
        (worse.decision, series.decision),
        (Decision::Regression, Decision::Regression)
    );
    assert_eq!(series.gauge, Gauge::InstructionsPerRequest);
    assert!(
        series.change.unwrap() > 0.3 && series.interval.unwrap().low > 0.1,
        "{series:?}"
    );
    assert!(series.head.unwrap() > series.base.unwrap());

    let same = compared("--head same --metric instructions", 0);
    assert_eq!((same.decision, same.series.len()), (Decision::NoChange, 1), "{same:?}");
}
