//! How a server ended, in words: its exit status or signal, and what it wrote last.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use super::{MOST_STDERR, UNSTARTED};
use crate::container::{Container, MEMORY};
use crate::failure::Failure;
use apps::registry_paths::without_folders;
use machine::process::{Child, in_words};
use model::Verdict;
use model::escape::{SENTENCE, clean};

/// Lines of a dead server's stderr that are shown.
const SHOWN_LINES: usize = 3;
/// Exit status of an engine's command that failed.
const ENGINE_FAILED: i32 = 125;
/// How messages of the engine begin, and not of the server, when a container cannot be started.
const ENGINE_REFUSED: [&str; 2] = ["Error response from daemon", "Error: unable to start container"];

/// Why a server, or its container, did not come up: the engine refused it, or it ended by itself.
pub(super) fn unstarted(container: Option<&Container>, child: &Child, status: ExitStatus) -> Failure {
    let words = child.stderr_tail();
    let all = status.code() == Some(ENGINE_FAILED);
    let is_engines = |line: &&str| all || ENGINE_REFUSED.iter().any(|start| line.starts_with(start));
    if let Some(line) = words.lines().find(is_engines).filter(|_| container.is_some()) {
        return Failure::Verdict(Verdict::EnvironmentFailed, format!("{UNSTARTED}: {line}"));
    }
    let end = describe_exit(container, status, child);
    Failure::died(format!("the server died before its first answer: {end}"))
}

/// How a server ended, with its last lines on stderr.
pub(super) fn describe_exit(container: Option<&Container>, status: ExitStatus, child: &Child) -> String {
    let end = match container {
        _ if child.floods() => format!(
            "it was ended, because it wrote more than {} MiB to stderr",
            MOST_STDERR >> 20
        ),
        None => in_words(status),
        Some(_) => contained_end(status),
    };
    let last = last_lines(child);
    if last.is_empty() {
        end
    } else {
        format!("{end}; it said: {last}")
    }
}

/// The last lines of its stderr, safe to show; empty if it wrote nothing.
pub(super) fn last_lines(child: &Child) -> String {
    let words = child.stderr_tail();
    let lines: Vec<&str> = words.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = lines[lines.len().saturating_sub(SHOWN_LINES)..].join(" · ");
    clean(&without_folders(&last), SENTENCE)
}

/// The engine's command exits with the server's status, or with 128 plus the number of the signal that killed it.
fn contained_end(status: ExitStatus) -> String {
    match status.code().map(|code| code - 128) {
        Some(9) => format!("signal 9 (SIGKILL), as when it wants more memory than the container's {MEMORY}"),
        Some(signal) if signal > 0 => in_words(ExitStatus::from_raw(signal)),
        _ => in_words(status),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_container_is_that_of_its_server() {
        let end = |code: i32| contained_end(ExitStatus::from_raw(code << 8));
        assert_eq!(end(7), "exit status 7");
        assert_eq!(end(139), "signal 11 (SIGSEGV)");
        assert_eq!(
            end(137),
            "signal 9 (SIGKILL), as when it wants more memory than the container's 2g"
        );
    }
}
