//! Simulated histories of a lane that changes its runner, on which joints are tested.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{COUNTS, Detection, NEAR, QUICK, QUICK_WEEKS, SHARED, TASTE, seeds, week_of};
use crate::history::causes::NoLockfiles;
use crate::history::judgement::judge;
use crate::history::past::{Facts, Past, Run, Series};
use crate::history::story::{State, Story};
use crate::stats::random::{normal, uniform};
use record::{Metric, SubjectId};

/// New ÷ old of what the new runner does to every app and to the reference.
const OF_APPS: f64 = 1.05;
const OF_REFERENCE: f64 = 1.12;
/// How differently apps respond to it, on the log scale.
const RESPONSE: f64 = 0.03;
/// Weeks on the old runner alone.
const BEFORE: usize = 30;
/// Weeks from the first run on the new runner on.
const AFTER: usize = 20;
/// Weeks from the end of the bridge to a change: how long the new runner was alone.
const LATER: usize = 2;
/// Pairs of a bridge of two weeks, both ends counted.
const PAIRS: usize = 3;

/// What happens in such a history.
#[derive(Debug, Clone, Copy)]
pub struct Bridge {
    /// Number of apps.
    pub apps: usize,
    /// Weeks in which both runners are measured; 0 for a change without a bridge.
    pub pairs: usize,
    /// Standard deviation of the own noise of each app and of the reference, on the log scale.
    pub own: f64,
    /// Correlation of that with the week before.
    pub rho: f64,
    /// A change of the first app: first week, counted from the first run on the new runner, and new ÷ old.
    pub change: Option<(usize, f64)>,
    /// Whether instructions are counted instead of times; most repeat to 0.02 %.
    pub counted: bool,
    /// Whether the new runner is another machine, and each of them always the same.
    pub other_machine: bool,
}

impl Bridge {
    /// Three pairs, own noise of 3 %, and nothing that changes but the runner.
    pub fn quiet() -> Self {
        Self {
            apps: 17,
            pairs: PAIRS,
            own: 0.03,
            rho: 0.0,
            change: None,
            counted: false,
            other_machine: false,
        }
    }
}

/// One history. The same script and seed always give the same.
pub fn bridged(script: Bridge, seed: u64) -> Past {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    // The old runner, and from week BEFORE on the new one; in the weeks of the bridge one of them is an hour later.
    let weeks = (0..BEFORE + AFTER).flat_map(|week| {
        let is_bridge = (BEFORE..BEFORE + script.pairs).contains(&week);
        let (old, new) = ((week, false), (week, true));
        match (week < BEFORE, is_bridge) {
            (true, _) => vec![old],
            (false, true) if week % 2 == 0 => vec![old, new],
            (false, true) => vec![new, old],
            (false, false) => vec![new],
        }
    });
    let places: Vec<(usize, bool)> = weeks.collect();
    let quick_weeks = if script.other_machine { 0.0 } else { QUICK_WEEKS };
    let of_run = |rng: &mut ChaCha8Rng| (uniform(rng) < quick_weeks, SHARED * normal(rng));
    let runs: Vec<(bool, f64)> = places.iter().map(|_| of_run(&mut rng)).collect();
    let mut rows = Vec::new();
    for app in 0..=script.apps {
        let is_app = app < script.apps;
        let (level, taste, response) = (normal(&mut rng), TASTE * normal(&mut rng), RESPONSE * normal(&mut rng));
        let mut noise = [normal(&mut rng), normal(&mut rng)];
        let figure = |(run, (week, is_new)): (usize, &(usize, bool))| {
            let noise = &mut noise[usize::from(*is_new)];
            *noise = script.rho * *noise + (1.0 - script.rho.powi(2)).sqrt() * normal(&mut rng);
            let change = script
                .change
                .filter(|(from, _)| app == 0 && *week >= BEFORE + from)
                .map_or(0.0, |(_, factor)| factor.ln());
            let runner = if is_app {
                OF_APPS.ln() + response
            } else {
                OF_REFERENCE.ln()
            };
            let runner = if *is_new { runner } else { 0.0 };
            if script.counted {
                return level + runner + change + COUNTS[app % COUNTS.len()] * *noise;
            }
            let (is_quick, shared) = runs[run];
            let machine = if is_quick { QUICK.ln() + taste } else { 0.0 };
            level + shared + machine + runner + change + script.own * *noise
        };
        let row: Vec<Option<f64>> = places
            .iter()
            .enumerate()
            .map(figure)
            .map(|one| Some(one.exp()))
            .collect();
        rows.push(row);
    }
    let run = |(number, (week, is_new)): (usize, &(usize, bool))| Run {
        id: format!("week-{week:03}-{}", if *is_new { "new" } else { "old" }),
        at: Timestamp::UNIX_EPOCH
            + SignedDuration::from_hours(24 * 7 * i64::try_from(*week).unwrap_or(0))
            + SignedDuration::from_hours(i64::from(number > 0 && places[number - 1].0 == *week)),
        machine: match (runs[number].0, *is_new && script.other_machine) {
            (_, true) => "another",
            (true, false) => "quick",
            (false, false) => "usual",
        }
        .to_owned(),
        runner: if *is_new { "new" } else { "old" }.to_owned(),
        commit: Some(format!("commit {week}")),
        surroundings: Facts::new(),
        builds: BTreeMap::new(),
    };
    let metric = if script.counted {
        Metric::InstructionsPerRequest
    } else {
        Metric::ServerCpuUsPerRequest
    };
    let reference = rows.pop().unwrap_or_default();
    let apps = rows.into_iter().enumerate();
    let series = Series {
        rows: apps
            .map(|(app, row)| (SubjectId::new(&format!("app-{app:02}"), "default"), row))
            .collect(),
        reference,
        ..Series::empty("simulated", metric.id(), Some(false), places.len())
    };
    Past {
        lane: "simulated".to_owned(),
        profile: None,
        runs: places.iter().enumerate().map(run).collect(),
        series: vec![series],
    }
}

