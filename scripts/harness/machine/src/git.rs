//! Runs `git` in one checkout: limited in time, in English, and without prompts for input.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{anyhow, ensure};

use crate::process::{Unfinished, finish, one_line};

/// Longest wait for a command, also where it contacts another machine.
const COMMAND_TIMEOUT: Duration = Duration::from_mins(2);
/// Variables that would point git to another repository.
const ELSEWHERE: [&str; 4] = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"];

/// Git in one checkout.
#[derive(Debug, Clone)]
pub struct Git {
    root: PathBuf,
}

impl Git {
    /// In the folder `root`.
    pub fn new(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    /// Runs it and gives its standard output; if it fails, that is an error.
    pub fn bytes(&self, arguments: &[&str]) -> anyhow::Result<Vec<u8>> {
        let name = arguments.first().copied().unwrap_or_default();
        let output = finish(self.command(arguments), COMMAND_TIMEOUT);
        let output = output.map_err(|unfinished| match unfinished {
            Unfinished::Interrupted(interrupted) => interrupted.into(),
            other => anyhow!("git {name}: {other}"),
        })?;
        let reason = one_line(&output.stderr_tail);
        ensure!(output.status.success(), "git {name} failed: {reason}");
        Ok(output.stdout)
    }

    /// Like [`Git::bytes`], as text without the white space around it.
    pub fn text(&self, arguments: &[&str]) -> anyhow::Result<String> {
        let bytes = self.bytes(arguments)?;
        Ok(String::from_utf8_lossy(&bytes).trim().to_owned())
    }

    /// Whether files differ from the commit that is checked out, those included that git does not know yet, whatever the user's
    /// configuration hides. Results are written while measuring and are no part of what is measured.
    pub fn is_dirty(&self) -> anyhow::Result<bool> {
        let status = [
            "status",
            "--porcelain",
            "--untracked-files=normal",
            "--",
            ":!bench-results",
        ];
        Ok(!self.text(&status)?.is_empty())
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        for variable in ELSEWHERE {
            command.env_remove(variable);
        }
        command
            .current_dir(&self.root)
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("LC_ALL", "C")
            // Garbage collection in the background would hold locks that block the next command.
            .args(["-c", "gc.auto=0", "-c", "maintenance.auto=false"])
            .args(arguments);
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_text_and_a_failure_has_gits_own_words() {
        let folder = tempfile::tempdir().unwrap();
        let git = Git::new(folder.path());
        git.bytes(&["init", "--quiet"]).unwrap();
        assert_eq!(git.text(&["rev-parse", "--is-inside-work-tree"]).unwrap(), "true");
        let error = git.text(&["rev-parse", "--verify", "nothing"]).unwrap_err().to_string();
        assert!(error.starts_with("git rev-parse failed: fatal: "), "{error}");
        let silent = git.text(&["rev-parse", "--verify", "--quiet", "nothing"]).unwrap_err();
        assert_eq!(silent.to_string(), "git rev-parse failed: exit status 1");
    }
}
