//! Child processes: started on given cpus, watched for their end, and never outliving this process.

use std::fs::File;
use std::io::{self, Read as _, Seek as _};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child as StdChild, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::sys::signal::{Signal, killpg};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::Pid;

use crate::affinity;
use crate::descendants;
use crate::interrupt;
use crate::interrupt::Interrupted;
use crate::stderr::Stderr;

/// How often a wait looks at anything but the end of its process, which wakes it: seldom, to leave the cpus to what is measured.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);

/// A running child in a process group of its own. It is killed when this value is dropped.
#[derive(Debug)]
pub struct Child {
    process: StdChild,
    /// Closed by a thread that waits for its end.
    end: Receiver<()>,
    stderr: Arc<Stderr>,
    status: Option<ExitStatus>,
    pub cpu_time: Duration,
}

impl Child {
    /// Starts `command`, on `cpus` if any are given. What it writes to stderr is kept for [`Child::stderr_tail`].
    ///
    /// The kernel kills the child when this process dies, even by SIGKILL.
    pub fn start(mut command: Command, cpus: &[u32]) -> io::Result<Self> {
        command.stdin(Stdio::null());
        Self::with_stdin_as_is(command, cpus)
    }

    /// The same for a command that reads what is written to its input.
    pub fn start_with_input(mut command: Command) -> io::Result<(Self, ChildStdin)> {
        command.stdin(Stdio::piped());
        let mut child = Self::with_stdin_as_is(command, &[])?;
        let input = child.process.stdin.take().expect("stdin is piped");
        Ok((child, input))
    }

    fn with_stdin_as_is(mut command: Command, cpus: &[u32]) -> io::Result<Self> {
        let (stderr, writer) = Stderr::new()?;
        command.stderr(writer).process_group(0);
        let cpus = cpus.to_vec();
        let parent = nix::unistd::getpid();
        let prepare = move || {
            nix::sys::prctl::set_pdeathsig(Signal::SIGKILL)?;
            if nix::unistd::getppid() != parent {
                return Err(Errno::ESRCH.into()); // the parent died before the line above could take effect
            }
            if !cpus.is_empty() {
                affinity::pin(0, &cpus)?;
            }
            Ok(())
        };
        // SAFETY: between fork and exec only async-signal-safe calls are allowed. `prepare` makes three system calls
        // and touches no heap: the cpu set lies on the stack, and its list was allocated before the fork.
        #[allow(unsafe_code)]
        unsafe {
            command.pre_exec(prepare);
        }
        let process = command.spawn()?;
        let (sender, end) = mpsc::channel();
        let child = Self {
            process,
            end,
            stderr,
            status: None,
            cpu_time: Duration::ZERO,
        };
        let pid = Pid::from_raw(child.pid());
        thread::Builder::new().name("end".into()).spawn(move || {
            while waitid(Id::Pid(pid), WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT) == Err(Errno::EINTR) {}
            drop(sender);
        })?;
        Ok(child)
    }

    /// Ends it, at the next look at it, once it has written more than `most` bytes to stderr.
    pub fn allow_stderr(&self, most: u64) {
        self.stderr.allow(most);
    }

    /// Whether it wrote more to stderr than it may.
    pub fn floods(&self) -> bool {
        self.stderr.is_too_long()
    }

    /// Process id.
    pub fn pid(&self) -> i32 {
        i32::try_from(self.process.id()).unwrap_or(i32::MAX)
    }

    /// Its standard output, which must have been piped; can be taken once.
    pub fn stdout(&mut self) -> ChildStdout {
        self.process.stdout.take().expect("stdout was piped and is taken once")
    }

    /// Its exit status, if it has ended.
    pub fn ended(&mut self) -> io::Result<Option<ExitStatus>> {
        if self.status.is_none() {
            // Its clock stands still once it has ended, and is gone once it was waited for.
            let seen = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
            if waitid(Id::Pid(Pid::from_raw(self.pid())), seen)? != WaitStatus::StillAlive {
                self.cpu_time = descendants::cpu_time_of_all(self.pid());
                self.status = self.process.try_wait()?;
            } else if self.floods() {
                self.kill();
            }
        }
        Ok(self.status)
    }

