//! What one trial is worth: rules over numbers, without a server.

use std::collections::BTreeMap;

use super::generator::Load;
use crate::record::Verdict;
use crate::scenario::{LoadModel, Scenario};

/// The only status that is an expected answer under load.
pub const EXPECTED: &str = "200";
/// Requests in flight may differ from the connections by this share (Little's law).
const LITTLE: f64 = 0.05;
/// Achieved ÷ offered rate below which an open loop was not kept.
const OFFERED: f64 = 0.99;
/// Use of its cpus from which on the generator may be the limit.
const GENERATOR_BUSY: f64 = 0.85;
/// Use of its cpus below which the server was not at its limit.
const SERVER_BUSY: f64 = 0.90;
/// Share of time that the hypervisor may give to others.
const STOLEN: f64 = 0.10;

/// What was observed of a load.
#[derive(Debug, Clone, Copy)]
pub struct Observed<'a> {
    /// What was asked.
    pub scenario: &'a Scenario,
    /// What the generator found.
    pub load: &'a Load,
    /// Share of its cpus that the server used.
    pub server_share: f64,
    /// Share of its cpus that the generator used.
    pub generator_share: f64,
    /// Share of time that the hypervisor gave to others.
    pub steal_share: f64,
}

/// Number of expected answers.
pub fn expected_answers(requests: &BTreeMap<String, u64>) -> u64 {
    requests.get(EXPECTED).copied().unwrap_or(0)
}

/// The verdict on a load whose server lives and keeps the contract, with its reasons.
///
/// Every rule that is broken is told; the verdict is that of the worst. What was found of this one trial stands last and
/// in parentheses, so that the reasons of several trials and apps can be told as one without it.
pub fn judge(observed: Observed<'_>) -> (Verdict, Vec<String>) {
    let mut broken = answers(observed.load);
    if broken.is_empty() {
        broken.extend(machine(observed));
        broken.extend(limits(observed));
    }
    let verdict = broken
        .iter()
        .map(|(verdict, _)| *verdict)
        .max()
        .unwrap_or(Verdict::Valid);
    (verdict, broken.into_iter().map(|(_, reason)| reason).collect())
}

/// Whether a rate was kept: all that was offered was answered, and 99 % of it in time.
pub fn sustained(load: &Load, rate_rps: f64, p99_ms: f64) -> bool {
    let achieved = expected_answers(&load.requests) as f64 / load.seconds / rate_rps;
    let in_time = load.latency.is_some_and(|latency| latency.p99 <= p99_ms);
    answers(load).is_empty() && achieved >= OFFERED && in_time
}

/// The verdict on a search for the highest rate: on what was observed at the highest rate that was sustained, and at the
/// lowest that was not.
pub fn judge_capacity(
    sustained: Option<Observed<'_>>,
    refused: Option<Observed<'_>>,
    p99_ms: f64,
) -> (Verdict, Vec<String>) {
    let ends = [sustained, refused].into_iter().flatten();
    let mut broken: Vec<Broken> = ends.filter_map(machine).take(1).collect();
    match refused {
        None => broken.push((
            Verdict::Unsaturated,
            "every rate up to that of the closed loop was sustained: the highest was not reached".into(),
        )),
        Some(refused) if refused.generator_share > GENERATOR_BUSY => broken.push((
            Verdict::ClientBound,
            format!(
                "the load generator used more than {:.0} % of its cpus at the rate that was not sustained ({:.0} %)",
                GENERATOR_BUSY * 100.0,
                refused.generator_share * 100.0
            ),
        )),
        Some(_) if sustained.is_none() => broken.push((
            Verdict::Unstable,
            format!("at no rate 99 % of the requests were answered within {p99_ms} ms"),
        )),
        Some(_) => {}
    }
    let verdict = broken
        .iter()
        .map(|(verdict, _)| *verdict)
        .max()
        .unwrap_or(Verdict::Valid);
    (verdict, broken.into_iter().map(|(_, reason)| reason).collect())
}

