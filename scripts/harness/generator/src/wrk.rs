//! wrk, which the user installs.
//!
//! wrk 4.1.0 takes only whole seconds; it drops answers that took longer than its timeout, by default 2 s; it drops connections
//! that its threads cannot share evenly; it drops requests in flight at its deadline; and it "corrects" latencies for what it
//! takes for coordinated omission, by adding requests that were never made. So the seconds are rounded up, the timeout is
//! longer than the load, the number of threads divides the number of connections, `run::verdict` allows for the requests
//! at the end, and the added requests are removed again. It reports only whether a status was an error (400 and above).

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use agent::protocol::Argument;
use serde::Deserialize;

use super::Load;
use super::latencies;
use super::latencies::Counts;
use machine::process::finish;
use model::EXPECTED;
use model::scenario::Scenario;

/// The name for statuses of 400 and above, which wrk counts together.
const REFUSED: &str = "4xx or 5xx";
/// Seconds by which its timeout exceeds the load, so that no answer reaches it.
const BEYOND_THE_LOAD: f64 = 2.0;

/// Longest wait for its version.
const PATIENCE: Duration = Duration::from_secs(30);

/// The end of the script: prints the results as one line of JSON.
///
/// wrk finds each latency by counting from the first, so that the time for all grows with the square of their number. If that
/// would take seconds, the latencies are left out. The script's CPU time is printed too, to be subtracted from the load's.
const DONE: &str = r#"
function done(summary, latency, requests)
    local began = os.clock()
    local seen = {}
    if summary.requests > 0 and #latency * (latency.max - latency.min) < 4e9 then
        for i = 1, #latency do
            local microseconds, count = latency(i)
            seen[i] = string.format("[%.0f,%.0f]", microseconds, count)
        end
    end
    local errors = summary.errors
    io.write(string.format(
        '\n{"requests":%.0f,"microseconds":%.0f,"connect":%.0f,"read":%.0f,"write":%.0f,"status":%.0f,"timeout":%.0f,',
        summary.requests, summary.duration, errors.connect, errors.read, errors.write, errors.status, errors.timeout))
    io.write(string.format('"latency":[%s],"script_seconds":%.6f}\n', table.concat(seen, ","), os.clock() - began))
end
"#;

/// Version of the program, which must be wrk.
pub fn version(path: &Path) -> Result<String, String> {
    // It prints its version before its usage, and exits with 1.
    let mut command = Command::new(path);
    command.arg("-v");
    let output = finish(command, PATIENCE).map_err(|error| error.to_string())?;
    let text = output.text();
    let first = text.lines().next().unwrap_or_default();
    let mut words = first.split_whitespace();
    match (words.next(), words.next()) {
        (Some("wrk"), Some(version)) => Ok(version.to_owned()),
        _ => Err(format!("`-v` says {first:?}, not the version of wrk")),
    }
}

/// The arguments of a load of whole seconds.
pub fn arguments(scenario: &Scenario, seconds: f64, address: SocketAddr, threads: usize) -> Vec<Argument> {
    let connections = scenario.connections;
    let scheme = if scenario.protocol.is_tls() { "https" } else { "http" };
    let script = Argument::File {
        before: "--script=".into(),
        content: script_of(scenario),
    };
    let texts = [
        format!("-c{connections}"),
        format!("-t{}", threads_for(connections, threads)),
        format!("-d{seconds}s"),
        format!("--timeout={}s", seconds + BEYOND_THE_LOAD),
        format!("{scheme}://{address}{}", scenario.path),
    ];
    [script].into_iter().chain(texts.map(Argument::Text)).collect()
}

/// The most threads that share the connections evenly.
fn threads_for(connections: u32, most: usize) -> u32 {
    let most = u32::try_from(most).unwrap_or(u32::MAX).min(connections);
    (1..=most)
        .rev()
        .find(|threads| connections.is_multiple_of(*threads))
        .unwrap_or(1)
}

