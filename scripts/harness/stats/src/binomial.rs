//! What a count of rare events says about their rate.

use statrs::function::beta::inv_beta_reg;

/// One-sided upper bound of a rate after `hits` in `tries`: the highest rate at which so few hits still have a probability of
/// 1 − `confidence`. 1 without any try.
///
/// Exact: C. J. Clopper and E. S. Pearson, Biometrika 26 (1934).
pub fn upper_bound(hits: u32, tries: u32, confidence: f64) -> f64 {
    if hits >= tries {
        return 1.0;
    }
    inv_beta_reg(f64::from(hits) + 1.0, f64::from(tries - hits), confidence)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_is_the_exact_one() {
        // Of none, in closed form; of some, by R: binom.test(1, 20, alternative = "less")$conf.int and so on.
        for (hits, tries, bound) in [
            (0, 20, 1.0 - 0.05_f64.powf(1.0 / 20.0)),
            (0, 1, 0.95),
            (1, 20, 0.216_106),
            (5, 100, 0.102_253),
            (20, 20, 1.0),
            (0, 0, 1.0),
        ] {
            let found = upper_bound(hits, tries, 0.95);
            assert!((found - bound).abs() < 1e-5, "{hits} of {tries}: {found}");
        }
        let many = upper_bound(1_000, 100_000, 0.95);
        assert!((0.0105..0.0106).contains(&many), "{many}");
    }
}
