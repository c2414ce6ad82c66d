//! How often a comparison is wrong: the rules of [`super::decide`], applied to comparisons of a program with itself that were
//! made on a real machine.
//!
//! The best evidence is the comparisons themselves: how many of them name a change that does not exist, with the upper bound that so
//! few comparisons allow. Comparisons of the same two builds are one try, however many there are: what the layout of a build costs
//! is in all of them. In addition their pairs are drawn again, with replacement: first a comparison, then pairs of it, so that
//! what moved a whole comparison still does, as far as the spread of its pairs does not explain it. This cannot reveal more than the
//! comparisons hold; it shows whether the result was a close one. All series of a pair are drawn together, because the machine moves
//! them together, and **every pair keeps its sign**: if head comes out worse although it is the same program, the result shows it. (A
//! random sign for each pair would remove any such bias, and its "none of a thousand" would hold for any machine.)
//!
//! Power is measured with an effect multiplied into the head of one series, over pairs drawn from all comparisons.
//!
//! Drawn pairs are judged as if the server had been the limit, even where it was not: on a machine with more cpus goodput is
//! judged, and more series give more chances to be wrong.

use std::collections::BTreeMap;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::decide;
use super::decide::Progress;
use super::gates::Gates;
use super::outcome::{Comparison, Decision, Series, decide_series};
use model::{Environment, Interval, Metric};
use stats::{Shift, signed_rank};

/// Confidence of the bound of the live comparisons.
const CONFIDENCE: f64 = 0.95;
/// Changes for which power is reported.
pub const EFFECTS: [f64; 6] = [0.01, 0.02, 0.03, 0.05, 0.10, 0.20];
/// Standard errors from an estimate to either end of its 95 % interval.
const HALF_WIDTH: f64 = 1.96;
/// A change counts as found when this share of comparisons names it.
const FOUND: f64 = 0.9;
/// Step and upper end of the search for the smallest change that is found.
const STEP: f64 = 0.001;
const FARTHEST: f64 = 0.5;

/// The result of a self-test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SelfTest {
    /// App that was measured against itself.
    pub app: String,
    /// What it was measured on.
    pub environment: Environment,
    /// Pairs of all comparisons.
    pub pairs: u32,
    /// The comparisons as they were made.
    pub live: Live,
    /// Comparisons whose pairs were drawn again.
    pub drawn: Drawn,
    /// How well changes are found, series by series.
    pub power: Vec<Power>,
}

/// The result of comparisons without a change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Live {
    /// How many there are.
    pub comparisons: u32,
    /// How many of them name a change.
    pub named: u32,
    /// Of how many pairs of builds they are.
    pub builds: u32,
    /// Upper bound of the share of pairs of builds of which a comparison names a change, at 95 % (one-sided, Clopper and Pearson).
    pub at_most: f64,
}

/// The result of comparisons whose pairs were drawn again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Drawn {
    /// How many were drawn.
    pub comparisons: u32,
    /// How many of them named a change.
    pub named: u32,
}

/// How well changes of one series are found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Power {
    /// Name of the scenario.
    pub scenario: String,
    /// Metric.
    pub metric: Metric,
    /// Whether a comparison on this machine judges it (goodput is not where the load generator is the limit).
    pub judged: bool,
    /// Standard deviation of the log-ratios, as a share.
    pub spread: f64,
    /// Head ÷ base − 1 over the comparisons, though nothing differs: the bias towards one side.
    pub shift: f64,
    /// 95 % interval of the shift; `None` with fewer than six comparisons.
    pub shift_interval: Option<Interval>,
    /// Share of comparisons that name a change for the worse of each of [`EFFECTS`], by its size in per cent.
    pub found: BTreeMap<u32, f64>,
    /// Smallest change for the worse that is found nine times out of ten; `None` if it is above 50 %.
    pub smallest: Option<f64>,
}

impl SelfTest {
    /// Whether more comparisons name a change that does not exist than `gates` promise.
    pub fn breaks_the_promise(&self, gates: &Gates) -> bool {
        let promised = |comparisons: u32| gates.false_alarms * f64::from(comparisons);
        // Of a hundred live ones a single one may be named, of twenty as well.
        f64::from(self.drawn.named) > promised(self.drawn.comparisons)
            || f64::from(self.live.named) > promised(self.live.comparisons).max(1.0)
    }
}

