//! Instructions for one request, counted by callgrind: nearly free of noise, whatever else the machine is doing.
//!
//! The server runs under valgrind and is asked over one connection; counted is between two commands of
//! `callgrind_control`, so that neither start nor warm-up is part of it. It counts user space only: what a change costs the
//! kernel is seen by CPU time alone. Valgrind runs one thread at a time, so contention between threads is not seen either.
//! Because nothing is timed, base and head are counted at the same time, each on cpus of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::slices::{Programs, Trouble, Which};
use crate::contract::Steady;
use crate::interrupt;
use crate::machine::cpus::Split;
use crate::machine::environment::version_of;
use crate::measure::{Servant, Server};
use crate::process::Child;
use crate::scenario::{Protocol, Scenario};

/// Requests before the count: caches and pools fill, lazy parts are built.
const WARM_UP: u32 = 50;
/// Requests that are counted.
const COUNTED: u32 = 100;
/// Before each request: time for the server to go to sleep. Whether it still is awake when a request comes is chance, and
/// costs other instructions.
const PAUSE: Duration = Duration::from_millis(2);
/// Longest time for one command of `callgrind_control`; usual is a quarter of a second.
const PATIENCE: Duration = Duration::from_secs(30);

/// Counts instructions.
#[derive(Debug, Clone)]
pub struct Counter {
    /// Version of valgrind.
    pub version: String,
}

impl Counter {
    /// A counter, if valgrind is installed.
    pub fn find(root: &Path) -> Option<Self> {
        let version = version_of("valgrind".as_ref(), root)?;
        version_of("callgrind_control".as_ref(), root)?;
        Some(Self { version })
    }

    /// Instructions for one request of each scenario, of base and of head. `number` counts the pairs: it turns the cpus.
    pub fn pair(
        &self,
        programs: Programs<'_>,
        split: &Split,
        scenarios: &[&Scenario],
        number: u32,
    ) -> Result<(Vec<f64>, Vec<f64>), Trouble> {
        // As many cpus for both: a server starts as many workers as it has cpus. The generator never has fewer.
        let cpus = [
            split.server.as_slice(),
            split.generator.get(..split.server.len()).unwrap_or(&split.server),
        ];
        let [base, head] = if number.is_multiple_of(2) {
            cpus
        } else {
            [cpus[1], cpus[0]]
        };
        thread::scope(|scope| {
            let base = scope.spawn(|| Self::count(Which::Base, programs.base, base, scenarios));
            let head = Self::count(Which::Head, programs.head, head, scenarios);
            let base = base.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            Ok((base?, head?))
        })
    }

    fn count(which: Which, program: &Path, cpus: &[u32], scenarios: &[&Scenario]) -> Result<Vec<f64>, Trouble> {
        let machine = |error: std::io::Error| Trouble::Machine(error.to_string());
        let folder = tempfile::tempdir().map_err(machine)?;
        let out = folder.path().join("out");
        let wrapper = [
            "valgrind".to_owned(),
            "--tool=callgrind".to_owned(),
            "--instr-atstart=no".to_owned(),
            format!("--callgrind-out-file={}", out.display()),
        ];
        let mut server = Server::start(Servant::Under(&wrapper, program), cpus, Protocol::Http1)
            .map_err(|error| which.not_started(error))?;
        control(&server, "--instr=on")?;
        let connected = Steady::connect(server.address());
        let mut client = connected.map_err(|violation| which.refuted(violation.into(), &mut server))?;
        let mut counts = Vec::new();
        for (index, scenario) in scenarios.iter().enumerate() {
            ask(which, &mut server, &mut client, scenario, WARM_UP)?;
            control(&server, "--zero")?;
            ask(which, &mut server, &mut client, scenario, COUNTED)?;
            control(&server, "--dump")?;
            let dump = PathBuf::from(format!("{}.{}", out.display(), index + 1));
            let total = fs::read_to_string(&dump).ok().and_then(|text| total(&text));
            let total = total.ok_or_else(|| Trouble::Machine("callgrind wrote no total".into()))?;
            counts.push(total as f64 / f64::from(COUNTED));
        }
        Ok(counts)
    }
}

fn ask(which: Which, server: &mut Server, client: &mut Steady, scenario: &Scenario, times: u32) -> Result<(), Trouble> {
    for _ in 0..times {
        interrupt::check()?;
        thread::sleep(PAUSE);
        client
            .ask(scenario)
            .map_err(|violation| which.refuted(violation.into(), server))?;
    }
    Ok(())
}

fn control(server: &Server, what: &str) -> Result<(), Trouble> {
    let machine = |error: std::io::Error| Trouble::Machine(format!("callgrind_control: {error}"));
    let mut command = Command::new("callgrind_control");
    command.arg(what).arg(server.pid().to_string()).stdout(Stdio::null());
    let mut child = Child::start(command, &[]).map_err(machine)?;
    let ended = child
        .wait_until::<std::io::Error>(Instant::now() + PATIENCE, || Ok(()))
        .map_err(machine)?;
    match ended {
        Some(status) if status.success() => Ok(()),
        _ => Err(Trouble::Machine(format!(
            "callgrind_control {what} failed: {}",
            child.last_words()
        ))),
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
