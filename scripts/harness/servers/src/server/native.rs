//! The command that starts a server as a process of this machine: confined, and with an environment of its own.

use std::io;
use std::net::SocketAddr;
use std::process::{Command, Stdio};

use super::Launch;
use crate::container::SettingValue;
use machine::confine::{User, confine, limit_files};

/// Largest file that a program that counts may write: 150 requests of the largest answer make a trace of 1 MB.
const MOST_COUNTED: u64 = 64 << 20;

/// Starts what is no container, as `user` at `address`; its database listens on `port`.
pub fn command(
    launch: Launch<'_>,
    user: Option<User>,
    address: SocketAddr,
    port: Option<u16>,
    settings: Vec<(&'static str, SettingValue)>,
) -> io::Result<Command> {
    let (wrapper, program, folder) = match launch {
        Launch::Under {
            wrapper,
            program,
            folder,
            ..
        } => (wrapper, program, Some(folder)),
        Launch::Program(program, _) | Launch::WithFiles(program, _) | Launch::WithWorkers(program, _) => {
            (&[][..], program, None)
        }
        Launch::Contained(..) => unreachable!("the engine starts a container"),
    };
    if user.is_some() && !program.is_for_all() {
        let path = program.path().display();
        return Err(io::Error::other(format!(
            "servers run as users of their own, and these may not execute {path}: chmod o+rx does that"
        )));
    }
    let mut command = program.command(wrapper)?;
    confine(&mut command, user, folder.map(|folder| (folder, MOST_COUNTED)), port)?;
    if let Launch::WithFiles(_, files) = launch {
        limit_files(&mut command, files);
    }
    // A clean environment: ROCKET_*, RUST_LOG or TOKIO_WORKER_THREADS of the user must not reach the server.
    command
        .env_clear()
        .env("ADDR", address.to_string())
        .stdout(Stdio::null());
    if let Some(folder) = folder {
        command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        command.env("TMPDIR", folder); // valgrind writes there too
    }
    for (name, value) in settings {
        match value {
            SettingValue::Text(text) => command.env(name, text),
            SettingValue::File(path) => command.env(name, path),
        };
    }
    Ok(command)
}
