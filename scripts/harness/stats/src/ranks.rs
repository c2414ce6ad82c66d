//! Which apps are proven to be above which, and the ranks that this allows.
//!
//! All pairs of a group are tested together, so that with 95 % no statement about them is wrong. S. Holm's procedure
//! (Scandinavian Journal of Statistics 6, 1979) begins with the clearest pair and requires less after each proven one; what
//! follows from two proven pairs (A above B, B above C) is proven too. A rank is then a range: from 1 plus the number of apps
//! proven better, to the number of all apps minus those proven worse (M. Mogstad, J. P. Romano, A. Shaikh
//! and D. Wilhelm, "Inference for ranks", Review of Economic Studies 91, 2024).

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::field::Difference;

/// The range of ranks that the proven differences allow: from 1 plus the number of apps proven better, to the number of all apps
/// minus those proven worse. All differences of one scenario and metric hold together with 95 %.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rank {
    /// The best possible rank, from 1.
    pub best: u32,
    /// The worst possible rank.
    pub worst: u32,
}

impl fmt::Display for Rank {
    /// `1`, `2–5`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.best == self.worst {
            write!(f, "{}", self.best)
        } else {
            write!(f, "{}–{}", self.best, self.worst)
        }
    }
}

/// Probability that any statement about a group is wrong.
const WRONG: f64 = 0.05;

/// All pairs of a group of apps.
#[derive(Debug, Clone, Default)]
pub struct Pairs {
    apps: Vec<usize>,
    /// `above[a][b]`: the app at place a of `apps` is proven to be above the one at b.
    above: Vec<Vec<bool>>,
}

impl Pairs {
    /// All pairs of `apps`, by `difference` of two of them. A pair is distinguished if it differs by more than `least`, in logarithms.
    pub fn new(apps: Vec<usize>, least: f64, difference: impl Fn(usize, usize) -> Option<Difference>) -> Self {
        let places = (0..apps.len()).flat_map(|one| (one + 1..apps.len()).map(move |other| (one, other)));
        // Apps that no round links are not compared, but count as a pair that could have been.
        let known = places.filter_map(|(one, other)| {
            let found = difference(apps[one], apps[other])?;
            let pair = if found.estimate > 0.0 {
                (one, other)
            } else {
                (other, one)
            };
            Some((pair, found.p_value(least)?))
        });
        let (pairs, p_values): (Vec<_>, Vec<f64>) = known.unzip();
        let above = proven(&pairs, &p_values, apps.len());
        Self { apps, above }
    }

    /// The possible ranks of an app; `None` if it is not in the group.
    pub fn rank(&self, app: usize, more_is_better: bool) -> Option<Rank> {
        self.place(app)?;
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Some(Rank {
            best: number(1 + self.better(app, more_is_better).count()),
            worst: number(self.apps.len() - self.better(app, !more_is_better).count()),
        })
    }

    /// The apps that are proven better than this one.
    pub fn better(&self, app: usize, more_is_better: bool) -> impl Iterator<Item = usize> + '_ {
        let place = self.place(app);
        self.apps.iter().enumerate().filter_map(move |(other, row)| {
            let (high, low) = if more_is_better {
                (other, place?)
            } else {
                (place?, other)
            };
            self.above[high][low].then_some(*row)
        })
    }

    fn place(&self, app: usize) -> Option<usize> {
        self.apps.iter().position(|row| *row == app)
    }
}

/// Which of `p_values` are below what Holm's procedure requires of them, so that with 95 % none is by chance. `family` is the number of
/// statements that could have been made, at least as many.
pub fn holm(p_values: &[f64], family: usize) -> Vec<bool> {
    let mut clearest: Vec<usize> = (0..p_values.len()).collect();
    clearest.sort_by(|a, b| p_values[*a].total_cmp(&p_values[*b]));
    let mut proven = vec![false; p_values.len()];
    for (place, left) in clearest.into_iter().zip((1..=family).rev()) {
        if p_values[place] > WRONG / left as f64 {
            break;
        }
        proven[place] = true;
    }
    proven
}

/// Number of pairs of this many apps.
fn number_of_pairs(apps: usize) -> usize {
    apps * apps.saturating_sub(1) / 2
}

