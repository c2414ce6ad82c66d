//! The turns in which common mode, effects of machines, offsets of runners and levels are estimated.

use super::{FEWEST, Fit, Places, Residual, SETTLED, TURNS, changes, correlation};
use crate::history::divisive::{Settings, change_points};
use crate::history::offsets::{self, Offset};
use crate::history::runners::Pair;
use crate::stats::{mean, median};

/// What is known after a turn, all in logarithms.
pub(super) struct ModelState<'a> {
    rows: &'a [Vec<Option<f64>>],
    places: &'a Places<'a>,
    /// By server and run.
    levels: Vec<Vec<f64>>,
    /// By server and run: the effect of the machine.
    factors: Vec<Vec<f64>>,
    /// By run.
    common: Vec<Option<f64>>,
    /// By server: how it goes on from runner to runner.
    offsets: Vec<Vec<Offset>>,
    /// By server and runner: what is added to its figures there.
    shifts: Vec<Vec<f64>>,
    /// By runner but the first: how far the differences of pairs scatter ÷ what is expected.
    scatter: Vec<f64>,
}

impl<'a> ModelState<'a> {
    pub(super) fn new(rows: &'a [Vec<Option<f64>>], places: &'a Places<'a>) -> Self {
        let runs = places.machines.len();
        let successions = rows.iter().zip(&places.successions);
        let offsets = successions.map(|(row, successions)| {
            let offset = |succession| Offset::new(row, succession, places.machines, places.runners);
            successions.iter().map(offset).collect::<Vec<Offset>>()
        });
        let runners = places.runners.iter().max().map_or(0, |most| most + 1);
        let mut state = Self {
            rows,
            places,
            levels: vec![vec![0.0; runs]; rows.len()],
            factors: vec![vec![0.0; runs]; rows.len()],
            common: vec![Some(0.0); runs],
            offsets: offsets.collect(),
            shifts: vec![vec![0.0; runners]; rows.len()],
            scatter: vec![1.0; runners.saturating_sub(1)],
        };
        state.place();
        state
    }

    /// Finds all of it, in turns; `has_common` where the servers share the machine. `settings` are those of a row with this correlation.
    pub(super) fn settle(mut self, has_common: bool, settings: impl Fn(&[Option<f64>], f64) -> Settings) -> Fit {
        let (mut found, mut rho) = (Vec::new(), 0.0);
        for _ in 0..TURNS {
            if has_common {
                self.common = self.in_common();
            }
            self.place();
            let (before, rho_before): (_, f64) = (changes(&found), rho);
            found = self.residuals(rho_before, |row| settings(row, rho_before));
            if has_common {
                rho = correlation(&found);
            }
            self.scatter = self.scatter_of(&found);
            self.levels = found.iter().map(|row| row.levels(self.places.machines.len())).collect();
            if (rho - rho_before).abs() < SETTLED && changes(&found) == before {
                break;
            }
        }
        Fit {
            common: self.common,
            rows: found,
            rho,
            offsets: self.offsets,
            scatter: self.scatter,
        }
    }

    /// The figure of a server without the effects of machine and runner.
    fn placed(&self, row: usize, run: usize) -> Option<f64> {
        let shift = self.shifts[row][self.places.runners[run]];
        Some(self.rows[row][run]? - self.factors[row][run] - shift)
    }

    fn in_common(&self) -> Vec<Option<f64>> {
        let moved = |row: usize, run: usize| Some(self.placed(row, run)? - self.levels[row][run]);
        let middle = |run| {
            let moved: Vec<f64> = (0..self.rows.len()).filter_map(|row| moved(row, run)).collect();
            (moved.len() >= FEWEST).then(|| median(&moved))?
        };
        (0..self.places.machines.len()).map(middle).collect()
    }

    /// The effects of machines and runners on every server.
    fn place(&mut self) {
        for row in 0..self.rows.len() {
            self.factors[row] = self.by_machine(row);
            self.shifts[row] = self.by_runner(row);
        }
    }

    /// The effect of its machine on a server in each run: the median over the runs there. Runners that are joined share it.
    fn by_machine(&self, row: usize) -> Vec<f64> {
        let groups = offsets::groups(&self.offsets[row]);
        let machines = self.places.machines.iter().max().map_or(0, |most| most + 1);
        let group = |run: usize| groups[self.places.runners[run]] * machines + self.places.machines[run];
        let mut moved = vec![Vec::new(); groups.len() * machines];
        for run in 0..self.places.machines.len() {
            let figure = self.rows[row][run].zip(self.common[run]);
            let shift = self.shifts[row][self.places.runners[run]];
            moved[group(run)].extend(figure.map(|(value, common)| value - common - shift - self.levels[row][run]));
        }
        let mut factors: Vec<f64> = moved.iter().map(|moved| median(moved).unwrap_or(0.0)).collect();
        for offset in &self.offsets[row] {
            if let Some(machine) = offset.replaced {
                factors[offset.runner * machines + machine] = 0.0;
            }
        }
        (0..self.places.machines.len()).map(|run| factors[group(run)]).collect()
    }

    /// What is added to the figures of a server on each runner.
    fn by_runner(&mut self, row: usize) -> Vec<f64> {
        self.shifts[row].fill(0.0);
        for number in 0..self.offsets[row].len() {
            let runner = self.offsets[row][number].runner;
            self.shifts[row][runner] = mean(&self.differences(row, number)).unwrap_or(0.0);
        }
        self.shifts[row].clone()
    }

    /// What the pairs of a succession say, where the runner that follows is not shifted yet; of one that is, how far it is off.
    fn differences(&self, row: usize, number: usize) -> Vec<f64> {
        let value = |run: usize| Some(self.placed(row, run)? - self.common[run]?);
        let difference = |pair: &Pair| Some(value(pair.after)? - value(pair.before)?);
        self.offsets[row][number].pairs.iter().filter_map(difference).collect()
    }

    fn scatter_of(&self, found: &[Residual]) -> Vec<f64> {
        let of = |number: usize| {
            let servers = found.iter().enumerate().filter_map(|(row, found)| {
                let (variance, _) = found.variance()?;
                Some((self.differences(row, number), variance))
            });
            let servers: Vec<(Vec<f64>, f64)> = servers.collect();
            offsets::scatter(
                servers
                    .iter()
                    .map(|(differences, variance)| (differences.as_slice(), *variance)),
            )
        };
        (0..self.scatter.len()).map(of).collect()
    }

    fn residuals(&self, rho: f64, settings: impl Fn(&[Option<f64>]) -> Settings) -> Vec<Residual> {
        let residual = |(number, row): (usize, &Vec<Option<f64>>)| {
            let offsets = &self.offsets[number];
            let is_spent = |run: usize| {
                let mut pairs = offsets.iter().flat_map(|offset| &offset.pairs);
                pairs.any(|pair| pair.after == run)
            };
            let runs = (0..row.len()).filter(|run| !is_spent(*run));
            let (runs, values): (Vec<usize>, Vec<f64>) = runs
                .filter_map(|run| Some((run, self.placed(number, run)? - self.common[run]?)))
                .unzip();
            let on: Vec<usize> = runs.iter().map(|run| self.places.runners[*run]).collect();
            let mut found = Residual {
                joints: offsets::joint_errors(offsets, &on, rho, &self.scatter),
                runs,
                values,
                points: Vec::new(),
            };
            found.points = change_points(found.searched(), settings(row));
            found
        };
        self.rows.iter().enumerate().map(residual).collect()
    }
}
