//! One trial: a fresh server, the contract, a warm-up, the load, the contract again, a verdict.

use super::capacity;
use super::driver::{Running, drive, prove_after};
use super::memory;
use super::observation::Observation;
use super::round::{Entry, Round, Spent};
use crate::run::verdict;
use crate::run::verdict::judge;
use machine::interrupt::Interrupted;
use model::scenario::{LoadModel, Scenario};
use model::{Rss, Trial, Verdict, expected_answers};
use servers::failure::Failure;
use servers::workload::Workload;

/// Makes one trial with a whole load. Every failure becomes its verdict; only an interrupt ends it without one.
pub fn run(round: &Round<'_>, entry: &Entry<'_>, mut trial: Trial) -> Result<Trial, Interrupted> {
    let mut startup = None;
    let ready = round.start(entry, &mut startup);
    trial.startup_ms = startup.map(|startup| startup.as_secs_f64() * 1e3);
    (trial.verdict, trial.reasons) = match ready.and_then(|server| measure(round, entry, &mut trial, server)) {
        Ok(judged) => judged,
        Err(trouble) => {
            let (verdict, reason) = trouble.into_verdict()?;
            (verdict, vec![reason])
        }
    };
    Ok(trial)
}

fn measure(
    round: &Round<'_>,
    entry: &Entry<'_>,
    trial: &mut Trial,
    mut server: Box<dyn Running + '_>,
) -> Result<(Verdict, Vec<String>), Failure> {
    let server = &mut *server;
    let idle = memory::resident(&server.pids());
    let judged = match round.scenario.load {
        LoadModel::Closed | LoadModel::Open { .. } => one_load(round, trial, server, idle)?,
        LoadModel::Capacity { p99_ms } => highest_rate(round, trial, server, idle, p99_ms)?,
    };
    match prove_after(server, round.scenario, entry.seed) {
        Ok(()) => Ok(judged),
        Err(failure) => Ok(verdict::with_failure(Some(judged), failure.into_verdict()?)),
    }
}

/// Warms up and drives the scenario.
fn one_load(
    round: &Round<'_>,
    trial: &mut Trial,
    server: &mut dyn Running,
    idle: Option<u64>,
) -> Result<(Verdict, Vec<String>), Failure> {
    let scenario = round.scenario;
    if scenario.warmup_seconds > 0.0 {
        // A warm-up has a length in time, even before a load that counts its requests.
        let warmup = Scenario {
            requests: None,
            ..scenario.clone()
        };
        drive(&Workload::of(&warmup), scenario.warmup_seconds, server)?;
    }
    let (seen, rss) = observe(round, scenario, server, idle)?;
    seen.fill(trial, scenario, round.split);
    trial.rss_bytes = rss;
    Ok(judge(scenario, &seen.load, seen.shares(round.split)))
}

/// Warms up in a closed loop, whose rate is where the search begins, and searches.
fn highest_rate(
    round: &Round<'_>,
    trial: &mut Trial,
    server: &mut dyn Running,
    idle: Option<u64>,
    p99_ms: f64,
) -> Result<(Verdict, Vec<String>), Failure> {
    let closed = Scenario {
        load: LoadModel::Closed,
        ..round.scenario.clone()
    };
    let warmup = drive(
        &Workload::of(&closed),
        closed.warmup_seconds.max(closed.seconds),
        server,
    )?;
    if let Some(judged) = verdict::judge_unanswered(&warmup) {
        return Ok(judged);
    }
    let reached = expected_answers(&warmup.requests) as f64 / warmup.seconds;
    let mut answered = warmup.requests;
    let search = capacity::search(reached, |rate_rps| {
        let open = Scenario {
            load: LoadModel::Open { rate_rps },
            ..closed.clone()
        };
        let (seen, rss) = observe(round, &open, server, idle)?;
        for (status, count) in &seen.load.requests {
            *answered.entry(status.clone()).or_default() += count;
        }
        Ok::<_, Failure>((verdict::sustained(&seen.load, rate_rps, p99_ms), (seen, rss)))
    })?;
    if let Some((rate_rps, (seen, rss))) = &search.sustained {
        trial.capacity_rps = Some(*rate_rps);
        seen.fill(trial, round.scenario, round.split);
        trial.rss_bytes = *rss;
    }
    let [sustained, refused] =
        [&search.sustained, &search.refused].map(|end| end.as_ref().map(|(_, (seen, _))| seen.shares(round.split)));
    Ok(verdict::judge_capacity(&answered, sustained, refused, p99_ms))
}

/// Drives one whole load. Above the rate that a server can bear, a late answer is no fault, so answers of open loops are not verified.
fn observe(
    round: &Round<'_>,
    scenario: &Scenario,
    server: &mut dyn Running,
    idle: Option<u64>,
) -> Result<(Observation, Option<Rss>), Failure> {
    memory::forget_peak(&server.pids())?;
    let is_checked = matches!(scenario.load, LoadModel::Closed);
    let nobody = || std::time::Duration::ZERO;
    let seen = round.observe(
        scenario,
        scenario.seconds,
        server,
        is_checked,
        nobody,
        &mut Spent::default(),
    )?;
    Ok((seen, memory::rss(&server.pids(), idle)))
}

#[cfg(test)]
mod tests;
