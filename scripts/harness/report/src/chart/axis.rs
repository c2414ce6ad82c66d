//! Axes: from a figure to a position, and the round numbers on them.

use model::Ratio;

use super::svg::{Canvas, width};

/// How many times the middle half's spread a figure lies outside it before it is shown by an arrow.
const APART: f64 = 3.0;
/// The least such spread, in logarithms.
const LEAST_SPREAD: f64 = 0.02;

/// The ends of the intervals of these ratios, without the ratios that lie apart from the others.
pub fn together(ratios: &[Ratio]) -> Vec<f64> {
    let mut logs: Vec<f64> = ratios.iter().map(|ratio| ratio.estimate.ln()).collect();
    logs.sort_by(f64::total_cmp);
    let quartile = |quarter: usize| logs[logs.len().saturating_sub(1) * quarter / 4];
    let ends = |ratio: &Ratio| {
        let ends = ratio.interval.map(|interval| [interval.low, interval.high]);
        ends.into_iter().flatten().chain([ratio.estimate]).collect::<Vec<_>>()
    };
    let is_near = |ratio: &&Ratio| {
        let room = APART * (quartile(3) - quartile(1)).max(LEAST_SPREAD);
        let log = ratio.estimate.ln();
        log >= quartile(1) - room && log <= quartile(3) + room
    };
    ratios.iter().filter(is_near).flat_map(ends).collect()
}

/// An axis.
#[derive(Debug)]
pub struct Axis {
    /// Where it begins, and how long it is.
    pub left: f64,
    pub width: f64,
    low: f64,
    high: f64,
    /// What is even along it: the logarithm of a ratio, or a figure itself.
    even: fn(f64) -> f64,
    /// The round numbers on it, and the one from which others are seen.
    ticks: Vec<f64>,
    zero: f64,
}

impl Axis {
    /// Equal factors are equal distances, for ratios, where half and twice are as far from one. It contains 1 and all of these values with
    /// some room; those without a logarithm are ignored.
    pub fn new((left, width): (f64, f64), values: impl Iterator<Item = f64>) -> Self {
        let around = |(low, high): (f64, f64), value: f64| (low.min(value), high.max(value));
        // Never narrower than five percent to both sides: noise must not look like a difference.
        let values = values.filter(|value| value.is_finite() && *value > 0.0);
        let (low, high) = values.fold((0.95, 1.05), around);
        let room = (high / low).powf(0.06);
        let (low, high) = (low / room, high * room);
        let ticks: &[f64] = match high / low {
            span if span < 1.4 => &[0.8, 0.85, 0.9, 0.95, 1.0, 1.05, 1.1, 1.15, 1.2, 1.3],
            span if span < 2.2 => &[0.6, 0.8, 1.0, 1.25, 1.6],
            span if span < 6.0 => &[0.25, 0.5, 0.7, 1.0, 1.4, 2.0, 4.0],
            span if span < 20.0 => &[0.0625, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0],
            span if span < 80.0 => &[0.0625, 0.25, 1.0, 4.0, 16.0, 64.0],
            _ => &[0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0],
        };
        let ticks = ticks.iter().copied();
        Self {
            left,
            width,
            low,
            high,
            even: f64::ln,
            ticks: ticks.filter(|tick| (low..=high).contains(tick)).collect(),
            zero: 1.0,
        }
    }

    /// From 0 to the highest of these values, in steps of 20.
    pub fn from_zero((left, width): (f64, f64), values: impl Iterator<Item = f64> + Clone) -> Self {
        let (low, high) = (values.clone().fold(0.0, f64::min), values.fold(20.0, f64::max));
        let room = 0.03 * (high - low);
        let ticks = (0..).map(|step| 20.0 * f64::from(step));
        Self {
            left,
            width,
            low: low - room,
            high: high + room,
            even: |value| value,
            ticks: ticks.take_while(|tick| *tick <= high).collect(),
            zero: 0.0,
        }
    }

    /// Where a value is, which never leaves the axis.
    pub fn x(&self, value: f64) -> f64 {
        self.left + self.width * self.place(value)
    }

    /// A line for each round number, and below it the number where there is room for it, since numbers must not overlap.
    pub fn grid(&self, canvas: &mut Canvas, (top, bottom): (f64, f64), room: f64, text: fn(f64) -> String) {
        let mut free_from = self.left - room;
        for tick in &self.ticks {
            let x = self.x(*tick);
            let is_zero = (tick - self.zero).abs() < f64::EPSILON;
            canvas.line(if is_zero { "b-one" } else { "b-grid" }, (x, top), (x, bottom));
            let text = text(*tick);
            let half = width(&text) / 2.0;
            if x - half >= free_from && x + half <= self.left + self.width + room {
                canvas.text("b-note b-middle", (x, bottom + 14.0), &text);
                free_from = x + half + 4.0;
            }
        }
    }

    /// Whether a value lies outside the axis.
    pub fn is_beyond(&self, value: f64) -> bool {
        !(self.low..=self.high).contains(&value)
    }

    /// From 0 at the start to 1 at the end.
    fn place(&self, value: f64) -> f64 {
        let [value, low, high] = [value, self.low, self.high].map(self.even);
        ((value - low) / (high - low)).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: (f64, f64) = (0.0, 100.0);

    #[test]
    fn half_and_twice_are_as_far_from_one() {
        let axis = Axis::new(PLACE, [0.5, 2.0].into_iter());
        assert!((axis.place(1.0) - 0.5).abs() < 1e-9);
        assert_eq!(axis.ticks, [0.5, 0.7, 1.0, 1.4, 2.0]);
    }

    #[test]
    fn noise_does_not_fill_the_axis() {
        let axis = Axis::new(PLACE, [0.999, 1.001].into_iter());
        assert!(axis.place(1.001) - axis.place(0.999) < 0.05);
    }

    #[test]
    fn equal_steps_from_zero_are_equal_distances() {
        let axis = Axis::from_zero(PLACE, [-3.0, 55.0].into_iter());
        assert_eq!(axis.ticks, [0.0, 20.0, 40.0]);
        let [none, first, second] = [0.0, 20.0, 40.0].map(|tick| axis.place(tick));
        assert!(
            (second - first - (first - none)).abs() < 1e-9 && none > 0.0,
            "{none} {first} {second}"
        );
        assert!(axis.is_beyond(100.0) && !axis.is_beyond(-3.0) && !axis.is_beyond(55.0));
    }
}
