//! Load generators: programs that run once for each load, and their reports.
//!
//! Each has its own file, which knows its arguments and its report; the common part is here.

mod h2load;
mod latencies;
mod oha;
mod remote;
mod wrk;

use std::collections::BTreeMap;
use std::env;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use agent::protocol::Argument;
use anyhow::anyhow;
use machine::environment::version_of;
use machine::interrupt::{self, Interrupted};
use machine::load::Used;
use machine::process::{Child, in_words};
use machine::program::Program;
use model::scenario::{GeneratorKind, Scenario};
use model::store::MOST_ANSWERS;
use model::{Latency, expected_answers};
use servers::workload::Workload;

pub use remote::{Destinations, LoadMachines, any_here};

/// How long a load may wait after its deadline for the requests in flight. A server on one cpu needs ten seconds for twenty
/// answers of half a second each; one that has lost a connection never answers.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(30);
/// Largest report that is read. Most have a few kilobytes; wrk adds as much for each thousand latencies.
const LARGEST_REPORT: u64 = 4 << 20;
/// Longest load that a report may have, in seconds: a week.
const LONGEST: f64 = 7.0 * 24.0 * 3600.0;
/// Most bytes of bodies that a report may have: a petabyte.
const MOST_BYTES: u64 = 1 << 50;

/// Load generators, by kind.
pub type Generators = BTreeMap<GeneratorKind, Generator>;

/// A load generator, pinned to its cpus.
#[derive(Debug, Clone)]
pub struct Generator {
    /// Which it is.
    pub kind: GeneratorKind,
    /// The program.
    pub program: Program,
    /// Its version, `1.16.0`.
    pub version: String,
    cpus: Vec<u32>,
    /// The machines that make the load; `None` if this one does.
    remote: Option<Arc<LoadMachines>>,
}

/// The result of one load.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Load {
    /// Answers by HTTP status.
    pub requests: BTreeMap<String, u64>,
    /// How many of the expected ones the verifier got, whose requests accompany the generator's: it knows neither time nor size of these.
    pub verifier_requests: u64,
    /// Requests without an answer, by reason.
    pub errors: BTreeMap<String, u64>,
    /// From the first request to the last answer, in seconds.
    pub seconds: f64,
    /// Latencies; `None` if nothing was answered.
    pub latency: Option<Latency>,
    /// Median time to the first byte of a body, in ms; `None` if its report does not say.
    pub first_byte: Option<f64>,
    /// CPU time of the generator, on all machines that made the load.
    pub cpu: Duration,
    /// Bytes of all bodies that it received; `None` if its report does not say.
    pub body_bytes: Option<u64>,
    /// What is known of the other machines that made it; `None` if this one did.
    pub remote: Option<RemoteStats>,
    /// Streams that the server allows at once on a connection, as the verifier was told; `None` without HTTP/2.
    pub streams_allowed: Option<u32>,
}

/// What is known of the other machines that made a load.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RemoteStats {
    /// CPU time of the generator on the machine where it used most of the cpus, and how many these are.
    pub busiest: (Duration, usize),
    /// Share of what the links carry that the load took, in the direction and on the link where that was most.
    pub link_share: f64,
    /// What the cpus did of the machine that was disturbed most.
    pub used: Used,
    /// CPU time of generators that ran on this very machine.
    pub here: Duration,
}

impl RemoteStats {
    /// What is known over all these loads, each of so many seconds.
    pub fn add_up(all: impl Iterator<Item = (f64, Self)>) -> Option<Self> {
        let sum = |(lasted, mut sum): (f64, Self), (seconds, more): (f64, Self)| {
            sum.busiest.0 += more.busiest.0;
            sum.link_share = (sum.link_share * lasted + more.link_share * seconds) / (lasted + seconds);
            sum.used += more.used;
            sum.here += more.here;
            (lasted + seconds, sum)
        };
        all.reduce(sum).map(|(_, sum)| sum)
    }
}

impl Load {
    /// Adds the answers and errors of another.
    pub fn add_counts(&mut self, more: &Self) {
        for (sum, counts) in [(&mut self.requests, &more.requests), (&mut self.errors, &more.errors)] {
            for (name, count) in counts {
                *sum.entry(name.clone()).or_default() += count;
            }
        }
        self.verifier_requests += more.verifier_requests;
    }

    /// Expected answers that the generator itself got.
    pub fn own_answers(&self) -> u64 {
        expected_answers(&self.requests).saturating_sub(self.verifier_requests)
    }

