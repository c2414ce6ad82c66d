//! `bench check` on servers that break the contract, each in its own way.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use serde_json::Value;

use crate::common::{Bench, CommandOutput};

/// Fault, and what must be told of it: the request, what was expected, what came.
const FAULTS: [(&str, &str, &str, &str); 15] = [
    (
        "wrong-body",
        "GET /: ",
        "expected `Hello, World!`",
        "got `Hello, Wurld!`",
    ),
    (
        "wrong-content-type",
        "GET /: ",
        "expected content type text/plain",
        "got \"text/html\"",
    ),
    (
        "fixed-uuid",
        "GET /hello: ",
        "expected a new id for each answer",
        "00000000-0000-4000-8000-000000000000 twice",
    ),
    (
        "server-error",
        "POST /test/simple ",
        "expected status 200",
        "got status 500, `oh no`",
    ),
    ("nothing", "GET /hello: ", "expected an answer", "got "),
    (
        "half-an-answer",
        "GET /hello: ",
        "expected an answer",
        "status 200 and half a body",
    ),
    ("hangs", "GET /hello: ", "expected an answer", "got nothing within 5 s"),
    ("silent", "", "no answer within 10 s of its start", ""),
    (
        "panics",
        "GET /hello: ",
        "expected an answer",
        "the handler is out of luck",
    ),
    (
        "large-body",
        "POST /test/simple with 100 kB: ",
        "expected status 413 with a body",
        "got status 500, `oh no`",
    ),
    (
        "ignores-workers",
        "WORKERS=3: ",
        "expected more threads than the 64 of WORKERS=1",
        "got 64",
    ),
    (
        "hashes-on-worker",
        "GET / after 6 of POST /test/bcrypt at once with WORKERS=1: ",
        "expected its answer before the hashes are done",
        "got it after ",
    ),
    (
        "blocks-timed",
        "POST /test/timed 50 times at once with WORKERS=1: ",
        "expected all answers within 500 ms",
        "got them after ",
    ),
    (
        "ignores-sigterm",
        "SIGTERM while a connection is idle: ",
        "expected the end of the server within 5 s",
        "got a server that still runs",
    ),
    (
        "ignores-settings",
        "WORKERS=0: ",
        "expected one line on stderr and exit status 2",
        "got a server that runs",
    ),
];

/// Faults that break more than one demand, and the last of them.
const SEVERAL: [(&str, &str); 2] = [
    ("server-error", "POST /test/simple with 100 kB: "),
    ("ignores-settings", "HTTP=2 with TLS_CERT and TLS_KEY (http2-tls, "),
];

#[test]
fn every_fault_is_told_with_request_expectation_and_answer_and_the_others_go_on() {
    // Alone, because some faults show in time only.
    let bench = Bench::on_fixtures();
    let apps: Vec<&str> = FAULTS.iter().map(|(app, ..)| *app).chain(["good"]).collect();
    let told = bench.call(&["check", "--app", &apps.join(","), "--format", "json"]);
    assert_eq!(told.status, Some(1), "{told:#?}");
    let found = told.json();
    let of = |app: &str| {
        found
            .as_array()
            .unwrap()
            .iter()
            .find(|found| found["app"] == app)
            .unwrap()
            .clone()
    };
    for (app, request, expected, got) in FAULTS {
        let found = of(app);
        assert_eq!(found["verdict"], "contract_failed", "{found}");
        let reasons: Vec<&str> = found["reasons"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_str)
            .collect();
        let first = reasons[0];
        assert!(
            first.starts_with(request) && first.contains(expected) && first.contains(got),
            "{app}: {first}"
        );
        match SEVERAL.iter().find(|(several, _)| *several == app) {
            None => assert_eq!(reasons.len(), 1, "{found}"),
            Some((_, last)) => assert!(reasons.last().unwrap().starts_with(last), "{found}"),
        }
    }
    assert_eq!(of("good")["verdict"], "valid");
    assert!(bench.children().is_empty());
}

#[test]
fn servers_that_keep_the_contract_pass() {
    let bench = Bench::on_fixtures();
    let told = bench.call(&["check", "--app", "good,good-two"]).fine();
    assert_eq!(told.stdout, "good      http1  ok\ngood-two  http1  ok\n");
}

#[test]
fn a_protocol_that_is_claimed_and_not_spoken_fails_alone() {
    let bench = Bench::on_fixtures_beside_others();
    let told = bench.call(&["check", "--app", "claims-too-much"]);
    assert_eq!(told.status, Some(1), "{told:#?}");
    let lines: Vec<&str> = told.stdout.lines().collect();
    assert_eq!(lines[0], "claims-too-much  http1  ok");
    assert!(
        lines[1].starts_with(
            "claims-too-much  http2  crashed  the server died before its first answer: exit status 2; it said: error: "
        ),
        "{told:#?}"
    );
}

#[test]
fn a_server_that_dies_is_told_with_its_last_words_and_one_that_does_not_build_with_the_compilers() {
    let bench = Bench::on_fixtures_beside_others();
    let told = bench.call(&["check", "--app", "dies-at-once,unbuildable"]);
    assert_eq!(told.status, Some(1), "{told:#?}");
    let lines: Vec<&str> = told.stdout.lines().collect();
    assert_eq!(
        lines[0],
        "dies-at-once  http1  crashed  the server died before its first answer: exit status 7; it said: no luck today"
    );
    assert_eq!(
        lines[1],
        "unbuildable   http1  build_failed  error[E0308]: mismatched types (unbuildable-app, apps/unbuildable/src/main.rs:2)"
    );
}

#[test]
fn nothing_is_checked_while_another_bench_measures() {
    let bench = Bench::on_fixtures();
    let lock = tempfile::NamedTempFile::new().unwrap();
    lock.as_file().lock().unwrap();
    let command = |arguments: &[&str]| {
        let mut command = bench.command(&[&["check", "--app", "good"], arguments].concat());
        command.env("BENCH_LOCK", lock.path());
        command
    };
    let refused = CommandOutput::run(command(&[]));
    assert_eq!(refused.status, Some(2), "{refused:#?}");
    assert!(
        refused.error().contains("another bench measures on this machine"),
        "{refused:#?}"
    );
    let mut waiting = command(&["--wait"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(waiting.stderr.take().unwrap())
        .lines()
        .map(Result::unwrap);
    let waits = lines.any(|line| line.contains("waiting: another bench measures"));
    assert!(waits && waiting.try_wait().unwrap().is_none());
    lock.as_file().unlock().unwrap();
    lines.for_each(drop);
    let waited = waiting.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(waited.stdout).unwrap(), "good  http1  ok\n");
}

#[test]
fn a_name_that_is_not_known_is_told_with_the_near_ones() {
    let bench = Bench::on_fixtures_beside_others();
    let told = bench.call(&["check", "--app", "god"]);
    assert_eq!(told.status, Some(2));
    assert!(
        told.error()
            .starts_with("error: there is no app `god`; did you mean `good`"),
        "{told:#?}"
    );
    let told = bench.call(&["check", "--app", "good", "--variant", "tuned"]);
    assert_eq!(told.status, Some(2));
    assert!(told.error().contains("no variant `tuned`"), "{told:#?}");
}
