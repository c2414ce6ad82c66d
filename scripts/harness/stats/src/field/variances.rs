//! How much each app varies: by itself, drawn toward the others, or as all of them together.

use statrs::distribution::{ContinuousCDF, FisherSnedecor};

use super::{Field, RESOLVED};
use crate::median::median;

/// How many degrees of freedom the median of the apps' variances counts besides an app's own. With 2 all statements hold
/// together with 95 % for every spread of the variances that was simulated, with 4 with 90 % for some.
const PRIOR: f64 = 2.0;
/// How many times the median an app's variance is from which it is drawn nowhere. Drawn toward the median as well, apps with 3 to 8
/// times the others' noise had intervals that cover 90 to 92 %. Six normal rounds exceed this in one case of fifty.
const NOISY: f64 = 3.0;
/// An app has a variance of its own among apps that share theirs if so large a share of them, by chance, would not vary as much.
const CHANCE: f64 = 0.03;
/// Number of apps above which those degrees of freedom gradually count in the intervals too: with fewer the prior is uncertain.
const KNOWN_FROM: f64 = 5.0;

impl Field {
    /// Variances from sums of squares, each drawn toward the median.
    pub(super) fn draw(&mut self, squares: &[f64]) {
        let raw = |(squares, freedom): (&f64, &f64)| (*freedom > 1e-6).then_some(squares / freedom);
        let raw: Vec<Option<f64>> = squares.iter().zip(&self.freedom).map(raw).collect();
        let Some(prior) = median(&raw.iter().flatten().copied().collect::<Vec<_>>()) else {
            return; // one round or one app: the variance is unknown, and all weigh the same
        };
        let known = (1.0 - KNOWN_FROM / self.present() as f64).max(0.0);
        for (app, raw) in raw.into_iter().enumerate() {
            let is_noisy = raw.is_some_and(|raw| raw > NOISY * prior);
            let drawn = if is_noisy { 0.0 } else { PRIOR };
            let variance = (drawn * prior + squares[app]) / (drawn + self.freedom[app]);
            self.variances[app] = variance.max(RESOLVED.powi(2));
            self.freedom[app] += drawn * known;
        }
    }

    /// One variance from all sums of squares, but those that are too large for it.
    pub(super) fn share(&mut self, squares: &[f64]) {
        let mut alike: Vec<usize> = (0..squares.len()).filter(|app| self.freedom[*app] > 1e-6).collect();
        let sums = |apps: &[usize]| {
            let sum = |values: &[f64]| apps.iter().map(|app| values[*app]).sum::<f64>();
            (sum(squares), sum(&self.freedom))
        };
        // From the one that varies most: without it, the next one stands out, too.
        let variance = |app: &usize| squares[*app] / self.freedom[*app];
        alike.sort_by(|one, other| variance(one).total_cmp(&variance(other)));
        while let Some((most, others)) = alike.split_last() {
            let (of_others, freedom) = sums(others);
            let of_others = (of_others / freedom).max(RESOLVED.powi(2));
            let law = FisherSnedecor::new(self.freedom[*most], freedom);
            if law.is_ok_and(|law| law.cdf(variance(most) / of_others) > 1.0 - CHANCE) {
                alike.pop();
            } else {
                break;
            }
        }
        let (sum, freedom) = sums(&alike);
        for (app, squares) in squares.iter().enumerate() {
            let is_own = self.freedom[app] > 1e-6 && !alike.contains(&app);
            let (sum, own) = if is_own {
                (*squares, self.freedom[app])
            } else {
                (sum, freedom)
            };
            self.variances[app] = if own > 0.0 {
                (sum / own).max(RESOLVED.powi(2))
            } else {
                1.0
            };
            self.freedom[app] = own;
        }
    }
}
