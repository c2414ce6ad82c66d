//! The other machines that make the load of a run, or the network through which this one does: found to be there before anything is built,
//! and connected to once there is a load generator.

use std::sync::Arc;

use anyhow::{Context, ensure};
use model::count;
use model::scenario::{GeneratorKind, Isolation, Scenario};

use super::request::RunRequest;
use crate::plan::Plan;
use crate::progress::Reporter;
use generator::{Destinations, Generator, Generators, LoadMachines, any_here};
use machine::cpus::Topology;
use machine::network::Network;

/// Whether all cpus of this machine can serve, because the load comes from others. Fails if this plan cannot be driven by them, if one of
/// them cannot be reached, or if the plan wants a network of its own together with something that cannot be driven over it.
pub fn all_cpus_serve(load_from: Option<&Destinations>, plan: &Plan, machine: &Topology) -> anyhow::Result<bool> {
    ensure_one_network(plan, load_from)?;
    let Some(destinations) = load_from else {
        return Ok(false);
    };
    let all = |fits: fn(&Scenario) -> bool| plan.scenarios.iter().all(fits);
    ensure!(
        all(|scenario| scenario.generator == GeneratorKind::Oha),
        "--load-from drives by oha only; leave --load-generator away"
    );
    ensure!(
        all(|scenario| scenario.isolation == Isolation::Native),
        "--load-from cannot reach servers in containers; leave --isolation away"
    );
    if any_here(destinations)? {
        return Ok(false);
    }
    ensure!(
        all(|scenario| scenario.database.is_none()) || machine.cpu_count() > 1,
        "server and database need two cpus, even if the load comes from elsewhere"
    );
    Ok(true)
}

fn ensure_one_network(plan: &Plan, load_from: Option<&Destinations>) -> anyhow::Result<()> {
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
    request: &RunRequest,
    network: Option<Network>,
    generators: Generators,
    reporter: &dyn Reporter,
) -> anyhow::Result<(Generators, Option<Arc<LoadMachines>>)> {
    let oha = generators.get(&GeneratorKind::Oha).context("every run has oha")?;
    let machines = match (&request.load_from, network) {
        (None, None) => return Ok((generators, None)),
        (Some(destinations), _) => {
            let many = destinations.len();
            let progress = reporter.begin(&format!("connecting to {}", count(many, "load machine")), 1);
            let machines = LoadMachines::connect(destinations, &oha.program, request.listen)?;
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
