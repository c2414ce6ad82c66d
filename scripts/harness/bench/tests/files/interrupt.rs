//! Interrupts of commands that only compute.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::files::self_test::live;

/// What is computed is lost with the process; what was written stays as it is.
fn ends_at_an_interrupt(arguments: &[&str]) {
    // A shell's background job ignores interrupts, and what it starts inherits that.
    let mut command = Command::new("env");
    command.args(["--default-signal=INT", env!("CARGO_BIN_EXE_bench")]);
    command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    std::thread::sleep(Duration::from_millis(500));
    assert!(child.try_wait().unwrap().is_none(), "{arguments:?} was not long");
    let pid = i32::try_from(child.id()).unwrap();
    kill(Pid::from_raw(pid), Signal::SIGINT).unwrap();
    let until = Instant::now() + Duration::from_secs(30);
    let ended = loop {
        match child.try_wait().unwrap() {
            Some(ended) => break ended,
            None if Instant::now() < until => std::thread::sleep(Duration::from_millis(20)),
            None => {
                child.kill().unwrap();
                panic!("{arguments:?} goes on");
            }
        }
    };
    assert!(!ended.success(), "{arguments:?}");
}

#[test]
fn a_self_test_of_comparisons_ends_at_an_interrupt() {
    let recording = live("self-test");
    let files: Vec<&str> = recording.iter().map(|path| path.to_str().unwrap()).collect();
    ends_at_an_interrupt(&[&["compare", "--self-test", "--replay"], files.as_slice()].concat());
}
