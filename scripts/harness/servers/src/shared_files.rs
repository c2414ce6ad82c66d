//! Files of this process that servers read as users of their own: a certificate, and what they serve as files. Both are made when one of
//! them is first asked for.

use std::fs;
use std::fs::{DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use tempfile::TempDir;

use crate::contract::Certificate;
use crate::workload::unforeseen;

/// Made once, however many threads ask. Statics are never dropped: see [`removed_in_the_end`].
static OWN: OnceLock<Result<SharedFiles, String>> = OnceLock::new();

/// Everybody may read.
const FOLDER: u32 = 0o755;
const FILE: u32 = 0o644;

pub(crate) struct SharedFiles {
    folder: TempDir,
    pub certificate: Certificate,
    pub served: ServedFiles,
}

/// The files of this process.
pub(crate) fn own() -> io::Result<&'static SharedFiles> {
    let make = || {
        let folder = tempfile::Builder::new()
            .prefix("bench-files-")
            .permissions(Permissions::from_mode(FOLDER))
            .tempdir()?;
        Ok(SharedFiles {
            certificate: Certificate::make(make_folder(folder.path(), "tls")?)?,
            served: ServedFiles::make(&make_folder(folder.path(), "served")?)?,
            folder,
        })
    };
    let own = OWN.get_or_init(|| make().map_err(|error: io::Error| error.to_string()));
    own.as_ref().map_err(|error| io::Error::other(error.clone()))
}

/// Makes a folder that servers may read.
pub(crate) fn make_folder(parent: &Path, name: &str) -> io::Result<PathBuf> {
    let path = parent.join(name);
    DirBuilder::new().mode(FOLDER).create(&path)?;
    fs::set_permissions(&path, Permissions::from_mode(FOLDER))?;
    Ok(path)
}

/// Writes a file that servers may read.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
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
            let _ = fs::remove_dir_all(own.folder.path()); // there is nobody left to tell
        }
    }
}

/// Names and sizes, in bytes.
const FILES: [(&str, usize); 2] = [("4k.bin", 4096), ("1m.bin", 1 << 20)];
/// A file beside the folder, which no server may send.
const SECRET: &str = "secret.txt";

/// A folder of random files for servers of services: new ones for each process, so that no server can have them beforehand.
#[derive(Debug)]
pub struct ServedFiles {
    /// What a server serves.
    pub folder: PathBuf,
    /// A file outside of it.
    pub secret: PathBuf,
    /// Names of the files, and what they have in them.
    pub contents: Vec<(&'static str, Vec<u8>)>,
}

impl ServedFiles {
    /// The files of this process.
    pub fn own() -> io::Result<&'static Self> {
        own().map(|own| &own.served)
    }

    fn make(around: &Path) -> io::Result<Self> {
        let folder = make_folder(around, "files")?;
        let mut rng = ChaCha8Rng::seed_from_u64(unforeseen());
        let mut contents = Vec::new();
        for (name, size) in FILES {
            let mut bytes = vec![0; size];
            rng.fill_bytes(&mut bytes);
            write(&folder.join(name), &bytes)?;
            contents.push((name, bytes));
        }
        let secret = around.join(SECRET);
        write(&secret, format!("{:016x}", rng.next_u64()).as_bytes())?;
        Ok(Self {
            folder,
            secret,
            contents,
        })
    }
}
