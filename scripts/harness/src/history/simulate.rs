//! Histories that nobody measured, with changes that somebody planted: what history is proven on.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::causes::NoLockfiles;
use super::past::{Facts, Past, Run, Series};
use super::story::{Change, State};
use super::tell::tell;
use crate::plan::SubjectId;
use crate::stats::random::{normal, uniform};

/// Factor of the quick machine.
const QUICK: f64 = 1.45;
/// Share of weeks in which a run lands on it.
const QUICK_WEEKS: f64 = 0.15;
/// Standard deviation of what all apps of a run share, on the log scale.
const SHARED: f64 = 0.10;
/// Standard deviation of what an app has for itself.
const OWN: f64 = 0.03;
/// How differently apps take to the quick machine, on the log scale; only where runs say that they were made on it, for otherwise
/// nobody could know.
const TASTE: f64 = 0.03;
/// A change that is placed this many weeks beside the true one is found.
const NEAR: usize = 2;

/// What happens in a simulated history.
#[derive(Debug, Clone, Copy)]
pub struct Script {
    /// Number of weekly runs.
    pub weeks: usize,
    /// Number of apps.
    pub apps: usize,
    /// Whether runs say on which machine they were made.
    pub machine_told: bool,
    /// A change of the first app: from which week on, and new ÷ old.
    pub change: Option<(usize, f64)>,
    /// A step of all apps.
    pub step: Option<(usize, f64)>,
}

impl Script {
    /// So many weeks of so many apps, in which nothing happens and nobody says which machine it was.
    pub fn of(weeks: usize, apps: usize) -> Self {
        Self {
            weeks,
            apps,
            machine_told: false,
            change: None,
            step: None,
        }
    }
}

/// One history. The same script and seed always give the same.
pub fn history(script: Script, seed: u64) -> Past {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let quick: Vec<bool> = (0..script.weeks).map(|_| uniform(&mut rng) < QUICK_WEEKS).collect();
    let shared: Vec<f64> = (0..script.weeks).map(|_| SHARED * normal(&mut rng)).collect();
    let since = |what: Option<(usize, f64)>, week| {
        what.filter(|(from, _)| week >= *from)
            .map_or(0.0, |(_, factor)| factor.ln())
    };
    let mut rows = BTreeMap::new();
    for app in 0..script.apps {
        let (level, taste) = (normal(&mut rng), TASTE * normal(&mut rng));
        let figure = |week: usize| {
            let taste = if script.machine_told { taste } else { 0.0 };
            let machine = if quick[week] { QUICK.ln() + taste } else { 0.0 };
            let own = if app == 0 { since(script.change, week) } else { 0.0 };
            level + shared[week] + machine + own + since(script.step, week) + OWN * normal(&mut rng)
        };
        let row = (0..script.weeks).map(figure).map(|figure| Some(figure.exp())).collect();
        rows.insert(SubjectId::of(&format!("app-{app:02}"), "default"), row);
    }
    let run = |week: usize| Run {
        id: format!("week-{week:03}"),
        at: Timestamp::UNIX_EPOCH + SignedDuration::from_hours(24 * 7 * i64::try_from(week).unwrap_or(0)),
        machine: if quick[week] && script.machine_told {
            "quick"
        } else {
            "usual"
        }
        .to_owned(),
        commit: None,
        surroundings: Facts::new(),
        builds: BTreeMap::new(),
    };
    let series = Series {
        rows,
        ..Series::empty("simulated", "server_cpu_us_per_request", Some(false), script.weeks)
    };
    Past {
        lane: "simulated".to_owned(),
        profile: None,
        runs: (0..script.weeks).map(run).collect(),
        series: vec![series],
    }
}

/// How often history finds what is there, and what is not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rates {
    /// Number of apps in each history.
    pub apps: usize,
    /// Histories with a change, for each size.
    pub histories: usize,
    /// How many of them had it found, by size.
    pub found: Vec<Found>,
    /// Weeks of apps without a change that were judged, week by week.
    pub app_weeks: usize,
    /// Changes that were named in them.
    pub false_changes: usize,
}

/// Of histories with a change of one size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Found {
    /// New ÷ old − 1.
    pub size: f64,
    /// Found after so many runs that have it, the first of them is 1; an entry for each number.
    pub after_runs: Vec<usize>,
}

impl Found {
    /// Histories in which it was found at all.
    pub fn total(&self) -> usize {
        self.after_runs.iter().sum()
    }
}

