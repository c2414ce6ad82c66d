//! What all apps of a run have in common, what each machine does to each app, and what is left of an app when both are taken away.
//!
//! The runs of one lane differ from week to week, because the host, the compiler or the kernel do, and that moves all apps
//! together. A run's common mode is the median over the apps of log(value ÷ what the app had before): the median, so that an app
//! that did change does not move it. Another model of cpu moves each app by a factor of its own: the median over the runs on it.
//! So a new model begins a new level, for which no app is to blame, and where models take turns, as on hosted runners, the
//! runs of all of them still make one series.
//!
//! "What the app had before" is the level between two changes, and changes are looked for in what is left. So all of it is found
//! in turns, each time with what is known of the others.

use super::divisive::{ChangePoint, Settings, change_points};
use crate::stats::median;

/// Fewest apps whose common movement tells a machine from an app: of two that part, nobody knows which moved.
pub const FEWEST_APPS: usize = 3;
/// Turns at most. The changes stay the same after two or three.
const TURNS: usize = 6;

/// What was found of one metric of one scenario.
#[derive(Debug, Clone)]
pub struct Fit {
    /// The common mode of each run, as a logarithm; `None` where too few apps have a figure.
    pub common: Vec<Option<f64>>,
    /// What is left of each app.
    pub rows: Vec<Residual>,
}

/// What is left of an app.
#[derive(Debug, Clone, Default)]
pub struct Residual {
    /// Runs in which the app has a figure and the run has a common mode.
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

    /// The level of every run; that of the run before where the app has no figure.
    fn levels(&self, runs: usize) -> Vec<f64> {
        let mut levels = vec![0.0; runs];
        for (place, run) in self.runs.iter().enumerate() {
            let level = self.level(place);
            levels[*run..].fill(level);
        }
        levels
    }
}

/// Takes from `rows` what is common. A row is an app: the logarithm of its figure in each run. `machines` says on which machine each
/// run was made, as a number from 0.
pub fn fit(rows: &[Vec<Option<f64>>], machines: &[usize], settings: Settings) -> Fit {
    let mut state = State {
        rows,
        machines,
        levels: vec![vec![0.0; machines.len()]; rows.len()],
        factors: Vec::new(),
        common: vec![Some(0.0); machines.len()],
    };
    state.factors = state.by_machine();
    let mut found = Vec::new();
    for _ in 0..TURNS {
        state.common = state.in_common();
        state.factors = state.by_machine();
        let before: Vec<Vec<usize>> = found.iter().map(changes).collect();
        found = state.left(settings);
        state.levels = found.iter().map(|row| row.levels(machines.len())).collect();
        if found.iter().map(changes).collect::<Vec<_>>() == before {
            break;
        }
    }
    Fit {
        common: state.common,
        rows: found,
    }
}

fn changes(residual: &Residual) -> Vec<usize> {
    residual.points.iter().map(|point| point.at).collect()
}

/// What is known after a turn; all of it logarithms.
struct State<'a> {
    rows: &'a [Vec<Option<f64>>],
    machines: &'a [usize],
    /// By app and run.
    levels: Vec<Vec<f64>>,
    /// By app and machine.
    factors: Vec<Vec<f64>>,
    /// By run.
    common: Vec<Option<f64>>,
}

impl State<'_> {
    /// The figure of an app less its level and less the factor of the machine.
    fn moved(&self, app: usize, run: usize) -> Option<f64> {
        Some(self.rows[app][run]? - self.levels[app][run] - self.factors[app][self.machines[run]])
    }

    fn in_common(&self) -> Vec<Option<f64>> {
        let middle = |run| {
            let moved: Vec<f64> = (0..self.rows.len()).filter_map(|app| self.moved(app, run)).collect();
            (moved.len() >= FEWEST_APPS).then(|| median(&moved))?
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

    fn left(&self, settings: Settings) -> Vec<Residual> {
        let left = |(row, factors): (&Vec<Option<f64>>, &Vec<f64>)| {
            let figures = row.iter().zip(&self.common).zip(self.machines).enumerate();
            let (runs, values): (Vec<usize>, Vec<f64>) = figures
                .filter_map(|(run, ((value, common), machine))| Some((run, (*value)? - (*common)? - factors[*machine])))
                .unzip();
            let points = change_points(&values, settings);
            Residual { runs, values, points }
        };
        self.rows.iter().zip(&self.factors).map(left).collect()
    }
}
