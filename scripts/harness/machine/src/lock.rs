//! One measurement at a time on each machine: two would halve each other's figures.
//!
//! The lock is the kernel's (`flock`), on a file that all users of the machine share, so it ends with the process, even if that
//! is killed. The file says who holds the lock. It is never removed: a waiting process has it open, and would then hold a lock
//! that no other process can see.

use std::fs::{self, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{anyhow, ensure};
use jiff::Timestamp;
use model::escape::clean;
use nix::unistd::{User, getuid};

use crate::interrupt;
use crate::stderr::tell;

/// Folders that every user may write to, in order of preference. Not `TMPDIR`, which differs between users.
const FOLDERS: [&str; 2] = ["/run/lock", "/tmp"];
const NAME: &str = "bench-measures.lock";
/// Environment variable that names another file, for machines without such folders, and for tests.
pub const VARIABLE: &str = "BENCH_LOCK";
/// Pause between two attempts to take the lock.
const PAUSE: Duration = Duration::from_millis(200);
/// Most characters that are shown of a command, and of all that a file says.
const COMMAND: usize = 120;
const HOLDER: usize = 300;

/// The right to measure on this machine, until it is dropped.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

impl Lock {
    /// Takes the lock of this machine. If another process holds it: waits if `wait`, with a line on stderr, and fails if not.
    pub fn take(wait: bool) -> anyhow::Result<Self> {
        let path = std::env::var_os(VARIABLE).map_or_else(usual, PathBuf::from);
        Self::take_file(&path, wait)
    }

    fn take_file(path: &Path, wait: bool) -> anyhow::Result<Self> {
        let fail = |error| {
            let path = path.display();
            anyhow!("cannot lock this machine by {path}: {error}; {VARIABLE}=FILE names another file")
        };
        let file = open(path).map_err(fail)?;
        let busy = || format!("another bench measures on this machine{}", holder(path));
        let mut announced = false;
        while let Err(refused) = file.try_lock() {
            if let TryLockError::Error(error) = refused {
                return Err(fail(error));
            }
            ensure!(
                wait,
                "{}, and two would slow each other down; wait for its end, or use --wait",
                busy()
            );
            if !announced {
                tell(&format!("waiting: {}", busy()));
                announced = true;
            }
            interrupt::check()?;
            std::thread::sleep(PAUSE);
        }
        // Another user's file may be read-only; the lock is valid anyway.
        let _ = file
            .set_len(0)
            .and_then(|()| file.write_all_at(this_process().as_bytes(), 0));
        Ok(Self { file })
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = self.file.set_len(0); // the file names the holder only while there is one
        let _ = self.file.unlock();
    }
}

/// `` `bench run`, process 7 of alice, since 2026-11-27 12:00:00 UTC``
fn this_process() -> String {
    let uid = getuid();
    let user = User::from_uid(uid).ok().flatten();
    let words: Vec<String> = std::env::args().take(2).collect();
    let command = words.join(" ");
    let command = command.rsplit('/').next().unwrap_or_default();
    format!(
        "`{}`, process {} of {}, since {}\n",
        clean(command, COMMAND),
        std::process::id(),
        user.map_or_else(|| format!("user {uid}"), |user| user.name),
        Timestamp::now().strftime("%Y-%m-%d %H:%M:%S UTC")
    )
}

/// The holder as part of a sentence; empty if the file does not name one.
fn holder(path: &Path) -> String {
    match fs::read_to_string(path).unwrap_or_default().trim() {
        "" => String::new(),
        text => format!(": {}", clean(text, HOLDER)),
    }
}

/// The file of this machine, in the same folder for every user.
fn usual() -> PathBuf {
    const OTHERS_WRITE: u32 = 0o002;
    let is_shared =
        |folder: &&str| fs::metadata(folder).is_ok_and(|found| found.permissions().mode() & OTHERS_WRITE != 0);
    let folder = FOLDERS.into_iter().find(is_shared).unwrap_or("/tmp");
    Path::new(folder).join(NAME)
}

/// Opens the file, which another user may have made, and makes it if it is not there.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    match options.open(path) {
        // In a second step: kernels refuse to `create` if there is another user's file (fs.protected_regular).
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let file = options.create(true).truncate(false).open(path)?;
            // Independent of the umask, because the next user must write to it too.
            file.set_permissions(Permissions::from_mode(0o666))?;
            Ok(file)
        }
        Err(error) if error.kind() == ErrorKind::PermissionDenied => File::open(path),
        opened => opened,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::process::{Command, Stdio};

    use super::*;

    fn held(path: &Path) -> String {
        let error = Lock::take_file(path, false).unwrap_err().to_string();
        assert!(error.starts_with("another bench measures"), "{error}");
        error
    }

    #[test]
    fn the_second_learns_who_measures_and_a_free_lock_can_be_had() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let first = Lock::take_file(&path, false).unwrap();
        let sentence = held(&path);
        assert!(
            sentence.contains(&format!(", process {} of ", std::process::id())),
            "{sentence}"
        );
        assert!(!sentence.contains('\n'), "{sentence}");
        drop(first);
        let again = Lock::take_file(&path, false).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 1);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o666);
        // A file that names nobody is a lock all the same.
        fs::write(&path, "").unwrap();
        assert_eq!(
            held(&path),
            "another bench measures on this machine, and two would slow each other down; wait for its end, or use --wait"
        );
        fs::write(&path, "somebody").unwrap();
        drop(again);
        assert_eq!(fs::read_to_string(&path).unwrap(), "");
    }

    #[test]
    fn who_waits_gets_it_when_the_other_has_ended() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let first = Lock::take_file(&path, false).unwrap();
        std::thread::scope(|scope| {
            let second = scope.spawn(|| Lock::take_file(&path, true));
            std::thread::sleep(Duration::from_millis(50));
            assert!(!second.is_finished());
            drop(first);
            let _second = second.join().unwrap().unwrap();
            assert!(held(&path).contains("process"), "and says so in its turn");
        });
    }

    #[test]
    fn a_process_that_is_killed_holds_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        fs::write(&path, "").unwrap();
        let mut other = Command::new("flock")
            .arg("--no-fork")
            .arg(&path)
            .args(["sh", "-c", "echo held; exec sleep 60"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = [0; 5];
        other.stdout.as_mut().unwrap().read_exact(&mut said).unwrap();
        held(&path);
        other.kill().unwrap();
        other.wait().unwrap();
        Lock::take_file(&path, false).unwrap();
    }

    #[test]
    fn a_file_that_cannot_be_had_is_named_with_the_remedy() {
        let folder = tempfile::tempdir().unwrap();
        for path in [folder.path(), &folder.path().join("nowhere/lock")] {
            let error = Lock::take_file(path, false).unwrap_err().to_string();
            assert!(error.starts_with("cannot lock") && error.contains(VARIABLE), "{error}");
        }
    }
}
