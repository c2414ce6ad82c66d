//! How often published intervals and orders were found again by the next run.

use analyze::forecast::{Forecast, PROBABILITIES};

use super::labels::count;

/// A paragraph about all forecasts up to a run; `None` without any. Plain text.
pub fn sentence(forecasts: &[Forecast]) -> Option<String> {
    let first = forecasts.first()?;
    let sum = |part: fn(&Forecast) -> u32| forecasts.iter().map(part).sum::<u32>();
    let held = [
        |of: &Forecast| of.held[0],
        |of: &Forecast| of.held[1],
        |of: &Forecast| of.held[2],
    ]
    .map(sum);
    let ratios = sum(|of| of.ratios);
    let share = |held: u32| 100.0 * f64::from(held) / f64::from(ratios.max(1));
    let held: Vec<String> = PROBABILITIES
        .iter()
        .zip(held)
        .map(|(probability, held)| format!("{:.0} % (of {:.0} %)", share(held), 100.0 * probability))
        .collect();
    let pairs = sum(|of| of.pairs);
    let (confirmed, reversed) = (sum(|of| of.confirmed), sum(|of| of.reversed));
    Some(format!(
        "Each run is a forecast of the next. In {} since {}, {} of {ratios} ratios were found within the interval; of {pairs} pairs that \
         were told apart, {confirmed} were told apart again, {} were left undecided and {reversed} were reversed.",
        count(forecasts.len(), "forecast"),
        first.at.strftime("%-d %B %Y"),
        held.join(", "),
        pairs.saturating_sub(confirmed + reversed),
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
            "Each run is a forecast of the next. In 2 forecasts since 26 November 2026, 50 % (of 50 %), 75 % (of 80 %), 88 % (of 95 %) of 40 \
             ratios were found within the interval; of 18 pairs that were told apart, 14 were told apart again, 2 were left undecided and \
             2 were reversed."
        );
    }
}