/// How often history is right where the runner changes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BridgeRates {
    /// Number of apps in each history.
    pub apps: usize,
    /// Weeks in which both runners were measured; 0 where there was no bridge.
    pub pairs: usize,
    /// Standard deviation of an app's own noise; for counts the smallest.
    pub own_noise: f64,
    /// Correlation of that with the week before.
    pub autocorrelation: f64,
    /// Whether instructions were counted instead of times.
    pub counted: bool,
    /// Histories without a change of an app, and as many for each size of a change.
    pub histories: usize,
    /// Half the width of the 95 % interval of a joint, as a share: the median over the histories; `None` without a bridge.
    pub uncertainty: Option<f64>,
    /// Without a change: histories in which an alarm was raised in any week from the first run on the new runner on.
    pub false_alarms: usize,
    /// Apps that were reported as changed in any of these weeks, at or after the first run on the new runner.
    pub false_changes: usize,
    /// How a change was found that came two weeks after the bridge, or two weeks after the new runner where there was none.
    pub found: Vec<Detection>,
    /// The same for a change in the second week of the bridge; empty without a bridge.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub found_within: Vec<Detection>,
}

/// The number of runs that are known at the end of a week.
fn until(past: &Past, week: usize) -> usize {
    let name = format!("week-{week:03}");
    past.runs
        .iter()
        .rposition(|run| run.id.starts_with(&name))
        .map_or(0, |run| run + 1)
}

/// The week of a run.
fn week(past: &Past, run: &str) -> Option<usize> {
    past.runs[week_of(past, run)?].id[5..8].parse().ok()
}

fn stories(past: &Past) -> impl Iterator<Item = (usize, Story)> + '_ {
    let weeks = BEFORE..BEFORE + AFTER;
    weeks.map(|week| (week, judge(&past.until(until(past, week)), &NoLockfiles)))
}

/// Weeks in which a change must be found.
const WITHIN: usize = 8;

/// Measures it on simulated histories, each judged every week as in practice.
pub fn bridge_rates(script: Bridge, histories: usize, sizes: &[f64]) -> BridgeRates {
    let mut uncertainties = Vec::new();
    let (mut false_alarms, mut false_changes) = (0, 0);
    for seed in seeds(histories) {
        let past = bridged(script, seed);
        let mut has_alarm = false;
        let mut named: Vec<String> = Vec::new();
        for (_, story) in stories(&past) {
            has_alarm |= story.alarms().next().is_some() || story.shared_alarms().next().is_some();
            let confirmed = story.changes.iter().filter(|change| {
                let is_late = week(&past, &change.run).is_some_and(|week| week >= BEFORE);
                change.state == State::Confirmed && is_late
            });
            named.extend(confirmed.map(|change| change.app.clone()));
            uncertainties.extend(
                story
                    .joints
                    .iter()
                    .flat_map(|joint| &joint.joined)
                    .map(|joined| joined.uncertainty),
            );
        }
        named.sort();
        named.dedup();
        false_alarms += usize::from(has_alarm);
        false_changes += named.len();
    }
    // Seeds are shared with the histories without a change, so that both have the same noise.
    let found = |from: usize| {
        let of_size = |size: &f64| {
            detection(
                Bridge {
                    change: Some((from, 1.0 + size)),
                    ..script
                },
                *size,
                histories,
            )
        };
        sizes.iter().map(of_size).collect::<Vec<Detection>>()
    };
    BridgeRates {
        apps: script.apps,
        pairs: script.pairs,
        own_noise: script.own,
        autocorrelation: script.rho,
        counted: script.counted,
        histories,
        uncertainty: crate::stats::median(&uncertainties),
        false_alarms,
        false_changes,
        found: found(script.pairs + LATER),
        found_within: if script.pairs == 0 { Vec::new() } else { found(1) },
    }
}

/// In how many histories the change of the first app is confirmed, by the weeks since.
fn detection(script: Bridge, size: f64, histories: usize) -> Detection {
    let from = BEFORE + script.change.map_or(0, |(from, _)| from);
    let mut after_runs = vec![0; WITHIN];
    for seed in seeds(histories) {
        let past = bridged(script, seed);
        let is_found = |weeks: &usize| {
            let story = judge(&past.until(until(&past, from + weeks)), &NoLockfiles);
            story.changes.iter().any(|change| {
                let is_near = week(&past, &change.run).is_some_and(|week| week.abs_diff(from) <= NEAR);
                change.app == "app-00" && change.state == State::Confirmed && is_near
            })
        };
        if let Some(weeks) = (0..WITHIN).find(is_found) {
            after_runs[weeks] += 1;
        }
    }
    Detection { size, after_runs }
}

#[cfg(test)]
mod tests;
