//! What a count of rare events says about their rate.

/// One-sided upper bound of a rate after `hits` in `tries`: the highest rate at which so few hits still have a probability of
/// 1 − `confidence`. 1 without any try.
///
/// Exact: C. J. Clopper and E. S. Pearson, Biometrika 26 (1934).
pub fn upper_bound(hits: u32, tries: u32, confidence: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    if hits >= tries {
        return high;
    }
    // Fifty halvings are finer than the sum below.
    for _ in 0..50 {
        let rate = f64::midpoint(low, high);
        if at_most(hits, tries, rate) > 1.0 - confidence {
            low = rate;
        } else {
            high = rate;
        }
    }
    high
}

/// Probability of at most `hits` of `tries` at this rate, which is above 0 and below 1.
fn at_most(hits: u32, tries: u32, rate: f64) -> f64 {
    // Logarithms, for (1 − rate) to the power of tries may be smaller than any number that f64 has.
    let mut term = f64::from(tries) * (-rate).ln_1p();
    let odds = rate.ln() - (-rate).ln_1p();
    let mut sum = term.exp();
    for hit in 0..hits {
        term += odds + (f64::from(tries - hit) / f64::from(hit + 1)).ln();
        sum += term.exp();
    }
    sum
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
