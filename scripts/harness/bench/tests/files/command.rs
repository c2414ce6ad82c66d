//! The command in a folder, as somebody starts it who has this repository.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use apps::catalog::Catalog;

use crate::common::{CommandOutput, words};

/// Root of this repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../..")
        .canonicalize()
        .unwrap()
}

/// The apps of this repository.
pub fn catalog() -> &'static Catalog {
    static CATALOG: OnceLock<Catalog> = OnceLock::new();
    CATALOG.get_or_init(|| Catalog::read(&root()).unwrap())
}

/// What the command says in `folder` on the first day of 2027. What the machine that tests has set does not reach it.
pub fn bench(folder: &Path, line: &str) -> CommandOutput {
    bench_of(&root(), folder, line)
}

/// The same of another repository.
pub fn bench_of(root: &Path, folder: &Path, line: &str) -> CommandOutput {
    let lock = tempfile::NamedTempFile::new().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_bench"));
    command
        .args(["--now", "2027-01-01T00:00:00Z"])
        .args(words(line))
        .current_dir(folder)
        .env("BENCH_ROOT", root)
        .env("BENCH_LOCK", lock.path())
        .env_remove("GITHUB_ACTIONS")
        .stdin(Stdio::null());
    CommandOutput::run(command)
}
