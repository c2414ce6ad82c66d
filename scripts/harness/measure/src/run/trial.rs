//! One trial: a fresh server, the contract, a warm-up, the load, the contract again, a verdict.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::behind::Behind;
use super::capacity;
use super::driver::{Driver, Running};
use super::memory;
use crate::asked::Asked;
use crate::database::Connections;
use crate::failure::Failure;
use crate::generator::{GeneratorError, Load};
use crate::interrupt::Interrupted;
use crate::machine::cpus::Split;
use crate::machine::kernel;
use crate::machine::load::Watch;
use crate::run::verdict;
use crate::run::verdict::{Shares, judge};
use crate::run::witness;
use crate::server::Launch;
use record::scenario::{LoadModel, Scenario};
use record::{Rss, Trial, Verdict, expected_answers};

/// The settings of a trial.
#[derive(Debug, Clone, Copy)]
pub struct Setup<'a> {
    /// The server: a program, or a container around it.
    pub launch: Launch<'a>,
    /// The scenario.
    pub scenario: &'a Scenario,
    /// What starts and drives it.
    pub driver: &'a dyn Driver,
    /// Cpus of both.
    pub split: &'a Split,
    /// Seed of the contract's random input.
    pub seed: u64,
    /// Whether the whole contract is proven, or only this scenario's request.
    pub prove_all: bool,
}

/// The place of a trial in its run.
#[derive(Debug, Clone, Copy)]
pub struct TrialPlace<'a> {
    /// Name of the app.
    pub app: &'a str,
    /// Name of the variant.
    pub variant: &'a str,
    /// Round, from 1.
    pub round: u32,
    /// Place within the run, from 1.
    pub order: u32,
    /// 1, or 2 for a repetition.
    pub attempt: u32,
}

#[cfg(test)]
impl TrialPlace<'_> {
    /// The first of all.
    pub const FIRST: TrialPlace<'static> = TrialPlace {
        app: "a",
        variant: "default",
        round: 1,
        order: 1,
        attempt: 1,
    };
}

/// The outcome of a trial.
#[derive(Debug)]
pub struct TrialOutcome {
    /// What goes into the record.
    pub trial: Trial,
    /// Whether the server was driven at all: a server that fails before a load would fail before any load.
    pub loaded: bool,
}

/// Makes one trial. Every failure becomes its verdict; only an interrupt ends it without one.
pub fn run(setup: Setup<'_>, place: TrialPlace<'_>) -> Result<TrialOutcome, Interrupted> {
    let mut trial = empty(place, setup.scenario);
    let ready = prepare(setup, &mut trial);
    let loaded = ready.is_ok();
    (trial.verdict, trial.reasons) = match ready.and_then(|server| measure(setup, &mut trial, server)) {
        Ok(judged) => judged,
        Err(trouble) => {
            let (verdict, reason) = trouble.into_verdict()?;
            (verdict, vec![reason])
        }
    };
    Ok(TrialOutcome { trial, loaded })
}

/// A trial that was skipped, because its verdict is already known.
pub fn skipped(place: TrialPlace<'_>, scenario: &Scenario, verdict: Verdict, reason: String) -> Trial {
    Trial {
        verdict,
        reasons: vec![reason],
        ..empty(place, scenario)
    }
}

/// A trial without any figures yet.
pub fn empty(place: TrialPlace<'_>, scenario: &Scenario) -> Trial {
    Trial {
        app: place.app.to_owned(),
        variant: place.variant.to_owned(),
        scenario: scenario.id.clone(),
        round: place.round,
        order: place.order,
        attempt: place.attempt,
        started_at: Timestamp::now(),
        verdict: Verdict::Valid,
        reasons: Vec::new(),
        requests: BTreeMap::new(),
        errors: BTreeMap::new(),
        seconds: None,
        goodput_rps: None,
        capacity_rps: None,
        latency_ms: None,
        server_cpu_us_per_request: None,
        instructions_per_request: None,
        other_cpu_share: None,
        idle_cpu_share: None,
        apart: false,
        database_cpu_us_per_request: None,
        database_cpu_share: None,
        database_connections_open: None,
        database_connections_active: None,
        answer_bytes: None,
        first_byte_ms: None,
        slices: None,
        server_cpu_share: None,
        generator_cpu_share: None,
        link_share: None,
        steal_share: None,
        rss_bytes: None,
        startup_ms: None,
    }
}

/// Starts a server and proves the contract.
fn prepare<'a>(setup: Setup<'a>, trial: &mut Trial) -> Result<Box<dyn Running + 'a>, Failure> {
    if setup.prove_all {
        prove_all(
            setup.driver,
            setup.launch,
            setup.scenario,
            &setup.split.server,
            setup.seed,
        )?;
    }
    let mut server = setup.driver.start(setup.launch, setup.scenario, &setup.split.server)?;
    trial.startup_ms = Some(server.startup().as_secs_f64() * 1e3);
    prove_before(&mut *server, setup.scenario, setup.seed)?;
    Ok(server)
}

