//! One load: the generator as a child of the agent.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use nix::sched::{CpuSet, sched_setaffinity};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::{Signal, killpg};
use nix::sys::time::TimeValLike;
use nix::time::{clock_getcpuclockid, clock_gettime};
use nix::unistd::Pid;
use tempfile::{NamedTempFile, TempDir};

use crate::counters::{bytes_of, clocks, microseconds, stat_of_cpus};
use crate::latencies::latencies;
use crate::words::{Argument, LoadOrder, LoadSeen};

/// Intervals at which its end is looked for.
const POLL: Duration = Duration::from_millis(1);
/// Largest report that is read.
const LARGEST_REPORT: u64 = 4 << 20;
/// Most that is told of its stderr.
const LONGEST_STDERR: usize = 500;
/// Name of the file in which oha keeps what it saw of each request.
const SEEN: &str = "requests.sqlite";

/// Makes the load. Meanwhile calls `go_on`, whose error ends it.
pub fn make(
    order: &LoadOrder,
    interface: Option<&str>,
    mut go_on: impl FnMut() -> Result<(), String>,
) -> Result<LoadSeen, String> {
    let folder = TempDir::new().map_err(|error| format!("cannot make a temporary folder: {error}"))?;
    let mut kept = Vec::new();
    let mut command = Command::new("/proc/self/exe");
    for argument in &order.arguments {
        match argument {
            Argument::Text(text) => command.arg(text),
            Argument::File { before, content } => {
                let file = written(folder.path(), content)?;
                let path = format!("{before}{}", file.path().display());
                kept.push(file);
                command.arg(path)
            }
        };
    }
    let seen = folder.path().join(SEEN);
    if order.latencies {
        command.arg(format!("--db-url={}", seen.display()));
    }
    let stdout = tempfile::tempfile_in(&folder).map_err(|error| format!("cannot keep its report: {error}"))?;
    let stderr = tempfile::tempfile_in(&folder).map_err(|error| format!("cannot keep its stderr: {error}"))?;
    let copies = stdout
        .try_clone()
        .and_then(|stdout| Ok((stdout, stderr.try_clone()?)))
        .map_err(|error| format!("cannot keep its report: {error}"))?;
    command
        .env_clear()
        .stdin(Stdio::null())
        .stdout(copies.0)
        .stderr(copies.1)
        .process_group(0);
    pin(&order.cpus)?;

    let stat_before = stat_of_cpus();
    let bytes = || interface.map_or([0; 2], bytes_of);
    let bytes_before = bytes();
    let (of_children, own) = (cpu_time(UsageWho::RUSAGE_CHILDREN), cpu_time(UsageWho::RUSAGE_SELF));
    let waits = |error: nix::Error| format!("its clock cannot be read: {error}");
    let now = clocks().map_err(waits)?.monotonic_ns;
    // The others begin at the same moment, which is some hundredths of a second away.
    thread::sleep(Duration::from_nanos(order.at_ns.saturating_sub(now)).min(Duration::from_secs(1)));
    let started_ns = clocks().map_err(waits)?.monotonic_ns;
    let began = Instant::now();
    let child = command.spawn().map_err(|error| format!("cannot start it: {error}"))?;
    let mut child = Group(child);
    let clock = clock_getcpuclockid(child.pid()).ok();
    let mut at_deadline = None;
    let status = loop {
        if at_deadline.is_none() && began.elapsed().as_secs_f64() >= order.seconds {
            at_deadline = clock.and_then(|clock| clock_gettime(clock).ok()).map(Duration::from);
        }
        match child.0.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) => {}
            Err(error) => return Err(format!("its end is not known: {error}")),
        }
        if began.elapsed().as_secs_f64() > order.given_up_after {
            return Err(format!("it did not end within {} s", order.given_up_after));
        }
        go_on()?;
        thread::sleep(POLL);
    };
    let wall = began.elapsed();
    let in_all = cpu_time(UsageWho::RUSAGE_CHILDREN).saturating_sub(of_children);
    let [received, sent] = bytes();
    let stat_after = stat_of_cpus();
    let own = cpu_time(UsageWho::RUSAGE_SELF).saturating_sub(own);
    let report = if status.success() {
        text_of(stdout, LARGEST_REPORT)
    } else {
        let said = text_of(stderr, LARGEST_REPORT).unwrap_or_default();
        Err(format!("{status}; {}", end_of(said.trim())))
    };
    let latencies = order.latencies.then(|| latencies(&seen)).transpose();
    Ok(LoadSeen {
        started_ns,
        report,
        cpu_us: microseconds(at_deadline.unwrap_or(in_all).min(in_all)),
        known_us: microseconds(in_all + own),
        wall_us: microseconds(wall),
        stat: [stat_before, stat_after],
        received: received.saturating_sub(bytes_before[0]),
        sent: sent.saturating_sub(bytes_before[1]),
        latencies: latencies.map_err(|error| format!("cannot read what it saw of each request: {error}"))?,
    })
}

/// A child with all that it starts, which is killed when this value is dropped.
struct Group(Child);

impl Group {
    fn pid(&self) -> Pid {
        Pid::from_raw(i32::try_from(self.0.id()).unwrap_or(i32::MAX))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if let Ok(None) = self.0.try_wait() {
            let _ = killpg(self.pid(), Signal::SIGKILL); // it may end at this very moment
            let _ = self.0.wait();
        }
    }
}

fn written(folder: &Path, content: &str) -> Result<NamedTempFile, String> {
    let file = NamedTempFile::new_in(folder).and_then(|mut file| {
        file.write_all(content.as_bytes())?;
        Ok(file)
    });
    file.map_err(|error| format!("cannot write what it asks: {error}"))
}

/// Runs this process, and what it starts, on these cpus only.
fn pin(cpus: &[u32]) -> Result<(), String> {
    if cpus.is_empty() {
        return Ok(());
    }
    let mut set = CpuSet::new();
    for cpu in cpus {
        let cpu = usize::try_from(*cpu).unwrap_or(usize::MAX);
        set.set(cpu)
            .map_err(|error| format!("there is no cpu {cpu}: {error}"))?;
    }
    sched_setaffinity(Pid::from_raw(0), &set).map_err(|error| format!("cannot run on cpus {cpus:?}: {error}"))
}

fn cpu_time(whose: UsageWho) -> Duration {
    let micros = getrusage(whose).map_or(0, |usage| {
        usage.user_time().num_microseconds() + usage.system_time().num_microseconds()
    });
    Duration::from_micros(u64::try_from(micros).unwrap_or_default())
}

fn text_of(mut file: fs::File, largest: u64) -> Result<String, String> {
    use std::io::Seek as _;
    let mut text = String::new();
    let read = file
        .rewind()
        .and_then(|()| file.take(largest).read_to_string(&mut text));
    read.map_err(|error| format!("its report cannot be read: {error}"))?;
    Ok(text)
}

/// The last characters of a text.
fn end_of(text: &str) -> String {
    let skipped = text.chars().count().saturating_sub(LONGEST_STDERR);
    text.chars().skip(skipped).collect()
}
