//! The command `bench`: its arguments, and what each of them calls.
//!
//! It may use all other crates; none of them uses it.

mod cli;
mod progress;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
