//! A tree of published files: a folder, or one in memory for tests.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::PublishError;
use super::additions::Files;
use super::index::INDEX;
use record::store;

/// Largest file that is read: a record, a `data.js` of many years.
pub const LARGEST: u64 = 64 << 20;
/// Most files and folders that a tree may hold; three lanes make about 150 records in a year.
pub const MOST_FILES: usize = 50_000;
/// Most folders within each other; our own are four deep.
const DEEPEST: usize = 8;
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
    /// Most files and folders in it; a test has fewer.
    most: usize,
}

impl Folder {
    /// The folder `root`, which must be there.
    pub fn open(root: &Path) -> Result<Self, PublishError> {
        if root.is_dir() {
            return Ok(Self {
                root: root.to_owned(),
                most: MOST_FILES,
            });
        }
        Err(PublishError::Unfit(format!(
            "{} is not a folder; --pages takes a checkout of the published branch",
            root.display()
        )))
    }

    /// Writes files, all or none: each under a temporary name first, and the index last, so that what it names is there. Until then
    /// an interrupt ends it, and an error at any time leaves the folder as it was.
    pub fn write(&self, files: &Files, is_interrupted: impl Fn() -> bool) -> Result<(), PublishError> {
        let mut staged = Vec::new();
        for (path, content) in files {
            if is_interrupted() {
                return Err(PublishError::Interrupted);
            }
            let (before, file) = (self.read(path)?, self.file(path)?);
            let failed = |error| PublishError::File {
                path: file.clone(),
                error,
            };
            // The file is closed here: thousands may be written.
            let temporary = store::temporary(&file, content).map_err(failed)?.into_temp_path();
            staged.push((path == INDEX, temporary, file, before));
        }
        staged.sort_by_key(|(is_index, ..)| *is_index);
        let mut done: Vec<(PathBuf, Option<Vec<u8>>)> = Vec::new();
        for (_, temporary, file, before) in staged {
            if let Err(error) = temporary.persist(&file) {
                let error = undo(done).err().unwrap_or(error.error);
                return Err(PublishError::File { path: file, error });
            }
            done.push((file, before));
        }
        Ok(())
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

    /// Adds the files below a folder; `entries` counts folders too.
    fn collect(
        &self,
        folder: &str,
        depth: usize,
        entries: &mut usize,
        paths: &mut BTreeSet<String>,
    ) -> Result<(), PublishError> {
        let path = self.file(folder)?;
        let too = |what: String| Err(PublishError::broken(self.place(folder), &what));
        if depth > DEEPEST {
            return too(format!("it has more than {DEEPEST} folders within each other"));
        }
        let failed = |error| PublishError::File {
            path: path.clone(),
            error,
        };
        let found = match fs::read_dir(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            found => found.map_err(failed)?,
        };
        for entry in found {
            *entries += 1;
            if *entries > self.most {
                return too(format!("the tree has more than {} files and folders", self.most));
            }
            let entry = entry.map_err(failed)?;
            let name = format!("{folder}/{}", entry.file_name().to_string_lossy());
            if entry.file_type().map_err(failed)?.is_dir() {
                self.collect(&name, depth + 1, entries, paths)?;
            } else {
                paths.insert(name);
            }
        }
        Ok(())
    }
}

/// Gives these files the content back that they had.
fn undo(done: Vec<(PathBuf, Option<Vec<u8>>)>) -> io::Result<()> {
    done.into_iter().try_for_each(|(file, before)| match before {
        Some(content) => store::write_whole(&file, &content),
        None => fs::remove_file(&file),
    })
}

impl Tree for Folder {
    fn place(&self, path: &str) -> String {
        self.root.join(path).display().to_string()
    }

    fn paths(&self) -> Result<BTreeSet<String>, PublishError> {
        let mut paths = BTreeSet::new();
        let mut entries = 0;
        for folder in FOLDERS {
            self.collect(folder, 1, &mut entries, &mut paths)?;
        }
        Ok(paths)
    }

