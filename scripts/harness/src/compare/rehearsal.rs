//! How often a comparison is wrong: the rules of [`super::decide`], replayed on pairs that were recorded on a real machine with
//! the same program on both sides.
//!
//! A comparison is drawn from the recording by taking whole pairs at random, with replacement: all series of a pair together,
//! because the machine moves them together. Left as they are, they say how often a change is named where there is none. With
//! an effect multiplied into the head of one series, they say how large a change has to be to be found nine times of ten.
//!
//! Goodput is replayed as if the server had been the limit, also where it was not: on a machine with more cpus it is judged,
//! and the more series, the more chances to be wrong.

use std::collections::BTreeMap;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::decide::{self, Progress};
use super::gates::{Gates, Gauge};
use super::outcome::Decision;
use super::recording::{Recorded, Recording};
use crate::record::Environment;

/// Changes whose power is told.
pub const EFFECTS: [f64; 6] = [0.01, 0.02, 0.03, 0.05, 0.10, 0.20];
/// A change counts as found when this share of comparisons names it.
const FOUND: f64 = 0.9;
/// Steps in which the smallest change that is found is looked for, and how far.
const STEP: f64 = 0.001;
const FARTHEST: f64 = 0.5;

/// What the replay says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rehearsal {
    /// App that was measured against itself.
    pub app: String,
    /// What it was measured on.
    pub environment: Environment,
    /// Pairs that were recorded.
    pub pairs: u32,
    /// Comparisons that were drawn for the rate of false alarms.
    pub comparisons: u32,
    /// How many of them named a change.
    pub false_alarms: u32,
    /// How well changes are found, series by series.
    pub power: Vec<Power>,
}

/// How well changes of one series are found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Power {
    /// Name of the scenario.
    pub scenario: String,
    /// Metric.
    pub gauge: Gauge,
    /// Whether a comparison on this machine judges it (goodput is not where the load generator is the limit).
    pub judged: bool,
    /// Standard deviation of the log-ratios, as a share.
    pub spread: f64,
    /// Share of comparisons that name a change for the worse of each of [`EFFECTS`], keyed in per cent.
    pub found: BTreeMap<u32, f64>,
    /// Smallest change for the worse that is found nine times of ten; `None` if it is above 50 %.
    pub smallest: Option<f64>,
}

/// Replays `recording`: `comparisons` without a change, and a tenth as many for each size of a change.
pub fn rehearse(recording: &Recording, gates: &Gates, comparisons: u32, seed: u64) -> Rehearsal {
    let series = &recording.series;
    let stage = Stage {
        gauges: series.iter().map(|series| series.gauge).collect(),
        logs: series.iter().map(log_ratios).collect(),
        gates,
    };
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let false_alarms = (0..comparisons)
        .filter(|_| stage.compare(None, &mut rng).into_iter().any(named))
        .count();
    let each = (comparisons / 10).max(20);
    let power = (0..series.len())
        .map(|index| {
            let mut share = |effect: f64| stage.found(index, effect, each, &mut rng);
            let found = EFFECTS
                .iter()
                .map(|effect| (per_cent(*effect), share(*effect)))
                .collect();
            Power {
                scenario: series[index].scenario.clone(),
                gauge: series[index].gauge,
                judged: series[index].judged,
                spread: spread(&stage.logs[index]),
                found,
                smallest: smallest(share),
            }
        })
        .collect();
    Rehearsal {
        app: recording.app.clone(),
        environment: recording.environment.clone(),
        pairs: u32::try_from(stage.logs.first().map_or(0, Vec::len)).unwrap_or(u32::MAX),
        comparisons,
        false_alarms: u32::try_from(false_alarms).unwrap_or(u32::MAX),
        power,
    }
}

/// What comparisons are drawn from.
struct Stage<'a> {
    gauges: Vec<Gauge>,
    logs: Vec<Vec<f64>>,
    gates: &'a Gates,
}

impl Stage<'_> {
    /// Decisions of one comparison, in which one series may have changed by a factor.
    fn compare(&self, changed: Option<(usize, f64)>, rng: &mut ChaCha8Rng) -> Vec<Option<Decision>> {
        let recorded = self.logs.first().map_or(0, Vec::len);
        let mut all: Vec<Progress> = self.gauges.iter().map(|gauge| Progress::new(*gauge)).collect();
        let mut drawn = 0;
        for pairs in decide::looks(all.len(), self.gates) {
            for _ in drawn..pairs {
                #[allow(clippy::cast_possible_truncation)] // a modulus of a length
                let pick = (rng.next_u64() % recorded.max(1) as u64) as usize;
                // Which side is called head is a coin: the same program stands on both.
                let side = if rng.next_u32().is_multiple_of(2) { 1.0 } else { -1.0 };
                for (index, series) in all.iter_mut().enumerate().filter(|(_, series)| series.is_open()) {
                    let effect = changed
                        .filter(|(which, _)| *which == index)
                        .map_or(0.0, |(_, factor)| factor.ln());
                    series.log_ratios.push(side * self.logs[index][pick] + effect);
                }
            }
            drawn = pairs;
            decide::look(&mut all, self.gates);
            if all.iter().all(|series| !series.is_open()) {
                break;
            }
        }
        all.into_iter().map(|series| series.decided).collect()
    }

    /// Share of comparisons that find a change for the worse of this size in one series.
    fn found(&self, index: usize, effect: f64, comparisons: u32, rng: &mut ChaCha8Rng) -> f64 {
        let worse = if self.gates.of(self.gauges[index]).more_is_better {
            1.0 - effect
        } else {
            1.0 + effect
        };
        let found = (0..comparisons)
            .filter(|_| self.compare(Some((index, worse)), rng)[index] == Some(Decision::Regression))
            .count();
        found as f64 / f64::from(comparisons)
    }
}

fn named(decided: Option<Decision>) -> bool {
    matches!(decided, Some(Decision::Regression | Decision::Improvement))
}

/// By bisection: power grows with the effect.
fn smallest(mut share: impl FnMut(f64) -> f64) -> Option<f64> {
    if share(FARTHEST) < FOUND {
        return None;
    }
    let (mut low, mut high) = (0.0, FARTHEST);
    while high - low > STEP {
        let middle = f64::midpoint(low, high);
        if share(middle) >= FOUND {
            high = middle;
        } else {
            low = middle;
        }
    }
    Some((high / STEP).ceil() * STEP)
}

fn log_ratios(series: &Recorded) -> Vec<f64> {
    series
        .base
        .iter()
        .zip(&series.head)
        .map(|(base, head)| (head / base).ln())
        .collect()
}

fn spread(logs: &[f64]) -> f64 {
    let mean = logs.iter().sum::<f64>() / logs.len().max(1) as f64;
    let square: f64 = logs.iter().map(|log| (log - mean).powi(2)).sum();
    (square / logs.len().saturating_sub(1).max(1) as f64).sqrt()
}

fn per_cent(effect: f64) -> u32 {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // 1 to 20
    let per_cent = (effect * 100.0).round() as u32;
    per_cent
}
