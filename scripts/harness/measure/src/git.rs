//! The program `git` in one checkout: bounded in time, in English, and without a question to anybody.
//!
//! A command may reach another machine, which may be slow, refuse, or want a password that nobody is there to type.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::interrupt;
use crate::interrupt::Interrupted;
use crate::process::{Unfinished, finish};

/// Longest wait for a command that reaches another machine.
const FAR: Duration = Duration::from_mins(5);
/// Longest wait for a command that does not.
const COMMAND_TIMEOUT: Duration = Duration::from_mins(2);
/// Most that a command may print: an archive of a whole checkout.
const LARGEST: u64 = 1 << 30;
/// Variables that would lead git into another repository than the one that is named.
const ELSEWHERE: [&str; 4] = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"];

/// Why git did not do it.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// It could not be started, or its answer could not be read.
    #[error("cannot run git: {0}")]
    Start(#[from] io::Error),
    /// It was not done in time.
    #[error("git {command} was not done after {seconds} s; try again when the network answers")]
    Slow {
        /// What it should do.
        command: String,
        /// How long it was waited for.
        seconds: u64,
    },
    /// It failed.
    #[error("git {command} failed: {reason}")]
    Failed {
        /// What it should do.
        command: String,
        /// What it said.
        reason: String,
    },
    /// The user asked to stop.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}

/// What git said, and whether it succeeded.
#[derive(Debug)]
pub struct Told {
    /// Whether it ended with status 0.
    pub success: bool,
    /// Its exit status; `None` if a signal ended it.
    pub status: Option<i32>,
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// The end of what it wrote to stderr; how it ended if it wrote nothing.
    pub stderr: String,
}

/// Git in one checkout.
#[derive(Debug, Clone)]
pub struct Git {
    root: PathBuf,
    environment: Vec<(&'static str, OsString)>,
}

impl Git {
    /// In the folder `root`.
    pub fn at(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            environment: Vec::new(),
        }
    }

    /// The same with one more variable in git's environment.
    #[must_use]
    pub fn with(mut self, variable: &'static str, value: impl Into<OsString>) -> Self {
        self.environment.push((variable, value.into()));
        self
    }

    /// Runs it, and says how that went, also if it failed.
    pub fn call(&self, arguments: &[&str]) -> Result<Told, GitError> {
        let name = arguments.first().copied().unwrap_or_default();
        let time = if matches!(name, "fetch" | "push" | "ls-remote") {
            FAR
        } else {
            COMMAND_TIMEOUT
        };
        let told = finish(self.command(arguments), time, LARGEST, interrupt::check);
        let told = told.map_err(|unfinished| match unfinished {
            Unfinished::Slow(time) => GitError::Slow {
                command: name.to_owned(),
                seconds: time.as_secs(),
            },
            Unfinished::TooMuch(_) => GitError::Failed {
                command: name.to_owned(),
                reason: unfinished.to_string(),
            },
            Unfinished::NotStarted(error) | Unfinished::NotKept(error) => GitError::Start(error),
            Unfinished::Interrupted(interrupted) => GitError::Interrupted(interrupted),
        })?;
        Ok(Told {
            success: told.status.success(),
            status: told.status.code(),
            stdout: told.stdout,
            stderr: told.stderr_tail,
        })
    }

    /// Runs it and gives its standard output; that it fails is an error.
    pub fn bytes(&self, arguments: &[&str]) -> Result<Vec<u8>, GitError> {
        let told = self.call(arguments)?;
        if told.success {
            Ok(told.stdout)
        } else {
            Err(GitError::Failed {
                command: arguments.first().copied().unwrap_or_default().to_owned(),
                reason: told.stderr,
            })
        }
    }

    /// Like [`Git::bytes`], as text without the white space around it.
    pub fn text(&self, arguments: &[&str]) -> Result<String, GitError> {
        let bytes = self.bytes(arguments)?;
        Ok(String::from_utf8_lossy(&bytes).trim().to_owned())
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
            // A collection in the background would hold locks that the next command waits for.
            .args(["-c", "gc.auto=0", "-c", "maintenance.auto=false"])
            .args(arguments)
            .envs(self.environment.iter().map(|(variable, value)| (variable, value)));
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_text_and_a_failure_has_gits_own_words() {
        let folder = tempfile::tempdir().unwrap();
        let git = Git::at(folder.path());
        git.bytes(&["init", "--quiet"]).unwrap();
        assert_eq!(git.text(&["rev-parse", "--is-inside-work-tree"]).unwrap(), "true");
        let error = git.text(&["rev-parse", "--verify", "nothing"]).unwrap_err().to_string();
        assert!(error.starts_with("git rev-parse failed: fatal: "), "{error}");
        let told = git.call(&["rev-parse", "--verify", "--quiet", "nothing"]).unwrap();
        assert_eq!((told.success, told.stderr.as_str()), (false, "exit status 1"));
    }

    #[test]
    fn a_variable_reaches_git() {
        let folder = tempfile::tempdir().unwrap();
        let git = Git::at(folder.path()).with("GIT_COMMITTER_NAME", "Somebody");
        let git = git.with("GIT_COMMITTER_EMAIL", "somebody@example.org");
        git.bytes(&["init", "--quiet"]).unwrap();
        let identity = git.text(&["var", "GIT_COMMITTER_IDENT"]).unwrap();
        assert!(identity.starts_with("Somebody <somebody@example.org>"), "{identity}");
    }
}
