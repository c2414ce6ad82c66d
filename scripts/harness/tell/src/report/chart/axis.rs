//! Axes: from a figure to a position, and the round numbers on them.

/// Steps of a linear axis at most.
const MOST_STEPS: u8 = 4;

/// From zero in equal steps: for bars, whose length means something only from zero.
#[derive(Debug)]
pub struct Linear {
    end: f64,
    step: f64,
}

impl Linear {
    /// An axis that reaches the largest of these values; those that are not positive are ignored.
    pub fn reaching(values: impl Iterator<Item = f64>) -> Self {
        let largest = values.filter(|value| value.is_finite()).fold(0.0, f64::max);
        let largest = if largest > 0.0 { largest } else { 1.0 };
        let most = f64::from(MOST_STEPS);
        let power = 10_f64.powf((largest / most).log10().floor());
        let steps = [1.0, 2.0, 2.5, 5.0, 10.0].map(|step| step * power);
        let step = steps
            .into_iter()
            .find(|step| largest / step <= most)
            .unwrap_or(10.0 * power);
        Self { end: largest, step }
    }

    /// Place of a value, 0 at the start and 1 at the end of the axis.
    pub fn place(&self, value: f64) -> f64 {
        (value / self.end).clamp(0.0, 1.0)
    }

    /// The round numbers on it, zero included.
    pub fn ticks(&self) -> Vec<f64> {
        // Counted, because the end of the largest figures is infinite.
        let ticks = (0..=MOST_STEPS).map(|number| f64::from(number) * self.step);
        ticks.take_while(|tick| *tick <= self.end * 1.000_001).collect()
    }
}

/// Equal factors are equal distances: for ratios, where half and twice are as far from one.
#[derive(Debug)]
pub struct Logarithmic {
    low: f64,
    high: f64,
}

impl Logarithmic {
    /// An axis that contains 1 and all of these values with some room; those without a logarithm are ignored.
    pub fn holding(values: impl Iterator<Item = f64>) -> Self {
        let around = |(low, high): (f64, f64), value: f64| (low.min(value), high.max(value));
        // Never narrower than five percent to both sides: noise must not look like a difference.
        let start = (0.95, 1.05);
        let (low, high) = values
            .filter(|value| value.is_finite() && *value > 0.0)
            .fold(start, around);
        let room = (high / low).powf(0.06);
        Self {
            low: low / room,
            high: high * room,
        }
    }

    /// Place of a value, 0 at the start and 1 at the end of the axis, which no value leaves.
    pub fn place(&self, value: f64) -> f64 {
        ((value / self.low).ln() / (self.high / self.low).ln()).clamp(0.0, 1.0)
    }

    /// A few round ratios on it, one included.
    pub fn ticks(&self) -> Vec<f64> {
        let span = self.high / self.low;
        let candidates: &[f64] = match span {
            _ if span < 1.3 => &[0.9, 0.95, 1.0, 1.05, 1.1],
            _ if span < 2.2 => &[0.6, 0.8, 1.0, 1.25, 1.6],
            _ if span < 6.0 => &[0.25, 0.5, 0.7, 1.0, 1.4, 2.0, 4.0],
            _ if span < 20.0 => &[0.0625, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0],
            _ if span < 80.0 => &[0.0625, 0.25, 1.0, 4.0, 16.0, 64.0],
            _ => &[0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0],
        };
        candidates
            .iter()
            .copied()
            .filter(|tick| (self.low..=self.high).contains(tick))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_begin_at_zero() {
        let axis = Linear::reaching([123_456.0, 188_000.0, f64::NAN].into_iter());
        assert_eq!(axis.ticks(), [0.0, 50_000.0, 100_000.0, 150_000.0]);
        assert!((axis.place(94_000.0) - 0.5).abs() < 1e-9);
        assert_eq!(
            Linear::reaching(std::iter::empty()).ticks(),
            [0.0, 0.25, 0.5, 0.75, 1.0]
        );
        assert!(Linear::reaching([f64::MAX].into_iter()).ticks().len() <= 5);
    }

    #[test]
    fn half_and_twice_are_as_far_from_one() {
        let axis = Logarithmic::holding([0.5, 2.0].into_iter());
        assert!((axis.place(1.0) - 0.5).abs() < 1e-9);
        assert_eq!(axis.ticks(), [0.5, 0.7, 1.0, 1.4, 2.0]);
    }

    #[test]
    fn noise_does_not_fill_the_axis() {
        let axis = Logarithmic::holding([0.999, 1.001].into_iter());
        assert!(axis.place(1.001) - axis.place(0.999) < 0.05);
    }
}
