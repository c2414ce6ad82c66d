//! Judges a trial: rules over figures.

use std::collections::BTreeMap;

use generator::{Load, RemoteStats};
use machine::load;
use machine::quota;
use model::scenario::{LoadModel, Scenario};
use model::{GENERATOR_BUSY, LINK_BUSY, SERVER_BUSY, Verdict, expected_answers, is_expected};

/// Share by which the bodies under load may on average be larger or smaller than the one that was proven. Times are written with as
/// many digits as they need; nothing else of an answer varies.
const BODY_SIZE: f64 = 0.10;
/// Share by which the requests in flight, from the generator's figures, may differ from the connections.
const LITTLE: f64 = 0.05;
/// Achieved ÷ offered rate below which the rate of an open loop was not kept.
const OFFERED: f64 = 0.99;
/// Share of time that the hypervisor may give to others.
const STOLEN: f64 = 0.10;

/// How the time of the cpus was shared during a load, each as a share from 0 to 1.
#[derive(Debug, Clone, Copy, Default)]
pub struct Shares {
    /// Share of its cpus that the server used.
    pub server: f64,
    /// Share of its cpus that the generator used.
    pub generator: f64,
    /// Share of its cpus that the database used; `None` without one.
    pub database: Option<f64>,
    /// Share of time that the hypervisor gave to others.
    pub steal: f64,
    /// Share of the cpus' time that other programs of this machine took.
    pub others: f64,
    /// Whether the server had a [quota](machine::quota) of its cpus' time, if the scenario is one of those that take it.
    pub quota: bool,
    /// What is known of the other machines that made the load; `None` if this one did.
    pub remote: Option<RemoteStats>,
}

/// The verdict on a load, with its reasons; the server is alive and keeps the contract.
///
/// There is a reason for every broken rule; the verdict is the worst. Figures of this trial come last and in parentheses, so
/// that the same reasons of several trials and apps can be merged without them.
pub fn judge(scenario: &Scenario, load: &Load, shares: Shares) -> (Verdict, Vec<String>) {
    let mut broken = answers(load);
    if broken.is_empty() {
        broken.extend(machine(shares));
        broken.extend(limits(scenario, load, shares));
    }
    worst(broken)
}

/// Whether a rate was sustained: everything offered was answered, and 99 % of it in time.
pub fn sustained(load: &Load, rate_rps: f64, p99_ms: f64) -> bool {
    let achieved = expected_answers(&load.requests) as f64 / load.seconds / rate_rps;
    let in_time = load.latency.is_some_and(|latency| latency.p99 <= p99_ms);
    answers(load).is_empty() && achieved >= OFFERED && in_time
}

/// Why the bodies that the generator received are not those that were proven, which had `proven` bytes each; `None` if they may be, or
/// if the generator does not count bytes. Without this, an empty answer of status 200 would count like a right one.
pub fn reason_against_bodies(load: &Load, proven: f64) -> Option<String> {
    // Half an answer has half a body, and another status another one; they have verdicts of their own.
    if !answers(load).is_empty() {
        return None;
    }
    let mean = load.body_bytes? as f64 / load.own_answers() as f64;
    ((mean - proven).abs() > BODY_SIZE * proven)
        .then(|| format!("under load, answers had {mean:.0} bytes on average; the one that was proven had {proven:.0}"))
}

/// The verdict on a search for the highest rate, from all its answers by status, and from what was observed at the highest
/// sustained rate and at the lowest refused one.
///
/// A server under too high a rate may leave requests unanswered; then the rate was not sustained. A wrong answer breaks the
/// contract at any rate.
pub fn judge_capacity(
    answered: &BTreeMap<String, u64>,
    sustained: Option<Shares>,
    refused: Option<Shares>,
    p99_ms: f64,
) -> (Verdict, Vec<String>) {
    let wrong = wrong_answers(answered);
    if !wrong.is_empty() {
        return worst(wrong);
    }
    let ends = [sustained, refused].into_iter().flatten();
    let mut broken: Vec<Broken> = ends.filter_map(machine).take(1).collect();
    broken.extend(match refused {
        None => Some((
            Verdict::Unsaturated,
            "every rate up to the closed loop's was sustained: the highest was not reached".into(),
        )),
        Some(refused) => load_bound(refused, " at the rate that was not sustained").or_else(|| {
            let reason = format!("at no rate 99 % of the requests were answered within {p99_ms} ms");
            sustained.is_none().then_some((Verdict::Unstable, reason))
        }),
    });
    worst(broken)
}

