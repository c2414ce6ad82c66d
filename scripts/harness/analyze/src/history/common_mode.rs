//! What all servers of a run have in common, how each machine affects each of them, and what is left of each without both.
//!
//! The runs of one lane differ from week to week, because the host, the compiler or the kernel do, and that moves all servers
//! together. A run's common mode is the median over the servers of log(value ÷ the server's previous level): the median, so that a
//! server that did change does not move it. Another cpu model moves each server by its own factor: the median over the runs on it.
//! So a new model begins a new level for which no app is blamed, and where models alternate, as on hosted runners, the runs of all
//! of them still form one series.
//!
//! A level lies between two changes, and changes are searched for in what is left. So each is estimated in turn, given the
//! others, until they settle.
//!
//! The reference counts as one server in the median: its noise must not become everybody's. Whether the common mode is the
//! machine's or the apps' is decided afterwards from what is left of the reference ([`super::attribution`]).

use std::ops::Range;

use stats::median;
use stats::segments::{ChangePoint, Settings, change_points, spread};

/// Fewest servers that have a common mode: of two that diverge, it is unknown which one moved.
const FEWEST: usize = 3;
/// Runs within which a level hardly changes.
const ENCLOSED: usize = 6;
/// Turns at most. The changes stay the same after two or three.
const TURNS: usize = 6;
/// A difference of the correlation that is too small to affect a change.
const SETTLED: f64 = 0.02;
/// Fewest pairs of neighbouring values from which their correlation is estimated; with fewer, they are taken to be independent.
const FEWEST_PAIRS: usize = 100;
/// Largest correlation that is used: more strongly correlated values do not stay on a level at all.
const MOST_RHO: f64 = 0.8;

/// The logarithm of a server's figure in each run.
pub type Row = Vec<Option<f64>>;

/// What was found for one metric of one scenario.
#[derive(Debug, Clone, Default)]
pub struct Fit {
    /// The common mode of each run that was looked at, as a logarithm; `None` where too few servers have a figure.
    pub common: Row,
    /// What is left of each server, in the order in which they were given.
    pub rows: Vec<Residual>,
    /// Correlation of neighbouring values in what is left, 0 to 1: one figure for all servers.
    pub rho: f64,
}

/// What is left of a server.
#[derive(Debug, Clone, Default)]
pub struct Residual {
    /// Runs in which the server has a figure and the run has a common mode, by their number in the timeline.
    pub runs: Vec<usize>,
    /// What is left of the logarithm of the figure, for each of these runs.
    pub values: Vec<f64>,
    /// Where the level changes; places are those in `values`.
    pub points: Vec<ChangePoint>,
}

impl Residual {
    /// The changes of these values, without the runs that have none.
    pub fn search(values: impl Iterator<Item = (usize, Option<f64>)>, settings: Settings) -> Self {
        let (runs, values): (Vec<usize>, Vec<f64>) = values.filter_map(|(run, value)| Some((run, value?))).unzip();
        Self {
            points: change_points(&values, settings),
            runs,
            values,
        }
    }

    /// Every run's level, a median; the previous run's where the server has no figure.
    fn levels(&self, runs: &Range<usize>) -> Vec<f64> {
        let mut levels = vec![0.0; runs.len()];
        let mut from = 0;
        for level in self.by_level() {
            levels[self.runs[from] - runs.start..].fill(median(level).unwrap_or(0.0));
            from += level.len();
        }
        levels
    }

    /// The value in a run.
    pub fn value_in(&self, run: usize) -> Option<f64> {
        let place = self.runs.binary_search(&run).ok()?;
        Some(self.values[place])
    }

    /// Variance of a value about its level; `None` where no level has two values.
    pub fn variance(&self) -> Option<f64> {
        let bounds: Vec<usize> = self.bounds().collect();
        let (variance, freedom) = spread(&self.values, &bounds, 0.0);
        (freedom > 0.0).then_some(variance)
    }

    /// Where each level begins, and the end of the last.
    fn bounds(&self) -> impl Iterator<Item = usize> + '_ {
        let places = self.points.iter().map(|point| point.at);
        [0].into_iter().chain(places).chain([self.values.len()])
    }

    /// The values of each level.
    fn by_level(&self) -> impl Iterator<Item = &[f64]> + '_ {
        let levels = self.bounds().zip(self.bounds().skip(1));
        let levels = levels.map(|(from, to)| &self.values[from..to]);
        levels.filter(|level| !level.is_empty())
    }
}

/// Removes from `rows` what is common, with the machine that each run was made on. The first run has the number `first`.
pub fn fit(rows: &[Row], machines: &[usize], first: usize, settings: Settings) -> Fit {
    settle(rows, machines, first, true, |_, rho| Settings { rho, ..settings })
}

