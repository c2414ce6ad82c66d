//! A whole run wherever somebody starts it, with programs that were built before: what the disk, the clock and the limits of the machine do
//! to it. `tests/files/situations.rs` has what is refused before anything is measured.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::situation::run;
use crate::common::{Bench, CommandOutput, fixtures, oha};

/// `run OPTIONS…`: a short one, whose record lies in `results`.
const SHORT: &str = r#"
run() {
    "$bench" run --scenario "${scenario:-plaintext}" --duration 100ms --connections 4 --rounds 2 --split 1:1 --out results --app "${app:-good}" "$@"
}
handed_over() { run --binaries "$handover" "$@"; }
# Checks that the record has trials and its times are in order; prints its warnings and whether it is whole.
recorded() {
    local record=$(echo results/local/*Z-*.json)
    jq --exit-status '.started_at <= .finished_at and (.trials | length) > 0' "$record" >/dev/null &&
        jq --raw-output '.environment.warnings[], .harness.whole' "$record"
}
"#;

/// Whose time of day is as many seconds ahead as the file `clock` says, as if somebody set the machine's. A library that shows another time
/// moves the clocks of CPU time as well.
const CLOCK: &str = r#"
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t id, struct timespec *now) {
    int failed = syscall(SYS_clock_gettime, id, now), file;
    char text[16] = "";
    if (id == CLOCK_REALTIME && (file = open("clock", O_RDONLY)) >= 0) {
        if (read(file, text, sizeof text - 1) > 0) now->tv_sec += atol(text);
        close(file);
    }
    return failed;
}
"#;

/// That library, below `folder`.
fn clock(folder: &Path) -> PathBuf {
    let (source, library) = (folder.join("clock.c"), folder.join("clock.so"));
    fs::write(&source, CLOCK).unwrap();
    let compiled = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .args([&library, &source])
        .status();
    assert!(compiled.unwrap().success());
    library
}

/// A run that other programs disturb ends with 1, and leaves a record all the same.
#[test]
fn a_run_ends_with_a_record_that_says_what_was_so() {
    let table = r#"
all is well
$ handed_over
0|1 record: results/local/

the folder of temporary files has a name that other programs read something into
$ mkdir "it's, \"a\" %p \\ #" && TMPDIR="$PWD/it's, \"a\" %p \\ #" handed_over; recorded
0

the clock is set back by an hour meanwhile
$ echo 0 >clock; LD_PRELOAD=$clock handed_over & sleep 1.5; echo -3600 >clock; wait; recorded
0 the machine's clock went back by 3600 s

and forward by a day
$ echo 0 >clock; LD_PRELOAD=$clock handed_over & sleep 1.5; echo 86400 >clock; wait; recorded
0 the machine's clock went forward by 86400 s

standard output is full
$ handed_over >/dev/full; recorded
0 error: the record is results/local/ … No space left on device

stderr is full
$ handed_over 2>/dev/full
0|1 record: results/local/

stderr and standard output are closed
$ handed_over >&- 2>&-; recorded
0 false

TMPDIR fills meanwhile (root)
$ mkdir t; unshare --mount true || exit 77; unshare --mount bash -c "$(declare -f run handed_over)"'
  mount -t tmpfs -o size=12m none t || exit 77; (sleep 1.5; head -c 20M /dev/zero >t/much) 2>/dev/null & TMPDIR=$PWD/t handed_over; wait'; recorded >/dev/null; grep -o 'the disk is full ([^)]*)\|the load generator failed: [^"]*No space left on device' results/local/*.json | sort -u
0 No space left on device

the control group has too little memory for a server (root)
$ scenario=ram limited memory 100M handed_over; jq --raw-output '.trials[] | .verdict, .reasons[]' results/local/*.json | sort -u
0 environment_failed … the kernel killed it, because its control group may use 0.1 GiB of memory

the control group has the time of two cpus (root)
$ limited cpu 2 handed_over
0|1 record: results/local/

settings of the environment reach the build (cargo)
$ CARGO_PROFILE_BENCH_LTO=off BENCH_ROOT=$fixtures run --cargo-profile dev --oha $oha; recorded
0 settings from outside of the repository reached the build … CARGO_PROFILE_BENCH_LTO=off … false

the target folder may not be written to (root)
$ mkdir t; unshare --mount true || exit 77; unshare --mount bash -c "$(declare -f run)"'
  mount -t tmpfs -o ro none t || exit 77; CARGO_TARGET_DIR=$PWD/t BENCH_ROOT=$fixtures run --cargo-profile dev --oha $oha'
2 error: this machine has no room to build:  … Read-only file system (os error 30)

a wrapper of the compiler that is not there (cargo)
$ RUSTC_WRAPPER=/nowhere/sccache BENCH_ROOT=$fixtures run --cargo-profile dev --oha $oha
2 could not execute process `/nowhere/sccache

git does not say which commit it is (cargo)
$ export app=ceiling GIT_TEST_ASSUME_DIFFERENT_OWNER=1 BENCH_ROOT=$repository; run --cargo-profile dev --oha $oha; recorded
0 the record does not say of which commit it is: git rev-parse failed: fatal: detected dubious ownership
"#;
    let handover = Bench::on_fixtures();
    fs::set_permissions(handover.results(), fs::Permissions::from_mode(0o755)).unwrap();
    let folder = handover.results().join("handover");
    let mut build = handover.command("build --app good --cargo-profile dev");
    build.arg("--oha").arg(oha()).arg("--out").arg(&folder);
    CommandOutput::run(build).fine();
    let (fixtures, clock) = (fixtures(), clock(handover.results()));
    let repository = Bench::on_the_apps();
    let variables = [
        ("handover", folder.as_path()),
        ("fixtures", &fixtures),
        ("repository", repository.root()),
        ("oha", oha()),
        ("clock", &clock),
    ];
    run(SHORT, table, &variables, |_| ());
}
