//! The load generator: oha, run once for each load, and what it says of it.
//!
//! What oha 1.16.0 says has to be read with care: with the server down it exits with 0 and reports thousands of requests
//! a second; answers of any status count as success; its `requestsPerSec` counts errors. So only the status counts, the
//! total time and the latencies are taken, and the rest is computed here.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use serde::Deserialize;

use crate::interrupt::{self, Interrupted};
use crate::machine::environment::version_of;
use crate::process::{Child, in_words};
use crate::record::Latency;
use crate::scenario::{LoadModel, Method, Protocol, Scenario};

/// How long after its deadline a load may wait for the requests that are under way.
const AFTERMATH: Duration = Duration::from_secs(10);
/// Largest report of oha that is read; usual is a few kilobytes.
const LARGEST_REPORT: u64 = 4 << 20;

/// A load generator, pinned to its cpus.
#[derive(Debug, Clone)]
pub struct Generator {
    /// The program.
    pub path: PathBuf,
    /// Its version, `1.16.0`.
    pub version: String,
    cpus: Vec<u32>,
}

/// What one load found.
#[derive(Debug, Clone, PartialEq)]
pub struct Load {
    /// Answers by HTTP status.
    pub requests: BTreeMap<String, u64>,
    /// Requests without an answer, by why.
    pub errors: BTreeMap<String, u64>,
    /// From the first request to the last answer, in seconds.
    pub seconds: f64,
    /// Latencies; `None` if nothing was answered.
    pub latency: Option<Latency>,
    /// CPU time of the generator.
    pub cpu: Duration,
}

/// Why there was no load.
#[derive(Debug, thiserror::Error)]
pub enum GeneratorError {
    /// It cannot be used at all.
    #[error("{path} is no load generator that works: {reason}", path = path.display())]
    Unusable {
        /// The program.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// It did not end.
    #[error("the load did not end within {} s of its deadline: requests were never answered", AFTERMATH.as_secs())]
    Hung,
    /// It ended badly, or said something else than a report.
    #[error("the load generator failed: {0}")]
    Failed(String),
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
    /// The program at `path`, which must say its version.
    pub fn new(path: &Path, cpus: &[u32]) -> Result<Self, GeneratorError> {
        let unusable = |reason: &str| GeneratorError::Unusable {
            path: path.to_owned(),
            reason: reason.to_owned(),
        };
        if !path.is_file() {
            return Err(unusable("there is no such file"));
        }
        let path = path.canonicalize()?;
        let version = version_of(&path, Path::new("/")).ok_or_else(|| unusable("`--version` says nothing"))?;
        let version = version
            .strip_prefix("oha ")
            .ok_or_else(|| unusable(&format!("`--version` says {version:?}, not the version of oha")))?
            .to_owned();
        Ok(Self {
            path,
            version,
            cpus: cpus.to_vec(),
        })
    }

    /// The program.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Drives the server at `address` for some seconds. `alive` is asked again and again whether the server still lives.
    pub fn drive(
        &self,
        scenario: &Scenario,
        seconds: f64,
        address: SocketAddr,
        mut alive: impl FnMut() -> bool,
    ) -> Result<Load, GeneratorError> {
        let stdout = tempfile::tempfile()?;
        let mut command = Command::new(&self.path);
        command
            .args(arguments(scenario, seconds, address, self.cpus.len()))
            .env_clear()
            .stdout(stdout.try_clone()?);
        let before = children_cpu()?;
        let mut child = Child::start(command, &self.cpus)?;
        let until = Instant::now() + Duration::from_secs_f64(seconds) + AFTERMATH;
        let status = child.wait_until::<GeneratorError>(until, || {
            interrupt::check()?;
            if alive() {
                Ok(())
            } else {
                Err(GeneratorError::ServerDied)
            }
        })?;
        let status = status.ok_or(GeneratorError::Hung)?;
        let cpu = children_cpu()?.saturating_sub(before);
        if !status.success() {
            return Err(GeneratorError::Failed(format!(
                "{}; {}",
                in_words(status),
                child.last_words()
            )));
        }
        let length = stdout.metadata()?.len().min(LARGEST_REPORT);
        let mut report = vec![0; usize::try_from(length).unwrap_or_default()];
        stdout.read_exact_at(&mut report, 0)?;
        read(&report, cpu).map_err(|error| GeneratorError::Failed(format!("its report cannot be read: {error}")))
    }
}

fn arguments(scenario: &Scenario, seconds: f64, address: SocketAddr, threads: usize) -> Vec<String> {
    let text = |text: &str| text.to_owned();
    let mut arguments = vec![
        text("--no-tui"),
        text("--output-format=json"),
        text("--disable-compression"),
        text("--redirect=0"),
        // Requests under way at the deadline are awaited; else they would be lost from every figure.
        text("--wait-ongoing-requests-after-deadline"),
        format!("--worker-threads={threads}"),
        format!("-c{}", scenario.connections),
        format!("-z{}ms", (seconds * 1e3).round()),
        format!("--method={}", scenario.method.as_str()),
    ];
    match scenario.protocol {
        Protocol::Http1 => {}
    }
    if let LoadModel::Open { rate_rps } = scenario.load {
        arguments.extend([format!("-q{rate_rps}"), text("--latency-correction")]);
    }
    if scenario.method == Method::Post {
        let body = scenario.body.as_deref().unwrap_or_default();
        arguments.extend([format!("-d{body}"), text("-Tapplication/json")]);
    }
    arguments.push(format!("http://{address}{}", scenario.path));
    arguments
}

/// CPU time of all children that have ended and were waited for.
fn children_cpu() -> io::Result<Duration> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let micros = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    Ok(Duration::from_micros(u64::try_from(micros).unwrap_or_default()))
}