/// The same for figures that share nothing but the effect of the machines on each: counts, and differences of two servers.
pub fn fit_alone(rows: &[Row], machines: &[usize], first: usize, settings: impl Fn(&Row) -> Settings) -> Fit {
    settle(rows, machines, first, false, |row, _| settings(row))
}

/// Common mode, effects of machines and levels, in turns. `settings` are a row's with this correlation.
fn settle(
    rows: &[Row],
    machines: &[usize],
    first: usize,
    has_common: bool,
    settings: impl Fn(&Row, f64) -> Settings,
) -> Fit {
    let runs = machines.len();
    let mut levels = vec![vec![0.0; runs]; rows.len()];
    let mut fit = Fit {
        common: vec![Some(0.0); runs],
        ..Fit::default()
    };
    let factors = |levels: &[Vec<f64>], common: &Row| -> Vec<Vec<f64>> {
        let rows = rows.iter().zip(levels);
        rows.map(|(row, levels)| factors(row, levels, common, machines))
            .collect()
    };
    let mut placed = factors(&levels, &fit.common);
    for turn in 0..TURNS {
        if has_common {
            let common = |run: usize| {
                let moved = |row: usize| Some(rows[row][run]? - placed[row][run] - levels[row][run]);
                let moved: Vec<f64> = (0..rows.len()).filter_map(moved).collect();
                (moved.len() >= FEWEST).then(|| median(&moved))?
            };
            fit.common = (0..runs).map(common).collect();
        }
        if turn == 0 {
            levels = enclosed(rows, &fit.common, machines);
        }
        placed = factors(&levels, &fit.common);
        let (places_before, rho_before) = (places(&fit.rows), fit.rho);
        let residual = |(row, factors): (&Row, &Vec<f64>)| {
            let left = |run: usize| Some(row[run]? - factors[run] - fit.common[run]?);
            let left = (0..runs).map(|run| (first + run, left(run)));
            Residual::search(left, settings(row, rho_before))
        };
        fit.rows = rows.iter().zip(&placed).map(residual).collect();
        if has_common {
            fit.rho = correlation(&fit.rows);
        }
        levels = fit.rows.iter().map(|row| row.levels(&(first..first + runs))).collect();
        if (fit.rho - rho_before).abs() < SETTLED && places(&fit.rows) == places_before {
            break;
        }
    }
    fit
}

/// A first idea of each server's level in runs on a machine that takes turns with the usual one: what it is there just before and after.
/// 0 in all others. Without it, a machine that only some levels were measured on would be taken for the cause of them.
fn enclosed(rows: &[Row], common: &Row, machines: &[usize]) -> Vec<Vec<f64>> {
    let times = |machine: &usize| machines.iter().filter(|other| *other == machine).count();
    let usual = machines.iter().max_by_key(|machine| times(machine));
    let is_usual: Vec<bool> = machines.iter().map(|machine| Some(machine) == usual).collect();
    rows.iter().map(|row| enclosed_row(row, common, &is_usual)).collect()
}

fn enclosed_row(row: &Row, common: &Row, is_usual: &[bool]) -> Vec<f64> {
    let on_usual = (0..row.len()).filter(|run| is_usual[*run]);
    let on_usual: Vec<(usize, f64)> = on_usual
        .filter_map(|run| Some((run, row[run]? - common[run]?)))
        .collect();
    let values: Vec<f64> = on_usual.iter().map(|(_, value)| *value).collect();
    let middle = median(&values).unwrap_or(0.0);
    let level = |run: usize| {
        if is_usual[run] {
            return None;
        }
        let after = on_usual.partition_point(|(usual, _)| *usual < run);
        let [before, after] = [on_usual.get(after.checked_sub(1)?)?, on_usual.get(after)?];
        let is_near = run - before.0 <= ENCLOSED && after.0 - run <= ENCLOSED && after.0 > run;
        is_near.then_some(f64::midpoint(before.1, after.1) - middle)
    };
    (0..row.len()).map(|run| level(run).unwrap_or(0.0)).collect()
}

/// The effect of its machine on a server in each run: the median over the runs there.
fn factors(row: &Row, levels: &[f64], common: &Row, machines: &[usize]) -> Vec<f64> {
    let count = machines.iter().max().map_or(0, |last| last + 1);
    let mut moved: Vec<Vec<f64>> = (0..count).map(|_| Vec::with_capacity(row.len())).collect();
    for (run, machine) in machines.iter().enumerate() {
        if let (Some(value), Some(common)) = (row[run], common[run]) {
            moved[*machine].push(value - common - levels[run]);
        }
    }
    let factors: Vec<f64> = moved.iter().map(|moved| median(moved).unwrap_or(0.0)).collect();
    machines.iter().map(|machine| factors[*machine]).collect()
}

/// Where the level of each server changes.
fn places(rows: &[Residual]) -> Vec<Vec<usize>> {
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
