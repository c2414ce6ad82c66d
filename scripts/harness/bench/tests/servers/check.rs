//! `bench check`, as a command: what it finds is tested in the crate `faulty`.

use std::io::{BufRead as _, BufReader};

use crate::common::{Bench, CommandOutput, spawn};

#[test]
fn each_server_has_its_line_whatever_becomes_of_the_others() {
    let bench = Bench::on_fixtures();
    let output = bench.call("check --app good,dies-at-once,wrong-body,unbuildable");
    assert_eq!(output.status, Some(1), "{output:#?}");
    assert_eq!(
        output.stdout,
        "dies-at-once  http1  crashed  the server died before its first answer: exit status 7; it said: no luck today\n\
         good          http1  ok\n\
         unbuildable   http1  build_failed  error[E0308]: mismatched types (unbuildable-app, apps/unbuildable/src/main.rs:2)\n\
         wrong-body    http1  contract_failed  GET /: expected `Hello, World!`, got `Hello, Wurld!`\n\
         wrong-body    http1  proves  /hello, /heavy, /cpu, /ram, /test/simple, /test/timed, /test/bcrypt, /test/bcrypt-inline: \
         `bench run` measures these, and ranks none\n"
    );
    assert!(bench.children().is_empty());
}

#[test]
fn nothing_is_checked_while_another_bench_measures() {
    let bench = Bench::on_fixtures();
    let lock = tempfile::NamedTempFile::new().unwrap();
    lock.as_file().lock().unwrap();
    let command = |more: &str| {
        let mut command = bench.command(&format!("check --app good {more}"));
        command.env("BENCH_LOCK", lock.path());
        command
    };
    CommandOutput::run(command("")).refused("another bench measures on this machine");
    let mut waiting = spawn(command("--wait"));
    let mut lines = BufReader::new(waiting.stderr.take().unwrap())
        .lines()
        .map(Result::unwrap);
    let waits = lines.any(|line| line.contains("waiting: another bench measures"));
    assert!(waits && waiting.try_wait().unwrap().is_none());
    lock.as_file().unlock().unwrap();
    lines.for_each(drop);
    assert_eq!(CommandOutput::await_end(waiting).stdout, "good  http1  ok\n");
}