    fn read(&self, path: &str) -> Result<Option<Vec<u8>>, PublishError> {
        let file = self.file(path)?;
        match store::read_bytes(&file, LARGEST) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) if matches!(error.kind(), io::ErrorKind::FileTooLarge | io::ErrorKind::InvalidInput) => {
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
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn a_folder_is_listed_read_and_written() {
        let root = tempfile::tempdir().unwrap();
        let folder = Folder::open(root.path()).unwrap();
        assert!(folder.paths().unwrap().is_empty());
        let write =
            |path: &str, content: &[u8]| folder.write(&Files::from([(path.to_owned(), content.to_vec())]), || false);
        write("data/local/1.json", b"{}").unwrap();
        write("index.html", b"<p>").unwrap();
        assert_eq!(
            folder.paths().unwrap().into_iter().collect::<Vec<_>>(),
            ["data/local/1.json"]
        );
        assert_eq!(folder.text("data/local/1.json").unwrap().as_deref(), Some("{}"));
        assert_eq!(folder.read("data/local/2.json").unwrap(), None);
        write("data/local/2.json", b"\xff").unwrap();
        assert!(matches!(
            folder.text("data/local/2.json"),
            Err(PublishError::Broken { .. })
        ));
        assert!(matches!(
            Folder::open(&root.path().join("none")),
            Err(PublishError::Unfit(_))
        ));
    }

    /// All files below a folder, with their content.
    fn everything(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        for entry in fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()) {
            match fs::read(&entry) {
                Ok(content) => drop(files.insert(entry, content)),
                Err(_) => files.extend(everything(&entry)),
            }
        }
        files
    }

    #[test]
    fn files_are_written_all_or_none() {
        let root = tempfile::tempdir().unwrap();
        let folder = Folder::open(root.path()).unwrap();
        let files = |paths: &[&str], content: &str| -> Files {
            let content = content.as_bytes();
            paths
                .iter()
                .map(|path| ((*path).to_owned(), content.to_vec()))
                .collect()
        };
        let paths = [INDEX, "data/local/a.json", "data/local/z.json"];
        folder.write(&files(&paths[..2], "before"), || false).unwrap();
        // A folder takes the last but one name: the index would come after it.
        fs::create_dir_all(root.path().join("data/local/z.json/in-the-way")).unwrap();
        let before = everything(root.path());
        assert!(folder.write(&files(&paths, "after"), || false).is_err());
        assert_eq!(everything(root.path()), before);
        let asked = std::cell::Cell::new(0);
        let second = || asked.replace(asked.get() + 1) == 1;
        let error = folder.write(&files(&paths[..2], "after"), second).unwrap_err();
        assert!(matches!(error, PublishError::Interrupted), "{error}");
        assert_eq!(everything(root.path()), before);
    }

    #[test]
    fn a_hostile_tree_is_refused_by_the_name_of_what_is_wrong() {
        type Harm = fn(&Path);
        let attacks: [(Harm, &str); 5] = [
            (
                |data| nix::unistd::mkfifo(&data.join("index.json"), nix::sys::stat::Mode::S_IRWXU).unwrap(),
                "data/index.json is broken: it is not a plain file",
            ),
            (
                |data| drop(std::os::unix::net::UnixListener::bind(data.join("index.json")).unwrap()),
                "data/index.json is broken: it is not a plain file",
            ),
            (
                |data| fs::create_dir(data.join("index.json")).unwrap(),
                "data/index.json is broken: it is not a plain file",
            ),
            (
                |data| std::os::unix::fs::symlink("/etc/passwd", data.join("index.json")).unwrap(),
                "data/index.json is broken: it is a link",
            ),
            (
                |data| fs::create_dir_all(data.join("a/".repeat(20))).unwrap(),
                "it has more than 8 folders within each other",
            ),
        ];
        for (harm, told) in attacks {
            let root = tempfile::tempdir().unwrap();
            fs::create_dir(root.path().join("data")).unwrap();
            harm(&root.path().join("data"));
            let folder = Folder::open(root.path()).unwrap();
            let (answers, answer) = std::sync::mpsc::channel();
            std::thread::spawn(move || {
                let read = folder.paths().and_then(|_| folder.read(INDEX));
                answers.send(read.map(drop).map_err(|error| error.to_string()))
            });
            let read = answer.recv_timeout(std::time::Duration::from_secs(30));
            let error = read.expect("it waits for a writer").unwrap_err();
            assert!(error.contains(told), "{told}: {error}");
        }
    }

    #[test]
    fn a_tree_of_empty_folders_has_an_end() {
        let root = tempfile::tempdir().unwrap();
        let data = root.path().join("data");
        fs::create_dir(&data).unwrap();
        for number in 0..=20 {
            fs::create_dir(data.join(number.to_string())).unwrap();
        }
        let mut folder = Folder::open(root.path()).unwrap();
        assert!(folder.paths().unwrap().is_empty());
        folder.most = 20;
        let error = folder.paths().unwrap_err().to_string();
        assert!(error.contains("more than 20 files and folders"), "{error}");
    }

    #[test]
    fn a_link_is_not_followed() {
        let (root, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::os::unix::fs::symlink(outside.path(), root.path().join("data")).unwrap();
        let folder = Folder::open(root.path()).unwrap();
        assert!(folder.paths().is_err());
        assert!(folder.read("data/index.json").is_err());
        let files = Files::from([(INDEX.to_owned(), b"{}".to_vec())]);
        assert!(folder.write(&files, || false).is_err());
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
    }
}