type Broken = (Verdict, String);

/// Answers that were not expected, and requests without an answer.
fn answers(load: &Load) -> Vec<Broken> {
    let mut broken = Vec::new();
    for (status, count) in load
        .requests
        .iter()
        .filter(|(status, count)| status.as_str() != EXPECTED && **count > 0)
    {
        broken.push((
            Verdict::ContractFailed,
            format!("{count} answers with status {status} under load"),
        ));
    }
    for (error, count) in load.errors.iter().filter(|(_, count)| **count > 0) {
        broken.push((
            Verdict::ContractFailed,
            format!("{count} requests without an answer under load: {error}"),
        ));
    }
    if broken.is_empty() && expected_answers(&load.requests) == 0 {
        broken.push((Verdict::ContractFailed, "no answer under load".into()));
    }
    broken
}

fn machine(observed: Observed<'_>) -> Option<Broken> {
    let share = observed.steal_share;
    (share > STOLEN).then(|| {
        (
            Verdict::EnvironmentFailed,
            format!("the hypervisor took {:.0} % of the time", share * 100.0),
        )
    })
}

fn limits(observed: Observed<'_>) -> Vec<Broken> {
    let Observed {
        scenario,
        load,
        server_share,
        generator_share,
        ..
    } = observed;
    let answered = expected_answers(&load.requests) as f64;
    let mut broken = Vec::new();
    match scenario.load {
        LoadModel::Closed => broken.extend(in_flight(scenario, load, answered)),
        // What is known of a search is judged by `judge_capacity`.
        LoadModel::Capacity { .. } => {}
        LoadModel::Open { rate_rps } => {
            let achieved = answered / load.seconds / rate_rps;
            if achieved < OFFERED {
                let reason = format!(
                    "{:.1} % of the offered {rate_rps} requests per second were answered",
                    achieved * 100.0
                );
                broken.push((Verdict::Unstable, reason));
            }
        }
    }
    if generator_share > GENERATOR_BUSY {
        let reason = format!(
            "the load generator used more than {:.0} % of its cpus ({:.0} %)",
            GENERATOR_BUSY * 100.0,
            generator_share * 100.0
        );
        broken.push((Verdict::ClientBound, reason));
    } else if matches!(scenario.load, LoadModel::Closed) && server_share < SERVER_BUSY && broken.is_empty() {
        let reason = format!(
            "the server used less than {:.0} % of its cpus and nothing else was the limit: {} connections ask for no \
             more ({:.0} %)",
            SERVER_BUSY * 100.0,
            scenario.in_flight(),
            server_share * 100.0
        );
        broken.push((Verdict::Unsaturated, reason));
    }
    broken
}

