//! `bench compare` on a small git repository.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use judge::compare::gates::Gauge;
use judge::compare::outcome::{Comparison, Decision};

use crate::common::{Bench, CommandOutput, fixtures, oha, words};

/// A repository with one app, whose base, slower and same heads are tags. What it builds is kept from test to test.
fn repository() -> PathBuf {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compared");
    for folder in [".git", "apps", "server"] {
        let _ = fs::remove_dir_all(root.join(folder)); // may not be there
    }
    let parts = ["Cargo.toml", "Cargo.lock", "server", "apps/good"].map(|part| format!("./{part}"));
    fs::create_dir_all(&root).unwrap();
    let mut copy = Command::new("cp");
    copy.args(["--recursive", "--parents"])
        .args(parts)
        .arg(&root)
        .current_dir(fixtures());
    assert!(copy.status().unwrap().success());
    fs::write(root.join(".gitignore"), "target/\n").unwrap();
    // The lockfile of all fixtures becomes that of this one.
    call(&root, "cargo update --quiet --workspace --offline");
    call(&root, "git init --quiet --initial-branch main");
    for (tag, fault) in [("base", "None"), ("slower", "Costly"), ("same", "Burden(1)")] {
        let main = format!("fn main() {{\n    server::serve(server::Fault::{fault})\n}}\n");
        fs::write(root.join("apps/good/src/main.rs"), main).unwrap();
        call(&root, "git add --all");
        call(
            &root,
            &format!("git -c user.name=Test -c user.email=test@example.org commit --quiet --no-gpg-sign -m {tag}"),
        );
        call(&root, &format!("git tag {tag}"));
    }
    root
}

fn call(root: &Path, line: &str) {
    let mut words = line.split(' ');
    let mut command = Command::new(words.next().unwrap());
    let output = command.args(words).current_dir(root).output().unwrap();
    assert!(output.status.success(), "{line}: {output:?}");
}

#[test]
fn a_slower_head_is_a_regression_and_one_that_does_the_same_is_not() {
    let bench = Bench::with_root(&repository());
    let compared = |line: &str, status: i32| -> Comparison {
        let line = format!("compare --base base --scenario plaintext --format json {line}");
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
