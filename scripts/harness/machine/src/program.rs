//! A program that is started again and again, and must be the same each time.

use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use nix::fcntl::{FcntlArg, FdFlag, fcntl};

/// A program as it was when it was built, found or handed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    path: PathBuf,
    state: FileState,
}

/// Device, inode, size, mode and time of the last change, which only the kernel sets: the same state is the same content.
type FileState = (u64, u64, u64, u32, (i64, i64));

fn state(file: &File) -> io::Result<FileState> {
    let found = file.metadata()?;
    let changed = (found.ctime(), found.ctime_nsec());
    Ok((found.dev(), found.ino(), found.size(), found.mode(), changed))
}

impl Program {
    /// The program at `path` as it is now.
    pub fn at(path: &Path) -> io::Result<Self> {
        Self::checked(path, |_| Ok(()))
    }

    /// The same, if `check` finds nothing wrong with its content.
    pub fn checked<E: From<io::Error>>(path: &Path, check: impl FnOnce(&mut File) -> Result<(), E>) -> Result<Self, E> {
        let mut file = File::open(path)?;
        let state = state(&file)?;
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
        self.state.2
    }

    /// Whether users other than its owner may start it.
    pub fn is_for_all(&self) -> bool {
        self.state.3 & 0o005 == 0o005
    }

    /// A copy at `path`, for who may not enter the folder that it is in. It fails if the program has changed.
    pub fn copied(&self, path: &Path) -> io::Result<Self> {
        let mut file = self.open()?;
        io::copy(&mut file, &mut File::create(path)?)?;
        fs::set_permissions(path, file.metadata()?.permissions())?;
        Self::at(path)
    }

    fn open(&self) -> io::Result<File> {
        let file = File::open(&self.path)?;
        if state(&file)? == self.state {
            return Ok(file);
        }
        let shown = self.path.display();
        Err(io::Error::other(format!(
            "{shown} is no longer the program that this command began with: something replaced it; start again"
        )))
    }

    /// A command that starts it, under `wrapper` if that is not empty. It fails if the program has changed.
    pub fn command(&self, wrapper: &[String]) -> io::Result<Command> {
        let file = self.open()?;
        // By its descriptor: a server's own user may not enter the folder of a checkout in /root or of a temporary one.
        let opened = format!("/proc/self/fd/{}", file.as_raw_fd());
        let mut command = Command::new(wrapper.first().unwrap_or(&opened));
        match wrapper {
            [] => command.arg0(&self.path),
            [_, rest @ ..] => command.args(rest).arg(&opened),
        };
        // A script, and a program under valgrind, are opened once more after the start.
        let keep_open = move || Ok(fcntl(&file, FcntlArg::F_SETFD(FdFlag::empty())).map(drop)?);
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
        // A process that another test starts holds what was just written open until it has become its own program.
        let said = |program: &Program| {
            let is_busy = |error: &io::Error| error.kind() == io::ErrorKind::ExecutableFileBusy;
            let started = || program.command(&[])?.output().map(|output| output.stdout);
            (0..200)
                .map(|_| started())
                .find(|said| !said.as_ref().is_err_and(is_busy))
                .expect("nobody holds it open for good")
        };
        assert_eq!(said(&program).unwrap(), b"one\n");
        assert_eq!(said(&program).unwrap(), b"one\n");
        let copy = program.copied(&folder.path().join("copy")).unwrap();
        assert_eq!(said(&copy).unwrap(), b"one\n");

        let modified = fs::metadata(&path).unwrap().modified().unwrap();
        write(&path, "#!/bin/sh\necho two");
        File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_modified(modified)
            .unwrap();
        assert!(program.copied(&folder.path().join("late")).is_err());
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
