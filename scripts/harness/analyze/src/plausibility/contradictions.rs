//! What a load generator says that cannot be true of one trial. All committed records keep these rules with room to spare.

use model::scenario::{LoadModel, Scenario};
use model::{Control, Latency, LatencyFigures, Record, Trial, Verdict};

/// By what factor two figures may differ that ought to be equal.
const MOST: f64 = 2.0;

/// What one rule says of a trial.
type Rule = fn(&Scenario, &Trial) -> Option<String>;

const RULES: [Rule; 2] = [in_flight, latencies];

/// A line for each rule that a trial breaks, with the first trial that does and how many others do.
pub fn contradictions(record: &Record) -> Vec<String> {
    let of_controls = record.controls.iter().flat_map(|Control { trials, .. }| trials);
    let trials: Vec<&Trial> = record.trials.iter().chain(of_controls).collect();
    let broken = |rule: &Rule| {
        let mut found = trials.iter().filter_map(|trial| {
            let reason = rule(record.scenario(&trial.scenario)?, trial)?;
            Some((*trial, reason))
        });
        let (trial, reason) = found.next()?;
        let more = match found.count() {
            0 => String::new(),
            more => format!(", and {more} more like it"),
        };
        let label = model::label(&trial.app, &trial.variant);
        let (scenario, round) = (&trial.scenario, trial.round);
        Some(format!("{label} in {scenario}, round {round}: {reason}{more}"))
    };
    RULES.iter().filter_map(broken).collect()
}

/// Little's law: rate × mean latency. In a closed loop, that is the number of connections and their streams until the load's deadline, after
/// which they end one by one within the longest latency; a trial in which not all were in use says so by its verdict.
fn in_flight(scenario: &Scenario, trial: &Trial) -> Option<String> {
    let (rate, Latency { mean, max, .. }) = (trial.goodput_rps?, trial.latency_ms?);
    let (found, connections) = (rate * mean / 1e3, f64::from(scenario.in_flight()));
    let loads = f64::from(scenario.slices().unwrap_or(1));
    let until_deadline = trial.seconds.map_or(1.0, |seconds| 1.0 - max / 1e3 * loads / seconds);
    let is_judged = trial.verdict == Verdict::ClientBound || !trial.verdict.keeps_costs();
    let is_wrong = scenario.load == LoadModel::Closed
        && (found > MOST * connections || found < connections * until_deadline / MOST && !is_judged);
    is_wrong.then(|| {
        format!("{found:.1} requests in flight ({rate:.0} a second × {mean:.3} ms) on {connections} connections")
    })
}

/// Quantiles rise, and the mean is between the ends: each is a median over slices, the mean of medians may be a few percent outside.
fn latencies(_: &Scenario, trial: &Trial) -> Option<String> {
    const ROOM: f64 = 1.25;
    let Latency { min, mean, max, .. } = trial.latency_ms?;
    let [min_first, _, quantiles @ ..]: LatencyFigures = trial.latency_ms?.into();
    let rise = std::iter::once(min_first).chain(quantiles).is_sorted();
    let between = min <= mean * ROOM && mean <= max * ROOM;
    (!(rise && between)).then(|| format!("latencies from {min} to {max} ms with a mean of {mean} ms are out of order"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each of four loads took as long as its last answer: the other connections had ended before.
    #[test]
    fn connections_that_end_before_the_last_answer_contradict_nothing() {
        let mut record = samples::sensible();
        record.scenarios[0].slice_seconds = Some(record.scenarios[0].seconds / 4.0);
        let trial = &mut record.trials[0];
        trial.goodput_rps = trial.goodput_rps.map(|rate| rate * 0.3);
        let load_ms = trial.seconds.unwrap() * 1e3 / 4.0;
        for (last, is_wrong) in [(0.1, true), (0.8, false)] {
            record.trials[0].latency_ms.as_mut().unwrap().max = last * load_ms;
            let found = contradictions(&record);
            assert_eq!(
                found.iter().any(|line| line.contains("in flight")),
                is_wrong,
                "{found:?}"
            );
        }
    }
}
