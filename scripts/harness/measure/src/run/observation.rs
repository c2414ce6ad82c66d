//! What was seen of a server, its database and the machine while the server was driven.

use std::time::Duration;

use crate::run::verdict::Shares;
use generator::{Load, RemoteStats};
use machine::cpus::Split;
use machine::load::Used;
use machine::process_ticks::ProcessTicks;
use model::scenario::Scenario;
use model::{Latency, LatencyFigures, Trial, expected_answers};
use stats::median;

/// One load, or the sum of several.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    /// The load.
    pub load: Load,
    /// CPU time of the server.
    pub server_cpu: Duration,
    /// User and system time of the server.
    pub server_ticks: ProcessTicks,
    /// CPU time of the database; `None` without one.
    pub database_cpu: Option<Duration>,
    /// Connections to the database: the most that were open, and how many were active on average; `None` without one.
    pub connections: Option<(u32, f64)>,
    /// What the cpus did meanwhile.
    pub used: Used,
}

impl Observation {
    /// CPU time of the server for one expected answer, in µs.
    pub fn server_cpu_us_per_request(&self) -> f64 {
        self.per_answer(self.server_cpu)
    }

    /// CPU time of the database for one expected answer, in µs.
    pub fn database_cpu_us_per_request(&self) -> f64 {
        self.per_answer(self.database_cpu.unwrap_or_default())
    }

    fn per_answer(&self, cpu: Duration) -> f64 {
        cpu.as_secs_f64() * 1e6 / expected_answers(&self.load.requests) as f64
    }

    /// Expected answers per second.
    pub fn goodput_rps(&self) -> f64 {
        expected_answers(&self.load.requests) as f64 / self.load.seconds
    }

    /// How the time of the cpus was shared.
    pub fn shares(&self, split: &Split) -> Shares {
        let (load, seconds) = (&self.load, self.load.seconds);
        Shares {
            server: self.server_cpu.as_secs_f64() / seconds / split.server.len() as f64,
            generator: load.generator_share(split.generator.len()),
            database: split.share_of_database(self.database_cpu.map(|cpu| cpu.as_secs_f64()), seconds),
            steal: self.used.steal_share(),
            others: self.used.others_share(),
            quota: split.quota,
            remote: load.remote,
        }
    }

    /// The figures of `trial`.
    pub fn fill(&self, trial: &mut Trial, scenario: &Scenario, split: &Split) {
        let (load, shares) = (&self.load, self.shares(split));
        trial.requests.clone_from(&load.requests);
        trial.errors.clone_from(&load.errors);
        trial.seconds = Some(load.seconds);
        trial.latency_ms = load.latency;
        let answers = load.own_answers();
        let mean = load.body_bytes.map(|bytes| bytes as f64 / answers as f64);
        trial.answer_bytes = mean.filter(|_| scenario.is_compressed() && answers > 0);
        trial.first_byte_ms = load.first_byte.filter(|_| scenario.is_streamed());
        let answered = expected_answers(&load.requests) > 0;
        trial.goodput_rps = Some(self.goodput_rps());
        trial.server_cpu_us_per_request = answered.then(|| self.server_cpu_us_per_request());
        trial.database_cpu_us_per_request =
            (answered && self.database_cpu.is_some()).then(|| self.database_cpu_us_per_request());
        trial.database_cpu_share = shares.database;
        (trial.database_connections_open, trial.database_connections_active) = self.connections.unzip();
        trial.server_cpu_share = Some(shares.server);
        trial.system_cpu_share = self.server_ticks.system_share();
        trial.generator_cpu_share = Some(shares.generator);
        trial.link_share = load.remote.map(|elsewhere| elsewhere.link_share);
        trial.steal_share = Some(shares.steal);
        trial.other_cpu_share = Some(shares.others);
    }

    /// The sum; `None` of none.
    pub fn sum<'a>(all: impl Iterator<Item = &'a Self> + Clone) -> Option<Self> {
        all.clone().next()?;
        let loads = all.clone().map(|one| &one.load);
        let (mut counted, mut used) = (Load::default(), Used::default());
        all.clone().for_each(|one| {
            counted.add_counts(&one.load);
            used += one.used;
        });
        let connections: Vec<(u32, f64)> = all.clone().filter_map(|one| one.connections).collect();
        let active: f64 = connections.iter().map(|(_, active)| active).sum();
        let open = connections.iter().map(|(open, _)| *open).max();
        let first_byte: Option<Vec<f64>> = loads.clone().map(|load| load.first_byte).collect();
        Some(Self {
            load: Load {
                seconds: loads.clone().map(|load| load.seconds).sum(),
                latency: latency(loads.clone()),
                cpu: loads.clone().map(|load| load.cpu).sum(),
                body_bytes: loads.clone().map(|load| load.body_bytes).sum(),
                remote: RemoteStats::add_up(loads.filter_map(|load| Some((load.seconds, load.remote?)))),
                first_byte: first_byte.and_then(|each| median(&each)),
                streams_allowed: all.clone().filter_map(|one| one.load.streams_allowed).min(),
                ..counted
            },
            server_cpu: all.clone().map(|one| one.server_cpu).sum(),
            server_ticks: all.clone().map(|one| one.server_ticks).sum(),
            database_cpu: all.map(|one| one.database_cpu).sum(),
            connections: open.map(|open| (open, active / connections.len() as f64)),
            used,
        })
    }
}

/// Percentiles cannot be added up, so each figure is the median over the loads; the mean covers all answers, for Little's law.
fn latency<'a>(loads: impl Iterator<Item = &'a Load> + Clone) -> Option<Latency> {
    let each: Vec<LatencyFigures> = loads
        .clone()
        .map(|load| load.latency.map(LatencyFigures::from))
        .collect::<Option<_>>()?;
    let mut figures: LatencyFigures = [0.0; 8];
    for (place, figure) in figures.iter_mut().enumerate() {
        *figure = median(&each.iter().map(|figures| figures[place]).collect::<Vec<_>>())?;
    }
    let answers = |load: &Load| (load.requests.values().sum::<u64>() - load.verifier_requests) as f64;
    let all: f64 = loads.clone().map(answers).sum();
    let sum: f64 = loads
        .zip(&each)
        .map(|(load, figures)| answers(load) * Latency::from(*figures).mean)
        .sum();
    Some(Latency {
        mean: sum / all,
        ..figures.into()
    })
}
