//! The size of a stripped program.

use std::path::Path;
use std::process::Command;

use super::COMMAND_TIMEOUT;
use crate::process::{CommandOutput, finish};

/// Bytes that `strip --strip-all` leaves of `program`, which is not changed; or why that is not known. Programs are shipped
/// stripped, by this command or by `strip = true` in the cargo profile.
pub fn stripped(program: &Path, found: bool) -> Result<u64, String> {
    if !found {
        return Err("strip is not installed (Debian and Ubuntu: apt-get install binutils)".into());
    }
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let small = folder.path().join("stripped");
    let mut command = Command::new("strip");
    command.args(["--strip-all", "-o"]).arg(&small).arg(program);
    // An interrupt is noticed by the caller.
    let output = finish(command, COMMAND_TIMEOUT).map_err(|error| error.to_string());
    let stripped = output.and_then(CommandOutput::success);
    let metadata = stripped.and_then(|_| small.metadata().map_err(|error| error.to_string()));
    metadata
        .map(|metadata| metadata.len())
        .map_err(|reason| format!("strip failed: {reason}"))
}
