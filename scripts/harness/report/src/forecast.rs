//! How often published intervals and orders were found again by the next run.

use analyze::forecast::{Forecast, PROBABILITIES};

use super::labels::count;

/// A line about all forecasts up to a run; `None` without any. Plain text.
pub fn sentence(forecasts: &[Forecast]) -> Option<String> {
    let sum = |part: fn(&Forecast) -> u32| forecasts.iter().map(part).sum::<u32>();
    let first = forecasts.first()?;
    let (ratios, pairs) = (sum(|of| of.ratios), sum(|of| of.pairs));
    let held = 100.0 * f64::from(sum(|of| of.held[2])) / f64::from(ratios.max(1));
    Some(format!(
        "Each run is a forecast of the next: in {} since {}, {held:.0} % of {ratios} ratios were found within their {:.0} % interval, and of \
         {pairs} pairs in order {} were found again and {} reversed.",
        count(forecasts.len(), "forecast"),
        first.at.strftime("%-d %B %Y"),
        100.0 * PROBABILITIES[2],
        sum(|of| of.confirmed),
        sum(|of| of.reversed),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forecasts_are_added_up() {
        let one = Forecast {
            from: "20261125T201724Z-1".into(),
            to: "20261126T075437Z-2".into(),
            at: "2026-11-26T07:54:37Z".parse().unwrap(),
            sessions: 1,
            ratios: 20,
            held: [5, 10, 15],
            pairs: 9,
            confirmed: 7,
            reversed: 1,
        };
        assert_eq!(sentence(&[]), None);
        assert_eq!(
            sentence(&[
                one.clone(),
                Forecast {
                    held: [15, 20, 20],
                    ..one
                }
            ])
            .unwrap(),
            "Each run is a forecast of the next: in 2 forecasts since 26 November 2026, 88 % of 40 ratios were found within their 95 % \
             interval, and of 18 pairs in order 14 were found again and 2 reversed."
        );
    }
}
