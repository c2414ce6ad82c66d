//! The bytes of the only file in a folder with untrusted content.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use super::{ArtifactError, refused};

/// The only name that may be in the folder.
pub const NAME: &str = "comparison.json";
/// Largest file that is read. A comparison of six series has about 10 kB.
pub const LARGEST: u64 = 4 << 20;

/// The file's bytes. Nothing writes to the folder meanwhile: the artifact has been unpacked.
pub fn read(folder: &Path) -> Result<Vec<u8>, ArtifactError> {
    let unreadable = |error| ArtifactError::Unreadable(folder.to_owned(), error);
    let mut found = false;
    // The first foreign name ends it, even if there are millions.
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        if entry.map_err(unreadable)?.file_name() != NAME {
            return Err(refused(format!("its folder holds more than {NAME}")));
        }
        found = true;
    }
    if !found {
        return Err(refused(format!("its folder holds no {NAME}")));
    }
    let path = folder.join(NAME);
    let metadata = fs::symlink_metadata(&path).map_err(unreadable)?;
    let what = match metadata.len() {
        _ if metadata.is_symlink() => "is a link".to_owned(),
        _ if !metadata.is_file() => "is not a file".to_owned(),
        _ if metadata.nlink() != 1 => "has another name elsewhere (a hard link)".to_owned(),
        bytes if bytes > LARGEST => format!("has more than {} MiB", LARGEST >> 20),
        _ => return fs::read(path).map_err(unreadable),
    };
    Err(refused(format!("{NAME} {what}")))
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    use nix::sys::stat::Mode;
    use nix::unistd::mkfifo;

    use super::*;

    type Fill = fn(&Path);

    /// What can be told from a file by its name or content is tried with `bench comment`.
    #[test]
    fn what_would_block_or_never_end_is_refused() {
        let cases: [(Fill, &str); 5] = [
            (
                |folder| fs::write(folder.join(OsStr::from_bytes(b"comparison\xff.json")), "{}").unwrap(),
                "its folder holds more than comparison.json",
            ),
            (
                |folder| mkfifo(&folder.join(NAME), Mode::S_IRWXU).unwrap(),
                "comparison.json is not a file",
            ),
            (
                |folder| drop(UnixListener::bind(folder.join(NAME)).unwrap()),
                "comparison.json is not a file",
            ),
            (
                |folder| symlink("/dev/zero", folder.join(NAME)).unwrap(),
                "comparison.json is a link",
            ),
            (
                |folder| fs::remove_dir(folder).unwrap(),
                "No such file or directory (os error 2)",
            ),
        ];
        for (fill, expected) in cases {
            let folder = tempfile::tempdir().unwrap();
            fill(folder.path());
            let error = read(folder.path()).unwrap_err().to_string();
            assert!(error.ends_with(expected), "{expected}: {error}");
        }
    }
}
