//! `bench compare` on a small git repository.

use std::fs;
use std::path::{Path, PathBuf};

use analyze::compare::outcome::{Comparison, Decision};
use model::Metric;

use crate::common::{Bench, CommandOutput, git, oha, repository};

/// A repository with one app, whose base and slower head are tags. What it builds is kept from test to test.
fn compared_repository() -> PathBuf {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compared");
    for folder in [".git", "apps", "faulty"] {
        let _ = fs::remove_dir_all(root.join(folder)); // may not be there
    }
    repository(&root, &["good"]);
    for (tag, fault) in [("base", "None"), ("slower", "Costly")] {
        let main = format!("fn main() {{\n    faulty::plain::serve(faulty::plain::Fault::{fault})\n}}\n");
        fs::write(root.join("apps/good/src/main.rs"), main).unwrap();
        git(&root, &format!("commit -q --all --allow-empty -m {tag}"));
        git(&root, &format!("tag {tag}"));
    }
    root
}

#[test]
fn a_slower_head_is_a_regression() {
    let bench = Bench::with_root(&compared_repository());
    // Instructions decide: no machine moves them.
    let line = "compare --base base --head slower --scenario plaintext --metric instructions --format json";
    let mut command = bench.command(line);
    command.arg("--oha").arg(oha());
    command.env("LOGNAME", "somebody").env("HOST", "somewhere"); // valgrind's pipes are named by them
    let output = CommandOutput::run(command);
    assert_eq!(output.status, Some(1), "{output:#?}");
    let worse: Comparison = serde_json::from_value(output.json()).unwrap();
    let [series] = worse.series.as_slice() else {
        panic!("is valgrind installed? {worse:?}")
    };
    assert_eq!(
        (worse.decision, series.decision),
        (Decision::Regression, Decision::Regression)
    );
    assert_eq!(series.metric, Metric::InstructionsPerRequest);
    assert!(
        series.change.unwrap() > 0.3 && series.interval.unwrap().low > 0.1,
        "{series:?}"
    );
    assert!(series.head.unwrap() > series.base.unwrap());
}
