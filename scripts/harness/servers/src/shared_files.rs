//! Files of this process that servers read as users of their own: a certificate, and what they serve as files.

use std::fs;
use std::fs::{DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tempfile::TempDir;

/// The folder of this process, if it has made one. Statics are never dropped: see [`removed_in_the_end`].
static OWN: Once<TempDir> = OnceLock::new();

/// Everybody may read.
const FOLDER: u32 = 0o755;
const FILE: u32 = 0o644;

fn own() -> io::Result<&'static Path> {
    let make = || {
        let mut folder = tempfile::Builder::new();
        folder
            .prefix("bench-files-")
            .permissions(Permissions::from_mode(FOLDER));
        folder.tempdir()
    };
    made_once(&OWN, make).map(TempDir::path)
}

/// What is made when it is first asked for: once, however many threads ask, or one would write over the files of another.
pub type Once<T> = OnceLock<Result<T, String>>;

/// What `once` has, or `make` makes.
pub fn made_once<T>(once: &'static Once<T>, make: impl FnOnce() -> io::Result<T>) -> io::Result<&'static T> {
    let outcome = once.get_or_init(|| make().map_err(|error| error.to_string()));
    outcome.as_ref().map_err(|error| io::Error::other(error.clone()))
}

/// Makes a folder of this process, which has none of that name yet.
pub fn make_folder(name: &str) -> io::Result<PathBuf> {
    let path = own()?.join(name);
    DirBuilder::new().mode(FOLDER).recursive(true).create(&path)?;
    fs::set_permissions(&path, Permissions::from_mode(FOLDER))?;
    Ok(path)
}

/// Writes a file that servers may read.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    fs::write(path, bytes)?;
    fs::set_permissions(path, Permissions::from_mode(FILE))
}

/// Removes the files of this process when the returned value is dropped; `main` holds it.
#[must_use]
pub fn removed_in_the_end() -> Removal {
    Removal(())
}

/// Removes the files of this process when it is dropped.
#[derive(Debug)]
pub struct Removal(());

impl Drop for Removal {
    fn drop(&mut self) {
        if let Some(Ok(own)) = OWN.get() {
            let _ = fs::remove_dir_all(own.path()); // there is nobody left to tell
        }
    }
}
