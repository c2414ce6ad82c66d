//! What proves servers, on servers that break the contract: each fault is found, and an honest server is not.

#![allow(clippy::unwrap_used)] // in a test, an unwrap is an assertion

/// What shows in time, and so has the machine for itself.
mod alone {
    mod contract;
    mod processes;
    mod services;
}
mod endless;
mod slow {
    mod alone;
}

use std::fmt::Debug;
use std::net::SocketAddr;
use std::os::unix::fs::symlink;

use apps::profile::Profiles;
use faulty::{Running, Serve};
use machine::program::Program;
use model::Verdict;
use model::scenario::{Protocol, Scenario};
use servers::contract::Client;
use servers::failure::Failure;

/// A server in this process, and its client.
fn serving(server: impl Serve) -> (Running, Client) {
    let running = Running::start(server).unwrap();
    let client = client(running.address);
    (running, client)
}

fn client(address: SocketAddr) -> Client {
    Client::new(address, Protocol::Http1).unwrap()
}

/// As many more clients as make a load, each with an open connection.
fn load(address: SocketAddr) -> Vec<Client> {
    let clients: Vec<Client> = (0..4).map(|_| client(address)).collect();
    for client in &clients {
        client.get("/").unwrap();
    }
    clients
}

fn scenario(name: &str) -> Scenario {
    let profiles = Profiles::built_in();
    profiles.scenario(name, profiles.profile("quick").unwrap()).unwrap()
}

/// The verdict and reason of what must fail.
fn verdict(outcome: Result<(), Failure>) -> (Verdict, String) {
    outcome.unwrap_err().into_verdict().unwrap()
}

/// Programs with one fault each: links to the one that has them all.
struct Programs(tempfile::TempDir);

impl Programs {
    fn new() -> Self {
        Self(tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap())
    }

    /// The program with a fault, whose name is after `prefix`.
    fn with(&self, prefix: &str, fault: impl Debug) -> Program {
        let link = self.0.path().join(format!("{prefix}{fault:?}"));
        let _ = symlink(env!("CARGO_BIN_EXE_faulty"), &link); // it may be there
        Program::at(&link).unwrap()
    }
}
