//! Where a level lies between two others, which is what carries over where their ratios do not.

use crate::field::{Difference, quantile};

/// A place on a scale from one level, 0, to a higher one, 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place {
    /// Best estimate; below 0 or above 1 outside of the two ends.
    pub estimate: f64,
    /// Half the width of its 95 % interval.
    pub half_width: f64,
}

/// The place (a − l) ÷ (h − l) of a level a between a low one l and a high one h, from the differences of their logarithms: a above l, h
/// above l and a above h. Its error is that of the three by the first terms of its Taylor series (the delta method). `None` where h is not
/// above l, or one of the three has too few rounds for an interval.
pub fn place(above_low: Difference, whole: Difference, above_high: Difference) -> Option<Place> {
    let [level, high] = [above_low, whole].map(|difference| difference.estimate.exp());
    let span = high - 1.0;
    if !span.is_normal() || span < 0.0 {
        return None;
    }
    let all = [above_low.spread?, whole.spread?, above_high.spread?];
    let [own, of_whole, between] = all.map(|spread| spread.error.powi(2));
    let covariance = 0.5 * (own + of_whole - between);
    let (by_own, by_whole) = (level / span, -(level - 1.0) * high / (span * span));
    let variance = by_own * by_own * own + by_whole * by_whole * of_whole + 2.0 * by_own * by_whole * covariance;
    let freedom = all.map(|spread| spread.freedom);
    let freedom = freedom.into_iter().fold(f64::INFINITY, f64::min);
    Some(Place {
        estimate: (level - 1.0) / span,
        half_width: variance.max(0.0).sqrt() * quantile(freedom, 0.95)?,
    })
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::Field;
    use crate::random::normal;

    /// Low end, app and high end in six rounds, as CPU times with noise.
    fn found(truth: [f64; 3], noise: f64, rng: &mut ChaCha8Rng) -> Option<Place> {
        let mut row = |level: f64| (0..6).map(|_| Some(level.ln() + noise * normal(rng))).collect();
        let field = Field::new(truth.map(&mut row).to_vec());
        let of = |one, other| field.difference(one, other).unwrap();
        place(of(1, 0), of(2, 0), of(1, 2))
    }

    #[test]
    fn a_place_is_where_it_says_as_often_as_it_says() {
        let mut rng = ChaCha8Rng::seed_from_u64(64);
        for (level, truth) in [(5.0, 0.1), (6.0, 0.2), (10.0, 0.6), (14.0, 1.0)] {
            let held = (0..1000).filter(|_| {
                let found = found([4.0, level, 14.0], 0.02, &mut rng).unwrap();
                (found.estimate - truth).abs() <= found.half_width
            });
            let held = held.count();
            assert!((930..=975).contains(&held), "{level}: {held} of 1000");
        }
    }

    #[test]
    fn there_is_no_scale_where_the_ends_are_alike_or_turned() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        assert_eq!(found([4.0, 5.0, 4.0], 0.0, &mut rng), None);
        assert_eq!(found([4.0, 5.0, 3.0], 0.0, &mut rng), None);
        let exact = found([4.0, 3.0, 8.0], 0.0, &mut rng).unwrap();
        assert!((exact.estimate + 0.25).abs() < 1e-9, "below the low end: {exact:?}");
    }
}