fn measure(
    setup: Setup<'_>,
    trial: &mut Trial,
    mut server: Box<dyn Running + '_>,
) -> Result<(Verdict, Vec<String>), Failure> {
    let server = &mut *server;
    let idle = memory::resident(&server.pids());
    let judged = match setup.scenario.load {
        LoadModel::Closed | LoadModel::Open { .. } => one_load(setup, trial, server, idle)?,
        LoadModel::Capacity { p99_ms } => highest_rate(setup, trial, server, idle, p99_ms)?,
    };
    match prove_after(server, setup.scenario, setup.seed, setup.prove_all) {
        Ok(()) => Ok(judged),
        Err(failure) => Ok(verdict::with_failure(Some(judged), failure.into_verdict()?)),
    }
}

/// Warms up and drives the scenario.
fn one_load(
    setup: Setup<'_>,
    trial: &mut Trial,
    server: &mut dyn Running,
    idle: Option<u64>,
) -> Result<(Verdict, Vec<String>), Failure> {
    let scenario = setup.scenario;
    if scenario.warmup_seconds > 0.0 {
        // A warm-up has a length in time, even before a load that counts its requests.
        let warmup = Scenario {
            requests: None,
            ..scenario.clone()
        };
        drive(&Asked::of(&warmup), scenario.warmup_seconds, server)?;
    }
    let observation = observe(setup, scenario, server, idle)?;
    keep(trial, scenario, &observation);
    Ok(judge(scenario, &observation.load, observation.shares))
}

/// Warms up in a closed loop, whose rate is where the search begins, and searches.
fn highest_rate(
    setup: Setup<'_>,
    trial: &mut Trial,
    server: &mut dyn Running,
    idle: Option<u64>,
    p99_ms: f64,
) -> Result<(Verdict, Vec<String>), Failure> {
    let closed = Scenario {
        load: LoadModel::Closed,
        ..setup.scenario.clone()
    };
    let warmup = drive(&Asked::of(&closed), closed.warmup_seconds.max(closed.seconds), server)?;
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
        let observation = observe(setup, &open, server, idle)?;
        for (status, count) in &observation.load.requests {
            *answered.entry(status.clone()).or_default() += count;
        }
        let kept = verdict::sustained(&observation.load, rate_rps, p99_ms);
        Ok::<_, Failure>((kept, observation))
    })?;
    if let Some((rate_rps, observation)) = &search.sustained {
        trial.capacity_rps = Some(*rate_rps);
        keep(trial, setup.scenario, observation);
    }
    let shares = |(_, observation): &(f64, Observation)| observation.shares;
    Ok(verdict::judge_capacity(
        &answered,
        search.sustained.as_ref().map(shares),
        search.refused.as_ref().map(shares),
        p99_ms,
    ))
}

/// What was observed during one load.
struct Observation {
    load: Load,
    /// CPU seconds.
    server_cpu: f64,
    /// CPU seconds of the database.
    database_cpu: Option<f64>,
    shares: Shares,
    connections: Option<Connections>,
    rss: Option<Rss>,
}

fn observe(
    setup: Setup<'_>,
    scenario: &Scenario,
    server: &mut dyn Running,
    idle: Option<u64>,
) -> Result<Observation, Failure> {
    let split = setup.split;
    memory::forget_peak(&server.pids())?;
    let cpus = split.cpus();
    let behind = Behind::begin(scenario, server)?;
    let watch = Watch::begin(&cpus, kernel::irq_time_apart());
    let cpu = server.cpu_time()?;
    let asked = Asked::of(scenario);
    let (driven, connections) = behind.watch(scenario.seconds, || {
        if matches!(scenario.load, LoadModel::Closed) {
            witness::drive(&asked, scenario.seconds, server)
        } else {
            // Above the rate that a server can bear, a late answer is no fault.
            drive(&asked, scenario.seconds, server)
        }
    });
    let load = driven.map_err(|failure| Behind::blame(failure, server))?;
    let spent = server.cpu_time()?.saturating_sub(cpu);
    let server_cpu = spent.as_secs_f64();
    let database_cpu = behind.cpu_time();
    let used = watch.end(spent + load.cpu_here() + database_cpu.unwrap_or_default());
    behind.check(&load, server)?;
    let database_cpu = database_cpu.map(|cpu| cpu.as_secs_f64());
    Ok(Observation {
        server_cpu,
        database_cpu,
        shares: Shares {
            database: setup.split.share_of_database(database_cpu, load.seconds),
            server: server_cpu / load.seconds / split.server.len() as f64,
            generator: load.generator_share(split.generator.len()),
            steal: used.steal_share(),
            others: used.others_share(),
            remote: load.remote,
        },
        connections,
        rss: memory::rss(&server.pids(), idle),
        load,
    })
}

