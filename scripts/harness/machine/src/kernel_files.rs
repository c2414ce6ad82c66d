//! What the kernel tells in small files: those of /proc and /sys. Knows no other module, so that all may read them.

use std::fs;
use std::path::Path;

/// A small file of /proc or /sys without its line end; `None` if it is missing or empty.
pub fn read_small_file(path: impl AsRef<Path>) -> Option<String> {
    fs::read_to_string(path)
        .ok()
        .map(|text| text.trim_end().to_owned())
        .filter(|text| !text.is_empty())
}
