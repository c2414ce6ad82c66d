//! Files of a folder.

use std::{
    fs::{self, DirEntry},
    path::Path,
};

use cot::static_files::StaticFile;

/// Cot serves what it holds in memory. Its macro reads files when the program is built; these are known only when it starts. Without
/// the folder, there are none.
pub fn files(folder: &Path) -> Vec<StaticFile> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.flatten().filter_map(|entry| file(&entry)).collect()
}

fn file(entry: &DirEntry) -> Option<StaticFile> {
    let name = entry.file_name().into_string().ok()?;
    Some(StaticFile::new(name, fs::read(entry.path()).ok()?))
}
