//! `bench comment`, and `.github/scripts/comment.sh`, `command.sh` and `issue.sh` against a GitHub that keeps state and fails on request.

mod command;
mod comment;
mod failures;
mod hostile;
mod issue;
mod probing;
mod shards;
pub mod world;