/// The verdict on a search that cannot begin, because nothing was answered as expected in the warm-up; `None` if something was.
pub fn judge_unanswered(load: &Load) -> Option<(Verdict, Vec<String>)> {
    (expected_answers(&load.requests) == 0).then(|| worst(answers(load)))
}

/// The verdict on unexpected answers; `None` if there were none.
pub fn judge_answers(load: &Load) -> Option<(Verdict, Vec<String>)> {
    let wrong = answers(load);
    (!wrong.is_empty()).then(|| worst(wrong))
}

/// The verdict on a server that failed, `judged` before that by its answers: if they broke the contract, that is said first, for
/// the failure may be its consequence.
pub fn with_failure(judged: Option<(Verdict, Vec<String>)>, failure: (Verdict, String)) -> (Verdict, Vec<String>) {
    let wrong = judged.filter(|(verdict, _)| *verdict == Verdict::ContractFailed);
    let (before, mut reasons) = wrong.unwrap_or((Verdict::Valid, Vec::new()));
    let (verdict, reason) = failure;
    reasons.push(reason);
    (before.max(verdict), reasons)
}

/// The verdict and the reason of a broken rule.
type Broken = (Verdict, String);

/// The worst verdict, and every reason.
fn worst(broken: Vec<Broken>) -> (Verdict, Vec<String>) {
    let verdicts = broken.iter().map(|(verdict, _)| *verdict);
    let verdict = verdicts.max().unwrap_or(Verdict::Valid);
    (verdict, broken.into_iter().map(|(_, reason)| reason).collect())
}

