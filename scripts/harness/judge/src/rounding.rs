//! Rounding to significant decimal digits: rounding twice gives the same as rounding once.
//!
//! gh-pages keeps every record for ever, so a record is published with no more digits than carry information. The artifact of its
//! run has all of them.

use jiff::Timestamp;
use record::{LatencyFigures, Record, Rss, Trial};

/// Digits of the figures that apps are compared by: trials spread by hundredths, so a ten-thousandth says nothing.
pub const COMPARED: usize = 4;
/// Digits of all other figures: latencies, memory, times, bounds.
pub const SHOWN: usize = 3;
/// Digits of a share of cpu time, which is counted in ticks.
const SHARE: usize = 2;
/// Digits of a count of instructions, which repeats to two in ten thousand.
const COUNTED: usize = 6;

/// The record as it is published: with the digits above, trials without their slices, and their start in whole seconds. Costs keep
/// all their digits.
pub fn rounded(mut record: Record) -> Record {
    let environment = &mut record.environment;
    for share in [&mut environment.steal_share, &mut environment.load_average] {
        *share = significant(*share, COMPARED);
    }
    for app in &mut record.apps {
        round_known([&mut app.build_seconds], COMPARED);
    }
    record.trials.iter_mut().for_each(round_trial);
    record
}

fn round_known<const N: usize>(figures: [&mut Option<f64>; N], digits: usize) {
    for figure in figures {
        *figure = figure.map(|figure| significant(figure, digits));
    }
}

fn round_trial(trial: &mut Trial) {
    trial.slices = None; // its figures summarise them
    trial.started_at = Timestamp::from_second(trial.started_at.as_second()).unwrap_or(trial.started_at);
    let compared = [
        &mut trial.goodput_rps,
        &mut trial.capacity_rps,
        &mut trial.server_cpu_us_per_request,
        &mut trial.database_cpu_us_per_request,
        &mut trial.database_connections_active,
    ];
    round_known(compared, COMPARED);
    round_known([&mut trial.instructions_per_request], COUNTED);
    let shown = [
        &mut trial.seconds,
        &mut trial.startup_ms,
        &mut trial.answer_bytes,
        &mut trial.first_byte_ms,
    ];
    round_known(shown, SHOWN);
    let shares = [
        &mut trial.server_cpu_share,
        &mut trial.generator_cpu_share,
        &mut trial.link_share,
        &mut trial.database_cpu_share,
        &mut trial.steal_share,
        &mut trial.other_cpu_share,
        &mut trial.idle_cpu_share,
    ];
    round_known(shares, SHARE);
    for count in trial.requests.values_mut().chain(trial.errors.values_mut()) {
        *count = whole(*count, SHOWN);
    }
    if let Some(latency) = &mut trial.latency_ms {
        *latency = LatencyFigures::from(*latency)
            .map(|figure| significant(figure, SHOWN))
            .into();
    }
    if let Some(Rss { idle, peak, after }) = &mut trial.rss_bytes {
        for bytes in [idle, peak, after] {
            *bytes = whole(*bytes, SHOWN);
        }
    }
}

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

/// The nearest whole number with this many significant digits.
fn whole(value: u64, digits: usize) -> u64 {
    let length = value.checked_ilog10().map_or(1, |log| log as usize + 1);
    let unit = 10_u64.pow(u32::try_from(length.saturating_sub(digits)).unwrap_or(0));
    value.saturating_add(unit / 2) / unit * unit
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
    fn a_figure_is_rounded_by_what_it_is_of() {
        let mut record = samples::record();
        let trial = &mut record.trials[0];
        trial.started_at = "2026-11-21T11:00:03.999Z".parse().unwrap();
        trial.instructions_per_request = Some(1_234_567.0);
        trial.slices = Some(record::Slices::default());
        for figure in [&mut trial.goodput_rps, &mut trial.seconds, &mut trial.server_cpu_share] {
            *figure = Some(0.123_456);
        }
        let record = rounded(record);
        let trial = &record.trials[0];
        assert_eq!(trial.started_at.to_string(), "2026-11-21T11:00:03Z");
        assert_eq!(trial.slices, None);
        let figures = [
            trial.instructions_per_request,
            trial.goodput_rps,
            trial.seconds,
            trial.server_cpu_share,
        ];
        let texts = figures.map(|figure| figure.unwrap().to_string());
        assert_eq!(texts, ["1234570", "0.1235", "0.123", "0.12"]);
    }

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
        assert_eq!(
            (whole(12_345, 3), whole(9_996, 3), whole(7, 3), whole(0, 3)),
            (12_300, 10_000, 7, 0)
        );
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

        #[test]
        fn whole_numbers_stay_whole(value in 0u64..u64::MAX / 2, digits in 2usize..6) {
            prop_assert_eq!(whole(whole(value, digits), digits), whole(value, digits));
        }

        #[test]
        fn a_rounded_record_is_read_and_rounded_again_to_the_same_text(
            figures in prop::collection::vec((0.0..1e9f64, 0.0..1e4f64, 0u64..1 << 40, prop::bool::ANY), 1..12),
        ) {
            let mut record = samples::varied();
            for (trial, (rate, small, bytes, known)) in record.trials.iter_mut().zip(figures.iter().cycle()) {
                trial.goodput_rps = known.then_some(*rate);
                trial.startup_ms = Some(*small);
                trial.steal_share = known.then_some(small / 1e4);
                trial.rss_bytes = known.then_some(Rss { idle: *bytes, peak: bytes / 3, after: 7 });
                trial.errors.insert("timeout".into(), *bytes);
            }
            let once = rounded(record);
            let text = serde_json::to_string(&once).unwrap();
            let again = crate::reading::parse("record.json".as_ref(), &text).unwrap();
            prop_assert!(again.trials == once.trials && rounded(again).trials == once.trials);
        }
    }
}