    /// Share that the generator used of the `cpus` that it has on this machine, or of those that it has on the busiest of the
    /// others.
    pub fn generator_share(&self, cpus: usize) -> f64 {
        let (cpu, cpus) = self.remote.map_or((self.cpu, cpus), |remote| remote.busiest);
        cpu.as_secs_f64() / self.seconds / cpus.max(1) as f64
    }

    /// Without the CPU time that starting and reporting take.
    pub fn take_off(&mut self, overhead: Duration) {
        self.cpu = self.cpu.saturating_sub(overhead);
        if let Some(remote) = &mut self.remote {
            remote.busiest.0 = remote.busiest.0.saturating_sub(overhead);
        }
    }

    /// CPU time that it took from this machine.
    pub fn cpu_here(&self) -> Duration {
        self.remote.map_or(self.cpu, |remote| remote.here)
    }
}

/// Why there was no load.
#[derive(Debug, thiserror::Error)]
pub enum GeneratorError {
    /// It did not end.
    #[error("the load did not end within {} s of its deadline: requests were never answered", DRAIN_TIMEOUT.as_secs())]
    Hung,
    /// It counts its requests, and did not finish in time.
    #[error(
        "not all of the {requests} requests were answered within {seconds} s: too slowly for this load, or never; --duration gives it longer"
    )]
    Unfinished {
        /// How many were to be answered.
        requests: u64,
        /// In which time.
        seconds: f64,
    },
    /// It failed, or printed something other than a report.
    #[error("the load generator failed: {0}")]
    Failed(String),
    /// The other machines that were to make the load cannot.
    #[error("load from other machines: {0}")]
    Remote(String),
    /// A machine that made the load was lost meanwhile, or did not begin with the others.
    #[error("{0}")]
    Lost(String),
    /// There is no generator that can be used, or no network through which the load was to go.
    #[error(transparent)]
    Unusable(#[from] anyhow::Error),
    /// The server died under it.
    #[error("the server died")]
    ServerDied,
    /// The kernel refused something.
    #[error("cannot run the load generator: {0}")]
    Machine(#[from] io::Error),
    /// The user stopped it.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}

impl Generator {
    /// The program at `path`, which must print its version.
    pub fn new(kind: GeneratorKind, path: &Path, cpus: &[u32]) -> Result<Self, GeneratorError> {
        let unusable = |reason: &str| anyhow!("{} is not a working load generator: {reason}", path.display());
        if !path.is_file() {
            return Err(unusable("there is no such file").into());
        }
        let path = path.canonicalize()?;
        let version = match kind {
            GeneratorKind::Oha => version_after(&path, "oha ", kind),
            GeneratorKind::Wrk => wrk::version(&path),
            GeneratorKind::H2load => version_after(&path, "h2load nghttp2/", kind),
        };
        let version = version.map_err(|reason| unusable(&reason))?;
        Ok(Self {
            kind,
            program: Program::at(&path)?,
            version,
            cpus: cpus.to_vec(),
            remote: None,
        })
    }

    /// A generator that users install themselves: the program at `named`, or the one in `PATH`.
    pub fn installed(kind: GeneratorKind, named: Option<&Path>, cpus: &[u32]) -> Result<Self, GeneratorError> {
        let path = match named {
            Some(path) => path.to_owned(),
            None => in_path(kind.program()).ok_or_else(|| missing(kind))?,
        };
        Self::new(kind, &path, cpus)
    }

    /// The same on other cpus.
    #[must_use]
    pub fn with_cpus(&self, cpus: &[u32]) -> Self {
        Self {
            cpus: cpus.to_vec(),
            ..self.clone()
        }
    }

    /// The same with its load made by these machines.
    #[must_use]
    pub fn with_load_from(&self, machines: &Arc<LoadMachines>) -> Self {
        Self {
            remote: Some(Arc::clone(machines)),
            ..self.clone()
        }
    }

    /// Where a server must listen so that it can be driven.
    pub fn reaches(&self) -> IpAddr {
        let remote = self.remote.as_ref().map(|machines| machines.own);
        remote.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST))
    }

    /// Drives the server at `address` for `seconds`. `alive` is called repeatedly and says whether the server is still running.
    pub fn drive(
        &self,
        workload: &Workload<'_>,
        seconds: f64,
        address: SocketAddr,
        mut alive: impl FnMut() -> bool,
    ) -> Result<Load, GeneratorError> {
        if let Some(machines) = &self.remote {
            return machines.drive(workload, seconds, address, &self.cpus, alive);
        }
        let (threads, scenario) = (self.cpus.len(), workload.scenario);
        if scenario.round_trip_us.is_some() {
            return Err(anyhow!(remote::NO_NETWORK).into());
        }
        let folder = tempfile::tempdir()?;
        let [stdout, log] = ["stdout", "log"].map(|name| folder.path().join(name));
        File::create(&log)?; // only h2load writes one
        let mut seconds = seconds;
        let arguments = match self.kind {
            GeneratorKind::Oha => oha::arguments(workload, scenario, seconds, address, threads),
            GeneratorKind::Wrk => {
                seconds = seconds.ceil().max(1.0);
                wrk::arguments(scenario, seconds, address, threads)
            }
            GeneratorKind::H2load => h2load::arguments(scenario, seconds, address, threads, &log),
        };
        let mut command = self.program.command(&[])?;
        command.args(Argument::write_files(&arguments, folder.path())?);
        command.env_clear().stdout(File::create(&stdout)?);
        let mut child = Child::start(command, &self.cpus)?;
        let until = Instant::now() + Duration::from_secs_f64(seconds) + DRAIN_TIMEOUT;
        let status = child.wait_until::<GeneratorError>(until, || {
            interrupt::check()?;
            if alive() {
                Ok(())
            } else {
                Err(GeneratorError::ServerDied)
            }
        })?;
        let status = status.ok_or_else(|| match scenario.requests {
            Some(requests) => GeneratorError::Unfinished { requests, seconds },
            None if self.kind == GeneratorKind::H2load => GeneratorError::Failed(h2load::UNENDED.into()),
            None => GeneratorError::Hung,
        })?;
        if !status.success() {
            let reason = format!("{}; {}", in_words(status), child.stderr_tail());
            return Err(GeneratorError::Failed(reason));
        }
        let mut report = Vec::new();
        File::open(&stdout)?.take(LARGEST_REPORT).read_to_end(&mut report)?;
        let log = BufReader::new(File::open(&log)?);
        parse(self.kind, scenario, seconds, &report, log, child.cpu_time)
            .map_err(|error| GeneratorError::Failed(format!("its report cannot be read: {error}")))
    }
}

