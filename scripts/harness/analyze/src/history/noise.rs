//! How much an app's own figures spread in real records, apart from what all apps share.

use super::common_mode::{Row, fit};
use super::shift::{OF_NEIGHBOURS, SETTINGS, logarithms};
use super::timeline::Timeline;
use model::Metric;
use stats::median;

/// Standard deviation of CPU time per request on the log scale, without what all servers of a run share, and the number of pairs of
/// consecutive runs that it is estimated from. Only runs on the same machine are compared: on another, a server has another factor, which
/// one run does not reveal. `None` where no two runs can be compared.
pub fn own_noise(timelines: &[Timeline]) -> Option<(f64, usize)> {
    let mut distances = Vec::new();
    for timeline in timelines.iter().flat_map(Timeline::by_runner) {
        let machines = timeline.machines();
        let of_cpu = |metric: &str| metric == Metric::ServerCpuUsPerRequest.id();
        for series in timeline.series.iter().filter(|series| of_cpu(&series.metric)) {
            let rows = series.rows.values().chain([&series.reference]);
            let rows: Vec<Row> = rows.map(|row| logarithms(row)).collect();
            for row in fit(&rows, &machines, SETTINGS).rows {
                let pairs = row.runs.windows(2).zip(row.values.windows(2));
                let same = pairs.filter(|(runs, _)| machines[runs[0]] == machines[runs[1]]);
                distances.extend(same.map(|(_, values)| (values[1] - values[0]).abs()));
            }
        }
    }
    Some((OF_NEIGHBOURS * median(&distances)?, distances.len()))
}

#[cfg(test)]
mod tests {
    use super::super::simulate::{Script, history};
    use super::*;

    #[test]
    fn own_noise_is_what_was_simulated_and_no_machine_is_in_it() {
        for own in [0.02, 0.05] {
            let script = Script {
                own,
                machine_known: true,
                ..Script::quiet(20, 17)
            };
            let (sd, pairs) = own_noise(&[history(script, 1)]).unwrap();
            assert!((0.85..1.15).contains(&(sd / own)) && pairs > 100, "{sd}");
        }
        assert_eq!(own_noise(&[history(Script::quiet(1, 17), 1)]), None);
    }
}
