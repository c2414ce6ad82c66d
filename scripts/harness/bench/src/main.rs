//! The command `bench`: its arguments, and what each of them calls.
//!
//! It may use all other crates; none of them uses it.

#![warn(clippy::print_stderr, clippy::print_stdout)] // they panic where nobody listens

mod cli;
mod progress;

use std::panic::catch_unwind;
use std::process::ExitCode;

fn main() -> ExitCode {
    // A defect has reported where it is, and ends with a status that is documented.
    catch_unwind(cli::main).unwrap_or(ExitCode::from(2))
}