/// Reads the report of a load of some seconds: what the program printed, and the `log` of requests that h2load writes.
pub fn parse(
    kind: GeneratorKind,
    scenario: &Scenario,
    seconds: f64,
    stdout: &[u8],
    log: impl BufRead,
    cpu: Duration,
) -> Result<Load, String> {
    let load = match kind {
        GeneratorKind::Oha => oha::parse(stdout, cpu),
        GeneratorKind::Wrk => wrk::parse(stdout, u64::from(scenario.connections), cpu),
        GeneratorKind::H2load => {
            // A timed load lasts until its deadline, even if the last answer came earlier.
            let least = if scenario.requests.is_some() { 0.0 } else { seconds };
            h2load::parse(stdout, log, h2load::name_of(scenario.protocol), least, cpu)
        }
    };
    load.and_then(plausible)
}

/// The load, unless its figures are no load of ours: what is computed from them must not overflow.
fn plausible(load: Load) -> Result<Load, String> {
    if !(load.seconds > 0.0 && load.seconds <= LONGEST) {
        return Err(format!("it lasted {} s", load.seconds));
    }
    let counts = load.requests.values().chain(load.errors.values());
    if counts.fold(0, |sum: u64, count| sum.saturating_add(*count)) > MOST_ANSWERS {
        return Err(format!("it counts more than {MOST_ANSWERS} answers"));
    }
    match load.body_bytes {
        Some(bytes) if bytes > MOST_BYTES => Err(format!("it received {bytes} bytes")),
        _ => Ok(load),
    }
}

/// What `--version` prints after `name`, by which the right program is known.
fn version_after(path: &Path, name: &str, kind: GeneratorKind) -> Result<String, String> {
    let version = version_of(path, Path::new("/")).map_err(|reason| format!("`--version`: {reason}"))?;
    let number = version.strip_prefix(name).map(str::to_owned);
    number.ok_or_else(|| format!("`--version` says {version:?}, not the version of {}", kind.program()))
}

/// The first program of this name in `PATH`. Looked up here, because the generator is started with an empty environment.
fn in_path(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let mut candidates = env::split_paths(&path).map(|folder| folder.join(program));
    candidates.find(|file| {
        file.metadata()
            .is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
    })
}

