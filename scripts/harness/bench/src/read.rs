//! The command `bench` with what reads records, and without what measures.

use std::process::ExitCode;

fn main() -> ExitCode {
    bench::main()
}
