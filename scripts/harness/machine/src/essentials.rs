//! What every measurement takes, whatever it measures: a folder for temporary files, and a network from this machine to itself. Checked
//! before anything is built or started, which would fail for a reason of its own.

use std::io;
use std::net::{Ipv4Addr, TcpListener, TcpStream};

use anyhow::ensure;
use nix::fcntl::posix_fallocate;

use crate::cgroup;

/// Room for files that servers serve, bodies of requests, and reports of load generators, in bytes.
const ROOM: i64 = 8 << 20;

/// Fails if one of them is missing; the error says which, why, and what to do.
pub fn check() -> anyhow::Result<()> {
    cgroup::killed_for_memory(); // counts from here on
    let missing: Vec<String> = [temporary_files(), loopback()]
        .into_iter()
        .filter_map(Result::err)
        .collect();
    ensure!(missing.is_empty(), "{}", missing.join("; "));
    Ok(())
}

/// Whether temporary files of some size can be written.
pub fn temporary_files() -> Result<(), String> {
    let folder = std::env::temp_dir();
    let written = tempfile::tempfile_in(&folder).and_then(|file| Ok(posix_fallocate(file, 0, ROOM)?));
    written.map_err(|error| {
        let folder = folder.display();
        format!("cannot write temporary files to {folder}: {error}; TMPDIR names another folder")
    })
}

/// Whether this machine can connect to itself.
pub fn loopback() -> Result<(), String> {
    let connected = || -> io::Result<TcpStream> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        TcpStream::connect(listener.local_addr()?)
    };
    connected().map(drop).map_err(|error| {
        format!("this machine cannot connect to itself at 127.0.0.1: {error}; `ip link set lo up` as root allows it")
    })
}
