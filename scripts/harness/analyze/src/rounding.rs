//! Rounding to significant decimal digits: rounding twice gives the same as rounding once.

/// Digits of the figures that apps are compared by: trials spread by hundredths, so a ten-thousandth says nothing.
pub const COMPARED: usize = 4;
/// Digits of all other figures: latencies, memory, times, bounds.
pub const SHOWN: usize = 3;
/// The nearest figure with this many significant digits.
pub fn significant(value: f64, digits: usize) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    format!("{value:.*e}", digits.saturating_sub(1))
        .parse()
        .unwrap_or(value)
}

/// The largest such figure that is not above the value: a rounded interval never shrinks.
pub fn down(value: f64, digits: usize) -> f64 {
    let nearest = significant(value, digits);
    if nearest > value {
        significant(nearest - unit(value, digits), digits)
    } else {
        nearest
    }
}

/// The smallest such figure that is not below the value.
pub fn up(value: f64, digits: usize) -> f64 {
    let nearest = significant(value, digits);
    if nearest < value {
        significant(nearest + unit(value, digits), digits)
    } else {
        nearest
    }
}

/// What the last digit of a positive value counts.
fn unit(value: f64, digits: usize) -> f64 {
    let text = format!("{value:e}");
    let exponent = text.split_once('e').and_then(|(_, exponent)| exponent.parse().ok());
    let last = i32::try_from(digits).unwrap_or(i32::MAX) - 1;
    10_f64.powi(exponent.unwrap_or(0_i32).saturating_sub(last))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    #[allow(clippy::float_cmp)] // the same decimal text is the same figure
    fn digits_are_counted_from_the_first() {
        for (value, digits, rounded) in [
            (61_234.567, 4, 61_230.0),
            (0.001_234_56, 3, 0.001_23),
            (99.96, 3, 100.0),
            (0.0, 3, 0.0),
            (7.0, 2, 7.0),
        ] {
            assert_eq!(significant(value, digits), rounded);
        }
        assert_eq!((down(1.2399, 3), up(1.2301, 3)), (1.23, 1.24));
        assert_eq!((down(0.9996, 3), up(99.94, 3)), (0.999, 100.0));
    }

    proptest! {
        #[test]
        fn twice_is_once_and_ends_stay_outside(value in 1e-9..1e15f64, digits in 2usize..6) {
            for round in [significant, down, up] {
                let once = round(value, digits);
                prop_assert_eq!(round(once, digits).to_bits(), once.to_bits());
                prop_assert!((once - value).abs() <= value * 10.0 / 10f64.powi(i32::try_from(digits).unwrap()));
            }
            prop_assert!(down(value, digits) <= value && value <= up(value, digits));
        }
    }
}
