//! What a run notes about the machine: versions of what it needs, and what makes its figures mean less.

use std::collections::BTreeMap;

use super::calibration::lacks_quota;
use super::request_counts::counted;
use super::setup::Setup;
use crate::request_counts::instructions;
use generator::{Generators, LoadMachines};
use machine::cpus::Split;
use machine::{environment, quota};
use model::scenario::GeneratorKind;
use model::{Environment, FIRST_LOOK, RELEASE, SplitTried};
use servers::database::Database;

/// What the verdicts of such a run say as well: a closed loop is seldom the server's limit then, and at a fixed rate all servers wait
/// for the same two.
pub(crate) const SHARED_CPUS: &str = "the database shares the load generator's cpus: CPU time per request is not affected, a rate is the server's \
                           only where its verdict is valid, and latencies include that both wait for each other, with every server alike";

/// The machine as this run uses it: the cpus with the tries that led to them, what drives and what stands behind the servers.
pub(super) fn describe(
    setup: &Setup,
    (split, tried): (&Split, Vec<SplitTried>),
    generators: &Generators,
    machines: Option<&LoadMachines>,
    database: Option<&Database>,
) -> anyhow::Result<Environment> {
    let Setup { plan, programs, .. } = setup;
    let versions = generators.iter();
    let mut versions: BTreeMap<_, _> = versions
        .map(|(kind, generator)| (*kind, generator.version.clone()))
        .collect();
    let oha = versions.remove(&GeneratorKind::Oha).unwrap_or_default();
    let mut machine = environment::describe(split, setup.load_average, programs.rustc()?, oha);
    machine.splits = tried;
    machine.generators = versions;
    if let Some(machines) = machines {
        machine.load_machines.clone_from(&machines.described);
        machine.warnings.extend_from_slice(&machines.warnings);
    }
    machine.container_engine = setup.engine.as_ref().map(|engine| engine.version.clone());
    if !counted(plan).is_empty() {
        machine.valgrind = instructions::version(&programs.catalog.root);
        if machine.valgrind.is_none() {
            machine.warnings.push(instructions::NO_VALGRIND.into());
        }
    }
    if lacks_quota(split, &machine.splits, &plan.scenarios) {
        machine.warnings.push(quota::MISSING.into());
    }
    let cargo_profile = setup.cargo_profile.as_str();
    if ![RELEASE, FIRST_LOOK].contains(&cargo_profile) {
        machine.warnings.push(format!(
            "the servers were built by the cargo profile `{cargo_profile}`, which is not what users run: the figures are meaningless"
        ));
    }
    let Some(database) = database else { return Ok(machine) };
    let described = database.describe()?;
    if split.database == split.generator {
        machine.warnings.push(SHARED_CPUS.into());
    }
    if described.cpus.is_empty() {
        machine.warnings.push(
            "the database is not this program's (--database): its CPU time is not known, and others may use it".into(),
        );
    }
    if described.file_system.as_deref() == Some("tmpfs") {
        machine
            .warnings
            .push("the database's data is in memory (tmpfs): nothing is durable, and writes are too fast; TMPDIR names another place".into());
    }
    machine.database = Some(described);
    Ok(machine)
}
