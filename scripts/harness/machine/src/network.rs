//! A network of the run's own: a namespace for the load generator, and two interfaces whose packets the kernel holds back (netem), so that
//! the way to the server and back takes as long as a scenario wants it.

use std::net::{IpAddr, Ipv4Addr};
use std::process::Command;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{anyhow, bail, ensure};
use model::scenario::Scenario;
use nix::unistd::{getegid, geteuid};

use crate::interrupt;
use crate::interrupt::Interrupted;
use crate::process::{Unfinished, finish_unless};

/// The namespace. One run at a time measures on a machine, so what has this name was left by a run that was killed.
pub const NAMESPACE: &str = "bench-network";
/// The servers' interface, and the load generator's.
const HERE: &str = "bench-net0";
const THERE: &str = "bench-net1";
/// From the addresses that RFC 2544 sets apart for benchmarks, which no network routes.
const SERVERS: Ipv4Addr = Ipv4Addr::new(198, 18, 247, 1);
const LOAD: Ipv4Addr = Ipv4Addr::new(198, 18, 247, 2);
/// Packets that netem may hold back in each direction: more than any load has under way, for it drops the others.
const HELD_BACK: &str = "1000000";
const PATIENCE: Duration = Duration::from_secs(10);

/// The network. It is removed when this is dropped.
#[derive(Debug)]
pub struct Network {
    /// What it adds at the moment to the way there and back, in microseconds.
    added: Mutex<u32>,
    /// What scenarios want it to add.
    pub wanted: Vec<u32>,
}

impl Network {
    /// Makes one that adds what `scenarios` want, and tries that; `None` if they want none.
    pub fn wanted_by(scenarios: &[Scenario]) -> anyhow::Result<Option<Self>> {
        let mut wanted: Vec<u32> = scenarios.iter().filter_map(|scenario| scenario.round_trip_us).collect();
        wanted.sort_unstable();
        wanted.dedup();
        if wanted.is_empty() {
            return Ok(None);
        }
        let _ = ip(&["netns", "del", NAMESPACE]); // mostly there is none
        ip(&["netns", "add", NAMESPACE])?;
        // From here on it is removed, whatever happens.
        let network = Self {
            added: Mutex::new(0),
            wanted,
        };
        let (here, there) = (format!("{SERVERS}/30"), format!("{LOAD}/30"));
        ip(&[
            "link", "add", HERE, "type", "veth", "peer", "name", THERE, "netns", NAMESPACE,
        ])?;
        ip(&["addr", "add", &here, "dev", HERE])?;
        ip(&["link", "set", HERE, "up"])?;
        ip(&["-n", NAMESPACE, "addr", "add", &there, "dev", THERE])?;
        ip(&["-n", NAMESPACE, "link", "set", THERE, "up"])?;
        for added in &network.wanted {
            network.add(*added)?;
        }
        network.add(0)?;
        Ok(Some(network))
    }

    /// Where servers listen.
    pub fn address(&self) -> IpAddr {
        SERVERS.into()
    }

    /// Lets it add so many microseconds to the way there and back, half in each direction; 0 leaves the interfaces as they are.
    pub fn add(&self, round_trip_us: u32) -> anyhow::Result<()> {
        let mut added = self.added.lock().unwrap_or_else(PoisonError::into_inner);
        if *added == round_trip_us {
            return Ok(());
        }
        let there = round_trip_us / 2;
        for (namespace, interface, held_us) in [(None, HERE, round_trip_us - there), (Some(NAMESPACE), THERE, there)] {
            let delay = format!("{held_us}us");
            let mut arguments: Vec<&str> = namespace.map_or(vec![], |namespace| vec!["-n", namespace]);
            if round_trip_us == 0 {
                arguments.extend(["qdisc", "del", "dev", interface, "root"]);
            } else {
                arguments.extend(["qdisc", "replace", "dev", interface, "root", "netem"]);
                arguments.extend(["delay", &delay, "limit", HELD_BACK]);
            }
            call("tc", &arguments, interrupt::check)?.map_err(|said| anyhow!(
                "this kernel cannot delay packets: {said}; it needs netem (module sch_netem; on Ubuntu in the package \
                 linux-modules-extra-$(uname -r))"
            ))?;
        }
        *added = round_trip_us;
        Ok(())
    }
}