/// Answers that were not expected, and requests without an answer.
fn answers(load: &Load) -> Vec<Broken> {
    let mut broken = wrong_answers(&load.requests);
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

/// Answers that came and were not expected.
fn wrong_answers(requests: &BTreeMap<String, u64>) -> Vec<Broken> {
    let wrong = requests
        .iter()
        .filter(|(status, count)| !is_expected(status) && **count > 0);
    wrong
        .map(|(status, count)| {
            let reason = format!("{count} answers with status {status} under load");
            (Verdict::ContractFailed, reason)
        })
        .collect()
}

fn machine(shares: Shares) -> Option<Broken> {
    let took = |who: &str, share: f64, too_much: bool| {
        let reason = format!("{who} took {:.0} % of the time", share * 100.0);
        too_much.then_some((Verdict::EnvironmentFailed, reason))
    };
    let Shares { steal, others, .. } = shares;
    let on_load_machines = || {
        let used = shares.remote?.used;
        let (steal, others) = (used.steal_share(), used.others_share());
        took("on a load machine, the hypervisor", steal, steal > STOLEN)
            .or_else(|| took("other programs of a load machine", others, load::spoils_round(others)))
    };
    took("the hypervisor", steal, steal > STOLEN)
        .or_else(|| took("other programs of this machine", others, load::spoils_round(others)))
        .or_else(on_load_machines)
}

fn limits(scenario: &Scenario, load: &Load, shares: Shares) -> Vec<Broken> {
    let answered = expected_answers(&load.requests) as f64;
    let mut broken = Vec::new();
    match scenario.load {
        LoadModel::Closed => broken.extend(fewer_streams(scenario, load).or_else(|| in_flight(scenario, load))),
        // Searches are judged by `judge_capacity`.
        LoadModel::Capacity { .. } => {}
        LoadModel::Open { rate_rps } => {
            let seconds = if scenario.is_clocked() {
                scenario.seconds
            } else {
                load.seconds
            };
            let achieved = answered / seconds / rate_rps;
            if achieved < OFFERED {
                let reason = format!(
                    "{:.1} % of the offered {rate_rps} requests per second were answered",
                    achieved * 100.0
                );
                broken.push((Verdict::Unstable, reason));
            }
        }
    }
    if let Some(bound) = load_bound(shares, "") {
        broken.push(bound);
    } else if matches!(scenario.load, LoadModel::Closed) && shares.server < SERVER_BUSY && broken.is_empty() {
        broken.push(unsaturated(scenario, shares));
    }
    broken
}

/// The generator or the network as the limit.
fn load_bound(shares: Shares, when: &str) -> Option<Broken> {
    if shares.generator > GENERATOR_BUSY {
        let reason = format!(
            "the load generator used more than {:.0} % of its cpus{when} ({:.0} %)",
            GENERATOR_BUSY * 100.0,
            shares.generator * 100.0
        );
        return Some((Verdict::ClientBound, reason));
    }
    let share = shares.remote?.link_share;
    let reason = format!(
        "the load took more than {:.0} % of what the network to a load machine was measured to carry ({:.0} %)",
        LINK_BUSY * 100.0,
        share * 100.0
    );
    (share > LINK_BUSY).then_some((Verdict::NetworkBound, reason))
}

/// A server whose connections are all in use, and which neither works nor leaves its client waiting, waits for its database if it has one.
fn unsaturated(scenario: &Scenario, shares: Shares) -> Broken {
    let (busy, server) = (SERVER_BUSY * 100.0, shares.server * 100.0);
    if shares.quota && scenario.takes_quota() {
        let share = quota::SHARE * 100.0;
        let reason =
            format!("the server had {share:.0} % of its cpus' time, so that the load generator was not the limit");
        return (Verdict::Unsaturated, reason);
    }
    if scenario.database.is_some() {
        let used = shares
            .database
            .map_or(String::new(), |share| format!(", the database {:.0} %", share * 100.0));
        let reason = format!(
            "the server used less than {busy:.0} % of its cpus and waited for its database ({server:.0} %{used})"
        );
        return (Verdict::DatabaseBound, reason);
    }
    let reason = format!(
        "the server used less than {busy:.0} % of its cpus and nothing else was the limit: {} connections request no more ({server:.0} %)",
        scenario.in_flight()
    );
    (Verdict::Unsaturated, reason)
}

/// Streams that the server does not allow wait in the generator, and count as in flight by its latencies or not, as it likes.
fn fewer_streams(scenario: &Scenario, load: &Load) -> Option<Broken> {
    let allowed = load.streams_allowed.filter(|allowed| *allowed < scenario.streams)?;
    let wanted = scenario.streams;
    let reason = format!("the server allows {allowed} streams at once on a connection, and the scenario has {wanted}");
    Some((Verdict::ClientBound, reason))
}

/// Little's law: requests in flight = rate × mean latency, and in a closed loop that is the number of connections.
///
/// In a closed loop it holds nearly by construction: a connection always waits for one answer, so its latencies add up to the
/// length of the load, however slow server or generator are. It is broken by answers that the generator left out of its figures
/// (wrk drops those that are slower than its timeout), by connections that it lost and did not open again, by time between an
/// answer and the next request, and by a wrong clock. It does not show who was the limit.
///
/// After the deadline the connections end one by one. So the sum of all latencies must fill every connection at least up to the
/// deadline, and cannot fill it beyond the end. A load that counts its requests has no deadline: its connections end after its
/// last request, which is answered within the longest latency. The prover's requests go over a connection of its own.
fn in_flight(scenario: &Scenario, load: &Load) -> Option<Broken> {
    let Some(latency) = load.latency else {
        return Some((
            Verdict::ClientBound,
            format!(
                "{} reported no latencies, so it is not known whether its connections were in use",
                scenario.generator.program()
            ),
        ));
    };
    let mean = latency.mean / 1e3;
    let filled = load.own_answers() as f64 * mean / f64::from(scenario.in_flight());
    let connections = scenario.in_flight();
    let what = if scenario.streams > 1 { "streams" } else { "connections" };
    let counted = scenario.requests.is_some();
    let full = if counted {
        load.seconds - latency.max / 1e3
    } else {
        scenario.seconds.min(load.seconds)
    };
    // Requests that such a generator drops at its deadline were in flight for at most a latency.
    let drops = scenario.generator.drops_the_last() && !counted;
    let dropped = if drops { mean } else { 0.0 };
    if filled + dropped < full * (1.0 - LITTLE) {
        let used = f64::from(connections) * filled / full;
        return Some((
            Verdict::ClientBound,
            format!(
                "only {used:.1} of {connections} {what} were in use, by Little's law: the load was not what it says"
            ),
        ));
    }
    if filled > load.seconds * (1.0 + LITTLE) {
        let used = f64::from(connections) * filled / load.seconds;
        return Some((
            Verdict::EnvironmentFailed,
            format!("{used:.1} requests in flight on {connections} {what}, by Little's law: the clock is wrong"),
        ));
    }
    None
}

#[cfg(test)]
mod tests;
