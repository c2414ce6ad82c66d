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
    /// A ratio's interval, from its natural logarithm's.
    #[must_use]
    pub fn exp(self) -> Self {
        Self {
            low: self.low.exp(),
            high: self.high.exp(),
        }
    }
}
