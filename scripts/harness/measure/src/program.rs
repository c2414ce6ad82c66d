//! A program that is started again and again, and must be the same each time.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use nix::fcntl::{FcntlArg, FdFlag, fcntl};

/// A program as it was when it was built, found or handed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    path: PathBuf,
    state: FileState,
}

/// What changes with every write to a file, and with every file that takes its place.
///
/// The kernel sets the time of the last change; a program cannot. So a file in the same state has the same content, and a load
/// of 50 ms need not wait until a hash is computed again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FileState {
    device: u64,
    inode: u64,
    bytes: u64,
    modified: (i64, i64),
    changed: (i64, i64),
    mode: u32,
}

impl FileState {
    fn read(file: &File) -> io::Result<Self> {
        let found = file.metadata()?;
        Ok(Self {
            device: found.dev(),
            inode: found.ino(),
            bytes: found.size(),
            modified: (found.mtime(), found.mtime_nsec()),
            changed: (found.ctime(), found.ctime_nsec()),
            mode: found.mode(),
        })
    }
}

impl Program {
    /// The program at `path` as it is now.
    pub fn at(path: &Path) -> io::Result<Self> {
        Self::checked(path, |_| Ok(()))
    }

    /// The same, if `check` finds nothing wrong with its content.
    pub fn checked<E: From<io::Error>>(path: &Path, check: impl FnOnce(&mut File) -> Result<(), E>) -> Result<Self, E> {
        let mut file = File::open(path)?;
        let state = FileState::read(&file)?;
        check(&mut file)?;
        let path = path.to_owned();
        Ok(Self { path, state })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its size.
    pub fn bytes(&self) -> u64 {
        self.state.bytes
    }

    /// Whether users other than its owner may start it.
    pub fn is_for_all(&self) -> bool {
        self.state.mode & 0o005 == 0o005
    }

    /// A command that starts it, under `wrapper` if that is not empty. It fails if the program has changed.
    ///
    /// The file that was looked at is the one that is started, wherever its path leads by then; and a user who may not enter its
    /// folder can start it too.
    pub fn command(&self, wrapper: &[String]) -> io::Result<Command> {
        let file = File::open(&self.path)?;
        if FileState::read(&file)? != self.state {
            let shown = self.path.display();
            return Err(io::Error::other(format!(
                "{shown} is no longer the program that this command began with: something replaced it; start again"
            )));
        }
        let opened = format!("/proc/self/fd/{}", file.as_raw_fd());
        let mut command = match wrapper.split_first() {
            None => {
                let mut command = Command::new(opened);
                command.arg0(&self.path);
                command
            }
            Some((first, rest)) => {
                let mut command = Command::new(first);
                command.args(rest).arg(opened);
                command
            }
        };
        // A script, and a program under valgrind, are opened once more after the start.
        let keep_open = move || {
            fcntl(&file, FcntlArg::F_SETFD(FdFlag::empty()))?;
            Ok(())
        };
        // SAFETY: between fork and exec only async-signal-safe calls are allowed; `keep_open` is one system call.
        #[allow(unsafe_code)]
        unsafe {
            command.pre_exec(keep_open);
        }
        Ok(command)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_program_that_was_changed_or_replaced_is_not_started() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        let write = |path: &Path, script: &str| {
            fs::write(path, script).unwrap();
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        };
        write(&path, "#!/bin/sh\necho one");
        let program = Program::at(&path).unwrap();
        let said = |program: &Program| program.command(&[])?.output().map(|output| output.stdout);
        assert_eq!(said(&program).unwrap(), b"one\n");
        assert_eq!(said(&program).unwrap(), b"one\n");

        let modified = fs::metadata(&path).unwrap().modified().unwrap();
        write(&path, "#!/bin/sh\necho two");
        File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_modified(modified)
            .unwrap();
        let refused = said(&program).unwrap_err().to_string();
        assert!(
            refused.contains("program is no longer the program that this command began with"),
            "{refused}"
        );

        let program = Program::at(&path).unwrap();
        let other = folder.path().join("other");
        write(&other, "#!/bin/sh\necho two");
        fs::rename(&other, &path).unwrap();
        assert!(said(&program).is_err());
        fs::remove_file(&path).unwrap();
        assert!(said(&program).is_err());
    }
}
