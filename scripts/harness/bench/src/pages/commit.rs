//! A tree that lies in git: read from a commit, written as a new one, without a checkout of either.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use measure::git::{Git, GitError};
use tell::publish::PublishError;
use tell::publish::additions::Files;
use tell::publish::tree::{FOLDERS, LARGEST, MOST_FILES, Tree};

/// What git said of a tree that lies in it.
fn in_git(error: GitError) -> PublishError {
    PublishError::Tree(Box::new(error))
}

/// A commit, or the empty tree that stands where there is none yet.
#[derive(Debug)]
pub struct Commit<'a> {
    git: &'a Git,
    /// What it is called in an error.
    name: String,
    id: Option<String>,
    files: BTreeMap<String, File>,
}

/// A file as git lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    mode: String,
    object: String,
    size: Option<u64>,
}

impl<'a> Commit<'a> {
    /// The commit `id`; without one, a tree without files.
    pub fn read(git: &'a Git, id: Option<&str>, name: &str) -> Result<Self, PublishError> {
        let mut commit = Self {
            git,
            name: name.to_owned(),
            id: id.map(ToOwned::to_owned),
            files: BTreeMap::new(),
        };
        if let Some(id) = id {
            let list = git
                .bytes(&["ls-tree", "-r", "-l", "-z", "--full-tree", id])
                .map_err(in_git)?;
            commit.files = listed(&list);
        }
        if commit.files.len() > MOST_FILES {
            let reason = format!("it holds more than {MOST_FILES} files");
            return Err(PublishError::broken(commit.name, &reason));
        }
        Ok(commit)
    }

    /// Its id.
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// Every file.
    pub fn files(&self) -> &BTreeMap<String, File> {
        &self.files
    }

    /// A commit on top of this one with other `files`; gives its id. No branch is moved.
    pub fn with(&self, git: &Git, files: &Files, message: &str) -> Result<String, PublishError> {
        let start = |error| in_git(GitError::Start(error));
        let scratch = tempfile::tempdir().map_err(start)?;
        // An index of our own: that of the checkout belongs to whoever works in it.
        let git = git.clone().with("GIT_INDEX_FILE", scratch.path().join("index"));
        git.bytes(&["read-tree", self.id().unwrap_or("--empty")])
            .map_err(in_git)?;
        let file = scratch.path().join("file");
        for (path, content) in files {
            fs::write(&file, content).map_err(start)?;
            let object = git
                .text(&["hash-object", "-w", "--no-filters", "--", &file.to_string_lossy()])
                .map_err(in_git)?;
            let entry = format!("100644,{object},{path}");
            git.bytes(&["update-index", "--add", "--cacheinfo", &entry])
                .map_err(in_git)?;
        }
        let tree = git.text(&["write-tree"]).map_err(in_git)?;
        let mut arguments = vec!["commit-tree", &tree, "-m", message];
        arguments.extend(self.id().into_iter().flat_map(|id| ["-p", id]));
        git.text(&arguments).map_err(in_git)
    }
}

impl Tree for Commit<'_> {
    fn place(&self, path: &str) -> String {
        format!("{path} of {}", self.name)
    }

    fn paths(&self) -> Result<BTreeSet<String>, PublishError> {
        let below = |path: &&String| {
            let folder = path.split_once('/').map(|(folder, _)| folder);
            folder.is_some_and(|folder| FOLDERS.contains(&folder))
        };
        Ok(self.files.keys().filter(below).cloned().collect())
    }

    fn read(&self, path: &str) -> Result<Option<Vec<u8>>, PublishError> {
        let Some(file) = self.files.get(path) else {
            return Ok(None);
        };
        let broken = |reason: &str| PublishError::broken(self.place(path), reason);
        if !file.mode.starts_with("100") {
            return Err(broken("it is no file but a link"));
        }
        if file.size.is_none_or(|size| size > LARGEST) {
            return Err(broken(&format!("it has more than {LARGEST} bytes")));
        }
        Ok(Some(
            self.git.bytes(&["cat-file", "blob", &file.object]).map_err(in_git)?,
        ))
    }
}

/// Reads `<mode> <type> <object> <size>\t<path>\0…`. A path that is no text is left out: none of ours is like that.
fn listed(list: &[u8]) -> BTreeMap<String, File> {
    let lines = list
        .split(|byte| *byte == 0)
        .filter_map(|line| str::from_utf8(line).ok());
    let file = |line: &str| {
        let (about, path) = line.split_once('\t')?;
        let mut about = about.split_ascii_whitespace();
        let (mode, _kind, object) = (about.next()?, about.next()?, about.next()?);
        let file = File {
            mode: mode.to_owned(),
            object: object.to_owned(),
            size: about.next().and_then(|size| size.parse().ok()),
        };
        Some((path.to_owned(), file))
    };
    lines.filter_map(file).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repository() -> (tempfile::TempDir, Git) {
        let folder = tempfile::tempdir().unwrap();
        let mut git = Git::at(folder.path());
        for (variable, value) in [
            ("GIT_AUTHOR_NAME", "Test"),
            ("GIT_AUTHOR_EMAIL", "test@example.org"),
            ("GIT_COMMITTER_NAME", "Test"),
            ("GIT_COMMITTER_EMAIL", "test@example.org"),
        ] {
            git = git.with(variable, value);
        }
        git.bytes(&["init", "--quiet"]).unwrap();
        (folder, git)
    }

    #[test]
    fn a_commit_is_made_of_files_and_read_again() {
        let (folder, git) = repository();
        let none = Commit::read(&git, None, "nothing").unwrap();
        assert!(none.files().is_empty() && none.read("index.html").unwrap().is_none());
        let files = Files::from([
            ("data/ö x.json".to_owned(), b"one".to_vec()),
            ("index.html".to_owned(), b"page\r\n".to_vec()),
        ]);
        let first = none.with(&git, &files, "First").unwrap();
        let first = Commit::read(&git, Some(&first), "first").unwrap();
        assert_eq!(first.read("index.html").unwrap().unwrap(), b"page\r\n");
        assert_eq!(
            first.paths().unwrap().into_iter().collect::<Vec<_>>(),
            ["data/ö x.json"]
        );

        let more = Files::from([("data/2.json".to_owned(), b"two".to_vec())]);
        let second = first.with(&git, &more, "Second").unwrap();
        assert_eq!(
            git.text(&["rev-parse", &format!("{second}^")]).unwrap(),
            first.id().unwrap()
        );
        let second = Commit::read(&git, Some(&second), "second").unwrap();
        assert_eq!(second.files().len(), 3);
        assert_eq!(second.place("data/2.json"), "data/2.json of second");
        let left: Vec<_> = fs::read_dir(folder.path())
            .unwrap()
            .flatten()
            .map(|entry| entry.file_name())
            .collect();
        assert_eq!(left, [".git"], "the checkout is left alone");
    }

    #[test]
    fn a_link_is_no_file() {
        let (folder, git) = repository();
        std::os::unix::fs::symlink("/etc/passwd", folder.path().join("data")).unwrap();
        git.bytes(&["add", "data"]).unwrap();
        let tree = git.text(&["write-tree"]).unwrap();
        let commit = Commit::read(&git, Some(&tree), "it").unwrap();
        let error = commit.read("data").unwrap_err().to_string();
        assert!(
            error.contains("data of it is broken: it is no file but a link"),
            "{error}"
        );
    }
}
