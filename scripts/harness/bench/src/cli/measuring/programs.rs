//! Which programs a command looks at: its own builds, or a handover's.

use std::path::PathBuf;

/// Arguments of commands that start servers and measure nothing.
#[derive(Debug, clap::Args)]
pub struct ProgramArgs {
    /// Use the programs that `bench build --out DIR` made, and compile nothing
    #[arg(long, value_name = "DIR", conflicts_with = "cargo_profile")]
    pub binaries: Option<PathBuf>,
    /// Cargo profile of the apps
    #[arg(long, value_name = "NAME", default_value = "release")]
    pub cargo_profile: String,
}
