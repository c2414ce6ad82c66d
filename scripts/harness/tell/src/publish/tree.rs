//! A tree of published files: a folder, or one in memory for tests.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::PublishError;
use super::additions::Files;
use record::store;

/// Largest file that is read: a record, a `data.js` of many years.
pub const LARGEST: u64 = 64 << 20;
/// Most files that a tree may hold; three lanes make about 150 records in a year.
pub const MOST_FILES: usize = 50_000;
/// Folders that publishing looks into.
pub const FOLDERS: [&str; 2] = ["data", "charts"];

/// Files by their path from the root, with `/`.
pub trait Tree {
    /// The name of a file in an error.
    fn place(&self, path: &str) -> String;

    /// Paths of all files in `data/` and `charts/`, at any depth.
    fn paths(&self) -> Result<BTreeSet<String>, PublishError>;

    /// Content of a file; `None` if there is none.
    fn read(&self, path: &str) -> Result<Option<Vec<u8>>, PublishError>;

    /// Content of a text; `None` if there is none.
    fn text(&self, path: &str) -> Result<Option<String>, PublishError> {
        let Some(bytes) = self.read(path)? else {
            return Ok(None);
        };
        let text = String::from_utf8(bytes);
        text.map(Some)
            .map_err(|_| PublishError::broken(self.place(path), "it is not text"))
    }
}

/// A folder on this machine.
#[derive(Debug)]
pub struct Folder {
    root: PathBuf,
}

impl Folder {
    /// The folder `root`, which must be there.
    pub fn open(root: &Path) -> Result<Self, PublishError> {
        if root.is_dir() {
            return Ok(Self { root: root.to_owned() });
        }
        Err(PublishError::Unfit(format!(
            "{} is not a folder; --pages takes a checkout of the published branch",
            root.display()
        )))
    }

    /// Writes a file completely.
    pub(super) fn write(&self, path: &str, content: &[u8]) -> Result<(), PublishError> {
        let file = self.file(path)?;
        store::write_whole(&file, content).map_err(|error| PublishError::File { path: file, error })
    }

    /// The path of a file. A link on the way could lead out of the folder, and is refused.
    fn file(&self, path: &str) -> Result<PathBuf, PublishError> {
        let mut file = self.root.clone();
        for part in path.split('/') {
            file.push(part);
            if fs::symlink_metadata(&file).is_ok_and(|metadata| metadata.is_symlink()) {
                return Err(PublishError::broken(file.display().to_string(), "it is a link"));
            }
        }
        Ok(file)
    }

    fn collect(&self, folder: &str, paths: &mut BTreeSet<String>) -> Result<(), PublishError> {
        let path = self.file(folder)?;
        let failed = |error| PublishError::File {
            path: path.clone(),
            error,
        };
        let entries = match fs::read_dir(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            entries => entries.map_err(failed)?,
        };
        for entry in entries {
            let entry = entry.map_err(failed)?;
            let name = format!("{folder}/{}", entry.file_name().to_string_lossy());
            if entry.file_type().map_err(failed)?.is_dir() {
                self.collect(&name, paths)?;
            } else {
                paths.insert(name);
            }
            if paths.len() > MOST_FILES {
                let reason = format!("it holds more than {MOST_FILES} files");
                return Err(PublishError::broken(self.root.display().to_string(), &reason));
            }
        }
        Ok(())
    }
}

impl Tree for Folder {
    fn place(&self, path: &str) -> String {
        self.root.join(path).display().to_string()
    }

    fn paths(&self) -> Result<BTreeSet<String>, PublishError> {
        let mut paths = BTreeSet::new();
        for folder in FOLDERS {
            self.collect(folder, &mut paths)?;
        }
        Ok(paths)
    }

    fn read(&self, path: &str) -> Result<Option<Vec<u8>>, PublishError> {
        let file = self.file(path)?;
        match store::read_bytes(&file, LARGEST) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                Err(PublishError::broken(self.place(path), &error.to_string()))
            }
            Err(error) => Err(PublishError::File { path: file, error }),
        }
    }
}

/// A tree in memory, for tests.
#[derive(Debug, Default, Clone)]
pub struct Memory(pub Files);

impl Tree for Memory {
    fn place(&self, path: &str) -> String {
        path.to_owned()
    }

    fn paths(&self) -> Result<BTreeSet<String>, PublishError> {
        let below = |path: &&String| FOLDERS.iter().any(|folder| path.starts_with(&format!("{folder}/")));
        Ok(self.0.keys().filter(below).cloned().collect())
    }

    fn read(&self, path: &str) -> Result<Option<Vec<u8>>, PublishError> {
        Ok(self.0.get(path).cloned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_listed_read_and_written() {
        let root = tempfile::tempdir().unwrap();
        let folder = Folder::open(root.path()).unwrap();
        assert!(folder.paths().unwrap().is_empty());
        folder.write("data/local/1.json", b"{}").unwrap();
        folder.write("index.html", b"<p>").unwrap();
        assert_eq!(
            folder.paths().unwrap().into_iter().collect::<Vec<_>>(),
            ["data/local/1.json"]
        );
        assert_eq!(folder.text("data/local/1.json").unwrap().as_deref(), Some("{}"));
        assert_eq!(folder.read("data/local/2.json").unwrap(), None);
        folder.write("data/local/2.json", b"\xff").unwrap();
        assert!(matches!(
            folder.text("data/local/2.json"),
            Err(PublishError::Broken { .. })
        ));
        assert!(matches!(
            Folder::open(&root.path().join("none")),
            Err(PublishError::Unfit(_))
        ));
    }

    #[test]
    fn a_link_is_not_followed() {
        let (root, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::os::unix::fs::symlink(outside.path(), root.path().join("data")).unwrap();
        let folder = Folder::open(root.path()).unwrap();
        assert!(folder.paths().is_err());
        assert!(folder.read("data/index.json").is_err());
        assert!(folder.write("data/index.json", b"{}").is_err());
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
    }
}