    /// Waits for its end, at most `until` then. Meanwhile calls `go_on`, whose error ends the wait.
    pub fn wait_until<E: From<io::Error>>(
        &mut self,
        until: Instant,
        mut go_on: impl FnMut() -> Result<(), E>,
    ) -> Result<Option<ExitStatus>, E> {
        loop {
            if let Some(status) = self.ended()? {
                return Ok(Some(status));
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            go_on()?;
            let _ = self.end.recv_timeout(left.min(LOOK_INTERVAL)); // the loop looks either way
        }
    }

    /// Its exit status, if it ends within `time`.
    pub fn ends_within(&mut self, time: Duration) -> Option<ExitStatus> {
        self.wait_until::<io::Error>(Instant::now() + time, || Ok(()))
            .ok()
            .flatten()
    }

    /// Sends SIGTERM to its whole group, if it runs.
    pub fn terminate(&mut self) {
        if self.ended().ok().flatten().is_none() {
            let _ = killpg(Pid::from_raw(self.pid()), Signal::SIGTERM); // it may end at this very moment
        }
    }

    /// Ends it: SIGTERM, and SIGKILL for its whole group if it still runs after `patience`.
    pub fn stop(&mut self, patience: Duration) {
        self.terminate();
        self.ends_within(patience);
        self.kill();
    }

    /// Kills its whole group and waits for it.
    pub fn kill(&mut self) {
        // The group may outlive its leader, whose id stays taken as long as the group lives.
        if self.status.is_none() || killpg(Pid::from_raw(self.pid()), None).is_ok() {
            let _ = killpg(Pid::from_raw(self.pid()), Signal::SIGKILL);
        }
        if self.status.is_none() {
            self.status = self.process.wait().ok();
        }
    }

    /// The end of what it wrote to stderr.
    pub fn stderr_tail(&self) -> String {
        self.stderr.tail()
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The output of a command that has ended.
#[derive(Debug)]
pub struct CommandOutput {
    /// How it ended.
    pub status: ExitStatus,
    /// All of its standard output.
    pub stdout: Vec<u8>,
    /// The end of what it wrote to stderr; how it ended if it wrote nothing.
    pub stderr_tail: String,
}

impl CommandOutput {
    /// Its standard output as text, without the white space around it.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).trim().to_owned()
    }

    /// Its output if it succeeded; otherwise the last line of stderr.
    pub fn success(self) -> Result<String, String> {
        if self.status.success() {
            return Ok(self.text());
        }
        let last = self.stderr_tail.lines().rfind(|line| !line.trim().is_empty());
        Err(last.unwrap_or_default().trim().to_owned())
    }
}

/// Why a command did not end, or why its output is not known.
#[derive(Debug, thiserror::Error)]
pub enum Unfinished {
    /// It could not be started.
    #[error("it cannot be started: {0}")]
    NotStarted(#[source] io::Error),
    /// Its output could not be kept.
    #[error("its output cannot be kept: {0}")]
    NotKept(#[from] io::Error),
    /// It was not done in time.
    #[error("it was not done after {} s", .0.as_secs())]
    Slow(Duration),
    /// The user interrupted it.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}

/// Runs `command` to its end, which must come within `patience`; ends it if the user interrupts it.
pub fn finish(command: Command, patience: Duration) -> Result<CommandOutput, Unfinished> {
    finish_unless(command, patience, interrupt::check)
}

/// Runs `command` to its end, which must come within `patience`. Meanwhile calls `go_on`, whose error ends the command.
pub fn finish_unless(
    mut command: Command,
    patience: Duration,
    mut go_on: impl FnMut() -> Result<(), Interrupted>,
) -> Result<CommandOutput, Unfinished> {
    // A file instead of a pipe, because it is not read while the command writes; in memory, so that no disk can be full.
    let mut file = File::from(memfd_create(c"stdout", MFdFlags::MFD_CLOEXEC).map_err(io::Error::from)?);
    command.stdout(file.try_clone()?);
    let mut child = Child::start(command, &[]).map_err(Unfinished::NotStarted)?;
    let ended = child.wait_until(Instant::now() + patience, || go_on().map_err(Unfinished::from))?;
    let status = ended.ok_or(Unfinished::Slow(patience))?;
    let mut stdout = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut stdout)?;
    let mut stderr_tail = child.stderr_tail();
    if stderr_tail.is_empty() {
        stderr_tail = in_words(status);
    }
    Ok(CommandOutput {
        status,
        stdout,
        stderr_tail,
    })
}

/// Text in one line, with one space between its words.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// An exit status in words: `exit status 3`, `signal 11 (SIGSEGV)`.
pub fn in_words(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit status {code}"),
        (None, Some(number)) => match Signal::try_from(number) {
            Ok(signal) => format!("signal {number} ({signal})"),
            Err(_) => format!("signal {number}"),
        },
        (None, None) => "an unknown end".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Child {
        let mut command = Command::new("sh");
        command.arg("-c").arg(script).stdout(Stdio::null());
        Child::start(command, &[]).unwrap()
    }

    #[test]
    fn one_that_does_not_listen_is_killed_with_its_children() {
        let mut child = shell("trap '' TERM; sleep 60 & echo $! >&2; wait; wait");
        while child.stderr_tail().is_empty() {
            thread::sleep(Duration::from_millis(5));
        }
        let grandchild = child.stderr_tail();
        child.stop(Duration::from_millis(50));
        // It dies at its next turn on a cpu, and is a zombie until its new parent has looked at it.
        let dead = || {
            let stat = std::fs::read_to_string(format!("/proc/{grandchild}/stat")).unwrap_or_default();
            stat.is_empty() || stat.contains(") Z") || stat.contains(") X")
        };
        let until = Instant::now() + Duration::from_secs(30);
        while !dead() {
            assert!(Instant::now() < until, "the grandchild lives");
            thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn a_child_runs_on_the_cpus_that_it_is_given() {
        let cpu = *affinity::allowed().last().unwrap();
        let mut command = Command::new("sh");
        command.arg("-c").arg("grep Cpus_allowed_list /proc/self/status >&2");
        let mut child = Child::start(command, &[cpu]).unwrap();
        child.ends_within(Duration::from_secs(10)).unwrap();
        assert_eq!(
            child.stderr_tail().split_whitespace().last(),
            Some(cpu.to_string().as_str())
        );
    }

    fn finished(script: &str, patience: Duration) -> Result<CommandOutput, Unfinished> {
        let mut command = Command::new("sh");
        command.arg("-c").arg(script);
        finish_unless(command, patience, || Ok(()))
    }

    #[test]
    fn a_command_is_heard_to_its_end_and_no_longer() {
        const LONG: Duration = Duration::from_secs(30);
        let output = finished("echo ' well '; echo done >&2", LONG).unwrap();
        assert_eq!((output.text().as_str(), output.stderr_tail.as_str()), ("well", "done"));
        let failed = |script| finished(script, LONG).unwrap().success().unwrap_err();
        assert_eq!(failed("echo first >&2; echo last >&2; exit 3"), "last");
        assert_eq!(failed("echo no reason; exit 3"), "exit status 3");
        let began = Instant::now();
        let endless = finished("sleep 60", Duration::from_millis(50));
        assert!(matches!(endless, Err(Unfinished::Slow(_))), "{endless:?}");
        assert!(began.elapsed() < LONG);
        let missing = finish(Command::new("/none"), LONG);
        assert!(matches!(missing, Err(Unfinished::NotStarted(_))), "{missing:?}");
        let mut command = Command::new("sleep");
        command.arg("60");
        let stopped = finish_unless(command, LONG, || Err(Interrupted));
        assert!(matches!(stopped, Err(Unfinished::Interrupted(_))), "{stopped:?}");
    }
}