/// The parts of oha's report that are used. It has more, and grows.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    summary: Summary,
    latency_percentiles: BTreeMap<String, Option<f64>>,
    status_code_distribution: BTreeMap<String, u64>,
    error_distribution: BTreeMap<String, u64>,
}

/// Times in seconds; null where nothing was answered.
#[derive(Deserialize)]
struct Summary {
    total: f64,
    slowest: Option<f64>,
    fastest: Option<f64>,
    average: Option<f64>,
}

fn read(report: &[u8], cpu: Duration) -> Result<Load, String> {
    let report: Report = serde_json::from_slice(report).map_err(|error| error.to_string())?;
    if !(report.summary.total.is_finite() && report.summary.total > 0.0) {
        return Err(format!("it lasted {} s", report.summary.total));
    }
    let milliseconds = |seconds: Option<f64>| seconds.map(|seconds| seconds * 1e3).filter(|value| value.is_finite());
    let percentile = |name: &str| milliseconds(report.latency_percentiles.get(name).copied().flatten());
    let latency = || {
        Some(Latency {
            min: milliseconds(report.summary.fastest)?,
            mean: milliseconds(report.summary.average)?,
            p50: percentile("p50")?,
            p90: percentile("p90")?,
            p95: percentile("p95")?,
            p99: percentile("p99")?,
            p99_9: percentile("p99.9")?,
            max: milliseconds(report.summary.slowest)?,
        })
    };
    Ok(Load {
        latency: latency(),
        requests: report.status_code_distribution,
        errors: report.error_distribution,
        seconds: report.summary.total,
        cpu,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As oha 1.16.0 reports with the server down: exit status 0, a high rate, and nothing answered.
    const SERVER_DOWN: &str = r#"{
        "summary": {"successRate": 0.0, "total": 0.2, "slowest": null, "fastest": null, "average": null,
                    "requestsPerSec": 63000.0, "totalData": 0, "sizePerRequest": null, "sizePerSec": 0.0},
        "latencyPercentiles": {"p10": null, "p50": null, "p99.9": null},
        "statusCodeDistribution": {},
        "errorDistribution": {"Connection refused (os error 111)": 12600}
    }"#;

    #[test]
    fn a_server_that_is_down_has_no_latency_and_only_errors() {
        let load = read(SERVER_DOWN.as_bytes(), Duration::ZERO).unwrap();
        assert_eq!(load.latency, None);
        assert!(load.requests.is_empty());
        assert_eq!(load.errors.values().sum::<u64>(), 12_600);
    }

    #[test]
    fn a_broken_report_is_refused() {
        assert!(read(b"{\"summary\":", Duration::ZERO).is_err());
        assert!(
            read(
                SERVER_DOWN.replace("\"total\": 0.2", "\"total\": 0.0").as_bytes(),
                Duration::ZERO
            )
            .is_err()
        );
    }
}
