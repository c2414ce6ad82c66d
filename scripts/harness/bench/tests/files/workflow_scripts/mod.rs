//! The scripts of `.github/scripts` and `scripts/audit` on what is hostile, lost or refused, and what only the text of workflows shows. Their
//! course, with a real `bench`, is rehearsed: `./scripts/rehearse`.

mod publishing;
mod workflows;

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::{AUTHOR, CommandOutput};
use crate::files::command::root;

/// A script of this repository, not yet started. What the machine that tests has set does not reach it.
fn script(name: &str, arguments: &[&str]) -> Command {
    script_of(&root(), name, arguments)
}

/// The same, of another repository.
fn script_of(repository: &Path, name: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(repository.join(name));
    command.args(arguments).current_dir(repository);
    for inherited in [
        "GITHUB_ACTIONS",
        "GITHUB_TOKEN",
        "GITHUB_SERVER_URL",
        "GIT_CONFIG_COUNT",
    ] {
        command.env_remove(inherited);
    }
    command
        .env("BENCH", env!("CARGO_BIN_EXE_bench"))
        .env("BENCH_ROOT", root())
        .envs(AUTHOR);
    command
}

/// A git repository with the scripts in it and one commit on `main`.
struct Repository {
    folder: tempfile::TempDir,
}

impl Repository {
    fn new() -> Self {
        let repository = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        let to = repository.root().join(".github/scripts");
        fs::create_dir_all(&to).unwrap();
        for script in fs::read_dir(root().join(".github/scripts")).unwrap() {
            let script = script.unwrap();
            fs::copy(script.path(), to.join(script.file_name())).unwrap();
        }
        repository.git(&["init", "--quiet", "--initial-branch=main"]);
        repository.commit(&[("README.md", "# Title\n")]);
        repository
    }

    fn root(&self) -> &Path {
        self.folder.path()
    }

    fn git(&self, arguments: &[&str]) -> String {
        git(self.root(), arguments)
    }

    /// Writes files and commits them.
    fn commit(&self, files: &[(&str, &str)]) -> String {
        for (name, content) in files {
            let path = self.root().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message=More"]);
        self.git(&["rev-parse", "HEAD"])
    }

    fn script(&self, name: &str, arguments: &[&str]) -> Command {
        script_of(self.root(), &format!(".github/scripts/{name}"), arguments)
    }
}

/// What git says, which must succeed.
fn git(at: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.envs(AUTHOR).args(arguments).current_dir(at);
    CommandOutput::run(command).fine().stdout.trim().to_owned()
}
