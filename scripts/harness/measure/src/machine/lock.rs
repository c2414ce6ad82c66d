//! One measurement at a time on each machine: two would halve each other's figures.
//!
//! The lock is the kernel's (`flock`), on a file that all users of the machine share, so it ends with the process, even if that
//! is killed. The file says who holds the lock. It is never removed: a waiting process has it open, and would then hold a lock
//! that no other process can see.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{anyhow, bail};
use jiff::Timestamp;
use nix::fcntl::OFlag;
use nix::unistd::{User, getuid};
use serde::{Deserialize, Serialize};

use crate::interrupt;

/// Folders that every user may write to, in order of preference. Not `TMPDIR`, which differs between users.
const FOLDERS: [&str; 2] = ["/run/lock", "/tmp"];
/// Name of the file there.
const NAME: &str = "bench-measures.lock";
/// Environment variable that names another file, for machines without such folders, and for tests.
pub const VARIABLE: &str = "BENCH_LOCK";
/// Pause between two attempts to take the lock.
const PAUSE: Duration = Duration::from_millis(200);
/// Largest file that is read.
const LARGEST: u64 = 4 << 10;
/// Most characters of a command that are shown.
const MOST_TOLD: usize = 120;

/// The right to measure on this machine, until it is dropped.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

/// Who measures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Holder {
    pid: u32,
    user: String,
    command: String,
    since: Timestamp,
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
        let mut announced = false;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if wait => {
                    if !announced {
                        eprintln!("waiting: another bench measures on this machine{}", holder(&file));
                        announced = true;
                    }
                    interrupt::check()?;
                    std::thread::sleep(PAUSE);
                }
                Err(TryLockError::WouldBlock) => bail!(
                    "another bench measures on this machine{}, and two would slow each other down; wait for its end, or use --wait",
                    holder(&file)
                ),
                Err(TryLockError::Error(error)) => return Err(fail(error)),
            }
        }
        let lock = Self { file };
        let _ = lock.say(&Holder::this_process()); // another user's file may be read-only; the lock is valid anyway
        Ok(lock)
    }

    fn say(&self, holder: &Holder) -> io::Result<()> {
        self.file.set_len(0)?;
        let mut line = serde_json::to_vec(holder)?;
        line.push(b'\n');
        self.file.write_all_at(&line, 0) // at 0, because reading has moved the position
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = self.file.set_len(0); // the file names the holder only while there is one
        let _ = self.file.unlock();
    }
}

impl Holder {
    fn this_process() -> Self {
        let uid = getuid();
        let user = User::from_uid(uid).ok().flatten();
        let program: Option<OsString> = std::env::args_os()
            .next()
            .and_then(|path| Some(Path::new(&path).file_name()?.to_owned()));
        let words = program.into_iter().chain(std::env::args_os().skip(1));
        let words: Vec<String> = words.map(|word| word.to_string_lossy().into_owned()).collect();
        Self {
            pid: std::process::id(),
            user: user.map_or_else(|| format!("user {uid}"), |user| user.name),
            command: words.join(" ").chars().take(MOST_TOLD).collect(),
            since: Timestamp::now(),
        }
    }

    /// The holder as part of a sentence, escaped, because every user may write to the file.
    fn sentence(&self) -> String {
        let tame = |text: &str| -> String { text.chars().take(MOST_TOLD).flat_map(char::escape_debug).collect() };
        format!(
            ": `{}`, process {} of {}, since {}",
            tame(&self.command),
            self.pid,
            tame(&self.user),
            self.since.strftime("%Y-%m-%d %H:%M:%S UTC")
        )
    }
}

/// The holder as part of a sentence; empty if the file does not name one.
fn holder(mut file: &File) -> String {
    let mut text = String::new();
    let read = io::Seek::rewind(&mut file).and_then(|()| file.take(LARGEST).read_to_string(&mut text));
    let holder = read.ok().and_then(|_| serde_json::from_str::<Holder>(&text).ok());
    holder.map(|holder| holder.sentence()).unwrap_or_default()
}

/// The file of this machine, in the same folder for every user.
fn usual() -> PathBuf {
    const OTHERS_WRITE: u32 = 0o002;
    let is_shared = |folder: &&str| {
        fs::metadata(folder).is_ok_and(|found| found.is_dir() && found.permissions().mode() & OTHERS_WRITE != 0)
    };
    let folder = FOLDERS.into_iter().find(is_shared).unwrap_or("/tmp");
    Path::new(folder).join(NAME)
}

/// Opens the file, which another user may have made, and makes it if it is not there.
///
/// In a folder that every user may write to, the name may be a trap: a link to a file that would be overwritten, or a pipe that
/// would block. So links are not followed, and only a plain file without other names is accepted.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let options = options
        .read(true)
        .custom_flags((OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK).bits());
    // In two steps: kernels refuse to `create` if there is another user's file (fs.protected_regular).
    let file = loop {
        let opened = options.write(true).open(path).or_else(|error| match error.kind() {
            ErrorKind::PermissionDenied => options.write(false).open(path),
            _ => Err(error),
        });
        match opened {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            other => break other?,
        }
        match options.clone().write(true).create_new(true).open(path) {
            // Independent of the umask, because the next user must write to it too.
            Ok(file) => {
                file.set_permissions(Permissions::from_mode(0o666))?;
                break file;
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    };
    let metadata = file.metadata()?;
    if !metadata.is_file() || metadata.nlink() != 1 {
        return Err(io::Error::other("it is not a plain file"));
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    fn held(path: &Path) -> String {
        let error = Lock::take_file(path, false).unwrap_err().to_string();
        assert!(error.starts_with("another bench measures"), "{error}");
        error
    }

    #[test]
    fn the_second_is_told_who_measures_and_a_free_lock_can_be_had() {
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
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o666);
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
    fn a_trap_is_not_walked_into() {
        let folder = tempfile::tempdir().unwrap();
        let precious = folder.path().join("precious");
        fs::write(&precious, "text").unwrap();
        let refused = |path: &Path| {
            let error = Lock::take_file(path, false).unwrap_err().to_string();
            assert!(error.starts_with("cannot lock") && error.contains(VARIABLE), "{error}");
        };
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&precious, &link).unwrap();
        refused(&link);
        let second_name = folder.path().join("second-name");
        fs::hard_link(&precious, &second_name).unwrap();
        refused(&second_name);
        let pipe = folder.path().join("pipe");
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
        refused(&pipe);
        refused(folder.path());
        refused(&folder.path().join("nowhere/lock"));
        assert_eq!(fs::read_to_string(&precious).unwrap(), "text");
    }

    #[test]
    fn what_another_user_wrote_is_told_tamely_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let lock = Lock::take_file(&path, false).unwrap();
        let hostile = Holder {
            pid: 1,
            user: "a\nb".into(),
            command: "\u{1b}[31m".repeat(1000),
            since: Timestamp::UNIX_EPOCH,
        };
        lock.say(&hostile).unwrap();
        let sentence = held(&path);
        assert!(
            !sentence.contains(['\n', '\u{1b}']) && sentence.len() < 1000,
            "{sentence}"
        );
        fs::write(&path, "rubbish").unwrap();
        assert_eq!(
            held(&path),
            "another bench measures on this machine, and two would slow each other down; wait for its end, or use --wait"
        );
    }
}
