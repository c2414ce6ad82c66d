//! Figures for people: how a number of each metric is written, in which unit, and which way is better.
//!
//! Three significant digits: more would be noise, the intervals are wider than that. The unit of a metric never changes
//! with the size of its value, so that a column can be compared by eye.

use model::{Interval, Metric, OwnWork, Ratio};

pub use super::document::NONE;

/// Bytes in a mebibyte.
const MIB: f64 = 1_048_576.0;

/// Bytes in a gibibyte.
const GIB: f64 = 1_073_741_824.0;

/// Most digits after the decimal point; smaller figures mean nothing in this project.
const MOST_DECIMALS: usize = 4;

/// Which way a metric is better, for a heading.
pub fn direction(metric: Metric) -> &'static str {
    let is_more = metric.more_is_better();
    if is_more { "more is better" } else { "less is better" }
}

/// A value of a metric in its [`unit()`], without the unit: `123,000`.
pub fn number(metric: Metric, value: f64) -> String {
    significant(value / metric.divisor())
}

/// A value of a metric with its unit: `8.42 µs`.
pub fn value(metric: Metric, value: f64) -> String {
    format!("{} {}", number(metric, value), metric.unit())
}

/// An interval of a metric without the unit: `[118,000, 127,000]`.
pub fn interval(metric: Metric, interval: Interval) -> String {
    format!("[{}, {}]", number(metric, interval.low), number(metric, interval.high))
}

/// The longer side of an interval as a share of its median: `±4.1 %`.
///
/// Empty where there is no interval or the median is 0.
pub fn spread(median: f64, interval: Option<Interval>) -> String {
    let Some(Interval { low, high }) = interval else {
        return String::new();
    };
    let percent = (high - median).max(median - low) / median * 100.0;
    match percent {
        _ if !percent.is_finite() => String::new(),
        _ if percent < 9.95 => format!("±{percent:.1} %"),
        _ => format!("±{percent:.0} %"),
    }
}

/// A ratio without its interval, `0.974`: a thousandth, because a run distinguishes one percent.
pub fn ratio(value: f64) -> String {
    match value {
        _ if !value.is_finite() => NONE.to_owned(),
        _ if value < 9.9995 => format!("{value:.3}"),
        _ => significant(value),
    }
}

/// A ratio with the longer side of its interval, `0.974 ±1.1 %`.
pub fn ratio_and_spread(of: &Ratio) -> String {
    let both = format!("{} {}", ratio(of.estimate), spread(of.estimate, of.interval));
    both.trim_end().to_owned()
}

/// A ratio with its interval, `0.974 [0.963, 0.985]`.
pub fn ratio_and_interval(of: &Ratio) -> String {
    let both = format!("{} {}", ratio(of.estimate), ratio_interval(of));
    both.trim_end().to_owned()
}

/// A share of one: `3.1 %`.
pub fn percent(share: f64, decimals: usize) -> String {
    if share.is_finite() {
        format!("{:.decimals$} %", share * 100.0)
    } else {
        NONE.to_owned()
    }
}

/// A change with its sign: `+3.1 %`, `−0.4 %`.
pub fn signed(share: f64) -> String {
    let sign = if share < 0.0 { "−" } else { "+" };
    format!("{sign}{}", percent(share.abs(), 1))
}

/// How far a factor is from 1, without its sign: `12 %`, below one percent `0.4 %`.
pub fn size(factor: f64) -> String {
    let percent = (factor - 1.0).abs() * 100.0;
    format!("{percent:.*} %", usize::from(percent < 0.95))
}

/// The same with its sign: `+12 %`, `−0.4 %`.
pub fn difference(factor: f64) -> String {
    let sign = if factor < 1.0 { "−" } else { "+" };
    format!("{sign}{}", size(factor))
}

/// The same with the longer side of the ratio's interval: `+12 ±3 %`, `−0.4 ±1 %`.
pub fn more(of: &Ratio) -> String {
    let more = difference(of.estimate);
    let Some(half) = longer_side(of).map(|half| half * 100.0) else {
        return more;
    };
    let digits = usize::from(half < 0.95);
    format!("{} ±{half:.digits$} %", more.trim_end_matches(" %"))
}

/// The longer side of a ratio's interval.
pub fn longer_side(of: &Ratio) -> Option<f64> {
    let Interval { low, high } = of.interval?;
    Some((high - of.estimate).max(of.estimate - low))
}

/// A server's own work with its margin, `27 ±8`; an end of the scale has none.
pub fn own_work(of: OwnWork) -> String {
    // Without the sign of a zero.
    let number = |value: f64| format!("{:.0}", value.round() + 0.0).replace('-', "−");
    match number(of.margin.ceil()) {
        none if none == "0" => number(of.estimate),
        margin => format!("{} ±{margin}", number(of.estimate)),
    }
}

/// A bar for each figure, from the lowest to the highest, `▁▂·█`; a dot where there is none.
pub fn sparkline(figures: &[Option<f64>]) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let known = || figures.iter().copied().flatten();
    let low = known().fold(f64::INFINITY, f64::min);
    let step = (known().fold(f64::NEG_INFINITY, f64::max) - low) / (BARS.len() - 1) as f64;
    let bar = |figure: f64| {
        let distance = |place: &usize| (low + step * *place as f64 - figure).abs();
        let nearest = (0..BARS.len()).min_by(|one, other| distance(one).total_cmp(&distance(other)));
        nearest.map_or('·', |place| BARS[place])
    };
    figures.iter().map(|figure| figure.map_or('·', bar)).collect()
}

