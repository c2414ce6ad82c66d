//! What all servers of a run have in common, how each machine affects each of them, and what is left of each without both.
//!
//! The runs of one lane differ from week to week, because the host, the compiler or the kernel do, and that moves all servers
//! together. A run's common mode is the median over the servers of log(value ÷ the server's previous level): the median, so that a
//! server that did change does not move it. Another cpu model moves each server by its own factor: the median over the runs on it.
//! So a new model begins a new level for which no app is blamed, and where models alternate, as on hosted runners, the runs of all
//! of them still form one series.
//!
//! The level is that between two changes, and changes are searched for in what is left. So each is estimated in turn, given the
//! others, until they settle.
//!
//! The reference counts as one server in the median: its noise must not become that of all. Whether the common mode is the
//! machine's or the apps' is decided afterwards from what is left of the reference ([`super::bystanders`]).

use super::divisive::{ChangePoint, Settings, change_points};
use crate::stats::median;

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

    /// The values of each level.
    pub fn by_level(&self) -> impl Iterator<Item = &[f64]> + '_ {
        let bounds = [0].into_iter().chain(self.points.iter().map(|point| point.at));
        let ends = self.points.iter().map(|point| point.at).chain([self.values.len()]);
        bounds.zip(ends).map(|(from, to)| &self.values[from..to])
    }
}

/// Removes from `rows` what is common. A row is a server: the logarithm of its figure in each run. `machines` says on which machine each
/// run was made, as a number from 0.
pub fn fit(rows: &[Vec<Option<f64>>], machines: &[usize], settings: Settings) -> Fit {
    ModelState::new(rows, machines).settle(true, |_, rho| Settings { rho, ..settings })
}

/// The same for figures that share nothing but the effect of `machines` on each: counts, and differences of two servers.
pub fn fit_alone(rows: &[Vec<Option<f64>>], machines: &[usize], settings: impl Fn(&[Option<f64>]) -> Settings) -> Fit {
    ModelState::new(rows, machines).settle(false, |row, _| settings(row))
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

/// What is known after a turn, all in logarithms.
struct ModelState<'a> {
    rows: &'a [Vec<Option<f64>>],
    machines: &'a [usize],
    /// By server and run.
    levels: Vec<Vec<f64>>,
    /// By server and machine.
    factors: Vec<Vec<f64>>,
    /// By run.
    common: Vec<Option<f64>>,
}

impl<'a> ModelState<'a> {
    fn new(rows: &'a [Vec<Option<f64>>], machines: &'a [usize]) -> Self {
        let mut state = Self {
            rows,
            machines,
            levels: vec![vec![0.0; machines.len()]; rows.len()],
            factors: Vec::new(),
            common: vec![Some(0.0); machines.len()],
        };
        state.factors = state.by_machine();
        state
    }

    /// Finds all of it, in turns; `has_common` where the servers share the machine. `settings` are those of a row with this correlation.
    fn settle(mut self, has_common: bool, settings: impl Fn(&[Option<f64>], f64) -> Settings) -> Fit {
        let (mut found, mut rho) = (Vec::new(), 0.0);
        for _ in 0..TURNS {
            if has_common {
                self.common = self.in_common();
            }
            self.factors = self.by_machine();
            let (before, rho_before): (_, f64) = (changes(&found), rho);
            found = self.residuals(|row| settings(row, rho_before));
            if has_common {
                rho = correlation(&found);
            }
            self.levels = found.iter().map(|row| row.levels(self.machines.len())).collect();
            if (rho - rho_before).abs() < SETTLED && changes(&found) == before {
                break;
            }
        }
        Fit {
            common: self.common,
            rows: found,
            rho,
        }
    }

    /// The figure of a server less its level and less the factor of the machine.
    fn moved(&self, row: usize, run: usize) -> Option<f64> {
        Some(self.rows[row][run]? - self.levels[row][run] - self.factors[row][self.machines[run]])
    }

    fn in_common(&self) -> Vec<Option<f64>> {
        let middle = |run| {
            let moved: Vec<f64> = (0..self.rows.len()).filter_map(|row| self.moved(row, run)).collect();
            (moved.len() >= FEWEST).then(|| median(&moved))?
        };
        (0..self.machines.len()).map(middle).collect()
    }

    fn by_machine(&self) -> Vec<Vec<f64>> {
        let count = self.machines.iter().max().map_or(0, |most| most + 1);
        let factors = |(row, levels): (&Vec<Option<f64>>, &Vec<f64>)| {
            let mut moved = vec![Vec::new(); count];
            for (run, machine) in self.machines.iter().enumerate() {
                let figure = row[run].zip(self.common[run]);
                moved[*machine].extend(figure.map(|(value, common)| value - common - levels[run]));
            }
            moved.iter().map(|moved| median(moved).unwrap_or(0.0)).collect()
        };
        self.rows.iter().zip(&self.levels).map(factors).collect()
    }

    fn residuals(&self, settings: impl Fn(&[Option<f64>]) -> Settings) -> Vec<Residual> {
        let residual = |(row, factors): (&Vec<Option<f64>>, &Vec<f64>)| {
            let figures = row.iter().zip(&self.common).zip(self.machines).enumerate();
            let (runs, values): (Vec<usize>, Vec<f64>) = figures
                .filter_map(|(run, ((value, common), machine))| Some((run, (*value)? - (*common)? - factors[*machine])))
                .unzip();
            let points = change_points(&values, settings(row));
            Residual { runs, values, points }
        };
        self.rows.iter().zip(&self.factors).map(residual).collect()
    }
}
