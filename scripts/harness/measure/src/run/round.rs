//! One round of slices: every server is started and proven, then all of them are driven in turns, a few hundredths of a second
//! each.
//!
//! A machine's speed changes by a fifth within seconds. All servers of a round run at the same time, on the same cpus, so
//! changes slower than a sub-round (one slice of each) affect all of them alike, and [`stats::polish`] removes them. The
//! order is shuffled for every other sub-round; the one after it reverses the order, so that a drift within the two cancels as
//! well. Servers are started for each round, because two starts of one program differ too (memory layout, threads on cpus), and
//! that must be part of the spread. After A. Bulej et al., "Duet benchmarking", ICPE 2020, generalised to any number of
//! servers.
//!
//! `bench run` measures scenarios this way, and `bench compare` with two servers.

use std::time::Duration;

use jiff::Timestamp;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::database_observer::DatabaseObserver;
use super::driver::{self, Clock, Driver, Running};
use super::inload_check;
use super::memory;
use super::observation::Observation;
use machine::clock;
use machine::cpus::Split;
use machine::interrupt;
use machine::interrupt::Interrupted;
use machine::kernel;
use machine::load::Watch;
use model::scenario::{LoadModel, Scenario};
use model::{Rss, Verdict, expected_answers};
use servers::failure::Failure;
use servers::server::Launch;
use servers::workload::{Workload, unforeseen};

/// An idle server that uses more than this share of one cpu disturbs the others.
pub const RESTLESS: f64 = 0.01;
/// Pause after the warm-up, in which a server closes connections and frees memory, which is not idle use.
const SETTLE: Duration = Duration::from_millis(50);
/// How long idle servers are watched before they are driven: 1 % of a cpu shows as 2.5 ms.
const WATCH: Duration = Duration::from_millis(250);
/// Answers on each connection that a slice needs if the server waits more than it works: with fewer, the opening of connections
/// would be measured.
const ANSWERS: f64 = 10.0;
/// Use of its cpus below which a server waits more than it works.
const WAITS: f64 = 0.5;
/// Longest slice that results from that, in seconds.
const LONGEST: f64 = 1.0;
/// Loads of a single request, which show the CPU time of the generator besides its load.
const EMPTY_LOADS: usize = 3;

/// Everything needed to drive servers.
#[derive(Debug, Clone, Copy)]
pub struct Round<'a> {
    /// The scenario.
    pub scenario: &'a Scenario,
    /// Slices of each server.
    pub slices: u32,
    /// What starts and drives them.
    pub driver: &'a dyn Driver,
    /// What tells the time.
    pub clock: &'a dyn Clock,
    /// Cpus of both.
    pub split: &'a Split,
    /// Whether servers that use the cpu while idle are detected and not driven with the others.
    pub seek_restless: bool,
}

/// A server that takes part in a round.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'a> {
    /// Its program, or a container around it.
    pub launch: Launch<'a>,
    /// Seed of the contract's random input.
    pub seed: u64,
}

/// One slice of one server.
#[derive(Debug, Clone, PartialEq)]
pub struct Slice {
    /// Sub-round, from 1.
    pub sub_round: u32,
    /// Place among the servers of the sub-round, from 1.
    pub place: u32,
    /// Its intended length, in seconds.
    pub meant_seconds: f64,
    /// What was seen. The CPU time of the load is without start and report of the generator.
    pub seen: Observation,
}

impl Slice {
    /// Whether it counts: other programs and the hypervisor did not take too much of it.
    pub fn counts(&self) -> bool {
        let elsewhere = self.seen.load.remote;
        !self.seen.used.spoils_slice() && elsewhere.is_none_or(|elsewhere| !elsewhere.used.spoils_slice())
    }
}

/// The result of a round for one server.
#[derive(Debug, Default)]
pub struct Driven {
    /// When it was started, UTC.
    pub started_at: Timestamp,
    /// From start to first answer; `None` if there was none.
    pub startup: Option<Duration>,
    /// Its slices, in the order in which they were made.
    pub slices: Vec<Slice>,
    /// Why it has no figures, if something failed.
    pub failed: Option<(Verdict, String)>,
    /// CPU time that it used while others were driven, as a share of one cpu; `None` if there were no others.
    pub idle_cpu_share: Option<f64>,
    /// Whether it was not driven, because it uses the cpu while idle.
    pub restless: bool,
    /// Its memory.
    pub rss: Option<Rss>,
}

