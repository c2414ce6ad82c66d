//! Limits of the kernel. If they are too low, they are measured instead of the server: in an older benchmark all 17 frameworks
//! failed at 256 connections, because that was its limit of open files.

use std::io;

use nix::sys::resource::{Resource, getrlimit, setrlimit};

use crate::kernel_files::{local_ports, read_small_file};

/// Open files besides the connections: libraries, pipes, the event queue, certificates.
const OTHER_FILES: u64 = 64;

/// Open files that a load with this many connections needs, in each of server and generator.
pub fn files_needed(connections: u32) -> u64 {
    4 * u64::from(connections) + OTHER_FILES
}

/// Raises the soft limit of open files of this process, and of all that it starts, to what is needed.
///
/// The error has the limit and how to raise it.
pub fn allow_files(needed: u64) -> Result<(), String> {
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE).map_err(|e| format!("cannot read the file limit: {e}"))?;
    if soft >= needed {
        return Ok(());
    }
    if hard < needed {
        return Err(format!(
            "{needed} open files are needed, the hard limit is {hard}; raise it with `ulimit -Hn {needed}` as root"
        ));
    }
    setrlimit(Resource::RLIMIT_NOFILE, needed, hard).map_err(|e| format!("cannot raise the file limit: {e}"))
}

/// Soft and hard limit of open files.
pub fn files() -> io::Result<(u64, u64)> {
    Ok(getrlimit(Resource::RLIMIT_NOFILE)?)
}

/// How many connections may wait for a server to accept them.
pub fn backlog() -> Option<u32> {
    read_small_file("/proc/sys/net/core/somaxconn")?.parse().ok()
}

/// Which limit of the kernel prevents a load with this many connections; `None` if none does.
pub fn reason_against(connections: u32) -> Option<String> {
    if let Err(reason) = allow_files(files_needed(connections)) {
        return Some(reason);
    }
    // Each connection of warm-up and load holds a port until a minute after its end.
    if let Some(ports) = local_ports().filter(|ports| *ports < 4 * connections) {
        return Some(format!(
            "{connections} connections need {} local ports, net.ipv4.ip_local_port_range has {ports}",
            4 * connections
        ));
    }
    if let Some(backlog) = backlog().filter(|backlog| *backlog < connections) {
        return Some(format!(
            "{connections} connections arrive at once, net.core.somaxconn lets {backlog} wait"
        ));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_need_beyond_the_hard_limit_is_reported_with_the_remedy() {
        let (_, hard) = files().unwrap();
        let result = allow_files(hard.saturating_add(1));
        // A hard limit without end is met by every need.
        if hard == u64::MAX {
            assert_eq!(result, Ok(()));
        } else {
            assert!(result.unwrap_err().contains("ulimit -Hn"));
        }
    }

    #[test]
    fn the_kernel_shows_its_limits() {
        assert!(local_ports().unwrap() > 1000);
        assert!(backlog().unwrap() > 0);
    }
}
