//! One open issue for each matter, found again by its mark and its author: opened, brought up to date, closed.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::comment::unix_lines;
use super::{Client, GithubError, Repository};

/// The permission that an issue needs.
const NEEDS: &str = "issues: write";
/// Longest body in bytes. GitHub allows 65,536 characters.
const LONGEST: usize = 65_536;

/// Which issue.
#[derive(Debug)]
pub struct Place<'a> {
    /// Where.
    pub repository: &'a Repository,
    /// What it is about: letters, digits and hyphens.
    pub matter: &'a str,
    /// Login of the account that writes it.
    pub author: &'a str,
}

/// How the matter stands.
#[derive(Debug)]
pub enum Matter<'a> {
    /// It is there.
    Open {
        /// Title of the issue.
        title: &'a str,
        /// Where it stands, in a few words. When they change, a comment says so.
        state: &'a str,
        /// Markdown; more than 64 KiB are cut.
        body: &'a str,
        /// Labels of an issue that is opened.
        labels: &'a [String],
    },
    /// It is gone.
    Resolved,
}

/// What became of the issue, with its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Done {
    /// There is none, and nothing to open one for.
    Nothing,
    /// It is open now.
    Opened(u64),
    /// It says something else now.
    Updated(u64),
    /// It says what it should already.
    Unchanged(u64),
    /// It is closed now.
    Closed(u64),
}

/// An account.
#[derive(Deserialize)]
pub(super) struct User {
    login: String,
}

/// Whether this account wrote it. Logins are the same in any case; `[bot]` is part of no login that a person can have.
pub(super) fn is_by(user: Option<&User>, author: &str) -> bool {
    user.is_some_and(|user| user.login.eq_ignore_ascii_case(author))
}

#[derive(Deserialize)]
struct Issue {
    number: u64,
    #[serde(default)]
    title: String,
    #[serde(default)]
    body: Option<String>,
    #[serde(default)]
    user: Option<User>,
    /// There if it is a pull request: to the API that is an issue, too.
    #[serde(default)]
    pull_request: Option<IgnoredAny>,
}

/// The issue's body, with its marks.
pub fn body_of(place: &Place<'_>, state: &str, body: &str) -> String {
    let marks = format!("{}\n{}\n", mark(place.matter), state_mark(state));
    let body = body.trim_end();
    let note = "\n\n(The rest is left out: it is too long for an issue.)";
    let room = LONGEST - note.len() - marks.len().min(LONGEST / 2);
    if body.len() <= room {
        return format!("{marks}{body}\n");
    }
    let end = body.floor_char_boundary(room);
    let end = body[..end].rfind('\n').unwrap_or(end);
    format!("{marks}{}{note}\n", &body[..end])
}

/// Brings the issue up to date.
pub fn keep(client: &Client, place: &Place<'_>, matter: &Matter<'_>) -> Result<Done, GithubError> {
    let issues = format!("/repos/{}/issues", place.repository);
    let is_ours = |issue: &Issue| {
        issue.pull_request.is_none()
            && is_by(issue.user.as_ref(), place.author)
            && issue
                .body
                .as_deref()
                .is_some_and(|body| body.starts_with(&mark(place.matter)))
    };
    let open = client.list(&issues, "state=open&direction=asc", NEEDS, |issue: Issue| {
        is_ours(&issue).then_some(issue)
    })?;
    match (open.into_iter().next(), matter) {
        (None, Matter::Resolved) => Ok(Done::Nothing),
        (Some(issue), Matter::Resolved) => {
            let path = format!("{issues}/{}", issue.number);
            // Closed first: if the comment fails, the next run finds nothing open and does not say it twice.
            client.patch(&path, &json!({ "state": "closed", "state_reason": "completed" }), NEEDS)?;
            tell(client, &path, "Resolved: this does not happen any more.")?;
            Ok(Done::Closed(issue.number))
        }
        (
            None,
            Matter::Open {
                title,
                state,
                body,
                labels,
            },
        ) => {
            let mut new = json!({ "title": title, "body": body_of(place, state, body) });
            if !labels.is_empty() {
                new["labels"] = json!(labels);
            }
            let issue: Issue = client.post(&issues, &new, NEEDS)?;
            Ok(Done::Opened(issue.number))
        }
        (Some(issue), Matter::Open { title, state, body, .. }) => {
            let body = body_of(place, state, body);
            let before = unix_lines(issue.body.as_deref().unwrap_or_default());
            if issue.title == *title && before.trim_end() == body.trim_end() {
                return Ok(Done::Unchanged(issue.number));
            }
            let path = format!("{issues}/{}", issue.number);
            client.patch(&path, &json!({ "title": title, "body": body }), NEEDS)?;
            if before.lines().nth(1).map(str::trim_end) != Some(&state_mark(state)) {
                tell(client, &path, &format!("Now: {}", record::escape::markdown(state)))?;
            }
            Ok(Done::Updated(issue.number))
        }
    }
}

fn tell(client: &Client, issue: &str, text: &str) -> Result<(), GithubError> {
    let _: Value = client.post(&format!("{issue}/comments"), &json!({ "body": text }), NEEDS)?;
    Ok(())
}

fn mark(matter: &str) -> String {
    format!("<!-- bench issue: {matter} -->")
}

/// The state in a comment of HTML, which it cannot end: `>` is taken out.
fn state_mark(state: &str) -> String {
    format!("<!-- state: {} -->", state.replace(['<', '>'], ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_keeps_its_marks_and_its_bounds() {
        let repository = "owner/name".parse().unwrap();
        let place = Place {
            repository: &repository,
            matter: "audit",
            author: "x",
        };
        assert_eq!(
            body_of(&place, "two --> left", "Text\n"),
            "<!-- bench issue: audit -->\n<!-- state: two -- left -->\nText\n"
        );
        let long = body_of(&place, "x", &"ä line\n".repeat(20_000));
        assert!(
            long.len() <= LONGEST && long.ends_with("line\n\n(The rest is left out: it is too long for an issue.)\n")
        );
    }
}
