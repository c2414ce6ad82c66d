//! Size of a program without what it does not need in order to run.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use super::NEAR;
use crate::process::Child;

/// Bytes that `strip --strip-all` leaves of `program`, which itself stays as it is; or why that is not known. Whoever ships
/// a program strips it, by this command or by `strip = true` in the cargo profile.
pub fn stripped(program: &Path, found: bool) -> Result<u64, String> {
    if !found {
        return Err("strip is not installed (Debian and Ubuntu: apt-get install binutils)".into());
    }
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let small = folder.path().join("stripped");
    let mut command = Command::new("strip");
    command
        .args(["--strip-all", "-o"])
        .arg(&small)
        .arg(program)
        .stdout(Stdio::null());
    let mut child = Child::start(command, &[]).map_err(|error| error.to_string())?;
    let ended = child
        .wait_until::<std::io::Error>(Instant::now() + NEAR, || Ok(()))
        .map_err(|error| error.to_string())?;
    match (ended, small.metadata()) {
        (Some(status), Ok(metadata)) if status.success() => Ok(metadata.len()),
        _ => Err(format!("strip failed: {}", child.last_words())),
    }
}
