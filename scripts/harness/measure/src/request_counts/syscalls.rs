//! Counts the system calls for one request with strace: the requests to the kernel, which instructions do not show.
//!
//! strace writes each call of each thread with its time. Calls are counted between two moments, without start and warm-up. Then
//! the server gets no requests for as long, and the calls of that time (timers, workers that look for work) are subtracted.
//! Requests come one by one to a server that sleeps in between; under load one wait serves many connections, and a request
//! needs fewer calls.

use std::collections::BTreeMap;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::{ask, not_counted, start};
use machine::environment::version_of;
use machine::interrupt;
use machine::program::Program;
use model::Syscalls;
use model::scenario::Scenario;
use model::store;
use servers::failure::Failure;
use servers::workload::Workload;

/// Requests before the count: caches and pools fill, lazy parts are built.
const WARM_UP: u32 = 50;
/// Requests that are counted.
const COUNTED: u32 = 100;
/// Pause after the last request: calls after an answer belong to it, and strace must have written them.
const QUIET: Duration = Duration::from_millis(150);
/// Largest trace that is read. 150 requests of the largest answer make about 1 MB.
const LARGEST_TRACE: u64 = 64 << 20;
/// Fewer calls for each request than this are chance, such as one more timer in one of the two windows.
const FEWEST: f64 = 0.01;

/// Version of strace, if it is installed, and `setpriv` of util-linux with it.
pub fn version(root: &Path) -> Option<String> {
    let version = version_of("strace".as_ref(), root).ok()?;
    version_of("setpriv".as_ref(), root).ok()?;
    // "strace -- version 6.1" is how it says its name.
    Some(version.replace(" -- version", ""))
}

/// System calls for one request of `scenario`, by `program` on `cpus`.
pub fn per_request(program: &Program, cpus: &[u32], scenario: &Scenario) -> Result<Syscalls, Failure> {
    let folder = tempfile::tempdir()?;
    let trace = folder.path().join("trace");
    let trace_argument = trace.display().to_string();
    // strace is the server's parent, because most systems do not let other processes trace it. If strace were killed, the
    // server would keep running, so it asks to die with its parent, as every child of ours does.
    let wrapper = [
        "strace",
        "-f",
        "-ttt",
        "-qq",
        "-s",
        "0",
        "-e",
        "signal=none",
        "-o",
        &trace_argument,
        "setpriv",
        "--pdeathsig",
        "KILL",
    ]
    .map(str::to_owned);
    let (mut server, mut client) = start(&wrapper, program.into(), scenario, folder.path(), cpus)?;
    let workload = Workload::counted(scenario);
    ask(&mut server, &mut client, &workload, WARM_UP)?;
    thread::sleep(QUIET);
    let (begin, since) = (now()?, Instant::now());
    ask(&mut server, &mut client, &workload, COUNTED)?;
    thread::sleep(QUIET);
    let answered = now()?;
    thread::sleep(since.elapsed());
    let idle = now()?;
    thread::sleep(QUIET);
    interrupt::check()?;
    let text = store::read_text(&trace, LARGEST_TRACE).map_err(|error| not_counted(format!("strace: {error}")))?;
    let syscalls = difference(&calls(&text, begin, answered), &calls(&text, answered, idle), COUNTED);
    if syscalls.by_name.is_empty() {
        return Err(not_counted("strace saw no system call"));
    }
    Ok(syscalls)
}

fn now() -> Result<Duration, Failure> {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_err(|error| not_counted(error.to_string()))
}

/// Calls that were begun from `begin` on and before `end`, by name.
fn calls(trace: &str, begin: Duration, end: Duration) -> BTreeMap<&str, u64> {
    let mut calls = BTreeMap::new();
    let entries = trace.lines().filter_map(entry);
    for (_, name) in entries.filter(|(time, _)| (begin.as_secs_f64()..end.as_secs_f64()).contains(time)) {
        *calls.entry(name).or_default() += 1;
    }
    calls
}

/// Time and name of the call that begins in a line such as `1234 1795303500.649263 read(5, …`; `None` for a call that
/// continues, a signal or an exit.
fn entry(line: &str) -> Option<(f64, &str)> {
    let (_, rest) = line.trim_start().split_once(' ')?;
    let (time, call) = rest.trim_start().split_once(' ')?;
    let (name, _) = call.split_once('(')?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name.then_some((time.parse().ok()?, name))
}

fn difference(loaded: &BTreeMap<&str, u64>, idle: &BTreeMap<&str, u64>, requests: u32) -> Syscalls {
    let each = loaded.iter().map(|(&name, &count)| {
        let idle = idle.get(name).copied().unwrap_or_default();
        let of_requests = count.saturating_sub(idle) as f64 / f64::from(requests);
        (name.to_owned(), of_requests)
    });
    let by_name: BTreeMap<String, f64> = each.filter(|(_, count)| *count >= FEWEST).collect();
    Syscalls {
        total: by_name.values().sum(),
        by_name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "\
101 10.100000 epoll_wait(3,  <unfinished ...>
102 10.200000 read(9, \"\"..., 512) = 37
101 10.300000 <... epoll_wait resumed>[{events=EPOLLIN}], 1024, -1) = 1
102 10.400000 write(9, \"\"..., 120) = 120
102 10.500000 --- SIGTERM {si_signo=SIGTERM} ---
102 11.000000 write(9, \"\"..., 120) = 120
102 11.000001 +++ exited with 0 +++
half a li";

    fn at(seconds: f64) -> Duration {
        Duration::from_secs_f64(seconds)
    }

    #[test]
    fn a_call_counts_where_it_begins() {
        let all = calls(TRACE, at(0.0), at(20.0));
        assert_eq!(all, BTreeMap::from([("epoll_wait", 1), ("read", 1), ("write", 2)]));
        let window = calls(TRACE, at(10.2), at(11.0));
        assert_eq!(window, BTreeMap::from([("read", 1), ("write", 1)]));
    }

    #[test]
    fn what_a_server_does_unasked_is_taken_off() {
        let loaded = BTreeMap::from([("read", 200), ("futex", 103), ("clock_nanosleep", 7)]);
        let idle = BTreeMap::from([("futex", 3), ("clock_nanosleep", 8)]);
        let found = difference(&loaded, &idle, 100);
        assert_eq!(
            found.by_name,
            BTreeMap::from([("futex".to_owned(), 1.0), ("read".to_owned(), 2.0)])
        );
        assert!((found.total - 3.0).abs() < 1e-9);
    }
}
