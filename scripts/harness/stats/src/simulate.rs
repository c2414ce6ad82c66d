//! Noise as machines make it, with a known median: what the statistics are proven on.

use rand::Rng;

use super::random::{normal, uniform};

/// A kind of noise.
#[derive(Debug, Clone, Copy)]
pub enum Noise {
    /// Symmetric.
    Normal,
    /// Skewed: what times usually are.
    LogNormal,
    /// Student's t with 2 degrees of freedom on the log scale: no finite variance.
    HeavyTailed,
    /// One in ten is disturbed and three times as large.
    Outliers,
}

impl Noise {
    /// The true median.
    pub fn median(self) -> f64 {
        match self {
            Self::Normal | Self::LogNormal | Self::HeavyTailed => 100.0,
            // By bisection: 0.9·Φ((ln x − ln 100)/0.05) + 0.1·Φ((ln x − ln 300)/0.05) = ½, so Φ = 0.5/0.9.
            Self::Outliers => 100.0 * (0.05_f64 * 0.139_710_298_881_862_1).exp(),
        }
    }
}

/// One value.
pub fn draw(noise: Noise, rng: &mut impl Rng) -> f64 {
    match noise {
        Noise::Normal => 100.0 + 10.0 * normal(rng),
        Noise::LogNormal => 100.0 * (0.2 * normal(rng)).exp(),
        Noise::HeavyTailed => {
            let chi_square = -2.0 * uniform(rng).ln(); // 2 degrees of freedom
            100.0 * (0.1 * normal(rng) / (chi_square / 2.0).sqrt()).exp()
        }
        Noise::Outliers => {
            let disturbed = uniform(rng) < 0.1;
            let factor = if disturbed { 3.0 } else { 1.0 };
            100.0 * factor * (0.05 * normal(rng)).exp()
        }
    }
}
