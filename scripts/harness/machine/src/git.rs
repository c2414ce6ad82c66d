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
        Ok(!self.text(&status)?.is_empty() || self.has_unseen()?)
    }

    /// Whether there are files that `git status` says nothing of and that may differ from the commit all the same: those that it was told not
    /// to look at (`--skip-worktree`, `--assume-unchanged`), and sources that only this clone or user ignores.
    pub fn has_unseen(&self) -> anyhow::Result<bool> {
        let known = self.text(&["ls-files", "-v", ":/"])?;
        let is_unseen = |line: &str| line.starts_with(|tag: char| tag.is_ascii_lowercase() || tag == 'S');
        let ignored_here = ["ls-files", "--others", "--exclude-per-directory=.gitignore"];
        let sources = ["--", ":/*.rs", ":/*.toml", ":!bench-results"];
        let ignored_here = || self.text(&[&ignored_here[..], &sources].concat());
        Ok(known.lines().any(is_unseen) || !ignored_here()?.is_empty())
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
    fn a_changed_source_is_seen_whatever_git_was_told_of_it() {
        let marks = [
            "git update-index --skip-worktree a.rs && echo // >>a.rs",
            "git update-index --assume-unchanged a.rs && echo // >>a.rs",
            "git update-index --skip-worktree a.rs && rm a.rs",
            "echo b.rs >.git/info/exclude && touch b.rs",
            "echo '*.toml' >.git/mine && git config core.excludesFile .git/mine && mkdir d && touch d/Cargo.toml",
        ];
        let dirty = |line: &str| {
            let folder = tempfile::tempdir().unwrap();
            let who = "git -c user.name=a -c user.email=a@example.org -c commit.gpgsign=false commit --quiet -m x";
            let script = format!(
                "git init --quiet && echo target >.gitignore && touch a.rs && git add . && {who} && mkdir target && touch target/b.rs && {line}"
            );
            let made = Command::new("sh")
                .args(["-ec", &script])
                .current_dir(folder.path())
                .status();
            assert!(made.unwrap().success(), "{line}");
            Git::new(folder.path()).is_dirty().unwrap()
        };
        assert!(!dirty("true"));
        for line in marks {
            assert!(dirty(line), "{line}");
        }
    }

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
