//! Changes a program's main source file in the copy, in a way that the compiler cannot ignore.

use std::fs;
use std::path::{Path, PathBuf};

use crate::build::BuildError;
use crate::catalog::metadata::manifests_only;

/// The main source file of a program.
#[derive(Debug)]
pub struct Source {
    path: PathBuf,
    text: String,
}

impl Source {
    /// The source of the bin target `binary` of the package at `manifest`.
    pub fn find(manifest: &Path, binary: &str) -> Result<Self, String> {
        let metadata = manifests_only(manifest).map_err(|error| error.to_string())?;
        let targets = metadata.packages.iter().flat_map(|package| &package.targets);
        let mut named = targets.filter(|target| target.is_bin() && target.name == binary);
        let path: PathBuf = named
            .next()
            .map(|target| target.src_path.clone().into())
            .ok_or_else(|| format!("cargo knows no source of {binary}"))?;
        let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Self { path, text })
    }

    /// Rewrites it, different for each `number`. A comment or unused code would not change the program, so a static is added
    /// that must be kept.
    pub fn change(&self, number: u32) -> Result<(), BuildError> {
        let text = format!("{}\n#[used]\nstatic BENCH_CHANGE: u32 = {number};\n", self.text);
        self.write(&text)
    }

    /// Restores the original.
    pub fn restore(&self) -> Result<(), BuildError> {
        self.write(&self.text)
    }

    fn write(&self, text: &str) -> Result<(), BuildError> {
        fs::write(&self.path, text).map_err(|error| BuildError::File(self.path.clone(), error))
    }
}
