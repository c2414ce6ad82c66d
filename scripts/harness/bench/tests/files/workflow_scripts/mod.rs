//! The scripts of `.github/scripts` and `scripts/audit` on what is hostile, lost or refused, and what only the text of workflows shows. Their
//! course, with a real `bench`, is rehearsed: `./scripts/rehearse`.

mod publishing;
mod workflows;

use std::path::Path;
use std::process::Command;

use crate::common::{AUTHOR, CommandOutput};
use crate::files::command::root;

/// A script of this repository, not yet started. What the machine that tests has set does not reach it.
fn script(name: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(root().join(name));
    command.args(arguments).current_dir(root()).envs(AUTHOR);
    let inherited = [
        "GITHUB_ACTIONS",
        "GITHUB_TOKEN",
        "GITHUB_SERVER_URL",
        "GIT_CONFIG_COUNT",
    ];
    for name in inherited {
        command.env_remove(name);
    }
    command
}

/// What git says, which must succeed.
fn git(at: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.envs(AUTHOR).args(arguments).current_dir(at);
    CommandOutput::run(command).fine().stdout.trim().to_owned()
}