fn script_of(scenario: &Scenario) -> String {
    let mut lines = vec![format!("wrk.method = {}", quoted(scenario.method.as_str()))];
    if let Some(body) = &scenario.body {
        lines.push(format!("wrk.body = {}", quoted(body)));
        lines.push(r#"wrk.headers["content-type"] = "application/json""#.to_owned());
    }
    if !scenario.keep_alive {
        lines.push(r#"wrk.headers["connection"] = "close""#.to_owned());
    }
    lines.join("\n") + DONE
}

/// A Lua string; bytes that are not plain are written as numbers.
fn quoted(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b" ./{}:,-_".contains(&byte);
    let bytes = text.bytes().map(|byte| {
        if plain(byte) {
            char::from(byte).to_string()
        } else {
            format!("\\{byte:03}")
        }
    });
    format!("\"{}\"", bytes.collect::<String>())
}

/// The output of the script. Latencies are in microseconds, each with its count.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Report {
    requests: u64,
    microseconds: u64,
    connect: u64,
    read: u64,
    write: u64,
    status: u64,
    timeout: u64,
    latency: Vec<(u64, u64)>,
    script_seconds: f64,
}

pub fn parse(stdout: &[u8], connections: u64, cpu: Duration) -> Result<Load, String> {
    // wrk prints its own report first.
    let text = String::from_utf8_lossy(stdout);
    let line = text.lines().rev().find(|line| line.starts_with('{'));
    let report: Report = serde_json::from_str(line.ok_or("the script printed nothing")?)
        .map_err(|error| format!("the output of the script: {error}"))?;
    if report.microseconds == 0 {
        return Err("it lasted 0 s".into());
    }
    let expected = report
        .requests
        .checked_sub(report.status)
        .ok_or("more refusals than answers")?;
    let counted = |pairs: &[(&str, u64)]| -> BTreeMap<String, u64> {
        let some = pairs.iter().filter(|(_, count)| *count > 0);
        some.map(|(name, count)| ((*name).to_owned(), *count)).collect()
    };
    let mut seen: Counts = report.latency.into_iter().collect();
    let recorded = report.requests.saturating_sub(report.timeout);
    // As wrk computes it: whole microseconds that a connection took for each request.
    let cycle = (report.requests / connections.max(1)).max(1);
    take_away_corrections(&mut seen, recorded, report.microseconds / cycle)?;
    Ok(Load {
        requests: counted(&[(EXPECTED, expected), (REFUSED, report.status)]),
        errors: counted(&[
            ("no connection", report.connect),
            ("broken while reading", report.read),
            ("broken while writing", report.write),
            ("slower than the load is long", report.timeout),
        ]),
        seconds: report.microseconds as f64 / 1e6,
        latency: latencies::summary(&seen),
        cpu: cpu.saturating_sub(Duration::try_from_secs_f64(report.script_seconds).unwrap_or_default()),
        ..Load::default()
    })
}

/// Removes the requests that wrk has added to its latencies.
///
/// For each that took at least twice the usual `cycle`, wrk 4 adds one for every cycle that fits into it beyond the
/// second (`stats_correct` in its stats.c), from the shortest to the longest, so that what it adds is never added to
/// again. From the longest to the shortest, the same can be taken away.
fn take_away_corrections(seen: &mut Counts, recorded: u64, cycle: u64) -> Result<(), String> {
    let sum = seen.values().try_fold(0, |sum: u64, count| sum.checked_add(*count));
    let none_added = sum.ok_or("it has more latencies than can be counted")? == recorded;
    if seen.is_empty() || none_added || cycle == 0 {
        return Ok(());
    }
    let mut below = u64::MAX;
    while let Some((&latency, &count)) = seen.range(..below).next_back() {
        let added = (1..).map(|times| latency.saturating_sub(times * cycle));
        for added in added.take_while(|added| *added > cycle) {
            let left = seen.get(&added).and_then(|there| there.checked_sub(count));
            match left.ok_or("its latencies are not what its rule of correction gives")? {
                0 => drop(seen.remove(&added)),
                left => drop(seen.insert(added, left)),
            }
        }
        below = latency;
    }
    if seen.values().sum::<u64>() == recorded {
        Ok(())
    } else {
        Err("there are not as many latencies as answers".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As wrk 4.1.0 said it (shortened), with its own report before.
    const ANSWERED: &str = concat!(
        "Running 1s test @ http://127.0.0.1:18431/\n  1 threads and 4 connections\n",
        "Requests/sec:     6.00\nTransfer/sec:      7.03MB\n\n",
        r#"{"requests":8,"microseconds":1000000,"connect":0,"read":0,"write":0,"status":2,"timeout":0,"latency":[[400000,5],[500000,3]],"script_seconds":0.010000}"#,
        "\n"
    );

    fn answered(change: impl Fn(&str) -> String) -> Result<Load, String> {
        parse(change(ANSWERED).as_bytes(), 4, Duration::from_millis(50))
    }

    #[test]
    fn a_report_is_read_and_refusals_are_told_apart() {
        let load = answered(str::to_owned).unwrap();
        assert_eq!(
            load.requests,
            BTreeMap::from([("200".into(), 6), ("4xx or 5xx".into(), 2)])
        );
        assert!(load.errors.is_empty());
        assert!((load.seconds - 1.0).abs() < 1e-9);
        let latency = load.latency.unwrap();
        assert_eq!((latency.min, latency.p50, latency.max), (400.0, 400.0, 500.0));
        assert_eq!(load.cpu, Duration::from_millis(40), "the script's own work is no load");
    }

    #[test]
    fn a_server_that_is_down_has_no_latency_and_only_errors() {
        let down = r#"{"requests":0,"microseconds":1004223,"connect":7,"read":16,"write":62802,"status":0,"timeout":0,"latency":[],"script_seconds":0.0}"#;
        let load = parse(down.as_bytes(), 4, Duration::ZERO).unwrap();
        assert!(load.requests.is_empty() && load.latency.is_none());
        assert_eq!(load.errors.values().sum::<u64>(), 62_825);
    }

    #[test]
    fn a_broken_report_is_refused() {
        for (what, by) in [
            ("{\"requests\"", "{\"request\""),
            ("\"status\":2", "\"status\":9"),
            ("1000000", "0"),
            ("{", "no report"),
        ] {
            assert!(answered(|text| text.replace(what, by)).is_err(), "{what}");
        }
    }

    /// `stats_correct` of wrk, as it stands in its source.
    fn correct(seen: &mut Counts, cycle: u64) {
        let most = *seen.keys().last().unwrap();
        for latency in cycle * 2..=most {
            let count = seen.get(&latency).copied().unwrap_or(0);
            let mut added = latency - cycle;
            while count > 0 && added > cycle {
                *seen.entry(added).or_default() += count;
                added -= cycle;
            }
        }
    }

    #[test]
    fn the_requests_that_wrk_adds_are_taken_away() {
        let original = Counts::from([(90, 40), (110, 30), (205, 7), (310, 3), (999, 2), (1000, 1)]);
        let requests = original.values().sum();
        for cycle in [1, 7, 50, 100, 120, 2000] {
            let mut seen = original.clone();
            correct(&mut seen, cycle);
            take_away_corrections(&mut seen, requests, cycle).unwrap();
            assert_eq!(seen, original, "{cycle}");
        }
        let mut other = Counts::from([(90, 40), (1000, 1)]);
        assert!(take_away_corrections(&mut other, 7, 100).is_err());
    }

    #[test]
    fn no_connection_is_lost_between_the_threads() {
        for (connections, threads, chosen) in [(64, 4, 4), (64, 3, 2), (7, 4, 1), (2, 8, 2), (500, 12, 10)] {
            assert_eq!(threads_for(connections, threads), chosen);
        }
    }

    #[test]
    fn whatever_is_said_to_lua_is_a_string_and_no_program() {
        assert_eq!(quoted(r#"{"payload":"world"}"#), r#""{\034payload\034:\034world\034}""#);
        assert_eq!(quoted("\"\n\\é"), r#""\034\010\092\195\169""#);
    }
}