/// Little's law: requests in flight = rate × mean latency, and in a closed loop that is the number of connections.
///
/// After the deadline the connections run dry one by one. So the sum of all latencies must fill every connection at
/// least up to the deadline, and cannot fill it beyond the end.
fn in_flight(scenario: &Scenario, load: &Load, answered: f64) -> Option<Broken> {
    let mean = load.latency?.mean / 1e3;
    let filled = answered * mean / f64::from(scenario.in_flight());
    let connections = scenario.in_flight();
    // What such a generator drops at its deadline was under way for a latency at most.
    let dropped = if scenario.generator.drops_the_last() { mean } else { 0.0 };
    if filled + dropped < scenario.seconds.min(load.seconds) * (1.0 - LITTLE) {
        let used = f64::from(connections) * filled / scenario.seconds.min(load.seconds);
        return Some((
            Verdict::ClientBound,
            format!(
                "only {used:.1} of {connections} connections were in use, by Little's law: the load was not what it says"
            ),
        ));
    }
    if filled > load.seconds * (1.0 + LITTLE) {
        let used = f64::from(connections) * filled / load.seconds;
        return Some((
            Verdict::EnvironmentFailed,
            format!("{used:.1} requests in flight on {connections} connections, by Little's law: the clock is wrong"),
        ));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Profiles;
    use crate::record::Latency;

    fn plaintext() -> Scenario {
        let profiles = Profiles::built_in();
        let mut scenario = profiles
            .scenario("plaintext", profiles.profile("quick").unwrap())
            .unwrap();
        scenario.seconds = 1.0;
        scenario
    }

    /// One second of load that keeps all 64 connections in use.
    fn load(answered: u64) -> Load {
        let mean = 64.0 / answered as f64 * 1e3;
        let latency = Latency {
            min: 0.1,
            mean,
            p50: mean,
            p90: mean,
            p95: mean,
            p99: mean,
            p99_9: mean,
            max: mean,
        };
        Load {
            requests: BTreeMap::from([("200".into(), answered)]),
            errors: BTreeMap::new(),
            seconds: 1.0,
            latency: Some(latency),
            cpu: std::time::Duration::ZERO,
        }
    }

    fn verdict(scenario: &Scenario, load: &Load, server_share: f64, generator_share: f64) -> (Verdict, String) {
        let (verdict, reasons) = judge(Observed {
            scenario,
            load,
            server_share,
            generator_share,
            steal_share: 0.0,
        });
        assert_eq!(verdict == Verdict::Valid, reasons.is_empty());
        (verdict, reasons.join("; "))
    }

    #[test]
    fn a_busy_server_and_a_generator_with_air_are_valid() {
        assert_eq!(verdict(&plaintext(), &load(50_000), 0.97, 0.6).0, Verdict::Valid);
    }

    #[test]
    fn a_busy_generator_is_the_limit() {
        let (verdict, reason) = verdict(&plaintext(), &load(50_000), 0.97, 0.93);
        assert_eq!(verdict, Verdict::ClientBound);
        assert_eq!(reason, "the load generator used more than 85 % of its cpus (93 %)");
    }

    #[test]
    fn an_idle_server_is_unsaturated() {
        assert_eq!(verdict(&plaintext(), &load(3_000), 0.1, 0.1).0, Verdict::Unsaturated);
    }

    #[test]
    fn answers_with_500_are_no_success() {
        let mut load = load(50_000);
        load.requests = BTreeMap::from([("200".into(), 49_999), ("500".into(), 1)]);
        let (verdict, reason) = verdict(&plaintext(), &load, 0.97, 0.6);
        assert_eq!(verdict, Verdict::ContractFailed);
        assert_eq!(reason, "1 answers with status 500 under load");
    }

    #[test]
    fn a_server_that_is_down_is_no_fast_server() {
        let mut load = load(50_000);
        load.requests.clear();
        load.latency = None;
        assert_eq!(verdict(&plaintext(), &load, 0.0, 0.5).0, Verdict::ContractFailed);
        load.errors.insert("Connection refused".into(), 12_600);
        let (_, reason) = verdict(&plaintext(), &load, 0.0, 0.5);
        assert!(reason.contains("12600 requests without an answer"), "{reason}");
    }

    /// From a published table: 2.83 rps at 1.33 s with 20 connections. The generator had dropped the slow answers.
    #[test]
    fn dropped_answers_are_seen_by_littles_law() {
        let mut scenario = plaintext();
        (scenario.connections, scenario.seconds) = (20, 60.0);
        let mut load = load(170);
        load.seconds = 60.0;
        load.latency.as_mut().unwrap().mean = 1330.0;
        let (verdict, reason) = verdict(&scenario, &load, 1.0, 0.1);
        assert_eq!(verdict, Verdict::ClientBound);
        assert!(reason.contains("only 3.8 of 20 connections"), "{reason}");
    }

    /// The wait for the last answers after the deadline is no fault: 4 connections, 200 ms each, 0.2 s of running dry.
    #[test]
    fn running_dry_after_the_deadline_is_no_violation() {
        let mut scenario = plaintext();
        (scenario.connections, scenario.seconds) = (4, 1.6);
        let mut load = load(34);
        load.seconds = 1.8;
        load.latency.as_mut().unwrap().mean = 200.0;
        assert_eq!(verdict(&scenario, &load, 0.99, 0.02).0, Verdict::Valid);
    }

    /// wrk and h2load do not count what is under way at their deadline.
    #[test]
    fn what_is_dropped_at_the_deadline_is_no_idle_connection() {
        let mut scenario = plaintext();
        (scenario.connections, scenario.generator) = (4, crate::scenario::GeneratorKind::Wrk);
        let mut load = load(16);
        load.latency.as_mut().unwrap().mean = 220.0;
        assert_eq!(verdict(&scenario, &load, 0.99, 0.02).0, Verdict::Valid);
        scenario.generator = crate::scenario::GeneratorKind::Oha;
        assert_eq!(verdict(&scenario, &load, 0.99, 0.02).0, Verdict::ClientBound);
    }

    #[test]
    fn stolen_time_is_the_machines_fault() {
        let (scenario, load) = (plaintext(), load(50_000));
        let observed = Observed {
            scenario: &scenario,
            load: &load,
            server_share: 0.97,
            generator_share: 0.6,
            steal_share: 0.2,
        };
        let (verdict, reasons) = judge(observed);
        assert_eq!(
            (verdict, reasons[0].as_str()),
            (Verdict::EnvironmentFailed, "the hypervisor took 20 % of the time")
        );
    }

    fn observed<'a>(scenario: &'a Scenario, load: &'a Load, generator_share: f64) -> Observed<'a> {
        Observed {
            scenario,
            load,
            server_share: 0.9,
            generator_share,
            steal_share: 0.0,
        }
    }

    #[test]
    fn a_rate_is_sustained_if_all_of_it_is_answered_in_time() {
        let in_time = |answered| {
            let mut load = load(answered);
            load.latency.as_mut().unwrap().p99 = 9.9;
            load
        };
        assert!(sustained(&in_time(1000), 1000.0, 10.0));
        assert!(!sustained(&in_time(980), 1000.0, 10.0), "2 % are lost");
        let mut late = in_time(1000);
        late.latency.as_mut().unwrap().p99 = 10.1;
        assert!(!sustained(&late, 1000.0, 10.0));
        let mut wrong = in_time(1000);
        wrong.requests.insert("500".into(), 1);
        assert!(!sustained(&wrong, 1000.0, 10.0));
    }

    #[test]
    fn a_capacity_is_the_servers_only_if_the_generator_had_air() {
        let (scenario, load) = (plaintext(), load(1000));
        let at = |generator_share| Some(observed(&scenario, &load, generator_share));
        assert_eq!(judge_capacity(at(0.6), at(0.7), 10.0).0, Verdict::Valid);
        assert_eq!(judge_capacity(at(0.6), at(0.9), 10.0).0, Verdict::ClientBound);
        assert_eq!(judge_capacity(at(0.6), None, 10.0).0, Verdict::Unsaturated);
        let (verdict, reasons) = judge_capacity(None, at(0.7), 10.0);
        assert_eq!(verdict, Verdict::Unstable);
        assert_eq!(reasons, ["at no rate 99 % of the requests were answered within 10 ms"]);
    }

    #[test]
    fn an_open_loop_that_is_not_kept_says_nothing_of_latency() {
        let mut scenario = plaintext();
        scenario.load = LoadModel::Open { rate_rps: 1000.0 };
        assert_eq!(verdict(&scenario, &load(1_000), 0.2, 0.2).0, Verdict::Valid);
        assert_eq!(verdict(&scenario, &load(900), 0.2, 0.2).0, Verdict::Unstable);
    }
}
