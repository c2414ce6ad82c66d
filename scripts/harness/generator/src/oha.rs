//! oha.
//!
//! The report of oha 1.16.0 must be read with care: with the server down it exits with 0 and reports thousands of requests per
//! second; answers of any status count as success; its `requestsPerSec` includes errors. So only the status counts, the total
//! time, the latencies and the size of the bodies are used, and the rest is computed here.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

use agent::protocol::Argument;
use serde::Deserialize;

use super::Load;
use model::Latency;
use model::scenario::{LoadModel, Scenario};
use servers::workload::Workload;

/// Longest body that is an argument of its own; Linux takes 128 KiB.
const LONGEST_ARGUMENT: usize = 64 * 1024;

/// The arguments of a generator on so many threads; `scenario` is its share of the load.
pub fn arguments(
    workload: &Workload<'_>,
    scenario: &Scenario,
    seconds: f64,
    address: SocketAddr,
    threads: usize,
) -> Vec<Argument> {
    let mut arguments = Vec::new();
    let mut text = |text: String| arguments.push(Argument::Text(text));
    if let Some(bytes) = workload.message_bytes() {
        text("websocket".into());
        text(format!("--path={}", scenario.path));
        text(format!("--connections={}", scenario.connections));
        text(format!("--message-bytes={bytes}"));
        text(format!("--milliseconds={}", (seconds * 1e3).round()));
        text(format!("--threads={threads}"));
        text(address.to_string());
        if let Some(messages) = scenario.requests {
            text(format!("--messages={messages}"));
        }
        return arguments;
    }
    text("--no-tui".into());
    text("--output-format=json".into());
    text("--disable-compression".into());
    text("--redirect=0".into());
    // Waits for requests in flight at the deadline, which would otherwise be missing from every figure.
    text("--wait-ongoing-requests-after-deadline".into());
    text(format!("--worker-threads={threads}"));
    text(format!("-c{}", scenario.connections));
    text(format!("--method={}", scenario.method.as_str()));
    match scenario.requests {
        Some(requests) => text(format!("-n{requests}")),
        None => text(format!("-z{}ms", (seconds * 1e3).round())),
    }
    if scenario.protocol.is_http2() {
        text("--http2".into());
        text(format!("-p{}", scenario.streams));
    }
    if scenario.protocol.is_tls() {
        // The certificate was checked before the load (`contract::Certificate`).
        text("--insecure".into());
    }
    if !scenario.keep_alive {
        text("--disable-keepalive".into());
    }
    if let LoadModel::Open { rate_rps } = scenario.load {
        text(format!("-q{rate_rps}"));
        text("--latency-correction".into());
    }
    let file = |before: &str, content: String| Argument::File {
        before: before.to_owned(),
        content,
    };
    if let [first, rest @ ..] = workload.bodies.as_slice() {
        arguments.push(match rest {
            [] if first.len() > LONGEST_ARGUMENT => file("-D", first.clone()),
            [] => Argument::Text(format!("-d{first}")),
            // It draws a line for each request.
            _ => file("-Z", lines(&workload.bodies)),
        });
        arguments.push(Argument::Text(format!("-T{}", workload.content_type())));
    }
    for (name, value) in &workload.headers {
        arguments.push(Argument::Text(format!("-H{name}: {value}")));
    }
    let scheme = if scenario.protocol.is_tls() { "https" } else { "http" };
    let url = |path: &String| format!("{scheme}://{address}{path}");
    match workload.paths.as_slice() {
        [path] => arguments.push(Argument::Text(url(path))),
        // It draws a line for each request.
        paths => arguments.extend([
            Argument::Text("--urls-from-file".into()),
            file("", lines(&paths.iter().map(url).collect::<Vec<_>>())),
        ]),
    }
    arguments
}

/// A line for each text.
fn lines(texts: &[String]) -> String {
    texts.iter().flat_map(|text| [text, "\n"]).collect()
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
        ..Load::default()
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
        let profiles = apps::profile::Profiles::built_in();
        let services = profiles.profile("services").unwrap();
        let mut scenario = profiles.scenario("websocket-64", services).unwrap();
        scenario.requests = Some(1);
        let workload = Workload::of(&scenario);
        let arguments = arguments(&workload, &scenario, 1.0, ([127, 0, 0, 1], 1).into(), 1);
        assert!(
            arguments.contains(&Argument::Text("--messages=1".into())),
            "{arguments:?}"
        );
    }

    #[test]
    fn a_broken_report_is_refused() {
        let endless = SERVER_DOWN.replace("\"total\": 0.2", "\"total\": 0.0");
        for broken in ["{\"summary\":", &endless] {
            assert!(parse(broken.as_bytes(), Duration::ZERO).is_err(), "{broken}");
        }
    }
}
