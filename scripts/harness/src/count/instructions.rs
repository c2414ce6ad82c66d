//! Instructions for one request, counted by callgrind: nearly free of noise, whatever else the machine is doing.
//!
//! Counted is between two commands of `callgrind_control`, so that neither start nor warm-up is part of it. It counts user
//! space only: what is spent in the kernel is seen by CPU time alone. Valgrind runs one thread at a time, so contention
//! between threads is not seen either.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::{CountError, ask, connect};
use crate::interrupt;
use crate::machine::environment::version_of;
use crate::measure::{Servant, Server};
use crate::process::{Unfinished, finish};
use crate::scenario::{Counted, Protocol, Scenario};

/// Longest time for one command of `callgrind_control`; usual is a quarter of a second.
const PATIENCE: Duration = Duration::from_secs(30);
/// Most that it says.
const LARGEST_ANSWER: u64 = 1 << 20;

/// Version of valgrind, if it is installed.
pub fn version(root: &Path) -> Option<String> {
    let version = version_of("valgrind".as_ref(), root)?;
    version_of("callgrind_control".as_ref(), root)?;
    Some(version)
}

/// Instructions for one request of each scenario, by `program` on `cpus`.
pub fn per_request(program: &Path, cpus: &[u32], scenarios: &[&Scenario]) -> Result<Vec<f64>, CountError> {
    let mut counts = Vec::new();
    count(program, cpus, scenarios, &mut counts)?;
    Ok(counts)
}

/// The same, appended to `counts` one after the other: those before an error stand.
///
/// One process is asked all scenarios in the order in which they are given. What an earlier one leaves behind is part of what
/// a later one finds, so counts may be compared only with those of the same scenarios in the same order.
pub(super) fn count(
    program: &Path,
    cpus: &[u32],
    scenarios: &[&Scenario],
    counts: &mut Vec<f64>,
) -> Result<(), CountError> {
    let folder = tempfile::tempdir().map_err(CountError::machine)?;
    let out = folder.path().join("out");
    let wrapper = [
        "valgrind".to_owned(),
        "--tool=callgrind".to_owned(),
        "--instr-atstart=no".to_owned(),
        format!("--callgrind-out-file={}", out.display()),
    ];
    let mut server =
        Server::start(Servant::Under(&wrapper, program), cpus, Protocol::Http1).map_err(CountError::not_started)?;
    control(&server, "--instr=on")?;
    let mut client = connect(&mut server)?;
    for (index, scenario) in scenarios.iter().enumerate() {
        let Counted { warm_up, requests } = scenario.counted.unwrap_or_default();
        ask(&mut server, &mut client, scenario, warm_up)?;
        // Only then: each command takes a quarter of a second, and a dump begins from zero, too.
        if warm_up > 0 || index == 0 {
            control(&server, "--zero")?;
        }
        ask(&mut server, &mut client, scenario, requests)?;
        control(&server, "--dump")?;
        let dump = PathBuf::from(format!("{}.{}", out.display(), index + 1));
        let total = fs::read_to_string(&dump).ok().and_then(|text| total(&text));
        let total = total.ok_or_else(|| CountError::Machine("callgrind wrote no total".into()))?;
        counts.push(total as f64 / f64::from(requests));
    }
    Ok(())
}

fn control(server: &Server, what: &str) -> Result<(), CountError> {
    let failed = |reason: String| CountError::Machine(format!("callgrind_control {what} failed: {reason}"));
    let mut command = Command::new("callgrind_control");
    command.arg(what).arg(server.pid().to_string());
    match finish(command, PATIENCE, LARGEST_ANSWER, interrupt::check) {
        Ok(told) => told.success().map_err(failed).map(|_| ()),
        Err(Unfinished::Interrupted(interrupted)) => Err(CountError::Interrupted(interrupted)),
        Err(error) => Err(failed(error.to_string())),
    }
}

/// Sum over all threads, from callgrind's output ("totals", or "summary" in older versions).
fn total(text: &str) -> Option<u64> {
    let line = |key: &str| text.lines().find_map(|line| line.strip_prefix(key));
    line("totals:")
        .or_else(|| line("summary:"))?
        .split_whitespace()
        .next()?
        .parse()
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_is_read_from_callgrinds_output() {
        assert_eq!(
            total("# callgrind format\nevents: Ir\nfn=(1)\n1 2\n\ntotals: 1234567\n"),
            Some(1_234_567)
        );
        assert_eq!(total("events: Ir\nsummary: 99\n"), Some(99));
        assert_eq!(total("events: Ir\n"), None);
    }
}