/// The interval of a ratio: `[0.963, 0.985]`; empty where there is none.
pub fn ratio_interval(of: &Ratio) -> String {
    of.interval
        .map(|Interval { low, high }| format!("[{}, {}]", ratio(low), ratio(high)))
        .unwrap_or_default()
}

/// A size in MiB: `4.81 MiB`.
pub fn mebibytes(bytes: u64) -> String {
    format!("{} MiB", in_mebibytes(bytes))
}

/// The same without its unit, where a heading has it.
pub fn in_mebibytes(bytes: u64) -> String {
    significant(bytes as f64 / MIB)
}

/// A size in GiB: `15.6 GiB`.
pub fn gibibytes(bytes: u64) -> String {
    format!("{} GiB", significant(bytes as f64 / GIB))
}

/// Three significant digits with thousands separators: `123,000`, `8.42`, `0.0421`.
pub fn significant(value: f64) -> String {
    rounded(value, 3)
}

/// Two significant digits, for a figure of this machine in this hour, with its unit: `8.4 µs`.
pub fn rough(metric: Metric, value: f64) -> String {
    format!("{} {}", rounded(value / metric.divisor(), 2), metric.unit())
}

fn rounded(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return NONE.to_owned();
    }
    // The scientific form rounds to the wanted digits and gives the place of the point.
    let last = digits - 1;
    let scientific = format!("{value:.last$e}");
    let (_, exponent) = scientific.split_once('e').unwrap_or_default();
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let rounded: f64 = scientific.parse().unwrap_or(value);
    let decimals = i32::try_from(last).map_or(0, |last| last - exponent);
    let decimals = usize::try_from(decimals).unwrap_or(0).min(MOST_DECIMALS);
    if rounded == 0.0 {
        "0".to_owned()
    } else {
        thousands(&format!("{rounded:.decimals$}"))
    }
}

/// A decimal number with a comma after every third digit before the point.
pub fn thousands(number: &str) -> String {
    let (whole, fraction) = number.split_at(number.find('.').unwrap_or(number.len()));
    let digits = whole.trim_start_matches('-');
    let sign = &whole[..whole.len() - digits.len()];
    let groups = digits.as_bytes().rchunks(3).rev();
    let groups: Vec<_> = groups.map(String::from_utf8_lossy).collect();
    format!("{sign}{}{fraction}", groups.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_count() {
        for (number, written) in [
            (123_456.0, "123,000"),
            (1_234_567.0, "1,230,000"),
            (999.9, "1,000"),
            (99.96, "100"),
            (8.421, "8.42"),
            (0.042_13, "0.0421"),
            (0.000_01, "0.0000"),
            (0.0, "0"),
            (-1234.0, "-1,230"),
            (f64::NAN, "–"),
        ] {
            assert_eq!(significant(number), written);
        }
    }

    #[test]
    fn each_metric_has_its_unit() {
        assert_eq!(value(Metric::GoodputRps, 123_456.0), "123,000 req/s");
        assert_eq!(value(Metric::ServerCpuUsPerRequest, 8.42), "8.42 µs");
        assert_eq!(value(Metric::RssPeakBytes, 12.3 * MIB), "12.3 MiB");
        assert_eq!(value(Metric::LatencyP99Ms, 3.1), "3.10 ms");
    }

    #[test]
    fn intervals_and_ratios() {
        let wide = Interval {
            low: 118_000.0,
            high: 127_000.0,
        };
        assert_eq!(interval(Metric::GoodputRps, wide), "[118,000, 127,000]");
        assert_eq!(spread(123_000.0, Some(wide)), "±4.1 %");
        assert_eq!(spread(0.0, Some(wide)), "");
        assert_eq!(
            [0.0123, 0.871, 1.0, 9.96, 1234.0].map(ratio),
            ["0.012", "0.871", "1.000", "9.960", "1,230"]
        );
        let of = Ratio {
            estimate: 0.87,
            interval: Some(Interval { low: 0.85, high: 0.9 }),
            ..Ratio::default()
        };
        assert_eq!(ratio_interval(&of), "[0.850, 0.900]");
    }

    #[test]
    fn a_sparkline_reaches_from_the_lowest_to_the_highest() {
        assert_eq!(sparkline(&[Some(1.0), None, Some(1.5), Some(2.0)]), "▁·▄█");
        assert_eq!(sparkline(&[Some(3.0), Some(3.0)]), "▁▁");
    }

    #[test]
    fn sizes_and_shares() {
        assert_eq!(mebibytes(5_043_200), "4.81 MiB");
        assert_eq!(gibibytes(16_777_216_000), "15.6 GiB");
        assert_eq!(percent(0.031, 1), "3.1 %");
        assert_eq!([1.832, 1.0094, 0.9996].map(difference), ["+83 %", "+0.9 %", "−0.0 %"]);
    }
}
