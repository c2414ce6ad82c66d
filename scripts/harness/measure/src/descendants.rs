//! The processes that a server has started: their work is the server's work, and none of them may outlive it.
//!
//! This process adopts orphans (`PR_SET_CHILD_SUBREAPER`, prctl(2)), so that a child stays in sight when its parent has ended, even in a
//! session of its own. An orphan belongs to the server whose user it has or, where servers have no users of their own, whose address stands in
//! its environment. Processes of a server are found by
//! the file `children` of each thread (proc(5)), which every distribution's kernel has.

use std::fs;
use std::io;
use std::net::SocketAddr;
use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, waitpid};
use nix::time::{clock_getcpuclockid, clock_gettime};
use nix::unistd::{Pid, SysconfVar, getpid, sysconf};

use crate::confine::User;

/// Most processes that are looked at; a server that has more is one that starts them without end.
const MOST: usize = 10_000;
/// How often orphans are looked for until there are none: one that starts another before each of its ends is outrun by then.
const MOST_TURNS: u32 = 1000;
/// Places of `cutime` and `cstime` among the fields after the name in /proc/PID/stat (proc(5)).
const REAPED_TIMES: [usize; 2] = [13, 14];

/// Processes that this one has started itself and will wait for.
static STARTED: Mutex<Vec<i32>> = Mutex::new(Vec::new());

/// Starts a child of this process, which is no orphan.
pub fn spawn(command: &mut Command) -> io::Result<Child> {
    // Until it is remembered, nobody may ask whether it is.
    let mut started = started();
    let child = command.spawn()?;
    started.push(i32::try_from(child.id()).unwrap_or(i32::MAX));
    Ok(child)
}

fn started() -> MutexGuard<'static, Vec<i32>> {
    STARTED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Forgets a child once it was waited for.
pub fn forget_child(pid: i32) {
    started().retain(|known| *known != pid);
}

/// From now on, orphans among our descendants become our children.
pub fn adopt_orphans() -> nix::Result<()> {
    nix::sys::prctl::set_child_subreaper(true)
}

/// Whose an orphan is.
#[derive(Debug, Clone, Copy)]
pub struct Owner {
    /// The address that the server was started with.
    pub address: SocketAddr,
    /// Its own user, if it has one.
    pub user: Option<User>,
}

impl Owner {
    /// A process can change its environment, but not its user.
    fn owns(self, pid: i32) -> bool {
        match self.user {
            Some(user) => user.owns(pid),
            None => has_address(pid, self.address),
        }
    }
}

/// Living descendants of the server `pid`, orphans included; parents come before children.
pub fn living(pid: i32, owner: Owner) -> Vec<i32> {
    let mut first = children(pid);
    first.extend(orphans(|pid| owner.owns(pid)));
    with_descendants(first)
}

/// Kills the orphans of a server that has ended, and those of `known` that have become our orphans; then what they have started
/// meanwhile.
pub fn end(owner: Owner, known: &[i32]) {
    kill_orphans(known);
    end_orphans(|pid| owner.owns(pid));
}

/// A server under test that lives. When the last one is dropped, whatever servers have left behind is killed, even if nobody can tell
/// whose it was.
#[derive(Debug)]
pub struct Living(());

/// How many there are.
static LIVING: Mutex<u32> = Mutex::new(0);

impl Living {
    /// From now on there is one more.
    pub fn begin() -> Self {
        *LIVING.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        Self(())
    }
}

impl Drop for Living {
    fn drop(&mut self) {
        let mut living = LIVING.lock().unwrap_or_else(PoisonError::into_inner);
        *living -= 1;
        if *living == 0 {
            end_orphans(is_confined);
        }
    }
}

/// Servers and all that they start can get no new rights, and nothing else that is started here is so.
fn is_confined(pid: i32) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    status.lines().any(|line| line == "NoNewPrivs:\t1")
}

fn end_orphans(is_one: impl Fn(i32) -> bool) {
    // Again and again, because one that is about to be killed may start another.
    for _ in 0..MOST_TURNS {
        let left = orphans(&is_one);
        if left.is_empty() {
            return;
        }
        kill_orphans(&left);
    }
}

/// CPU time of the children of `pid` that have ended and were waited for, and of theirs. The kernel tells it in hundredths of a second.
pub fn reaped_cpu_time(pid: i32) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let Some((_, fields)) = stat.rsplit_once(") ") else {
        return Duration::ZERO;
    };
    let fields: Vec<&str> = fields.split(' ').collect();
    let ticks: u64 = REAPED_TIMES
        .iter()
        .filter_map(|place| fields.get(*place)?.parse::<u64>().ok())
        .sum();
    let per_second = sysconf(SysconfVar::CLK_TCK).ok().flatten().unwrap_or(100);
    Duration::from_secs_f64(ticks as f64 / per_second as f64)
}

/// CPU time of `pid`, of all that it has started and of those among them that have ended and were waited for.
pub fn cpu_time_of_all(pid: i32) -> Duration {
    let pids = with_descendants(vec![pid]);
    let clock = |pid: &i32| {
        let clock = clock_getcpuclockid(Pid::from_raw(*pid)).ok()?;
        clock_gettime(clock).ok().map(Duration::from)
    };
    let own: Duration = pids.iter().filter_map(clock).sum();
    let reaped: Duration = pids.iter().map(|pid| reaped_cpu_time(*pid)).sum();
    own + reaped
}

/// Kills those of `pids` that are our orphans, and what they leave behind.
fn kill_orphans(pids: &[i32]) {
    for pid in pids.iter().copied() {
        if !children(getpid().as_raw()).contains(&pid) || is_own_child(pid) {
            continue;
        }
        let below = with_descendants(children(pid));
        let pid = Pid::from_raw(pid);
        let _ = kill(pid, Signal::SIGKILL); // it may have ended meanwhile
        let _ = waitpid(pid, Some(WaitPidFlag::empty()));
        // They have become our orphans in turn.
        kill_orphans(&below);
    }
}

fn with_descendants(mut found: Vec<i32>) -> Vec<i32> {
    let mut next = 0;
    while next < found.len() && found.len() < MOST {
        found.extend(children(found[next]));
        next += 1;
    }
    found
}

fn children(pid: i32) -> Vec<i32> {
    let threads = fs::read_dir(format!("/proc/{pid}/task"))
        .into_iter()
        .flatten()
        .flatten();
    let lists = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    let ids = |list: String| {
        list.split_whitespace()
            .filter_map(|id| id.parse().ok())
            .collect::<Vec<i32>>()
    };
    lists.flat_map(ids).take(MOST).collect()
}

fn is_own_child(pid: i32) -> bool {
    started().contains(&pid)
}

fn orphans(is_one: impl Fn(i32) -> bool) -> Vec<i32> {
    let ours = children(getpid().as_raw());
    ours.into_iter()
        .filter(|pid| !is_own_child(*pid) && is_one(*pid))
        .collect()
}

fn has_address(pid: i32, address: SocketAddr) -> bool {
    let wanted = format!("ADDR={address}");
    let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    environment
        .split(|byte| *byte == 0)
        .any(|entry| entry == wanted.as_bytes())
}