/// The error if it is not installed.
fn missing(kind: GeneratorKind) -> anyhow::Error {
    let program = kind.program();
    let package = match kind {
        GeneratorKind::Oha | GeneratorKind::Wrk => program,
        GeneratorKind::H2load => "nghttp2-client",
    };
    anyhow!(
        "{program} is not installed; `apt-get install {package}` does that on Debian and Ubuntu, or name the program with --{program} PATH"
    )
}

#[cfg(test)]
pub(crate) mod tests {
    use std::fs;
    use std::process::Command;

    use super::*;

    pub fn plaintext() -> Scenario {
        let profiles = apps::profile::Profiles::built_in();
        profiles
            .scenario("plaintext", profiles.profile("smoke").unwrap())
            .unwrap()
    }

    #[test]
    fn a_program_is_found_and_a_missing_one_is_not() {
        assert!(in_path("sh").is_some_and(|path| path.is_absolute()));
        assert_eq!(in_path("no-such-program"), None);
    }

    #[test]
    fn another_child_that_ends_meanwhile_is_not_the_generator() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("oha");
        let report = r#"{"summary": {"total": 1, "totalData": 0}, "latencyPercentiles": {}, "statusCodeDistribution": {"200": 1}, "errorDistribution": {}}"#;
        let script =
            format!("#!/bin/sh\n[ \"$1\" != --version ] || exec echo oha 1.16.0\nsleep 0.2\necho '{report}'\n");
        fs::write(&path, script).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        let oha = Generator::new(GeneratorKind::Oha, &path, &[]).unwrap();
        let scenario = plaintext();
        let busy = || {
            let mut other = Command::new("timeout");
            other.args(["0.3", "sh", "-c", "while :; do :; done"]).status().is_ok()
        };
        let load = oha
            .drive(&Workload::of(&scenario), 1.0, ([127, 0, 0, 1], 1).into(), busy)
            .unwrap();
        assert!(
            !load.cpu.is_zero() && load.cpu < Duration::from_millis(100),
            "{:?}",
            load.cpu
        );
    }

    #[test]
    fn a_report_with_absurd_figures_is_refused() {
        let oha = |total: &str, answers: &str| {
            format!(
                r#"{{"summary": {{"total": {total}, "totalData": 0}}, "latencyPercentiles": {{}},
                     "statusCodeDistribution": {{"200": {answers}, "500": 1}}, "errorDistribution": {{}}}}"#
            )
        };
        let wrk = |microseconds: &str, latencies: &str| {
            format!(
                r#"{{"requests": 2, "microseconds": {microseconds}, "connect": 0, "read": 0, "write": 0, "status": 0,
                     "timeout": 0, "latency": [{latencies}], "script_seconds": -1e300}}"#
            )
            .replace('\n', " ")
        };
        let most = u64::MAX.to_string();
        let h2load = "requests: 1 total, 0 errored, 0 timeout".to_owned();
        let many_latencies = wrk("1000", &format!("[1, {most}], [2, {most}]"));
        let endless = "0\t200\t1\n18446744073709551615\t200\t18446744073709551615\n";
        let scenario = Scenario {
            connections: 1,
            ..plaintext()
        };
        let parsed = |kind, report: &str, log: &str| {
            parse(kind, &scenario, 0.0, report.as_bytes(), log.as_bytes(), Duration::ZERO)
        };
        for (kind, report, log, expected) in [
            (GeneratorKind::Oha, oha("1e300", "1"), "", "it lasted 1"),
            (GeneratorKind::Oha, oha("-1.0", "1"), "", "it lasted -1 s"),
            (
                GeneratorKind::Oha,
                oha("1.0", &most),
                "",
                "more than 6048000000000 answers",
            ),
            (
                GeneratorKind::Wrk,
                wrk(&most, "[1, 1], [2, 1]"),
                "",
                "it lasted 18446744073709.5",
            ),
            (
                GeneratorKind::Wrk,
                many_latencies,
                "",
                "more latencies than can be counted",
            ),
            (GeneratorKind::H2load, h2load.clone(), "", "it lasted 0 s"),
            (GeneratorKind::H2load, h2load, endless, "it lasted 18446744073709.5"),
        ] {
            let error = parsed(kind, &report, log).unwrap_err();
            assert!(error.contains(expected), "{expected}: {error}");
        }
        assert!(parsed(GeneratorKind::Oha, &oha("1.0", "7"), "").is_ok());
    }
}
