use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An interval, including both ends.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Interval {
    /// All numbers.
    pub(crate) const UNBOUNDED: Self = Self {
        low: f64::NEG_INFINITY,
        high: f64::INFINITY,
    };

    /// As far to either side of `middle`.
    #[must_use]
    pub fn around(middle: f64, half: f64) -> Self {
        Self {
            low: middle - half,
            high: middle + half,
        }
    }

    /// With both ends changed by a function that rises.
    #[must_use]
    pub fn map(self, change: fn(f64) -> f64) -> Self {
        Self {
            low: change(self.low),
            high: change(self.high),
        }
    }

    /// Whether it contains a value.
    pub fn contains(self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// How far its ends are apart.
    pub fn width(self) -> f64 {
        self.high - self.low
    }
}
