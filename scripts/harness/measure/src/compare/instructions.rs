//! Instructions for one request, of base and of head: see [`crate::request_counts::instructions`].
//!
//! Nothing is timed, so base and head are counted at the same time, each on its own cpu.

use std::thread;

use super::slices::{PairFailure, SideName, SidePrograms};
use crate::machine::cpus::Split;
use crate::request_counts::{Counted, instructions};
use record::scenario::Scenario;

/// Instructions for one request of each scenario, of base and of head. `number` is that of the pair; odd ones swap the cpus.
pub fn pair(
    programs: SidePrograms<'_>,
    split: &Split,
    scenarios: &[&Scenario],
    number: u32,
) -> Result<(Vec<f64>, Vec<f64>), PairFailure> {
    // One cpu for each side on every machine: a server starts as many workers as it has cpus, and their number changes the
    // instructions of a request.
    let cpus = [split.server.as_slice(), split.generator.as_slice()];
    let cpus = cpus.map(|cpus| cpus.get(..1).unwrap_or_default());
    let [base, head] = if number.is_multiple_of(2) {
        cpus
    } else {
        [cpus[1], cpus[0]]
    };
    let count = |which: SideName, program, cpus| {
        let counted = Counted {
            program,
            services: programs.services,
            database: programs.database,
        };
        instructions::per_request(counted, cpus, scenarios).map_err(|error| which.failed(error))
    };
    thread::scope(|scope| {
        let base = scope.spawn(|| count(SideName::Base, programs.base, base));
        let head = count(SideName::Head, programs.head, head);
        let base = base.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        Ok((base?, head?))
    })
}
