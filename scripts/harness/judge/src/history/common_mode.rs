//! What all servers of a run have in common, how each machine affects each of them, and what is left of each without both.
//!
//! The runs of one lane differ from week to week, because the host, the compiler or the kernel do, and that moves all servers
//! together. A run's common mode is the median over the servers of log(value ÷ the server's previous level): the median, so that a
//! server that did change does not move it. Another cpu model moves each server by its own factor: the median over the runs on it.
//! So a new model begins a new level for which no app is blamed, and where models alternate, as on hosted runners, the runs of all
//! of them still form one series.
//!
//! A new runner moves each server by its own offset, which is known from the runs that both runners made ([`super::offsets`]). Of such a
//! pair, the run on the new runner is spent on the offset: it says nothing more about the level, and is left out of what is searched.
//!
//! The level is that between two changes, and changes are searched for in what is left. So each is estimated in turn, given the
//! others, until they settle.
//!
//! The reference counts as one server in the median: its noise must not become that of all. Whether the common mode is the
//! machine's or the apps' is decided afterwards from what is left of the reference ([`super::bystanders`]).

mod state;

use super::divisive::{ChangePoint, Settings, Values};
use super::joint_error::JointError;
use super::offsets::Offset;
use super::runners::Succession;
use crate::stats::median;
use state::ModelState;

/// Fewest servers that have a common mode: of two that diverge, it is unknown which one moved.
pub const FEWEST: usize = 3;
/// Turns at most. The changes stay the same after two or three.
const TURNS: usize = 6;
/// A difference of the correlation that is too small to affect a change.
const SETTLED: f64 = 0.02;
/// Fewest pairs of neighbouring values from which their correlation is estimated; with fewer, they are taken to be independent.
const FEWEST_PAIRS: usize = 100;
/// Largest correlation that is used: more strongly correlated values do not stay on a level at all.
const MOST_RHO: f64 = 0.8;

/// What was found for one metric of one scenario.
#[derive(Debug, Clone)]
pub struct Fit {
    /// The common mode of each run, as a logarithm; `None` where too few servers have a figure.
    pub common: Vec<Option<f64>>,
    /// What is left of each server, in the order in which they were given.
    pub rows: Vec<Residual>,
    /// Correlation of neighbouring values in what is left, 0 to 1: one figure for all servers.
    pub rho: f64,
    /// How each server's figures go on from runner to runner.
    pub offsets: Vec<Vec<Offset>>,
    /// For each runner but the first: how far the differences of pairs scatter ÷ what the values let expect, 1 or more.
    pub scatter: Vec<f64>,
}

/// What is left of a server.
#[derive(Debug, Clone, Default)]
pub struct Residual {
    /// Runs in which the server has a figure and the run has a common mode.
    pub runs: Vec<usize>,
    /// What is left of the logarithm of the figure, for each of these runs.
    pub values: Vec<f64>,
    /// Where the level changes; places are those in `values`.
    pub points: Vec<ChangePoint>,
    /// Where it was put together.
    pub joints: Vec<JointError>,
}

impl Residual {
    /// Median of the values between the changes around `place`.
    fn level(&self, place: usize) -> f64 {
        let from = self.points.iter().rev().map(|point| point.at).find(|at| *at <= place);
        let to = self.points.iter().map(|point| point.at).find(|at| *at > place);
        let values = &self.values[from.unwrap_or(0)..to.unwrap_or(self.values.len())];
        median(values).expect("the level of a value has that value")
    }

    /// The level of every run; that of the run before where the server has no figure.
    fn levels(&self, runs: usize) -> Vec<f64> {
        let mut levels = vec![0.0; runs];
        for (place, run) in self.runs.iter().enumerate() {
            let level = self.level(place);
            levels[*run..].fill(level);
        }
        levels
    }

    /// The value in a run.
    pub fn value_in(&self, run: usize) -> Option<f64> {
        let place = self.runs.binary_search(&run).ok()?;
        Some(self.values[place])
    }

