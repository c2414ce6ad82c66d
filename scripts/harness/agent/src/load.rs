//! One load: the generator as a child of the agent.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs::{self, File};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::{Signal, killpg};
use nix::sys::time::TimeValLike as _;
use nix::time::{clock_getcpuclockid, clock_gettime};
use nix::unistd::Pid;
use rusqlite::{Connection, OpenFlags};

use crate::affinity;
use crate::machine::{bytes_of, stat_of_cpus};
use crate::protocol::{Argument, Clocks, LoadCommand, LoadReport};

/// Intervals at which its end is looked for.
const POLL: Duration = Duration::from_millis(1);

/// Makes the load, as long as the harness `is_heard`.
pub fn make(command: &LoadCommand, mut is_heard: impl FnMut() -> bool) -> Result<LoadReport, Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let [stdout, stderr, requests] = ["stdout", "stderr", "requests"].map(|name| folder.path().join(name));
    let mut program = Command::new("/proc/self/exe");
    program.args(Argument::write_files(&command.arguments, folder.path())?);
    if command.latencies {
        program.arg(format!("--db-url={}", requests.display()));
    }
    program.env_clear().stdin(Stdio::null()).process_group(0);
    program.stdout(File::create(&stdout)?).stderr(File::create(&stderr)?);
    if !command.cpus.is_empty() {
        affinity::pin(0, &command.cpus)?;
    }

    let bytes = || command.interface.as_deref().map_or([0; 2], bytes_of);
    let (stat_before, bytes_before) = (stat_of_cpus(), bytes());
    let (of_children, own) = (cpu_time(UsageWho::RUSAGE_CHILDREN)?, cpu_time(UsageWho::RUSAGE_SELF)?);
    if let Some(at) = command.at {
        // The others begin at the same moment, which is some hundredths of a second away.
        let ahead = (at - Clocks::now()?.monotonic).clamp(0.0, 1.0);
        thread::sleep(Duration::from_secs_f64(ahead));
    }
    let (started, began) = (Clocks::now()?.monotonic, Instant::now());
    let mut child = Group(program.spawn()?);
    let clock = clock_getcpuclockid(child.pid())?;
    let mut at_deadline = None;
    let status = loop {
        let elapsed = began.elapsed().as_secs_f64();
        if at_deadline.is_none() && elapsed >= command.seconds {
            at_deadline = clock_gettime(clock).ok().map(|time| Duration::from(time).as_secs_f64());
        }
        if let Some(status) = child.0.try_wait()? {
            break status;
        }
        if elapsed > command.given_up_after {
            return Err(format!("it did not end within {} s", command.given_up_after).into());
        }
        if !is_heard() {
            return Err("the harness is gone".into());
        }
        thread::sleep(POLL);
    };
    let wall = began.elapsed().as_secs_f64();
    if !status.success() {
        return Err(format!("{status}; {}", fs::read_to_string(&stderr)?.trim()).into());
    }
    let in_all = cpu_time(UsageWho::RUSAGE_CHILDREN)? - of_children;
    let bytes_after = bytes();
    Ok(LoadReport {
        started,
        report: fs::read_to_string(&stdout)?,
        cpu: at_deadline.unwrap_or(in_all).min(in_all),
        known_cpu: in_all + cpu_time(UsageWho::RUSAGE_SELF)? - own,
        wall,
        stat: [stat_before, stat_of_cpus()],
        bytes: [0, 1].map(|place| bytes_after[place].saturating_sub(bytes_before[place])),
        latencies: latencies(&requests)?,
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

fn cpu_time(whose: UsageWho) -> nix::Result<f64> {
    let usage = getrusage(whose)?;
    Ok((usage.user_time() + usage.system_time()).num_microseconds() as f64 / 1e6)
}

/// Number of requests by their latency in microseconds, from the file into which oha writes what it saw of each. There is none unless it
/// was wanted, nor without an answer.
fn latencies(file: &Path) -> rusqlite::Result<Vec<(u64, u64)>> {
    let mut seen: BTreeMap<u64, u64> = BTreeMap::new();
    if file.exists() {
        let database = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        let mut statement = database.prepare("SELECT duration FROM oha")?;
        for seconds in statement.query_map((), |row| row.get(0))? {
            let time = Duration::try_from_secs_f64(seconds?).unwrap_or_default();
            *seen
                .entry(u64::try_from(time.as_micros()).unwrap_or(u64::MAX))
                .or_default() += 1;
        }
    }
    Ok(seen.into_iter().collect())
}