/// What Holm's procedure proves of pairs of places, the upper one first, and what follows from that.
fn proven(pairs: &[(usize, usize)], p_values: &[f64], apps: usize) -> Vec<Vec<bool>> {
    let mut above = vec![vec![false; apps]; apps];
    let holds = holm(p_values, number_of_pairs(apps));
    for ((high, low), _) in pairs.iter().zip(holds).filter(|(_, holds)| *holds) {
        above[*high][*low] = true;
    }
    // Differences are taken between one level of each app, so these relations have no circle.
    for middle in 0..apps {
        for high in 0..apps {
            for low in 0..apps {
                above[high][low] |= above[high][middle] && above[middle][low];
            }
        }
    }
    above
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::field::Field;
    use crate::random::{normal, uniform};

    /// The pairs of those among `apps` (rows of the field) that have an interval.
    fn within(field: &Field, apps: &[usize]) -> Pairs {
        let apps = apps.iter().copied().filter(|app| field.has_interval(*app)).collect();
        Pairs::new(apps, 0.0, |one, other| field.difference(one, other))
    }

    const NOISE: [f64; 6] = [0.010, -0.012, 0.004, 0.001, -0.008, 0.005];

    /// Six rounds at each level, with a noise that no two apps have in the same order.
    fn group(levels: &[f64]) -> Pairs {
        let rows = levels
            .iter()
            .enumerate()
            .map(|(turn, level)| (0..6).map(|round| Some(level + NOISE[(round + turn) % 6])).collect())
            .collect();
        within(&Field::new(rows), &(0..levels.len()).collect::<Vec<_>>())
    }

    fn ranks(pairs: &Pairs, more_is_better: bool) -> Vec<String> {
        (0..pairs.apps.len())
            .map(|app| pairs.rank(app, more_is_better).unwrap().to_string())
            .collect()
    }

    #[test]
    fn a_rank_is_the_range_that_the_proven_pairs_leave() {
        let found = group(&[1.0, 1.004, 1.5, 2.0]);
        assert_eq!(ranks(&found, false), ["1–2", "1–2", "3", "4"]);
        assert_eq!(ranks(&found, true), ["3–4", "3–4", "2", "1"]);
        assert_eq!(found.rank(7, true), None);
    }

    #[test]
    fn equal_figures_share_all_places_and_fixed_differences_none() {
        let rows = [2.0, 2.0, 2.1].map(|level| vec![Some(level); 5]);
        let found = within(&Field::new(rows.to_vec()), &[0, 1, 2]);
        assert_eq!(ranks(&found, false), ["1–2", "1–2", "3"]);
        assert_eq!(ranks(&group(&[1.0]), false), ["1"]);
    }

    #[test]
    fn too_few_rounds_have_no_rank_and_do_not_count() {
        let mut rows = vec![vec![Some(1.0); 5], vec![Some(2.0); 5], vec![Some(3.0); 5]];
        rows[1][0] = None;
        let found = within(&Field::new(rows), &[0, 1, 2]);
        assert_eq!(found.rank(1, false), None);
        assert_eq!(found.rank(2, false), Some(Rank { best: 2, worst: 2 }));
    }

    /// What docs/ranking.md promises, as a small sample: noise of 0.5 to 3.6 % in different apps, one round in ten of every
    /// third app 5 to 10 % off, rounds that drift together and miss, a third of the apps equal. Each statement about the group
    /// counts, and one that is wrong makes the run wrong.
    #[test]
    fn all_statements_hold_together() {
        const RUNS: u32 = 300;
        let mut rng = ChaCha8Rng::seed_from_u64(15);
        for (apps, rounds, fewest) in [(2, 6, 0.93), (6, 5, 0.93), (8, 6, 0.93), (14, 6, 0.94)] {
            let (mut right, mut statements) = (0, 0);
            for _ in 0..RUNS {
                let truth: Vec<f64> = (0..apps)
                    .map(|app| if app % 3 == 0 { 0.0 } else { 0.05 * normal(&mut rng) })
                    .collect();
                let mut rows = vec![Vec::new(); apps];
                let mut machine = 0.0;
                for _ in 0..=rounds {
                    machine = 0.5 * machine + 0.1 * normal(&mut rng);
                    for (app, row) in rows.iter_mut().enumerate() {
                        let spread = 0.005 * 7.2_f64.powf(app as f64 / (apps - 1) as f64);
                        let off = if app % 3 == 0 && uniform(&mut rng) < 0.1 {
                            (0.05 + 0.05 * uniform(&mut rng)) * normal(&mut rng).signum()
                        } else {
                            0.0
                        };
                        row.push(Some(truth[app] + machine + spread * normal(&mut rng) + off));
                    }
                }
                // One round of each app is missing, of half of them the same.
                for (app, row) in rows.iter_mut().enumerate() {
                    row[if app % 2 == 0 { 0 } else { app % rounds }] = None;
                }
                let found = within(&Field::new(rows), &(0..apps).collect::<Vec<_>>());
                let mut all = true;
                for (one, other) in (0..apps).flat_map(|one| (0..apps).map(move |other| (one, other))) {
                    if found.above[one][other] {
                        statements += 1;
                        all &= truth[one] > truth[other];
                    }
                }
                right += u32::from(all);
            }
            let share = f64::from(right) / f64::from(RUNS);
            let pairs = f64::from(RUNS) * number_of_pairs(apps) as f64;
            assert!(share >= fewest, "{apps} apps: {share}");
            assert!(
                f64::from(statements) > 0.25 * pairs,
                "{apps} apps: {statements} of {pairs}"
            );
        }
    }
}