/// Fails if round trips got longer by another time than was wanted, all in microseconds: by more than a tenth, and 0.1 ms for timers and a
/// busy cpu.
pub fn confirm(wanted: u32, before: f64, now: f64) -> anyhow::Result<()> {
    let found = now - before;
    ensure!(
        (found - f64::from(wanted)).abs() <= f64::from(wanted) / 10.0 + 100.0,
        "this network must add {wanted} µs to a round trip, and adds {found:.0} µs"
    );
    Ok(())
}

impl Drop for Network {
    fn drop(&mut self) {
        // Also after an interrupt. What is left all the same is removed by the next run.
        let _ = call("ip", &["netns", "del", NAMESPACE], || Ok(()));
    }
}

/// Whether this user is not root, and may be without a password.
static BY_SUDO: LazyLock<bool> = LazyLock::new(|| {
    let sudo = || Command::new("sudo").args(["-n", "true"]).output();
    !geteuid().is_root() && sudo().is_ok_and(|output| output.status.success())
});

/// A tool that is started as root, where this user may do that.
pub fn as_root(tool: &str) -> Command {
    with_or_without_sudo(tool, *BY_SUDO)
}

fn with_or_without_sudo(tool: &str, by_sudo: bool) -> Command {
    let mut command = Command::new(if by_sudo { "sudo" } else { tool });
    if by_sudo {
        command.args(["-n", tool]);
    }
    command
}

/// Runs what is added to it in a namespace, as this user.
pub fn in_namespace(name: &str) -> Command {
    let mut command = as_root("ip");
    command.args(["netns", "exec", name]);
    if *BY_SUDO {
        let ids = [format!("--reuid={}", geteuid()), format!("--regid={}", getegid())];
        command.arg("setpriv").args(ids).arg("--init-groups");
    }
    command
}

fn ip(arguments: &[&str]) -> anyhow::Result<()> {
    call("ip", arguments, interrupt::check)?.map_err(|said| {
        anyhow!(
            "no network can be made for this run: {said}; it takes root, sudo without a password, or CAP_NET_ADMIN and CAP_SYS_ADMIN"
        )
    })
}

/// Calls a tool, unless `go_on` ends it. The inner error is the last line that it said.
fn call(
    tool: &str,
    arguments: &[&str],
    go_on: impl FnMut() -> Result<(), Interrupted>,
) -> anyhow::Result<Result<(), String>> {
    let mut command = as_root(tool);
    command.args(arguments);
    match finish_unless(command, PATIENCE, go_on) {
        Ok(output) => Ok(output.success().map(drop).map_err(|said| {
            let said = said.strip_prefix("Error: ").unwrap_or(&said);
            said.trim_end_matches('.').to_owned()
        })),
        Err(Unfinished::Interrupted(interrupted)) => Err(interrupted.into()),
        Err(Unfinished::NotStarted(error)) => {
            bail!("`{tool}` cannot be started: {error}; it is in the package iproute2")
        }
        Err(error) => Ok(Err(error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_not_root_makes_a_network_by_sudo() {
        let line = |command: &Command| {
            let words = std::iter::once(command.get_program()).chain(command.get_args());
            words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(line(&with_or_without_sudo("ip", true)), "sudo -n ip");
        assert_eq!(line(&with_or_without_sudo("ip", false)), "ip");
    }

    #[test]
    fn a_network_that_is_not_as_slow_as_it_must_be_is_refused() {
        for (wanted, before, now, fine) in [
            (0, 45.0, 40.0, true),
            (0, 45.0, 300.0, false),
            (200, 45.0, 330.0, true),
            (2_000, 45.0, 2_300.0, true),
            (2_000, 45.0, 50.0, false),
            (20_000, 45.0, 24_000.0, false),
        ] {
            assert_eq!(confirm(wanted, before, now).is_ok(), fine, "{wanted} {before} {now}");
        }
    }
}
