//! What an earlier call left in the folder of the site. What was made by the same program from the same is not made again: a list says by
//! hash from what each thing was made, and what its files contained. One that is gone or was changed is made again.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Out, text};
use model::store::sha256;

/// Where the list is.
const LIST: &str = "data/kept.json";

/// A thing that was made.
#[derive(Debug, Serialize, Deserialize)]
struct Made {
    /// The hash of what it was made from.
    from: String,
    value: Value,
    /// Hashes of its files by their paths.
    files: BTreeMap<String, String>,
}

pub struct Kept<'a> {
    out: Out<'a>,
    before: BTreeMap<String, Made>,
    now: BTreeMap<String, Made>,
}

impl<'a> Kept<'a> {
    /// What the folder has; nothing where its list cannot be read.
    pub fn of(out: Out<'a>) -> Self {
        let list = fs::read(out.0.join(LIST)).ok();
        let list = list.and_then(|list| serde_json::from_slice::<BTreeMap<String, Made>>(&list).ok());
        let mut before = list.unwrap_or_default();
        let is_name = |part: Component<'_>| matches!(part, Component::Normal(_));
        let is_below = |path: &String| Path::new(path).components().all(is_name);
        before.retain(|_, made| made.files.keys().all(is_below));
        Self {
            out,
            before,
            now: BTreeMap::new(),
        }
    }

    /// What was made under a name, if it was from this and its files are as they were.
    pub fn get<T: DeserializeOwned>(&mut self, name: &str, from: &str) -> Option<T> {
        let made = self.before.remove(name).filter(|made| made.from == from)?;
        let is_there = |(path, hash): (&String, &String)| {
            let content = fs::read(self.out.0.join(path));
            content.is_ok_and(|content| sha256([&*content]) == *hash)
        };
        let value = made.files.iter().all(is_there).then(|| T::deserialize(&made.value));
        let value = value?.ok()?;
        self.now.insert(name.to_owned(), made);
        Some(value)
    }

    /// Writes the files of what was made, and remembers it.
    pub fn put(
        &mut self,
        name: String,
        from: String,
        value: &impl Serialize,
        files: impl IntoIterator<Item = (String, Vec<u8>)>,
    ) -> anyhow::Result<()> {
        let mut hashes = BTreeMap::new();
        for (path, content) in files {
            self.out.write(&path, &content)?;
            hashes.insert(path, sha256([&*content]));
        }
        let (value, files) = (serde_json::to_value(value)?, hashes);
        self.now.insert(name, Made { from, value, files });
        Ok(())
    }

    /// Writes the list, and removes the files of what is no longer made.
    pub fn write(self) -> anyhow::Result<()> {
        for path in self.before.values().flat_map(|made| made.files.keys()) {
            let _ = fs::remove_file(self.out.0.join(path)); // it may be gone
        }
        self.out.write(LIST, text(&self.now).as_bytes())
    }
}
