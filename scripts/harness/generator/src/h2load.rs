//! h2load of nghttp2, which the user installs.
//!
//! It writes the result of each request into a file, from which statuses and latencies are counted exactly; its own report says
//! how many requests failed. Three properties of h2load 1.52 matter. Requests in flight at the deadline are dropped, which
//! `run::verdict` takes into account. A connection that the server closes is not opened again and, in a timed load, is
//! not an error; Little's law shows that connections are missing. A connection that is not up at the deadline is never stopped
//! and keeps sending, which is not the server's fault.

use std::collections::BTreeMap;
use std::io::BufRead;
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use agent::protocol::Argument;

use super::Load;
use super::latencies;
use super::latencies::Counts;
use model::scenario::{Method, Protocol, Scenario};

/// The status in that file of a request without an answer.
const FAILED: &str = "-1";

/// The error if it did not end: it does not wait for answers, so the server is not to blame.
pub const UNENDED: &str = "it did not end, for connections were not up at its deadline; make --duration longer";

/// The arguments of a load of some seconds, or of as many requests as the scenario counts. It writes what became of each to `log`.
pub fn arguments(scenario: &Scenario, seconds: f64, address: SocketAddr, threads: usize, log: &Path) -> Vec<Argument> {
    let mut arguments = vec![
        format!("-c{}", scenario.connections),
        format!("-t{}", threads.min(scenario.connections as usize)),
        format!("-m{}", scenario.streams),
        format!("--log-file={}", log.display()),
        match scenario.requests {
            Some(requests) => format!("-n{requests}"),
            None => format!("-D{}ms", (seconds * 1e3).round().max(1.0)),
        },
    ];
    if !scenario.protocol.is_http2() {
        // In cleartext and over TLS; else it is HTTP/2 in both.
        arguments.push("--h1".to_owned());
    }
    let mut body = None;
    if scenario.method == Method::Post {
        arguments.push("-Hcontent-type: application/json".to_owned());
        body = Some(Argument::File {
            before: "-d".into(),
            content: scenario.body.clone().unwrap_or_default(),
        });
    }
    let scheme = if scenario.protocol.is_tls() { "https" } else { "http" };
    arguments.push(format!("{scheme}://{address}{}", scenario.path));
    body.into_iter()
        .chain(arguments.into_iter().map(Argument::Text))
        .collect()
}

/// Reads its report and its file of requests. It must have spoken the `wanted` protocol, for at least `least` seconds.
pub fn parse(stdout: &[u8], log: impl BufRead, wanted: &str, least: f64, cpu: Duration) -> Result<Load, String> {
    let stdout = String::from_utf8_lossy(stdout);
    let spoken = spoken(&stdout);
    if let Some(other) = spoken.filter(|spoken| *spoken != wanted) {
        return Err(format!("it spoke {other} and not {wanted}"));
    }
    let (mut by_status, latencies, seconds) = requests(log)?;
    let errored = errored(&stdout).ok_or("it does not say how many requests failed")?;
    let failed = by_status.remove(FAILED).unwrap_or(0).max(errored);
    Ok(Load {
        requests: by_status,
        errors: (failed > 0)
            .then(|| ("broken".to_owned(), failed))
            .into_iter()
            .collect(),
        seconds: seconds.max(least),
        latency: latencies::summary(&latencies),
        cpu,
        ..Load::default()
    })
}

/// As h2load calls it.
pub fn name_of(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::Http1 | Protocol::Http1Tls => "http/1.1",
        Protocol::Http2 => "h2c",
        Protocol::Http2Tls => "h2",
    }
}

/// The protocol that it says it spoke; `None` if no connection got that far.
fn spoken(stdout: &str) -> Option<&str> {
    let mut lines = stdout.lines();
    lines.find_map(|line| line.strip_prefix("Application protocol: "))
}

/// Requests that ended without an answer, by its own report:
/// `requests: 8 total, 8 started, 8 done, 8 succeeded, 0 failed, 0 errored, 0 timeout`.
fn errored(stdout: &str) -> Option<u64> {
    let line = stdout.lines().find_map(|line| line.strip_prefix("requests: "))?;
    let mut parts = line.split(", ");
    parts.find_map(|part| part.strip_suffix(" errored"))?.parse().ok()
}

/// Requests by status, their latencies, and the seconds that all took, from lines of: microseconds since 1970 at the start, status, microseconds until the end of the answer.
fn requests(log: impl BufRead) -> Result<(BTreeMap<String, u64>, Counts, f64), String> {
    let (mut by_status, mut latencies) = (BTreeMap::new(), Counts::new());
    let (mut first, mut last) = (u64::MAX, 0);
    for line in log.lines() {
        let line = line.map_err(|error| error.to_string())?;
        let mut columns = line.split('\t');
        let mut column = || columns.next().ok_or_else(|| format!("{line:?} is not a request"));
        let (start, status, took) = (column()?, column()?, column()?);
        let number = |text: &str| text.parse::<u64>().map_err(|_| format!("{line:?} is not a request"));
        if let Some(count) = by_status.get_mut(status) {
            *count += 1;
        } else if status == FAILED || (status.len() == 3 && status.bytes().all(|byte| byte.is_ascii_digit())) {
            by_status.insert(status.to_owned(), 1);
        } else {
            return Err(format!("{line:?} has no status"));
        }
        if status == FAILED {
            continue;
        }
        let (start, took) = (number(start)?, number(took)?);
        *latencies.entry(took).or_default() += 1;
        first = first.min(start);
        last = last.max(start.saturating_add(took));
    }
    Ok((by_status, latencies, last.saturating_sub(first) as f64 / 1e6))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As h2load 1.52.0 wrote it.
    const LOG: &str = "1795303143294930\t200\t331\n1795303143294938\t200\t358\n1795303143295300\t500\t130\n\
                       1795303143295301\t-1\t12\n";
    const REPORT: &str = "Application protocol: http/1.1\n\nfinished in 1.00s, 451.00 req/s, 36.12KB/s\n\
        requests: 451 total, 459 started, 451 done, 451 succeeded, 0 failed, 3 errored, 0 timeout\n\
        status codes: 451 2xx, 0 3xx, 0 4xx, 0 5xx\n";

    #[test]
    fn requests_are_counted_by_status_and_latencies_are_exact() {
        let (by_status, latencies, seconds) = requests(LOG.as_bytes()).unwrap();
        let of = |status: &str| by_status[status];
        assert_eq!((of("200"), of("500"), of("-1")), (2, 1, 1));
        assert_eq!(latencies, Counts::from([(331, 1), (358, 1), (130, 1)]));
        assert!((seconds - 500e-6).abs() < 1e-12);
    }

    #[test]
    fn a_broken_log_is_refused() {
        for wrong in ["1\t200\n", "1\t2OO\t3\n", "x\t200\t3\n", "\n", "1\t200\t-3\n"] {
            assert!(requests(wrong.as_bytes()).is_err(), "{wrong:?}");
        }
        assert!(requests(&b"1\t\xff\t3\n"[..]).is_err());
        let (by_status, latencies, _) = requests(&b""[..]).unwrap();
        assert!(by_status.is_empty() && latencies::summary(&latencies).is_none());
    }

    #[test]
    fn its_own_report_is_read_for_errors_and_protocol() {
        assert_eq!((errored(REPORT), spoken(REPORT)), (Some(3), Some("http/1.1")));
        assert_eq!((errored("requests: x errored"), spoken("")), (None, None));
    }
}
