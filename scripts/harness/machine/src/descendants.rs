//! The processes that a server has started: their work is the server's work, and none of them may outlive it.
//!
//! This process adopts orphans (`PR_SET_CHILD_SUBREAPER`, prctl(2)), so that a child stays in sight when its parent has ended. An
//! orphan is the server's whose user it has or, where servers have no users of their own, whose process group it is in.

use std::io;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::sys::wait::waitpid;
use nix::time::{ClockId, clock_getcpuclockid, clock_gettime};
use nix::unistd::{Pid, getpid};
use procfs::process::Process;

use crate::confine::User;
use crate::process_ticks::ProcessTicks;

/// Most processes that are looked at; a server that has more is one that starts them without end.
const MOST: usize = 10_000;

/// From now on, orphans among our descendants become our children.
pub fn adopt_orphans() -> nix::Result<()> {
    nix::sys::prctl::set_child_subreaper(true)
}

/// Living descendants of the server `pid`, orphans included; parents come before children.
pub fn living(pid: i32, user: Option<User>) -> Vec<i32> {
    let mut first = children(pid);
    first.extend(orphans(pid, |process| belongs(process, pid, user)));
    with_descendants(first)
}

/// Kills what the server `pid`, which has ended, has left: its orphans, and the `known` processes that have become ours.
pub fn end(pid: i32, user: Option<User>, known: &[i32]) {
    let left = orphans(pid, |process| {
        known.contains(&process.pid()) || belongs(process, pid, user)
    });
    let left: Vec<Pid> = with_descendants(left).into_iter().map(Pid::from_raw).collect();
    for pid in &left {
        let _ = kill(*pid, Signal::SIGKILL); // it may have ended meanwhile
    }
    for pid in left {
        let _ = waitpid(pid, None); // a child of one that was waited for is ours by now
    }
}

/// CPU time of `pid`, of all that it has started and of those among them that have ended and were waited for.
pub fn cpu_time_of_all(pid: i32) -> Duration {
    let pids = with_descendants(vec![pid]);
    let own = |pid: &i32| cpu_time(cpu_clock(*pid).ok()?).ok();
    let own: Duration = pids.iter().filter_map(own).sum();
    own + pids
        .iter()
        .map(|pid| ProcessTicks::of(*pid))
        .sum::<ProcessTicks>()
        .reaped()
}

/// The clock of the CPU time of all threads of `pid`.
pub fn cpu_clock(pid: i32) -> io::Result<ClockId> {
    Ok(clock_getcpuclockid(Pid::from_raw(pid))?)
}

/// What such a clock shows. A library that shows this process another time of day may move it as well, below zero.
pub fn cpu_time(clock: ClockId) -> io::Result<Duration> {
    let time = clock_gettime(clock)?;
    Ok(u64::try_from(time.tv_sec()).map_or(Duration::ZERO, |_| time.into()))
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
    let threads = Process::new(pid).and_then(|process| process.tasks());
    let lists = threads
        .into_iter()
        .flatten()
        .filter_map(|thread| thread.ok()?.children().ok());
    lists
        .flatten()
        .filter_map(|pid| i32::try_from(pid).ok())
        .take(MOST)
        .collect()
}

/// Nothing else that this process starts has the server's user, or is in its group.
fn belongs(process: &Process, server: i32, user: Option<User>) -> bool {
    match user {
        Some(user) => process.status().is_ok_and(|status| user.is(status.ruid)),
        None => process.stat().is_ok_and(|stat| stat.pgrp == server),
    }
}

/// Children of this process, besides the server itself, for which this is true.
fn orphans(server: i32, is_one: impl Fn(&Process) -> bool) -> Vec<i32> {
    let mut ours = children(getpid().as_raw());
    ours.retain(|pid| *pid != server && Process::new(*pid).is_ok_and(|process| is_one(&process)));
    ours
}
