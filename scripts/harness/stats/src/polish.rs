//! From the slices of one round to one level for each server.
//!
//! In a round all servers are driven in turns, each once in every sub-round, for a few hundredths of a second. What the
//! machine does to a whole sub-round is in the slices of all servers and cancels in their differences. What it does to one
//! slice does not: a neighbour's burst lasts for one to four slices of 0.05 s and makes them up to 1.5 times as expensive. So two
//! servers are compared by the interquartile mean of their log-ratios within the sub-rounds (J. W. Tukey's trimmed mean, a
//! quarter off each end): a burst moves a few of these ratios, a difference between the programs moves all of them. What this
//! misses is an effect on fewer than a quarter of the slices, for example a pause once a second.
//!
//! With more than two servers each pair is compared in this way, and the levels are those that fit all pairs best (least
//! squares, each pair weighted with the sub-rounds that it shares), so what is noise in one server's slices counts little in
//! the difference of two others. In simulation (docs/ranking.md) this was as narrow as, or narrower than, a sub-round effect
//! from the mean, the median or the interquartile mean over the servers, and than ratios to one reference. For two servers it
//! is the plain interquartile mean of their log-ratios.

use super::median::median;

/// Share of the ratios of a pair that is left out at each end.
const TRIMMED: f64 = 0.25;
/// Most steps. A round in which nothing is missing needs about ten.
const STEPS: usize = 1000;
/// Change of a level, in logarithms, below which it has settled.
const SETTLED: f64 = 1e-13;

/// The log level of each server in a round; `None` for one without a value.
///
/// `values` holds a row for each server and a column for each sub-round: the natural logarithm of a positive figure of one
/// slice, finite, or `None` where the slice was disturbed; rows may differ in length. Differences of levels are log-ratios of
/// servers. The levels' common height is such that the sub-rounds' effects have the median 0, so `exp(level)` is what a
/// slice of this server typically showed. A server that shares no sub-round with another is at the median of its own slices.
pub fn polish(values: &[Vec<Option<f64>>]) -> Vec<Option<f64>> {
    polish_where(values, |_, _, _| true, |_| true)
}

/// The same from some of the sub-rounds: `counts(one, other, sub_round)` says which of them compare two servers, `is_typical` which of them
/// set the levels' common height.
pub(crate) fn polish_where(
    values: &[Vec<Option<f64>>],
    counts: impl Fn(usize, usize, usize) -> bool,
    is_typical: impl Fn(usize) -> bool,
) -> Vec<Option<f64>> {
    let middle = |row: &Vec<Option<f64>>| median(&row.iter().flatten().copied().collect::<Vec<_>>());
    let own: Vec<Option<f64>> = values.iter().map(middle).collect();
    let pairs = pairs(values, counts);
    let mut levels: Vec<f64> = own.iter().map(|own| own.unwrap_or_default()).collect();
    for _ in 0..STEPS {
        let mut moved: f64 = 0.0;
        for (server, others) in pairs.iter().enumerate() {
            let all: f64 = others.iter().map(|(_, _, weight)| weight).sum();
            if all > 0.0 {
                let fits = others
                    .iter()
                    .map(|(other, above, weight)| weight * (levels[*other] + above));
                let level = fits.sum::<f64>() / all;
                moved = moved.max((level - levels[server]).abs());
                levels[server] = level;
            }
        }
        if moved < SETTLED {
            break;
        }
    }
    let height = height(values, &levels, is_typical);
    own.iter()
        .zip(levels)
        .map(|(own, level)| own.map(|_| level + height))
        .collect()
}

/// For each server, all others with which it shares a sub-round: which one, how far it is above that, and how many sub-rounds they share.
fn pairs(values: &[Vec<Option<f64>>], counts: impl Fn(usize, usize, usize) -> bool) -> Vec<Vec<(usize, f64, f64)>> {
    let mut pairs = vec![Vec::new(); values.len()];
    for (one, row) in values.iter().enumerate() {
        for (other, other_row) in values.iter().enumerate().skip(one + 1) {
            let slices = row.iter().zip(other_row).enumerate();
            let counted = slices.filter(|(sub_round, _)| counts(one, other, *sub_round));
            let mut differences: Vec<f64> = counted.filter_map(|(_, (a, b))| Some((*a)? - (*b)?)).collect();
            if !differences.is_empty() {
                let (difference, weight) = (interquartile_mean(&mut differences), differences.len() as f64);
                pairs[one].push((other, difference, weight));
                pairs[other].push((one, -difference, weight));
            }
        }
    }
    pairs
}

/// The constant to add to the levels so that the effects of the sub-rounds have the median 0.
fn height(values: &[Vec<Option<f64>>], levels: &[f64], is_typical: impl Fn(usize) -> bool) -> f64 {
    let sub_rounds = values.iter().map(Vec::len).max().unwrap_or_default();
    let effects: Vec<f64> = (0..sub_rounds)
        .filter(|sub_round| is_typical(*sub_round))
        .filter_map(|sub_round| {
            let above = values
                .iter()
                .zip(levels)
                .filter_map(|(row, level)| Some((*row.get(sub_round)?)? - level));
            median(&above.collect::<Vec<_>>())
        })
        .collect();
    median(&effects).unwrap_or_default()
}

