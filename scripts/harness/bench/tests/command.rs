//! The command `bench` from outside, in one program: each module is what another check of `./scripts/test` runs.

#![allow(clippy::unwrap_used)] // in a test, an unwrap is an assertion

mod common;
mod files;
mod servers;
mod smoke;