/// Reads the comparisons of a file: one document after the other.
///
/// # Errors
/// If it holds none, or one that cannot be pooled with the `first`: it must measure one app, the same one, with the same scenarios and
/// metrics, on the same kind of cpu.
pub fn read(text: &str, first: Option<&Comparison>) -> Result<Vec<Comparison>, String> {
    let documents = serde_json::Deserializer::from_str(text).into_iter::<Comparison>();
    let mut all: Vec<Comparison> = Vec::new();
    for document in documents {
        let one = document.map_err(|error| error.to_string())?;
        one.possible()?;
        let (subject, names) = subject(&one)?;
        if let Some(first) = first.or(all.first()) {
            let (first_subject, first_names) = self::subject(first)?;
            if first_subject != subject {
                return Err("it has another app or cpu than the one before".into());
            }
            if first_names != names {
                return Err("it has other scenarios or metrics than the one before".into());
            }
        }
        all.push(one.decided());
    }
    if all.is_empty() {
        return Err("there is no comparison in it".into());
    }
    Ok(all)
}

/// App and cpu of a comparison that can be pooled, and its scenarios with their metrics.
#[allow(clippy::type_complexity)] // what two of them are compared by
fn subject(one: &Comparison) -> Result<((&str, &str), Vec<(&str, Metric)>), String> {
    let all = &one.series;
    let Some(first) = all
        .first()
        .filter(|_| all.iter().all(|series| !series.pairs.is_empty()))
    else {
        return Err("no pair was measured".into());
    };
    if (all.iter()).any(|other| (&other.app, &other.variant) != (&first.app, &first.variant)) {
        return Err("it has several apps".into());
    }
    let machine = one
        .environment
        .as_ref()
        .ok_or("it does not say what it was measured on")?;
    let names = all.iter().map(|series| (series.scenario.as_str(), series.metric));
    Ok(((&first.app, &machine.cpu_model), names.collect()))
}

/// Replays comparisons of a program with itself, which [`read`] has read: as they are, `draws` comparisons drawn from them, and a tenth as
/// many for each size of a change.
///
/// # Panics
/// If there is none.
pub fn self_test(recording: &[Comparison], gates: &Gates, draws: u32, seed: u64) -> SelfTest {
    let live = recording.iter().map(|one| {
        let mut series = one.series.clone();
        decide_series(&mut series, gates, None);
        let builds = format!("{} {}", one.base.commit, one.head.commit);
        (builds, series.iter().any(|series| series.decision.names_a_change()))
    });
    let live: Vec<(String, bool)> = live.collect();
    let first = &recording[0];
    let stage = Stage::new(recording, gates);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let named_again = (0..draws).filter(|_| {
        let comparison = &stage.comparisons[pick(stage.comparisons.len(), &mut rng)];
        stage
            .compare(comparison, None, &mut rng)
            .into_iter()
            .flatten()
            .any(Decision::names_a_change)
    });
    let again = Drawn {
        comparisons: draws,
        named: count(named_again.count()),
    };
    let each = (draws / 10).max(1);
    let power = (0..stage.metrics.len()).map(|index| power(recording, &stage, index, each, &mut rng));
    SelfTest {
        app: first.series[0].app.clone(),
        environment: first.environment.clone().expect("it was measured on something"),
        pairs: count(stage.pool.len()),
        power: power.collect(),
        live: live_result(&live),
        drawn: again,
    }
}

/// From the builds of each comparison, and whether it names a change.
fn live_result(live: &[(String, bool)]) -> Live {
    let mut by_builds = BTreeMap::new();
    for (builds, named) in live {
        *by_builds.entry(builds).or_default() |= *named;
    }
    let tries = count(by_builds.len());
    let hits = count(by_builds.into_values().filter(|named| *named).count());
    Live {
        comparisons: count(live.len()),
        named: count(live.iter().filter(|(_, named)| *named).count()),
        builds: tries,
        at_most: stats::upper_bound(hits, tries, CONFIDENCE),
    }
}

fn power(recording: &[Comparison], stage: &Stage<'_>, index: usize, draws: u32, rng: &mut ChaCha8Rng) -> Power {
    let everywhere = || recording.iter().map(|one| &one.series[index]);
    let first = &recording[0].series[index];
    let means: Vec<f64> = everywhere()
        .filter_map(|series| stats::mean(&series.log_ratios()))
        .collect();
    let shift = signed_rank::test(&means);
    let interval = shift.map(|shift| shift.interval).filter(|it| it.low.is_finite());
    let mut share = |effect: f64| stage.power(index, effect, draws, rng);
    let found = EFFECTS
        .iter()
        .map(|effect| (per_cent(*effect), share(*effect)))
        .collect();
    Power {
        scenario: first.scenario.clone(),
        metric: first.metric,
        judged: everywhere().all(|series| series.judged),
        spread: spread(&stage.pool.iter().map(|pair| ratio(pair[index])).collect::<Vec<_>>()),
        shift: shift.map_or(0.0, |shift| shift.estimate.exp_m1()),
        shift_interval: interval.map(|it| it.map(f64::exp_m1)),
        found,
        smallest: smallest(share),
    }
}