/// A server while it takes part in a round.
#[derive(Default)]
struct Participant<'a> {
    server: Option<Box<dyn Running + 'a>>,
    driven: Driven,
    resident: Option<u64>,
    /// Sub-round in whose slice answers are verified under load. The server cannot foresee which one it is.
    checked: u64,
    /// Length of its slices, in seconds.
    slice_seconds: f64,
    /// CPU time at the beginning of the slices.
    cpu_before: Duration,
    own: Spent,
}

/// What a server's own slices took.
#[derive(Debug, Clone, Copy, Default)]
pub struct Spent {
    cpu: Duration,
    time: Duration,
}

impl<'a> Round<'a> {
    /// Drives all `entries`; the results are in their order. A failure of a server ends only its part; only the user ends the
    /// round. `report` gets the number of every sub-round, and how many there will be.
    pub fn drive(
        &self,
        entries: &[Entry<'_>],
        rng: &mut ChaCha8Rng,
        report: impl FnMut(u32, u32),
    ) -> Result<Vec<Driven>, Interrupted> {
        let mut order: Vec<usize> = (0..entries.len()).collect();
        order.shuffle(rng);
        self.drive_from(entries, order, rng, report)
    }

    /// The same where `order` says who is started when.
    pub fn drive_from(
        &self,
        entries: &[Entry<'_>],
        mut order: Vec<usize>,
        rng: &mut ChaCha8Rng,
        mut report: impl FnMut(u32, u32),
    ) -> Result<Vec<Driven>, Interrupted> {
        let draw = || 1 + unforeseen() % u64::from(self.slices.max(1));
        let mut participants: Vec<Participant<'a>> = entries.iter().map(|_| Participant::new(draw())).collect();
        for index in &order {
            let participant = &mut participants[*index];
            let started = self.start(&entries[*index], &mut participant.driven.startup);
            let started = started.map(|server| {
                participant.resident = memory::resident(&server.pids());
                participant.server = Some(server);
            });
            participant.keep(started)?;
        }
        for index in &order {
            let warm = self.warm_up(&mut participants[*index]);
            participants[*index].keep(warm)?;
        }
        let has_others = participants
            .iter()
            .filter(|participant| participant.server.is_some())
            .count()
            > 1;
        if has_others && self.seek_restless {
            self.set_restless_apart(&mut participants)?;
        }
        let overhead = self.overhead(&mut participants)?;
        let began = self.clock.now();
        for participant in &mut participants {
            let step = participant.begin();
            participant.keep(step)?;
        }
        let most = self.slices + self.slices / 2;
        let mut sub_round = 0;
        while sub_round < self.slices
            || participants
                .iter()
                .any(|participant| participant.lacks(self.slices, most - sub_round))
        {
            sub_round += 1;
            report(sub_round, self.slices.max(sub_round));
            if sub_round % 2 == 1 {
                order.shuffle(rng);
            } else {
                order.reverse();
            }
            let alive = order.iter().filter(|index| participants[**index].server.is_some());
            for (place, index) in (1..).zip(alive.copied().collect::<Vec<_>>()) {
                let slice = self.slice(&mut participants, index, (sub_round, place), overhead);
                participants[index].keep(slice)?;
            }
        }
        let elapsed = self.clock.now().saturating_duration_since(began);
        for (participant, entry) in participants.iter_mut().zip(entries) {
            let ended = participant
                .end(elapsed, has_others)
                .and_then(|()| match &mut participant.server {
                    None => Ok(()),
                    Some(server) => driver::prove_after(&mut **server, self.scenario, entry.seed),
                });
            participant.keep(ended)?;
        }
        Ok(participants.into_iter().map(|participant| participant.driven).collect())
    }

    /// Starts a server and proves the contract; `startup` becomes the time from its start to its first answer.
    pub fn start(&self, entry: &Entry<'_>, startup: &mut Option<Duration>) -> Result<Box<dyn Running + 'a>, Failure> {
        let mut server = self.driver.start(entry.launch, self.scenario, self.split)?;
        *startup = Some(server.startup());
        server
            .prove(self.scenario, entry.seed)
            .and_then(|()| server.weigh(&Workload::of(self.scenario)))
            .map_err(|failure| failure.prefixed("before the load, "))?;
        Ok(server)
    }

    fn warm_up(&self, participant: &mut Participant<'_>) -> Result<(), Failure> {
        let Some(server) = &mut participant.server else {
            return Ok(());
        };
        participant.slice_seconds = self.scenario.slice_seconds.unwrap_or(self.scenario.seconds);
        if self.scenario.warmup_seconds > 0.0 {
            let before = server.cpu_time()?;
            let workload = Workload::of(self.scenario);
            let load = driver::drive(&workload, self.scenario.warmup_seconds, &mut **server)?;
            let cpu = server.cpu_time()?.saturating_sub(before);
            let busy = cpu.as_secs_f64() / load.seconds / self.split.server.len() as f64;
            let rate = expected_answers(&load.requests) as f64 / load.seconds;
            participant.slice_seconds = slice_seconds(self.scenario, busy, rate);
        }
        Ok(())
    }

    /// CPU time of the generator for its start and its report. Slices are so short that this would be a quarter of what it
    /// seems to use.
    fn overhead(&self, participants: &mut [Participant<'_>]) -> Result<Duration, Interrupted> {
        let empty = Scenario {
            connections: 1,
            streams: 1,
            requests: Some(1),
            load: LoadModel::Closed,
            ..self.scenario.clone()
        };
        let Some(participant) = participants.iter_mut().find(|participant| participant.server.is_some()) else {
            return Ok(Duration::ZERO);
        };
        let mut costs = Vec::new();
        for _ in 0..EMPTY_LOADS {
            let Some(server) = &mut participant.server else { break };
            let workload = Workload::of(&empty);
            match driver::drive(&workload, self.scenario.seconds.max(1.0), &mut **server) {
                Ok(load) => costs.push(load.cpu),
                Err(Failure::Interrupted(interrupted)) => return Err(interrupted),
                // It will also fail in its own slices, and be reported there.
                Err(Failure::Verdict(..) | Failure::Lost(_)) => break,
            }
        }
        costs.sort_unstable();
        Ok(costs.get(costs.len() / 2).copied().unwrap_or_default())
    }

    fn slice(
        &self,
        participants: &mut [Participant<'a>],
        index: usize,
        (sub_round, place): (u32, u32),
        overhead: Duration,
    ) -> Result<(), Failure> {
        let Some(mut server) = participants[index].server.take() else {
            return Ok(());
        };
        let (length, mut own) = (participants[index].slice_seconds, participants[index].own);
        let is_checked = participants[index].checked == u64::from(sub_round);
        let idle = || cpu_of_all(participants);
        let seen = self.observe(self.scenario, length, &mut *server, is_checked, idle, &mut own);
        let participant = &mut participants[index];
        (participant.own, participant.server) = (own, Some(server));
        let mut seen = match seen {
            // It disturbs this slice, and no other; the next one tries to find the machine again.
            Err(Failure::Lost(_)) => return Ok(()),
            seen => seen?,
        };
        seen.load.take_off(overhead);
        participant.driven.slices.push(Slice {
            sub_round,
            place,
            meant_seconds: length,
            seen,
        });
        Ok(())
    }

    /// Drives `server` for this time and observes it, verifying answers meanwhile if it `is_checked`. `idle` gives the CPU time of the
    /// servers that are not driven; what this one takes is added to `own`.
    pub fn observe(
        &self,
        scenario: &Scenario,
        seconds: f64,
        server: &mut dyn Running,
        is_checked: bool,
        idle: impl Fn() -> Duration,
        own: &mut Spent,
    ) -> Result<Observation, Failure> {
        let (cpus, workload) = (self.split.cpus(), Workload::of(scenario));
        let idle_before = idle();
        let database = DatabaseObserver::begin(scenario, server)?;
        let began = self.clock.now();
        let (watch, before) = (Watch::begin(&cpus, kernel::irq_time_apart()), server.cpu_time()?);
        let ticks_before = server.ticks();
        let (driven, connections) = database.watch(seconds, || {
            if is_checked {
                inload_check::drive(&workload, seconds, server)
            } else {
                driver::drive(&workload, seconds, server)
            }
        });
        let driven = match driven {
            Err(Failure::Lost(reason)) => Err(Failure::Lost(reason)),
            driven => Ok(driven.map_err(|failure| DatabaseObserver::blame(failure, server))?),
        };
        let server_cpu = server.cpu_time()?.saturating_sub(before);
        let server_ticks = server.ticks().since(ticks_before);
        let database_cpu = database.cpu_time();
        let idle = idle().saturating_sub(idle_before);
        own.time += self.clock.now().saturating_duration_since(began);
        own.cpu += server_cpu;
        let load = driven?;
        let used = watch.end(server_cpu + load.cpu_here() + idle + database_cpu.unwrap_or_default());
        database.check(&load, server)?;
        Ok(Observation {
            load,
            server_cpu,
            server_ticks,
            database_cpu,
            connections: connections.map(|seen| (seen.open, f64::from(seen.active))),
            used,
        })
    }

    /// Ends servers that use the cpu while idle: they would take time from the driven one.
    fn set_restless_apart(&self, participants: &mut [Participant<'_>]) -> Result<(), Interrupted> {
        interrupt::check()?;
        self.clock.sleep(SETTLE);
        let cpu = |participant: &Participant<'_>| participant.server.as_ref().and_then(|server| server.cpu_time().ok());
        let before: Vec<_> = participants.iter().map(cpu).collect();
        let began = self.clock.now();
        self.clock.sleep(WATCH);
        let after: Vec<_> = participants.iter().map(cpu).collect();
        let watched = self.clock.now().saturating_duration_since(began);
        for ((participant, before), after) in participants.iter_mut().zip(before).zip(after) {
            let Some((before, after)) = before.zip(after) else {
                continue;
            };
            let share = after.saturating_sub(before).as_secs_f64() / watched.as_secs_f64();
            if share > RESTLESS {
                participant.server = None;
                participant.driven.restless = true;
                participant.driven.idle_cpu_share = Some(share);
            }
        }
        Ok(())
    }
}

/// Length of the slices of a server that used the share `busy` of its cpus in its warm-up and answered `rate_rps` requests per
/// second: the scenario's, unless the server waits for something and could not answer enough in that time.
fn slice_seconds(scenario: &Scenario, busy: f64, rate_rps: f64) -> f64 {
    let usual = scenario.slice_seconds.unwrap_or(scenario.seconds);
    if busy >= WAITS || rate_rps <= 0.0 || scenario.load != LoadModel::Closed {
        return usual;
    }
    let enough = ANSWERS * f64::from(scenario.in_flight()) / rate_rps;
    usual.max(enough.min(LONGEST))
}

/// CPU time up to now of all servers that are there; the driven one has been taken out.
fn cpu_of_all(participants: &[Participant<'_>]) -> Duration {
    let servers = participants
        .iter()
        .filter_map(|participant| participant.server.as_ref());
    servers.filter_map(|server| server.cpu_time_of_known().ok()).sum()
}

impl Participant<'_> {
    fn new(checked: u64) -> Self {
        Self {
            checked,
            driven: Driven {
                started_at: clock::now(),
                ..Driven::default()
            },
            ..Self::default()
        }
    }

    /// Ends its part if a step failed.
    fn keep(&mut self, step: Result<(), Failure>) -> Result<(), Interrupted> {
        if let Err(trouble) = step {
            self.driven.failed = Some(trouble.into_verdict()?);
            self.server = None;
        }
        Ok(())
    }

    fn begin(&mut self) -> Result<(), Failure> {
        if let Some(server) = &self.server {
            memory::forget_peak(&server.pids())?;
            self.cpu_before = server.cpu_time()?;
        }
        Ok(())
    }

    /// Whether more than a quarter of its slices do not count, some do, and with so many `more` half of them may.
    fn lacks(&self, slices: u32, more: u32) -> bool {
        let counts = self.driven.slices.iter().filter(|slice| slice.counts()).count();
        let half = slices.div_ceil(2).saturating_sub(more).max(1) as usize;
        self.server.is_some() && more > 0 && counts < (slices - slices / 4) as usize && counts >= half
    }

    fn end(&mut self, elapsed: Duration, has_others: bool) -> Result<(), Failure> {
        let Some(server) = &self.server else { return Ok(()) };
        let idle_cpu = (server.cpu_time()?.saturating_sub(self.cpu_before)).saturating_sub(self.own.cpu);
        let idle_time = elapsed.saturating_sub(self.own.time);
        self.driven.idle_cpu_share = has_others
            .then(|| idle_cpu.as_secs_f64() / idle_time.as_secs_f64())
            .filter(|share| share.is_finite());
        self.driven.rss = memory::rss(&server.pids(), self.resident);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use apps::profile::Profiles;

    #[test]
    fn a_server_that_waits_has_slices_in_which_its_connections_are_used() {
        let profiles = Profiles::built_in();
        let quick = profiles.profile("quick").unwrap();
        let of = |name: &str, busy, rate| slice_seconds(&profiles.scenario(name, quick).unwrap(), busy, rate);
        let is = |found: f64, wanted: f64| assert!((found - wanted).abs() < 1e-9, "{found}, not {wanted}");
        // 128 connections, 20,000 answers a second: 31 for each connection in 0.2 s.
        is(of("plaintext", 0.4, 20_000.0), 0.2);
        // One answer of each connection in 40 ms, and a tenth of a cpu: ten of each take 0.4 s.
        is(of("plaintext", 0.1, 3200.0), 0.4);
        is(of("plaintext", 0.1, 16.0), LONGEST);
        // A hash keeps it busy: what its connections cost does not show.
        is(of("bcrypt", 1.0, 16.0), 0.3);
        is(of("timed", 0.25, 11_000.0), 0.4);
        is(of("plaintext", 0.0, 0.0), 0.2);
    }
}
