//! `bench comment`, and `comment.sh`, `hear.sh` and `issue.sh` of `.github/scripts` against a GitHub that keeps state.

mod command;
mod comment;
mod hostile;
mod issue;
pub mod world;