    /// The values and their joints.
    pub fn searched(&self) -> Values<'_> {
        Values {
            values: &self.values,
            joints: &self.joints,
        }
    }

    /// Places of the runs that have a value.
    fn places(&self, runs: &[usize]) -> Vec<usize> {
        let places = runs.iter().filter_map(|run| self.runs.binary_search(run).ok());
        places.collect()
    }

    /// Those of `runs` that can be compared with the first of `with`: no joint of which nothing is known lies between.
    pub fn comparable(&self, runs: &[usize], with: &[usize]) -> Vec<usize> {
        let at = self.places(with).first().copied();
        let is_comparable = |run: &usize| {
            let both = at.zip(self.runs.binary_search(run).ok());
            both.is_none_or(|(one, other)| {
                let mut unknown = self.joints.iter().filter(|joint| joint.variance.is_infinite());
                unknown.all(|joint| joint.beyond[one] == joint.beyond[other])
            })
        };
        runs.iter().copied().filter(is_comparable).collect()
    }

    /// Variance that the joints between `before` and `after` add to the difference of their means, ÷ that of a value.
    pub fn joint_variance(&self, before: &[usize], after: &[usize]) -> f64 {
        let (before, after) = (self.places(before), self.places(after));
        let added = self.joints.iter().map(|joint| {
            let between = joint.share(&after) - joint.share(&before);
            if between == 0.0 {
                0.0
            } else {
                between.powi(2) * joint.variance
            }
        });
        added.sum()
    }

    /// Variance of a value about its level, and its degrees of freedom; `None` where no level has two values.
    pub fn variance(&self) -> Option<(f64, usize)> {
        let (mut squares, mut freedom) = (0.0, 0);
        for level in self.by_level() {
            let mean = level.iter().sum::<f64>() / level.len() as f64;
            squares += level.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
            freedom += level.len().saturating_sub(1);
        }
        (freedom > 0).then(|| (squares / freedom as f64, freedom))
    }

    /// The values of each level.
    pub fn by_level(&self) -> impl Iterator<Item = &[f64]> + '_ {
        let bounds = [0].into_iter().chain(self.points.iter().map(|point| point.at));
        let ends = self.points.iter().map(|point| point.at).chain([self.values.len()]);
        bounds.zip(ends).map(|(from, to)| &self.values[from..to])
    }
}

/// Where the runs of a series were made.
#[derive(Debug, Clone)]
pub struct Places<'a> {
    /// On which machine each run was made, as a number from 0.
    pub machines: &'a [usize],
    /// On which runner, as a number from 0.
    pub runners: &'a [usize],
    /// For each server, how the runners follow on each other.
    pub successions: Vec<Vec<Succession>>,
}

/// Removes from `rows` what is common. A row is a server: the logarithm of its figure in each run.
pub fn fit(rows: &[Vec<Option<f64>>], places: &Places<'_>, settings: Settings) -> Fit {
    ModelState::new(rows, places).settle(true, |_, rho| Settings { rho, ..settings })
}

/// The same for figures that share nothing but the effect of the places on each: counts, and differences of two servers.
pub fn fit_alone(rows: &[Vec<Option<f64>>], places: &Places<'_>, settings: impl Fn(&[Option<f64>]) -> Settings) -> Fit {
    ModelState::new(rows, places).settle(false, |row, _| settings(row))
}

/// Where the level of each server changes.
fn changes(rows: &[Residual]) -> Vec<Vec<usize>> {
    let places = |row: &Residual| row.points.iter().map(|point| point.at).collect();
    rows.iter().map(places).collect()
}

/// Correlation of neighbours within the levels, over all rows, corrected for its bias of −(1 + 3ρ) ÷ n from estimating the mean of
/// n values (M. G. Kendall, Biometrika 41, 1954).
fn correlation(rows: &[Residual]) -> f64 {
    let (mut together, mut alone, mut pairs, mut levels) = (0.0, 0.0, 0, 0);
    for level in rows.iter().flat_map(Residual::by_level).filter(|level| level.len() > 2) {
        let mean = level.iter().sum::<f64>() / level.len() as f64;
        let deviations: Vec<f64> = level.iter().map(|value| value - mean).collect();
        together += deviations.windows(2).map(|pair| pair[0] * pair[1]).sum::<f64>();
        alone += deviations.iter().map(|value| value * value).sum::<f64>();
        pairs += level.len() - 1;
        levels += 1;
    }
    if pairs < FEWEST_PAIRS || alone == 0.0 {
        return 0.0;
    }
    let mean_length = (pairs + levels) as f64 / levels as f64;
    let raw = together / alone;
    let corrected = (raw * mean_length + 1.0) / (mean_length - 3.0).max(1.0);
    // What independent values show by chance is no correlation.
    let chance = 2.0 / (pairs as f64).sqrt();
    if corrected <= chance {
        0.0
    } else {
        corrected.min(MOST_RHO)
    }
}
