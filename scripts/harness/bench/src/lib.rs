//! The command `bench`: its arguments, and what each of them calls.
//!
//! It may use all other crates; none of them uses it. There are two programs: `bench`, and `bench-read`, which has only the commands that
//! read records and is built in a third of the time. `scripts/bench` knows which one a command needs.

#![warn(clippy::print_stderr, clippy::print_stdout)] // they panic where nobody listens

mod cli;
mod lockfiles;
#[cfg(feature = "measure")]
mod progress;
mod workflow_commands;

use std::panic::catch_unwind;
use std::process::ExitCode;

/// Carries out the command line of this process.
pub fn main() -> ExitCode {
    // A defect has reported where it is, and ends with a status that is documented.
    catch_unwind(cli::main).unwrap_or(ExitCode::from(2))
}
