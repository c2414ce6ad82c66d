//! Load from another machine: a network namespace with a real sshd.

use std::process::Command;

use crate::common::{Bench, skip};
use crate::servers::load_from::assert_driven_by;
use crate::servers::load_from::world::World;

/// Whether commands may be run as root.
fn is_root() -> bool {
    let sudo = || Command::new("sudo").args(["-n", "true"]).output();
    nix::unistd::getuid().is_root() || sudo().is_ok_and(|output| output.status.success())
}

#[test]
fn another_machine_makes_the_load_which_needs_root() {
    if !is_root() {
        return skip("it needs root, or sudo without a password, for network namespaces");
    }
    let bench = Bench::on_fixtures();
    let world = World::new(&[None]);
    let line = "--app good --scenario plaintext --rounds 1 --duration 300ms --connections 8 --load-from load-1";
    let output = world.call(&bench, line).fine();
    assert!(output.stderr.contains("load machine"), "{output:#?}");
    assert_driven_by(&bench.record(), 1);
    world.wait_for_nothing_left(&bench);
}
