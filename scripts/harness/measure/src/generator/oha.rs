//! oha.
//!
//! The report of oha 1.16.0 must be read with care: with the server down it exits with 0 and reports thousands of requests per
//! second; answers of any status count as success; its `requestsPerSec` includes errors. So only the status counts, the total
//! time, the latencies and the size of the bodies are used, and the rest is computed here.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::time::Duration;

use serde::Deserialize;
use tempfile::NamedTempFile;

use super::{Load, OneLoad};
use crate::asked::Asked;
use record::Latency;
use record::scenario::LoadModel;

/// Longest body that is an argument of its own; Linux takes 128 KiB.
const LONGEST_ARGUMENT: usize = 64 * 1024;

/// A load of some seconds, or of as many requests as the scenario counts.
pub fn load(asked: &Asked<'_>, seconds: f64, address: SocketAddr, threads: usize) -> io::Result<OneLoad> {
    let scenario = asked.scenario();
    let text = |text: &str| text.to_owned();
    if let Some(bytes) = asked.message_bytes() {
        let counted = scenario.requests.map(|messages| format!("--messages={messages}"));
        return Ok(OneLoad {
            arguments: [
                text("websocket"),
                format!("--path={}", scenario.path),
                format!("--connections={}", scenario.connections),
                format!("--message-bytes={bytes}"),
                format!("--milliseconds={}", (seconds * 1e3).round()),
                format!("--threads={threads}"),
                address.to_string(),
            ]
            .into_iter()
            .chain(counted)
            .collect(),
            seconds,
            read: Box::new(parse),
            _files: Vec::new(),
        });
    }
    let mut arguments = vec![
        text("--no-tui"),
        text("--output-format=json"),
        text("--disable-compression"),
        text("--redirect=0"),
        // Waits for requests in flight at the deadline, which would otherwise be missing from every figure.
        text("--wait-ongoing-requests-after-deadline"),
        format!("--worker-threads={threads}"),
        format!("-c{}", scenario.connections),
        format!("--method={}", scenario.method.as_str()),
    ];
    match scenario.requests {
        Some(requests) => arguments.push(format!("-n{requests}")),
        None => arguments.push(format!("-z{}ms", (seconds * 1e3).round())),
    }
    if scenario.protocol.is_http2() {
        arguments.extend([text("--http2"), format!("-p{}", scenario.streams)]);
    }
    if scenario.protocol.is_tls() {
        // The certificate was checked before the load (`contract::Certificate`).
        arguments.push(text("--insecure"));
    }
    if !scenario.keep_alive {
        arguments.push(text("--disable-keepalive"));
    }
    if let LoadModel::Open { rate_rps } = scenario.load {
        arguments.extend([format!("-q{rate_rps}"), text("--latency-correction")]);
    }
    let mut files = Vec::new();
    if let [first, rest @ ..] = asked.bodies() {
        if rest.is_empty() && first.len() > LONGEST_ARGUMENT {
            let body = file_of(asked.bodies(), "")?;
            arguments.push(format!("-D{}", body.path().display()));
            files.push(body);
        } else if rest.is_empty() {
            arguments.push(format!("-d{first}"));
        } else {
            // It draws a line for each request.
            let lines = file_of(asked.bodies(), "\n")?;
            arguments.push(format!("-Z{}", lines.path().display()));
            files.push(lines);
        }
        arguments.push(format!("-T{}", asked.content_type()));
    }
    for (name, value) in asked.headers() {
        arguments.push(format!("-H{name}: {value}"));
    }
    let scheme = if scenario.protocol.is_tls() { "https" } else { "http" };
    let url = |path: &String| format!("{scheme}://{address}{path}");
    match asked.paths() {
        [path] => arguments.push(url(path)),
        paths => {
            // It draws a line for each request.
            let lines = file_of(&paths.iter().map(url).collect::<Vec<_>>(), "\n")?;
            arguments.extend([text("--urls-from-file"), lines.path().display().to_string()]);
            files.push(lines);
        }
    }
    Ok(OneLoad {
        arguments,
        seconds,
        read: Box::new(parse),
        _files: files,
    })
}

/// The texts, each with this end.
fn file_of(texts: &[String], end: &str) -> io::Result<NamedTempFile> {
    let mut file = NamedTempFile::new()?;
    for text in texts {
        file.write_all(text.as_bytes())?;
        file.write_all(end.as_bytes())?;
    }
    Ok(file)
}

/// The parts of oha's report that are used. It has more, and grows.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    summary: Summary,
    latency_percentiles: BTreeMap<String, Option<f64>>,
    /// `oha websocket` has none.
    #[serde(default)]
    first_byte_percentiles: BTreeMap<String, Option<f64>>,
    status_code_distribution: BTreeMap<String, u64>,
    error_distribution: BTreeMap<String, u64>,
}

/// Times in seconds, null where nothing was answered; bytes of bodies.
#[derive(Deserialize)]
struct Summary {
    total: f64,
    #[serde(rename = "totalData")]
    total_data: u64,
    slowest: Option<f64>,
    fastest: Option<f64>,
    average: Option<f64>,
}

/// What its report says.
pub fn parse(report: &[u8], cpu: Duration) -> Result<Load, String> {
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
        body_bytes: Some(report.summary.total_data),
        first_byte: milliseconds(report.first_byte_percentiles.get("p50").copied().flatten()),
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
        let load = parse(SERVER_DOWN.as_bytes(), Duration::ZERO).unwrap();
        assert_eq!(load.latency, None);
        assert!(load.requests.is_empty());
        assert_eq!(load.errors.values().sum::<u64>(), 12_600);
    }

    /// Without it, a load of one message, which is made to know what starting takes, would last a second.
    #[test]
    fn a_load_over_websocket_ends_with_its_messages_too() {
        let profiles = crate::profile::Profiles::built_in();
        let services = profiles.profile("services").unwrap();
        let mut scenario = profiles.scenario("websocket-64", services).unwrap();
        scenario.requests = Some(1);
        let load = load(&Asked::of(&scenario), 1.0, ([127, 0, 0, 1], 1).into(), 1).unwrap();
        assert!(
            load.arguments.contains(&"--messages=1".to_owned()),
            "{:?}",
            load.arguments
        );
    }

    #[test]
    fn a_broken_report_is_refused() {
        assert!(parse(b"{\"summary\":", Duration::ZERO).is_err());
        assert!(
            parse(
                SERVER_DOWN.replace("\"total\": 0.2", "\"total\": 0.0").as_bytes(),
                Duration::ZERO
            )
            .is_err()
        );
    }
}
