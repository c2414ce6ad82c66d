//! The other machines that make the load of a run, or the network through which this one does: found to be there before anything is built,
//! and connected to once there is a load generator.

use std::net::IpAddr;
use std::sync::Arc;

use anyhow::{Context, ensure};
use model::scenario::{GeneratorKind, Isolation, Scenario};
use model::{Environment, count};

use crate::journal::Head;
use crate::plan::Plan;
use crate::progress::Reporter;
use generator::{Destinations, Generator, Generators, LoadMachines, any_here};
use machine::cpus::{Split, Topology};
use machine::network::Network;
use machine::split::CpuSplitArg;

/// Which they are, and where servers listen for them.
#[derive(Debug, Clone)]
pub struct LoadFrom {
    /// The machines.
    pub destinations: Destinations,
    /// An address of this machine; `None` for the one by which they know it.
    pub listen: Option<IpAddr>,
}

/// Fails if this plan cannot be driven by them, or if one of them cannot be reached. Returns the split if all cpus of this machine can
/// serve: `None` if one of them is this very machine.
pub fn reach(
    load_from: &LoadFrom,
    plan: &Plan,
    wish: Option<&CpuSplitArg>,
    resumed: Option<&Head>,
) -> anyhow::Result<Option<Split>> {
    let all = |fits: fn(&model::scenario::Scenario) -> bool| plan.scenarios.iter().all(fits);
    ensure!(
        all(|scenario| scenario.generator == GeneratorKind::Oha),
        "--load-from drives by oha only; leave --load-generator away"
    );
    ensure!(
        all(|scenario| scenario.isolation == Isolation::Native),
        "--load-from cannot reach servers in containers; leave --isolation away"
    );
    if any_here(&load_from.destinations)? {
        return Ok(None);
    }
    let topology = Topology::of_this_machine();
    ensure!(
        all(|scenario| scenario.database.is_none()) || topology.cpu_count() > 1,
        "server and database need two cpus, even if the load comes from elsewhere"
    );
    let mut split = topology.all_serving();
    if let Some(wish) = wish {
        split.server = wish.resolve(&topology)?.server;
    }
    if let Some(head) = resumed {
        split.server.clone_from(&head.environment.server_cpus);
        if let Some(database) = &head.environment.database {
            split.database.clone_from(&database.cpus);
        }
    }
    Ok(Some(split))
}

/// Fails if a plan wants a network of its own beside something that cannot be driven over it.
pub fn ensure_one_network(plan: &Plan, load_from: Option<&LoadFrom>) -> anyhow::Result<()> {
    let wants = |scenario: &&Scenario| scenario.round_trip_us.is_some();
    let Some(slow) = plan.scenarios.iter().find(wants) else {
        return Ok(());
    };
    let id = &slow.id;
    ensure!(
        load_from.is_none(),
        "`{id}` has a network of its own; leave --load-from away"
    );
    for scenario in &plan.scenarios {
        ensure!(
            wants(&scenario),
            "`{id}` has a network of its own, and `{}` has none: measure them in two runs",
            scenario.id
        );
        ensure!(
            scenario.generator == GeneratorKind::Oha && scenario.isolation == Isolation::Native,
            "only oha drives over a network, and only servers without a container"
        );
    }
    Ok(())
}

/// Lets them make the load of all generators.
pub fn connect(
    load_from: Option<&LoadFrom>,
    network: Option<Network>,
    generators: Generators,
    reporter: &dyn Reporter,
) -> anyhow::Result<(Generators, Option<Arc<LoadMachines>>)> {
    let oha = generators.get(&GeneratorKind::Oha).context("every run has oha")?;
    let machines = match (load_from, network) {
        (None, None) => return Ok((generators, None)),
        (Some(load_from), _) => {
            let many = load_from.destinations.len();
            let progress = reporter.begin(&format!("connecting to {}", count(many, "load machine")), 1);
            let machines = LoadMachines::connect(&load_from.destinations, &oha.program, load_from.listen)?;
            progress.step();
            machines
        }
        (None, Some(network)) => LoadMachines::behind(network, &oha.program)?,
    };
    let machines = Arc::new(machines);
    let generators = generators
        .into_iter()
        .map(|(kind, generator): (_, Generator)| (kind, generator.with_load_from(&machines)))
        .collect();
    Ok((generators, Some(machines)))
}

/// Notes them, and what makes their figures mean less.
pub fn describe(machine: &mut Environment, machines: Option<&LoadMachines>) {
    if let Some(machines) = machines {
        machine.load_machines = machines.described().to_vec();
        machine.warnings.extend_from_slice(machines.warnings());
    }
}
