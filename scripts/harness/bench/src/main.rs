//! The command `bench`: its arguments, and what each of them calls.
//!
//! Whom it may know: everybody; nobody knows it.

mod cli;
mod progress;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