/// Mean without a quarter of the values at each end. There must be at least one value.
fn interquartile_mean(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a quarter of a few dozen
    let trimmed = (values.len() as f64 * TRIMMED) as usize;
    let kept = &values[trimmed..values.len() - trimmed];
    kept.iter().sum::<f64>() / kept.len() as f64
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::random::{normal, uniform};

    fn row(values: &[f64]) -> Vec<Option<f64>> {
        values.iter().copied().map(Some).collect()
    }

    fn levels(values: &[Vec<Option<f64>>]) -> Vec<f64> {
        polish(values).into_iter().map(Option::unwrap).collect()
    }

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9
    }

    #[test]
    fn a_quarter_is_left_out_at_each_end() {
        assert!(near(interquartile_mean(&mut [100.0, 1.0, 2.0, -50.0]), 1.5));
        assert!(near(interquartile_mean(&mut [3.0]), 3.0));
        assert!(
            near(interquartile_mean(&mut [1.0, 2.0, 6.0]), 3.0),
            "of three none is left out"
        );
    }

    /// What `bench compare` does with its pairs.
    #[test]
    fn two_servers_differ_by_the_interquartile_mean_of_their_log_ratios() {
        let base = [1.0, 1.3, 0.9, 1.1, 1.0, 1.7, 1.2, 1.05];
        let head = [1.1, 1.2, 1.1, 1.4, 2.0, 1.6, 1.25, 1.0];
        // Sorted: -0.1 -0.1 | -0.05 0.05 0.1 0.2 | 0.3 1.0.
        let found = levels(&[row(&base), row(&head)]);
        assert!(near(found[1] - found[0], 0.075), "{found:?}");
        let swapped = levels(&[row(&head), row(&base)]);
        assert!(near(swapped[0], found[1]) && near(swapped[1], found[0]));
    }

    #[test]
    fn what_a_sub_round_has_in_common_cancels_and_the_level_is_that_of_a_typical_one() {
        let drift = [0.0, 0.1, -0.1, 0.8, 0.9, 0.0, 0.05];
        let at = |level: f64| row(&drift.map(|drift| level + drift));
        let found = levels(&[at(2.0), at(2.3), at(1.5)]);
        // The median of the drift is 0.05.
        assert!(
            near(found[0], 2.05) && near(found[1], 2.35) && near(found[2], 1.55),
            "{found:?}"
        );
    }

    #[test]
    fn bursts_in_single_slices_do_not_count() {
        let mut values = vec![row(&[2.0; 16]), row(&[2.1; 16]), row(&[1.9; 16])];
        for (server, sub_round) in [(0, 2), (0, 3), (1, 9), (2, 11)] {
            values[server][sub_round] = values[server][sub_round].map(|value| value + 0.4);
        }
        let found = levels(&values);
        assert!(
            near(found[0], 2.0) && near(found[1], 2.1) && near(found[2], 1.9),
            "{found:?}"
        );
    }

    #[test]
    fn what_is_missing_neither_counts_nor_biases() {
        // The third server misses the dear half of the round: its own slices alone would flatter it.
        let drift = [0.0, 0.0, 0.0, 0.0, 0.5, 0.5, 0.5, 0.5, 0.5];
        let at = |level: f64| row(&drift.map(|drift| level + drift));
        let mut values = vec![at(1.0), at(1.2), at(1.1), vec![None; 9], Vec::new()];
        for slice in &mut values[2][4..] {
            *slice = None;
        }
        values[0][0] = None;
        let found = polish(&values);
        let of = |server: usize| found[server].unwrap();
        assert!(
            near(of(1) - of(0), 0.2) && near(of(2) - of(0), 0.1) && near(of(0), 1.5),
            "{found:?}"
        );
        assert_eq!(found[3..], [None, None]);
    }

    #[test]
    fn alone_a_server_is_at_the_median_of_its_slices() {
        assert_eq!(polish(&[row(&[1.0, 5.0, 2.0])]), [Some(2.0)]);
        let strangers = [vec![Some(1.0), None], vec![None, Some(4.0)]];
        let found = levels(&strangers);
        assert!(near(found[1] - found[0], 3.0), "{found:?}");
        assert!(polish(&[]).is_empty());
    }

    /// Six servers, 32 sub-rounds, a machine that drifts, bursts in one slice of ten: a difference of two servers is found
    /// not less sharply than by the slices of these two alone, and without bias.
    #[test]
    fn the_field_does_not_blur_the_difference_of_two() {
        const ROUNDS: u32 = 200;
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let (mut field, mut alone, mut bias) = (0.0, 0.0, 0.0);
        for _ in 0..ROUNDS {
            let mut machine = 0.0;
            let mut values = vec![Vec::new(); 6];
            for _ in 0..32 {
                machine += 0.02 * normal(&mut rng);
                for (server, row) in values.iter_mut().enumerate() {
                    let burst = if uniform(&mut rng) < 0.1 {
                        0.5 * uniform(&mut rng)
                    } else {
                        0.0
                    };
                    row.push(Some(0.1 * server as f64 + machine + 0.03 * normal(&mut rng) + burst));
                }
            }
            let off = |levels: &[f64]| levels[1] - levels[0] - 0.1;
            let of_all = off(&levels(&values));
            field += of_all * of_all;
            bias += of_all;
            alone += off(&levels(&values[..2])).powi(2);
        }
        assert!(field < alone, "{field} {alone}");
        assert!((bias / f64::from(ROUNDS)).abs() < 0.003, "{bias}");
    }
}