/// Copies what the generator saw of a load into the trial.
pub fn keep_answers(trial: &mut Trial, scenario: &Scenario, load: &Load) {
    trial.requests.clone_from(&load.requests);
    trial.errors.clone_from(&load.errors);
    trial.seconds = Some(load.seconds);
    trial.latency_ms = load.latency;
    let answered = load.own_answers();
    let mean = load.body_bytes.map(|bytes| bytes as f64 / answered as f64);
    trial.answer_bytes = mean.filter(|_| scenario.is_compressed() && answered > 0);
    trial.first_byte_ms = load.first_byte.filter(|_| scenario.is_streamed());
}

/// Copies the figures of a load into the trial.
fn keep(trial: &mut Trial, scenario: &Scenario, observation: &Observation) {
    let load = &observation.load;
    let answered = expected_answers(&load.requests);
    keep_answers(trial, scenario, load);
    trial.goodput_rps = Some(answered as f64 / load.seconds);
    let per_answer = |seconds: Option<f64>| Some(seconds? * 1e6 / answered as f64).filter(|_| answered > 0);
    trial.server_cpu_us_per_request = per_answer(Some(observation.server_cpu));
    trial.database_cpu_us_per_request = per_answer(observation.database_cpu);
    trial.database_cpu_share = observation.shares.database;
    trial.database_connections_open = observation.connections.map(|seen| seen.open);
    trial.database_connections_active = observation.connections.map(|seen| f64::from(seen.active));
    trial.server_cpu_share = Some(observation.shares.server);
    trial.generator_cpu_share = Some(observation.shares.generator);
    trial.link_share = load.remote.map(|remote| remote.link_share);
    trial.steal_share = Some(observation.shares.steal);
    trial.other_cpu_share = Some(observation.shares.others);
    trial.rss_bytes = observation.rss;
}

/// Proves the whole contract by a server of its own: one that has answered all of it has another memory than one under load.
pub fn prove_all(
    driver: &dyn Driver,
    launch: Launch<'_>,
    scenario: &Scenario,
    cpus: &[u32],
    seed: u64,
) -> Result<(), Failure> {
    let proven = driver.start(launch, scenario, cpus)?.prove(scenario, seed, true);
    proven.map_err(|failure| failure.prefixed("before the load, "))
}

/// Proves the request of `scenario`, and weighs an answer.
pub fn prove_before(server: &mut dyn Running, scenario: &Scenario, seed: u64) -> Result<(), Failure> {
    server
        .prove(scenario, seed, false)
        .and_then(|()| server.weigh(&Asked::of(scenario)))
        .map_err(|failure| failure.prefixed("before the load, "))
}

/// Proves the same again after a load, and that the server still runs.
pub fn prove_after(server: &mut dyn Running, scenario: &Scenario, seed: u64, all: bool) -> Result<(), Failure> {
    let proven = server.prove(scenario, seed, all);
    proven.map_err(|failure| failure.prefixed("after the load, "))?;
    match server.exit_reason() {
        None => Ok(()),
        Some(end) => Err(Failure::Verdict(Verdict::Crashed, format!("the server died: {end}"))),
    }
}

/// Drives one load, and turns errors into failures.
pub fn drive(asked: &Asked<'_>, seconds: f64, server: &mut dyn Running) -> Result<Load, Failure> {
    let error = match server.load(asked, seconds) {
        Ok(load) if load.errors.values().all(|count| *count == 0) => {
            let proven = server.answer_bytes();
            let reason = proven.and_then(|proven| verdict::reason_against_bodies(&load, proven));
            return reason.map_or(Ok(load), |reason| {
                Err(Failure::Verdict(Verdict::ContractFailed, reason))
            });
        }
        // Requests failed: because the server died?
        Ok(load) => match server.await_exit_reason() {
            None => return Ok(load),
            Some(end) => {
                return Err(Failure::Verdict(
                    Verdict::Crashed,
                    format!("the server died under load: {end}"),
                ));
            }
        },
        Err(error) => error,
    };
    Err(match error {
        GeneratorError::Interrupted(interrupted) => Failure::Interrupted(interrupted),
        GeneratorError::ServerDied => {
            let end = server.exit_reason().unwrap_or_default();
            Failure::Verdict(Verdict::Crashed, format!("the server died under load: {end}"))
        }
        GeneratorError::Lost(reason) => Failure::Lost(reason),
        GeneratorError::Hung | GeneratorError::Unfinished { .. } => {
            Failure::Verdict(Verdict::ContractFailed, error.to_string())
        }
        // Some generators fail if the server no longer listens.
        other => match server.await_exit_reason() {
            Some(end) => Failure::Verdict(Verdict::Crashed, format!("the server died under load: {end}")),
            None => Failure::Verdict(Verdict::EnvironmentFailed, other.to_string()),
        },
    })
}

#[cfg(test)]
mod tests;
