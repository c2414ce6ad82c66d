//! Files of this process that servers read as users of their own: a certificate, and what they serve as files.

use std::fs;
use std::fs::{DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tempfile::TempDir;

/// The folder of this process, if it has made one. Statics are never dropped: see [`removed_in_the_end`].
static OWN: OnceLock<TempDir> = OnceLock::new();

/// Everybody may read.
const FOLDER: u32 = 0o755;
const FILE: u32 = 0o644;

fn own() -> io::Result<&'static Path> {
    if let Some(own) = OWN.get() {
        return Ok(own.path());
    }
    let own = tempfile::Builder::new()
        .prefix("bench-files-")
        .permissions(Permissions::from_mode(FOLDER))
        .tempdir()?;
    Ok(OWN.get_or_init(|| own).path())
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
        if let Some(own) = OWN.get() {
            let _ = fs::remove_dir_all(own.path()); // there is nobody left to tell
        }
    }
}
