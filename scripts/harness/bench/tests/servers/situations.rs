//! A whole run wherever somebody starts it, with programs that were built before: what the disk, the clock and the limits of the machine do
//! to it. `tests/files/situations.rs` has what is refused before anything is measured.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::common::situation::run;
use crate::common::{Bench, CommandOutput, faketime, fixtures, oha, words};

/// `run OPTIONS…`: a short one, whose record lies in `results`.
const SHORT: &str = r#"
run() {
    "$bench" run --scenario plaintext --duration 100ms --connections 4 --rounds 2 --split 1:1 --out results --app "${app:-good}" "$@"
}
handed_over() { run --binaries "$handover" "$@"; }
# What was written is a record that is of now and of one piece.
told() {
    local record=$(echo results/local/*Z-*.json)
    "$bench" report "$record" --check
    jq --exit-status '.started_at <= .finished_at and (.trials | length) > 0' "$record" >/dev/null &&
        jq --raw-output '.environment.warnings[], .harness.whole' "$record"
}
"#;

/// A run that other programs disturb ends with 2, and leaves a record all the same.
#[test]
fn a_run_ends_with_a_record_that_says_what_was_so() {
    let table = r#"
all is well
$ handed_over
0|2 record: results/local/

the clock is set back by an hour meanwhile
$ echo +0 >time; LD_PRELOAD=$faketime FAKETIME_TIMESTAMP_FILE=$PWD/time FAKETIME_NO_CACHE=1 FAKETIME_DONT_FAKE_MONOTONIC=1 handed_over & sleep 1.5; echo -1h >time; wait; told
0 the machine's clock went back by 36

and forward by a day
$ echo +0 >time; LD_PRELOAD=$faketime FAKETIME_TIMESTAMP_FILE=$PWD/time FAKETIME_NO_CACHE=1 FAKETIME_DONT_FAKE_MONOTONIC=1 handed_over & sleep 1.5; echo +1d >time; wait; told
0 the machine's clock went forward by 86400 s

standard output is full
$ handed_over >/dev/full; told
0 error: the record is results/local/ … No space left on device

stderr is full
$ handed_over 2>/dev/full
0|2 record: results/local/

stderr and standard output are closed
$ handed_over >&- 2>&-; told
0 false

TMPDIR fills meanwhile (root)
$ mkdir t; unshare --mount true || exit 77; unshare --mount bash -c "$(declare -f run handed_over)"'
  mount -t tmpfs -o size=12m none t || exit 77; (sleep 1.5; head -c 20M /dev/zero >t/much) 2>/dev/null & TMPDIR=$PWD/t handed_over; wait'; told >/dev/null; grep -o 'the disk is full ([^)]*)\|the load generator failed: [^"]*No space left on device' results/local/*.json | sort -u
0 No space left on device

the control group has the time of two cpus (root)
$ limited cpu 2 handed_over
0|2 record: results/local/

settings of the environment reach the build (cargo)
$ CARGO_PROFILE_BENCH_LTO=off BENCH_ROOT=$fixtures run --cargo-profile dev --oha $oha; told
0 settings from outside of the repository reached the build … CARGO_PROFILE_BENCH_LTO=off … false

the target folder may not be written to (root)
$ mkdir t; unshare --mount true || exit 77; unshare --mount bash -c "$(declare -f run)"'
  mount -t tmpfs -o ro none t || exit 77; CARGO_TARGET_DIR=$PWD/t BENCH_ROOT=$fixtures run --cargo-profile dev --oha $oha'
2 error: this machine has no room to build:  … Read-only file system (os error 30)

a wrapper of the compiler that is not there (cargo)
$ RUSTC_WRAPPER=/nowhere/sccache BENCH_ROOT=$fixtures run --cargo-profile dev --oha $oha
2 could not execute process `/nowhere/sccache

git does not say which commit it is (cargo)
$ export app=ceiling GIT_TEST_ASSUME_DIFFERENT_OWNER=1 BENCH_ROOT=$repository; run --cargo-profile dev --oha $oha; told
0 the record does not say of which commit it is: git rev-parse failed: fatal: detected dubious ownership
"#;
    let handover = Bench::on_fixtures();
    fs::set_permissions(handover.results(), fs::Permissions::from_mode(0o755)).unwrap();
    let folder = handover.results().join("handover");
    let mut build = handover.command(&words("build --app good --cargo-profile dev --out"));
    CommandOutput::run({
        build.arg(&folder).arg("--oha").arg(oha());
        build
    })
    .fine();
    let (fixtures, faketime) = (fixtures(), faketime());
    let repository = Bench::on_the_apps();
    let variables = [
        ("handover", folder.as_path()),
        ("fixtures", &fixtures),
        ("repository", repository.root()),
        ("oha", oha()),
        ("faketime", faketime.as_ref()),
    ];
    run(SHORT, table, &variables, |_| ());
}
