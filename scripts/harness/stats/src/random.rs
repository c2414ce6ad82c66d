//! Random numbers of known distributions, for simulations.

use rand::Rng;

/// Standard normal (Box and Muller).
pub fn normal(rng: &mut impl Rng) -> f64 {
    (-2.0 * uniform(rng).ln()).sqrt() * (std::f64::consts::TAU * uniform(rng)).cos()
}

/// Uniform in (0, 1], 53 bits.
pub fn uniform(rng: &mut impl Rng) -> f64 {
    ((rng.next_u64() >> 11) as f64 + 1.0) / 9_007_199_254_740_992.0
}
