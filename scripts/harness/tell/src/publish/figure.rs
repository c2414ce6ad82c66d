//! A figure in a matrix, written as short as possible: `61230`, not `61230.0`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

/// From here on, not every whole number is an `f64`.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A figure, written as a whole number if it is one.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Figure(pub f64);

impl Serialize for Figure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.fract() == 0.0 && (0.0..EXACT).contains(&self.0) {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "it is whole, not negative and small enough"
            )]
            return serializer.serialize_u64(self.0 as u64);
        }
        serializer.serialize_f64(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_figures_are_written_whole_and_read_as_figures() {
        let figures = [61_230.0, 0.0, 1.04, 0.000_12, 1e18].map(Figure);
        let text = serde_json::to_string(&figures).unwrap();
        assert_eq!(text, "[61230,0,1.04,0.00012,1e+18]");
        assert_eq!(serde_json::from_str::<[Figure; 5]>(&text).unwrap(), figures);
    }
}
