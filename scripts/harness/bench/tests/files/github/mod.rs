//! `bench comment` and `bench issue` against a GitHub that keeps state and fails on request.

mod comment;
mod failures;
mod hostile;
mod issue;
mod world;
