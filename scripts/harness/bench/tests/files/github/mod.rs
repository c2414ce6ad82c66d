//! `bench comment`, and `.github/scripts/comment.sh` and `issue.sh` against a GitHub that keeps state and fails on request.

mod comment;
mod failures;
mod hostile;
mod issue;
mod probing;
pub mod world;
