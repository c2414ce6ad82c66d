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
    if metadata.is_symlink() {
        return Err(refused(format!("{NAME} is a link")));
    }
    if !metadata.is_file() {
        return Err(refused(format!("{NAME} is not a file")));
    }
    if metadata.nlink() != 1 {
        return Err(refused(format!("{NAME} has another name elsewhere (a hard link)")));
    }
    if metadata.len() > LARGEST {
        return Err(refused(format!("{NAME} has more than {} MiB", LARGEST >> 20)));
    }
    fs::read(path).map_err(unreadable)
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    use super::*;

    type Fill = fn(&Path, &Path);

    fn refusal(fill: Fill) -> String {
        let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fill(folder.path(), elsewhere.path());
        match read(folder.path()) {
            Err(ArtifactError::Refused(reason)) => reason,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn one_plain_file_is_read() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(NAME), "{}").unwrap();
        assert_eq!(read(folder.path()).unwrap(), b"{}");
        assert!(matches!(
            read(&folder.path().join("nowhere")),
            Err(ArtifactError::Unreadable(..))
        ));
    }

    #[test]
    fn everything_else_is_refused() {
        let cases: [(Fill, &str); 10] = [
            (|_, _| {}, "holds no comparison.json"),
            (
                |folder, _| fs::write(folder.join("other.json"), "{}").unwrap(),
                "holds more",
            ),
            (
                |folder, _| {
                    fs::write(folder.join(NAME), "{}").unwrap();
                    fs::write(folder.join("..comparison.json"), "{}").unwrap();
                },
                "holds more",
            ),
            (
                |folder, _| {
                    let name = std::ffi::OsStr::from_bytes(b"comparison\xff.json");
                    fs::write(folder.join(name), "{}").unwrap();
                },
                "holds more",
            ),
            (|folder, _| fs::create_dir(folder.join(NAME)).unwrap(), "is not a file"),
            (
                |folder, elsewhere| {
                    fs::write(elsewhere.join("secret"), "{}").unwrap();
                    symlink(elsewhere.join("secret"), folder.join(NAME)).unwrap();
                },
                "is a link",
            ),
            (
                |folder, elsewhere| {
                    fs::write(elsewhere.join("secret"), "{}").unwrap();
                    fs::hard_link(elsewhere.join("secret"), folder.join(NAME)).unwrap();
                },
                "hard link",
            ),
            (
                |folder, _| nix::unistd::mkfifo(&folder.join(NAME), nix::sys::stat::Mode::S_IRWXU).unwrap(),
                "is not a file",
            ),
            (
                |folder, _| drop(UnixListener::bind(folder.join(NAME)).unwrap()),
                "is not a file",
            ),
            (
                |folder, _| File::create(folder.join(NAME)).unwrap().set_len(100 << 20).unwrap(),
                "more than 4 MiB",
            ),
        ];
        for (fill, expected) in cases {
            let reason = refusal(fill);
            assert!(reason.contains(expected), "{expected}: {reason}");
        }
        assert_eq!(
            refusal(|folder, _| symlink("/dev/zero", folder.join(NAME)).unwrap()),
            "comparison.json is a link"
        );
    }
}
