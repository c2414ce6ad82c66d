//! `bench comment` and `bench issue` against a GitHub that keeps state and fails on request.

#![allow(clippy::unwrap_used)] // in a test, an unwrap is an assertion

mod comment;
#[path = "../common/mod.rs"]
mod common;
mod failures;
#[path = "../fake_api/mod.rs"]
mod fake_api;
mod hostile;
mod issue;
mod world;
