//! A tree and the files that are about to change in it, read as one.

use std::collections::BTreeSet;

use super::PublishError;
use super::additions::Files;
use super::tree::{FOLDERS, Tree};

/// A tree with changed files.
pub struct Overlay<'a> {
    tree: &'a dyn Tree,
    paths: BTreeSet<String>,
    files: Files,
}

impl<'a> Overlay<'a> {
    /// A tree without changes.
    pub fn over(tree: &'a dyn Tree) -> Result<Self, PublishError> {
        Ok(Self {
            tree,
            paths: tree.paths()?,
            files: Files::new(),
        })
    }

    /// Writes a file, unless the same content is there.
    pub fn put(&mut self, path: &str, content: Vec<u8>) -> Result<(), PublishError> {
        if self.read(path)?.as_ref() == Some(&content) {
            return Ok(());
        }
        if FOLDERS.iter().any(|folder| path.starts_with(&format!("{folder}/"))) {
            self.paths.insert(path.to_owned());
        }
        self.files.insert(path.to_owned(), content);
        Ok(())
    }

    /// Every path in `data/` and `charts/`.
    pub fn known(&self) -> &BTreeSet<String> {
        &self.paths
    }

    /// The changed files.
    pub fn into_files(self) -> Files {
        self.files
    }
}

impl Tree for Overlay<'_> {
    fn place(&self, path: &str) -> String {
        self.tree.place(path)
    }

    fn paths(&self) -> Result<BTreeSet<String>, PublishError> {
        Ok(self.paths.clone())
    }

    fn read(&self, path: &str) -> Result<Option<Vec<u8>>, PublishError> {
        match self.files.get(path) {
            Some(content) => Ok(Some(content.clone())),
            None => self.tree.read(path),
        }
    }
}
