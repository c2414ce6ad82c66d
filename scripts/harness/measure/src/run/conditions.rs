//! What a run notes about the machine: versions of what it needs, and what makes its figures mean less.

use crate::plan::Plan;
use crate::request_counts::instructions;
use crate::run::calibration::lacks_quota;
use crate::run::request_counts::counted;
use crate::supply::Supply;
use machine::cpus::Split;
use machine::quota;
use model::{Environment, FIRST_LOOK, RELEASE};
use servers::database::Database;

/// What the verdicts of such a run say as well: a closed loop is seldom the server's limit then, and at a fixed rate all servers wait
/// for the same two.
pub(crate) const SHARED_CPUS: &str = "the database shares the load generator's cpus: CPU time per request is not affected, a rate is the server's \
                           only where its verdict is valid, and latencies include that both wait for each other, with every server alike";

/// Notes what this run needs besides a machine, and what makes its figures mean less.
pub(super) fn complete(
    machine: &mut Environment,
    plan: &Plan,
    database: Option<&Database>,
    split: &Split,
    cargo_profile: &str,
    supply: &Supply,
) -> anyhow::Result<()> {
    if !counted(plan).is_empty() {
        machine.valgrind = instructions::version(&supply.catalog.root);
        if machine.valgrind.is_none() {
            machine.warnings.push(instructions::NO_VALGRIND.into());
        }
    }
    if lacks_quota(split, &machine.splits, &plan.scenarios) {
        machine.warnings.push(quota::MISSING.into());
    }
    if ![RELEASE, FIRST_LOOK].contains(&cargo_profile) {
        machine.warnings.push(format!(
            "the servers were built by the cargo profile `{cargo_profile}`, which is not what users run: the figures are meaningless"
        ));
    }
    let Some(database) = database else { return Ok(()) };
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
    Ok(())
}
