//! The folder of a private PostgreSQL: in the place for temporary files, and removed at the end. What a killed run has left, the next
//! one removes.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use nix::fcntl::{Flock, FlockArg};
use nix::sys::stat::{major, minor, stat};
use nix::unistd::{Uid, User};
use procfs::process::Process;
use tempfile::TempDir;

/// How the names of such folders begin.
const PREFIX: &str = "bench-postgres-";
/// Where the socket is, from the data: a way that PostgreSQL's settings can hold, whatever the folder is called.
pub const SOCKET: &str = "../socket";
/// The file in it that its owner keeps locked.
const OWNED: &str = "owned";
/// Users that PostgreSQL may run as when this process is root, which it refuses: its own where a package made one, or nobody.
const USERS: [&str; 2] = ["postgres", "nobody"];

/// A new folder with room for data and a socket.
#[derive(Debug)]
pub struct Folder {
    // Dropped in this order: the folder is removed, then its lock is given back.
    path: TempDir,
    _owned: Flock<File>,
    user: Option<User>,
}

impl Folder {
    /// A new one; what killed runs have left behind is removed first.
    pub fn new() -> io::Result<Self> {
        let parent = std::env::temp_dir();
        sweep(&parent);
        // Its user has to pass through it.
        let passable = fs::Permissions::from_mode(0o755);
        let path = tempfile::Builder::new()
            .prefix(PREFIX)
            .permissions(passable.clone())
            .tempdir_in(&parent)?;
        fs::set_permissions(path.path(), passable)?;
        // It has this name once it is locked: `sweep` of another bench may look at any time.
        let unnamed = path.path().join("new");
        let owned = File::create(&unnamed)?;
        let owned = Flock::lock(owned, FlockArg::LockExclusiveNonblock).map_err(|(_, errno)| io::Error::from(errno))?;
        fs::rename(unnamed, path.path().join(OWNED))?;
        let folder = Self {
            path,
            _owned: owned,
            user: user()?,
        };
        for part in [folder.data(), folder.socket()] {
            DirBuilder::new().mode(0o700).create(&part)?;
            if let Some(user) = &folder.user {
                chown(&part, Some(user.uid.as_raw()), Some(user.gid.as_raw()))?;
            }
        }
        Ok(folder)
    }

    /// Where the data is.
    pub fn data(&self) -> PathBuf {
        self.path.path().join("data")
    }

    /// Where the socket is.
    pub fn socket(&self) -> PathBuf {
        self.data().join(SOCKET)
    }

    /// Name of the file system that it is on, as the kernel calls it.
    pub fn file_system(&self) -> Option<String> {
        let device = stat(self.path.path()).ok()?.st_dev;
        let device = format!("{}:{}", major(device), minor(device));
        let mounts = Process::myself().and_then(|own| own.mountinfo()).ok()?;
        let mount = mounts.into_iter().find(|mount| mount.majmin == device)?;
        Some(mount.fs_type)
    }

    /// Lets `command` run as the owner of the data, with nothing of the environment.
    pub fn give(&self, command: &mut Command) {
        command.env_clear().current_dir(self.data());
        if let Some(user) = &self.user {
            command.uid(user.uid.as_raw()).gid(user.gid.as_raw());
        }
    }
}

/// Whom to run PostgreSQL as; `None` for the user that this process runs as.
fn user() -> io::Result<Option<User>> {
    if !Uid::effective().is_root() {
        return Ok(None);
    }
    let mut known = USERS.iter().filter_map(|name| User::from_name(name).ok().flatten());
    let none = "PostgreSQL does not run as root, and there is neither a user `postgres` nor a user `nobody` here";
    known.next().map(Some).ok_or_else(|| io::Error::other(none))
}

/// Removes folders whose owners no longer live.
fn sweep(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        if !entry.file_name().to_string_lossy().starts_with(PREFIX) {
            continue;
        }
        // One that another bench is about to lock has no such file yet.
        let Ok(owned) = File::open(entry.path().join(OWNED)) else {
            continue;
        };
        if Flock::lock(owned, FlockArg::LockExclusiveNonblock).is_ok() {
            let _ = fs::remove_dir_all(entry.path()); // another user's stays
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_nobody_owns_is_swept_and_another_is_not() {
        let parent = tempfile::tempdir().unwrap();
        let folder = |name: &str| {
            let path = parent.path().join(name);
            fs::create_dir(&path).unwrap();
            (File::create(path.join(OWNED)).unwrap(), path)
        };
        let (owned, kept) = folder("bench-postgres-kept");
        let lock = Flock::lock(owned, FlockArg::LockExclusiveNonblock).unwrap();
        let (_, left) = folder("bench-postgres-left");
        let (_, other) = folder("other");
        sweep(parent.path());
        assert_eq!([kept.exists(), left.exists(), other.exists()], [true, false, true]);
        drop(lock);
    }
}