/// ln(base) and ln(head) of each series, of one pair.
type Logs = Vec<[f64; 2]>;

/// ln(head ÷ base).
fn ratio([base, head]: [f64; 2]) -> f64 {
    head - base
}

/// The pairs that comparisons are drawn from.
struct Stage<'a> {
    metrics: Vec<Metric>,
    /// The pairs that all series of a comparison have, without its [`excess`].
    comparisons: Vec<Vec<Logs>>,
    /// All comparisons' pairs together, as they were measured.
    pool: Vec<Logs>,
    gates: &'a Gates,
}

impl<'a> Stage<'a> {
    fn new(recording: &[Comparison], gates: &'a Gates) -> Self {
        let comparisons = recording.iter().map(|one| {
            let logs: Vec<Logs> = one.series.iter().map(Series::logs).collect();
            let pairs = logs.iter().map(Vec::len).min().unwrap_or(0);
            let pair = |pair: usize| logs.iter().map(|series| series[pair]).collect();
            (0..pairs).map(pair).collect()
        });
        let metrics = recording[0].series.iter().map(|series| series.metric).collect();
        Self::of(metrics, comparisons.collect(), gates)
    }

    fn of(metrics: Vec<Metric>, mut comparisons: Vec<Vec<Logs>>, gates: &'a Gates) -> Self {
        let pool = comparisons.concat();
        for index in 0..metrics.len() {
            let of_series = |pairs: &Vec<Logs>| pairs.iter().map(|pair| ratio(pair[index])).collect();
            let excess = excess(&comparisons.iter().map(of_series).collect::<Vec<_>>());
            for (pairs, excess) in comparisons.iter_mut().zip(excess) {
                for pair in pairs {
                    pair[index][1] -= excess;
                }
            }
        }
        Self {
            metrics,
            comparisons,
            pool,
            gates,
        }
    }

    /// Decisions of one comparison of pairs drawn from `pairs`, in which one series may have changed by a factor.
    fn compare(&self, pairs: &[Logs], changed: Option<(usize, f64)>, rng: &mut ChaCha8Rng) -> Vec<Option<Decision>> {
        let mut all: Vec<Progress> = self.metrics.iter().map(|metric| Progress::new(*metric)).collect();
        let mut drawn = 0;
        decide::sequentially(&mut all, self.gates, None, |all, look| {
            if !all.iter().any(Progress::is_open) {
                return;
            }
            for _ in drawn..look {
                let pair = &pairs[pick(pairs.len(), rng)];
                for (index, series) in all.iter_mut().enumerate().filter(|(_, series)| series.is_open()) {
                    let factor = changed.map_or(1.0, |(which, factor)| if which == index { factor } else { 1.0 });
                    let [base, head] = pair[index];
                    series.pairs.push([base, head + factor.ln()]);
                }
            }
            drawn = look;
        });
        all.into_iter().map(|series| series.decided).collect()
    }

    /// Share of comparisons that find a change for the worse of this size in one series.
    fn power(&self, index: usize, effect: f64, comparisons: u32, rng: &mut ChaCha8Rng) -> f64 {
        let worse = if self.metrics[index].more_is_better() {
            1.0 - effect
        } else {
            1.0 + effect
        };
        let found = (0..comparisons)
            .filter(|_| self.compare(&self.pool, Some((index, worse)), rng)[index] == Some(Decision::Regression))
            .count();
        found as f64 / f64::from(comparisons)
    }
}

