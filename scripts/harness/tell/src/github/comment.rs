//! One comment on a pull request, found again by its mark and its author.

use serde::Deserialize;
use serde_json::json;

use super::{Client, CommitId, GithubError, Repository};

/// The permission that a comment on a pull request needs.
const NEEDS: &str = "pull-requests: write";

/// Which comment.
#[derive(Debug)]
pub struct Place<'a> {
    /// Where.
    pub repository: &'a Repository,
    /// Head of the pull request.
    pub head: &'a CommitId,
    /// Repository that the head is in, if it is known: nobody else's pull request of the same commit is meant then.
    pub head_repository: Option<&'a Repository>,
    /// Login of the account that writes it.
    pub author: &'a str,
    /// What its body begins with.
    pub mark: &'a str,
}

/// What became of it, on one pull request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Done {
    /// There is none, and nothing to begin one for.
    Nothing,
    /// It is there now.
    Written,
    /// It says something else now.
    Rewritten,
    /// It says what it should already.
    Unchanged,
}

#[derive(Deserialize)]
struct Pull {
    number: u64,
    state: String,
    head: Head,
}

#[derive(Deserialize)]
struct Head {
    sha: String,
    /// Null where the fork was deleted.
    repo: Option<HeadRepository>,
}

#[derive(Deserialize)]
struct HeadRepository {
    full_name: String,
}

#[derive(Deserialize)]
struct Comment {
    id: u64,
    #[serde(default)]
    body: Option<String>,
    /// Null where the account was deleted.
    user: Option<super::issue::User>,
}

/// Brings the comment of each open pull request with this head up to date; mostly that is one. `body` makes the text, given
/// that of the comment that is there.
///
/// The list of open pull requests is read, because `commits/{sha}/pulls` does not know the commits of forks.
pub fn keep(
    client: &Client,
    place: &Place<'_>,
    body: impl Fn(Option<&str>) -> Option<String>,
) -> Result<Vec<(u64, Done)>, GithubError> {
    let pulls = format!("/repos/{}/pulls", place.repository);
    let numbers = client.list(&pulls, "state=open", NEEDS, |pull: Pull| {
        place.means(&pull).then_some(pull.number)
    })?;
    numbers
        .into_iter()
        .map(|number| Ok((number, keep_on(client, place, number, &body)?)))
        .collect()
}

impl Place<'_> {
    fn means(&self, pull: &Pull) -> bool {
        let from = |wanted: &Repository| {
            let repository = pull.head.repo.as_ref();
            repository.is_some_and(|repository| repository.full_name.eq_ignore_ascii_case(&wanted.to_string()))
        };
        pull.state == "open" && pull.head.sha == self.head.as_str() && self.head_repository.is_none_or(from)
    }

    fn is_ours(&self, comment: &Comment) -> bool {
        super::issue::is_by(comment.user.as_ref(), self.author)
            && comment.body.as_deref().is_some_and(|body| body.starts_with(self.mark))
    }
}

fn keep_on(
    client: &Client,
    place: &Place<'_>,
    number: u64,
    body: impl Fn(Option<&str>) -> Option<String>,
) -> Result<Done, GithubError> {
    let comments = format!("/repos/{}/issues/{number}/comments", place.repository);
    let ours = client.list(&comments, "", NEEDS, |comment: Comment| {
        place.is_ours(&comment).then_some(comment)
    })?;
    let there = ours.into_iter().next(); // the oldest, if ever two were written
    let before = there
        .as_ref()
        .and_then(|comment| comment.body.as_deref())
        .map(unix_lines);
    let Some(body) = body(before.as_deref()) else {
        return Ok(Done::Nothing);
    };
    match (there, before) {
        (Some(_), Some(before)) if before.trim_end() == body.trim_end() => Ok(Done::Unchanged),
        (Some(comment), _) => {
            let path = format!("/repos/{}/issues/comments/{}", place.repository, comment.id);
            client.patch(&path, &json!({ "body": body }), NEEDS)?;
            Ok(Done::Rewritten)
        }
        (None, _) => {
            let _: Comment = client.post(&comments, &json!({ "body": body }), NEEDS)?;
            Ok(Done::Written)
        }
    }
}

/// GitHub may give line ends another form than it was given.
pub(super) fn unix_lines(text: &str) -> String {
    text.replace("\r\n", "\n")
}
