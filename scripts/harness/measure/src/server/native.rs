//! Starts a server as a process of this machine: confined, and with an environment of its own.

use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;

use crate::confine::{User, confine, limit_files};
use crate::container::SettingValue;
use crate::process::Child;
use crate::program::Program;

/// Largest file that a program that counts may write: 150 requests of the largest answer make a trace of 1 MB.
const MOST_COUNTED: u64 = 64 << 20;

/// A process of this machine.
pub(super) struct Native<'a> {
    /// The program in whose hands it runs, and that one's options; empty for none.
    pub(super) wrapper: &'a [String],
    pub(super) program: &'a Program,
    /// Where it may make files.
    pub(super) folder: Option<&'a Path>,
    /// Most files that it may have open.
    pub(super) files: Option<u64>,
    /// Where its database listens.
    pub(super) port: Option<u16>,
}

impl Native<'_> {
    /// Starts it on `cpus` as `user` at `address`.
    pub(super) fn start(
        &self,
        cpus: &[u32],
        user: Option<User>,
        address: SocketAddr,
        settings: Vec<(&'static str, SettingValue)>,
    ) -> io::Result<Child> {
        let Self {
            wrapper,
            program,
            folder,
            files,
            port,
        } = *self;
        if user.is_some() && !program.is_for_all() {
            let path = program.path().display();
            return Err(io::Error::other(format!(
                "servers run as users of their own, and these may not execute {path}: chmod o+rx does that"
            )));
        }
        let mut command = program.command(wrapper)?;
        confine(&mut command, user, folder.map(|folder| (folder, MOST_COUNTED)), port)?;
        if let Some(files) = files {
            limit_files(&mut command, files);
        }
        // A clean environment: ROCKET_*, RUST_LOG or TOKIO_WORKER_THREADS of the user must not reach the server.
        command
            .env_clear()
            .envs(
                std::env::var_os("PATH")
                    .filter(|_| !wrapper.is_empty())
                    .map(|path| ("PATH", path)),
            )
            // Valgrind writes there too.
            .envs(folder.map(|folder| ("TMPDIR", folder)))
            .env("ADDR", address.to_string())
            .stdout(Stdio::null());
        for (name, value) in settings {
            match value {
                SettingValue::Text(text) => command.env(name, text),
                SettingValue::File(path) => command.env(name, path),
            };
        }
        Child::start(command, cpus)
    }
}