/// How much farther each comparison of a series lies from their mean than it would if its pairs were without number: comparisons differ in
/// any case by what the spread of their pairs explains, and more pairs drawn from few would take that for a difference between builds.
/// The variance between comparisons is their estimates' variance without the mean of the estimates' own (moments).
fn excess(comparisons: &[Vec<f64>]) -> Vec<f64> {
    let tests: Vec<Shift> = comparisons.iter().filter_map(|logs| signed_rank::test(logs)).collect();
    let estimates: Vec<f64> = tests.iter().map(|test| test.estimate).collect();
    let own = tests.iter().map(|test| test.interval.width() / (2.0 * HALF_WIDTH));
    let own = own.map(|error| error * error).sum::<f64>() / tests.len() as f64;
    let all = spread(&estimates).powi(2);
    let kept = if all > own { (1.0 - own / all).sqrt() } else { 0.0 };
    let mean = stats::mean(&estimates).unwrap_or_default();
    estimates
        .iter()
        .map(|estimate| (1.0 - kept) * (estimate - mean))
        .collect()
}

/// A place below `length`, which is not 0.
fn pick(length: usize, rng: &mut ChaCha8Rng) -> usize {
    #[allow(clippy::cast_possible_truncation)] // a modulus of a length
    let place = (rng.next_u64() % length as u64) as usize;
    place
}

fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
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

fn spread(logs: &[f64]) -> f64 {
    let mean = stats::mean(logs).unwrap_or_default();
    let square: f64 = logs.iter().map(|log| (log - mean).powi(2)).sum();
    (square / logs.len().saturating_sub(1).max(1) as f64).sqrt()
}

fn per_cent(effect: f64) -> u32 {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // 1 to 20
    let per_cent = (effect * 100.0).round() as u32;
    per_cent
}

#[cfg(test)]
mod tests {
    use super::*;
    use stats::random::normal;

    /// Comparisons of fourteen pairs that spread by 2.4 %, of builds that differ by `builds` (standard deviations): how many of a hundred
    /// that are drawn from ten of them name a change, and how many of a hundred new ones.
    fn named(builds: f64) -> [usize; 2] {
        let gates = Gates::built_in();
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let metrics = vec![Metric::ServerCpuUsPerRequest; 2];
        let comparison = |pairs: usize, rng: &mut ChaCha8Rng| -> Vec<Logs> {
            let level = [normal(rng), normal(rng)].map(|each| each * builds);
            let mut pair = |_| level.iter().map(|level| [0.0, level + 0.024 * normal(rng)]).collect();
            (0..pairs).map(&mut pair).collect()
        };
        let names = |stage: &Stage<'_>, which: usize, rng: &mut ChaCha8Rng| {
            let decisions = stage.compare(&stage.comparisons[which], None, rng);
            decisions.into_iter().flatten().any(Decision::names_a_change)
        };
        let mut drawn = 0;
        for _ in 0..20 {
            let few = (0..10).map(|_| comparison(14, &mut rng)).collect();
            let stage = Stage::of(metrics.clone(), few, &gates);
            drawn += (0..5).filter(|which| names(&stage, *which, &mut rng)).count();
        }
        let new = (0..100).filter(|_| {
            let stage = Stage {
                metrics: metrics.clone(),
                comparisons: vec![comparison(200, &mut rng)],
                pool: Vec::new(),
                gates: &gates,
            };
            names(&stage, 0, &mut rng)
        });
        [drawn, new.count()]
    }

    #[test]
    fn what_is_drawn_from_few_pairs_names_about_as_many_changes_as_new_comparisons() {
        let [alike, close, apart] = [0.0, 0.005, 0.02].map(named);
        // With each comparison's own level it would be 3, 10 and 54.
        assert!(alike[0] <= 3 && alike[1] <= 1, "{alike:?}");
        assert!(close[0] <= 5 && close[1] <= 5, "{close:?}");
        assert!(apart.iter().all(|named| (50..80).contains(named)), "{apart:?}");
    }

    /// Nine comparisons of two builds and three of two others are two tries.
    #[test]
    fn the_bound_counts_pairs_of_builds() {
        let builds = [vec!["a b".to_owned(); 9], vec!["c d".to_owned(); 3]].concat();
        let live = |named: &[bool]| live_result(&builds.iter().cloned().zip(named.iter().copied()).collect::<Vec<_>>());
        let none = live(&[false; 12]);
        assert_eq!((none.comparisons, none.named, none.builds), (12, 0, 2));
        assert!((none.at_most - (1.0 - 0.05_f64.sqrt())).abs() < 1e-9, "{none:?}");
        let mut named = [false; 12];
        (named[0], named[1]) = (true, true);
        let one = live(&named);
        assert_eq!((one.named, one.builds), (2, 2));
        // At most one of two, at a rate p: 1 − p² is 5 %.
        assert!((one.at_most - 0.95_f64.sqrt()).abs() < 1e-9, "{one:?}");
    }
}
