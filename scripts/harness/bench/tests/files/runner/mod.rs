//! What prepares a self-hosted runner, run as it is installed: the guard, the tuning (on a made-up /sys and /proc), and
//! the life of one runner (on a made-up GitHub and runner).

mod guard;
mod once;
mod tuning;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../runner")
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn program(path: &Path, text: &str) {
    write(path, text);
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// The folder on the measuring machine, as README.md of scripts/runner has it.
fn installed(config: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["job-started.sh", "run-once.sh", "tune.sh", "tuning.txt"] {
        fs::copy(scripts().join(name), folder.path().join(name)).unwrap();
    }
    fs::write(folder.path().join("config"), config).unwrap();
    folder
}
