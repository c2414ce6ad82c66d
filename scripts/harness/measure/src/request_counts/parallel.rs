//! Counts instructions of many programs, one on each cpu at a time, which is possible because nothing is timed.

use super::{Counted, instructions};
use crate::failure::Failure;
use crate::interrupt::Interrupted;
use crate::parallel_map::parallel_map;
use crate::process::one_line;
use record::scenario::Scenario;

/// The counts of one program.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Counts {
    /// Instructions for one request by name of the scenario, in the order of the requests.
    pub per_request: Vec<(String, f64)>,
    /// Why the rest is missing; `None` if nothing is.
    pub reason: Option<String>,
}

/// Counts the instructions for one request of each of the scenarios of each of `programs`, in their order.
///
/// Each server has one of `cpus`, of which there must be at least one: a server starts as many workers as it has cpus, and
/// their number changes the instructions of a request. If one program cannot be counted, the others are not affected.
pub fn count_in_parallel(programs: &[(Counted<'_>, Vec<&Scenario>)], cpus: &[u32]) -> Result<Vec<Counts>, Interrupted> {
    parallel_map(cpus, programs, |cpu, (program, scenarios)| {
        count_program(*program, scenarios, cpu)
    })
}

fn count_program(program: Counted<'_>, scenarios: &[&Scenario], cpu: u32) -> Result<Counts, Interrupted> {
    let mut per_request = Vec::new();
    let reason = match instructions::count(program, &[cpu], scenarios, &mut per_request) {
        Ok(()) => None,
        Err(Failure::Interrupted(interrupted)) => return Err(interrupted),
        Err(Failure::Verdict(_, reason) | Failure::Lost(reason)) => Some(one_line(&reason)),
    };
    Ok(Counts { per_request, reason })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::profile::Profiles;
    use crate::program::Program;

    #[test]
    fn a_program_that_cannot_be_counted_says_why_in_its_place() {
        let profiles = Profiles::built_in();
        let scenario = profiles
            .scenario("plaintext", profiles.profile("weekly").unwrap())
            .unwrap();
        let gone = tempfile::NamedTempFile::new().unwrap();
        let programs = [Path::new("/bin/false"), gone.path(), Path::new("/bin/false")];
        let programs = programs.map(|path| Program::at(path).unwrap());
        drop(gone);
        let asked = programs.each_ref().map(|program| (program.into(), vec![&scenario]));
        let found = count_in_parallel(&asked, &[0]).unwrap();
        assert_eq!(found.len(), 3);
        for counts in &found {
            let reason = counts.reason.as_deref().unwrap();
            assert!(counts.per_request.is_empty() && !reason.contains('\n'), "{counts:?}");
            assert!(reason.starts_with("it does not run under valgrind: "), "{reason}");
        }
        assert_eq!(found[0], found[2]);
        assert_ne!(found[0], found[1]);
    }
}