/// Weeks before a change, and weeks in which it must be found.
const BEFORE: usize = 30;
const WITHIN: usize = 4;
/// Weeks of a history without a change.
const YEAR: usize = 52;

/// Measures both rates on simulated histories, each judged anew every week as in life; `quiet` of them have no change.
pub fn rates(histories: usize, quiet: usize, sizes: &[f64], machine_told: bool) -> Rates {
    let script = Script {
        machine_told,
        ..Script::of(YEAR, 17)
    };
    let seeds = |count: usize| (0..count).map(|seed| u64::try_from(seed).unwrap_or(0));
    let found = sizes.iter().map(|size| {
        let mut after_runs = vec![0; WITHIN];
        let script = Script {
            weeks: BEFORE + WITHIN,
            change: Some((BEFORE, 1.0 + size)),
            ..script
        };
        for seed in seeds(histories) {
            if let Some(runs) = found_after(&history(script, seed)) {
                after_runs[runs - 1] += 1;
            }
        }
        Found {
            size: *size,
            after_runs,
        }
    });
    Rates {
        apps: script.apps,
        histories,
        found: found.collect(),
        app_weeks: quiet * script.apps * script.weeks,
        false_changes: seeds(quiet)
            .map(|seed| named(&history(script, 1_000_000 + seed)).len())
            .sum(),
    }
}

/// After how many runs with it the change of the first app is confirmed, if it is.
fn found_after(past: &Past) -> Option<usize> {
    (1..=WITHIN).find(|runs| {
        let named = confirmed(&past.until(BEFORE + runs));
        named
            .iter()
            .any(|(app, week)| app == "app-00" && week.abs_diff(BEFORE) <= NEAR)
    })
}

/// Every change that is named in any week; one whose place moves a little from week to week is the same.
pub fn named(past: &Past) -> Vec<(String, usize)> {
    let mut named: Vec<(String, usize)> = Vec::new();
    for runs in 1..=past.runs.len() {
        for (app, week) in confirmed(&past.until(runs)) {
            let is_same = |known: &(String, usize)| known.0 == app && known.1.abs_diff(week) <= NEAR;
            if !named.iter().any(is_same) {
                named.push((app, week));
            }
        }
    }
    named
}

fn confirmed(past: &Past) -> Vec<(String, usize)> {
    let week = |change: &Change| past.runs.iter().position(|run| run.id == change.run);
    let changes = tell(past, &NoLockfiles).changes.into_iter();
    let changes = changes.filter(|change| change.state == State::Confirmed);
    changes
        .filter_map(|change| Some((change.app.clone(), week(&change)?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the project promises of its histories. The rates with more histories are in docs/history.md.
    #[test]
    fn a_tenth_is_found_within_four_runs_and_hardly_ever_where_nothing_is() {
        for machine_told in [true, false] {
            let rates = rates(100, 10, &[0.10], machine_told);
            let found = rates.found[0].total();
            assert!(
                found * 10 >= rates.histories * 8,
                "found {found} of {}",
                rates.histories
            );
            assert!(
                rates.false_changes * 500 <= rates.app_weeks,
                "{} false changes in {} app-weeks",
                rates.false_changes,
                rates.app_weeks
            );
        }
    }

    /// Noise names an app here and there, whatever the step; the step itself adds nobody.
    #[test]
    fn a_step_of_all_apps_at_once_is_blamed_on_nobody() {
        for seed in 0..12 {
            let script = Script {
                machine_told: true,
                ..Script::of(44, 17)
            };
            let without = history(script, seed);
            let with = history(
                Script {
                    step: Some((30, 1.5)),
                    ..script
                },
                seed,
            );
            let near = |past| -> Vec<_> {
                let named = named(past).into_iter();
                named.filter(|(_, week)| week.abs_diff(30) <= NEAR).collect()
            };
            assert_eq!(near(&with), near(&without));
            let common = tell(&with, &NoLockfiles).common;
            let is_it = |week: &str| common.iter().any(|common| common.run == week && common.size > 0.3);
            assert!(
                ["week-029", "week-030", "week-031"].into_iter().any(is_it),
                "{common:?}"
            );
        }
    }

    #[test]
    fn what_happened_later_is_not_known_before() {
        let script = Script {
            change: Some((30, 2.0)),
            ..Script::of(40, 5)
        };
        let past = history(script, 3);
        assert!(confirmed(&past.until(31)).is_empty(), "one run confirms nothing");
        assert_eq!(confirmed(&past.until(32)), [("app-00".to_owned(), 30)]);
    }
}
