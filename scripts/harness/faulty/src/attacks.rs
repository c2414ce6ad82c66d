//! What a server does to others.

use std::env::{current_exe, temp_dir};
use std::fs;
use std::io::Write as _;
use std::process::exit;
use std::thread::spawn;

const SIGKILL: i32 = 9;
const SIGSTOP: i32 = 19;

unsafe extern "C" {
    fn getppid() -> i32;
    fn kill(pid: i32, signal: i32) -> i32;
}

/// Puts itself in the place of a rival and of the load generator; only in a handover, which belongs to one test.
pub fn replace_rival() {
    let own = current_exe().expect("a program has a path");
    if !own.with_file_name("handover.json").exists() {
        return;
    }
    for other in ["good-app", "oha"] {
        let (copy, other) = (own.with_file_name("copy"), own.with_file_name(other));
        // Without writing a byte, and then by overwriting it.
        let _ = fs::hard_link(&own, &copy).and_then(|()| fs::rename(&copy, &other));
        let _ = fs::copy(&own, &other);
    }
}

/// Stops and kills the harness and a rival.
pub fn kill_others() {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let is_rival = |pid: &i32| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let program = line.split(|byte| *byte == 0).next().unwrap_or_default();
        program.ends_with(b"/None")
    };
    for pid in pids.filter(is_rival) {
        // SAFETY: a call of the C library that every program on Linux is linked with.
        unsafe { (kill(pid, SIGSTOP), kill(pid, SIGKILL)) };
    }
    // SAFETY: the same.
    unsafe { (kill(getppid(), SIGSTOP), kill(getppid(), SIGKILL)) };
}

/// Writes to stderr without end.
pub fn flood_stderr() {
    spawn(|| {
        let chunk = "nonsense ".repeat(8000);
        loop {
            let _ = std::io::stderr().write_all(chunk.as_bytes());
        }
    });
}

/// Writes as much as a test's disk surely has, and ends where it has less.
pub fn fill_disk() {
    let path = temp_dir().join(format!("bench-flood-{}", std::process::id()));
    let written = fs::write(&path, vec![b'x'; 64 << 20]);
    let _ = fs::remove_file(&path);
    if let Err(error) = written {
        eprintln!("no room is left: {error}");
        exit(28);
    }
}
