//! Figures of one trial that cannot all be true, such as answers by the second that are not its answers. All committed records keep these
//! rules with room to spare: the rounds' disturbances move none of the quotients by more than 1.4.

use model::scenario::{LoadModel, Scenario};
use model::{Control, Latency, LatencyFigures, Record, Trial, Verdict, expected_answers};

/// By what factor two figures may differ that ought to be equal.
const MOST: f64 = 2.0;

/// What one rule says of a trial of the record.
type Rule = fn(&Record, &Scenario, &Trial) -> Option<String>;

const RULES: [Rule; 6] = [in_flight, cpu_time, answers, slices, latencies, memory];

/// A line for each rule that a trial breaks, with the first trial that does and how many others do.
pub fn contradictions(record: &Record) -> Vec<String> {
    let of_controls = record.controls.iter().flat_map(|Control { trials, .. }| trials);
    let trials: Vec<&Trial> = record.trials.iter().chain(of_controls).collect();
    let broken = |rule: &Rule| {
        let mut found = trials.iter().filter_map(|trial| {
            let reason = rule(record, record.scenario(&trial.scenario)?, trial)?;
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

fn differ(one: f64, other: f64) -> bool {
    !(1.0 / MOST..=MOST).contains(&(one / other))
}

/// Little's law: rate × mean latency. In a closed loop, that is the number of connections and their streams until the load's deadline, after
/// which they end one by one within the longest latency; a trial in which not all were in use says so by its verdict.
fn in_flight(_: &Record, scenario: &Scenario, trial: &Trial) -> Option<String> {
    let (rate, Latency { mean, max, .. }) = (trial.goodput_rps?, trial.latency_ms?);
    let (found, connections) = (rate * mean / 1e3, f64::from(scenario.in_flight()));
    let loads = f64::from(scenario.slices().unwrap_or(1));
    let until_deadline = trial.seconds.map_or(1.0, |seconds| 1.0 - max / 1e3 * loads / seconds);
    let is_judged = matches!(trial.verdict, Verdict::ClientBound | Verdict::Incomplete) || trial.verdict.is_failure();
    let is_wrong = scenario.load == LoadModel::Closed
        && (found > MOST * connections || found < connections * until_deadline / MOST && !is_judged);
    is_wrong.then(|| {
        format!("{found:.1} requests in flight ({rate:.0} a second × {mean:.3} ms) on {connections} connections")
    })
}

/// CPU time by the request and as a share of the server's cpus are two views of the same.
fn cpu_time(record: &Record, scenario: &Scenario, trial: &Trial) -> Option<String> {
    let (cpu_us, rate, share) = (
        trial.server_cpu_us_per_request?,
        trial.goodput_rps?,
        trial.server_cpu_share?,
    );
    let serving = record.environment.server_cpus.len();
    let cpus = scenario.workers.map_or(serving as f64, f64::from);
    let (by_request, by_share) = (cpu_us * rate / 1e6, share * cpus);
    let is_wrong = scenario.load == LoadModel::Closed && serving > 0 && differ(by_request, by_share);
    is_wrong.then(|| {
        format!(
            "{cpu_us:.1} µs for each of {rate:.0} requests a second are {by_request:.2} cpus, and it used {by_share:.2}"
        )
    })
}

/// The rate is answers ÷ seconds. A search for the highest rate has many loads.
fn answers(_: &Record, scenario: &Scenario, trial: &Trial) -> Option<String> {
    let (rate, seconds) = (trial.goodput_rps?, trial.seconds?);
    let answers = expected_answers(&trial.requests) as f64;
    let is_search = matches!(scenario.load, LoadModel::Capacity { .. });
    (!is_search && differ(rate * seconds, answers))
        .then(|| format!("{answers} answers in {seconds:.2} s are not {rate:.0} a second"))
}

/// The slices' answers are the trial's.
fn slices(_: &Record, _: &Scenario, trial: &Trial) -> Option<String> {
    let slices = trial.slices.as_ref()?;
    let (sum, all) = (slices.answers.iter().sum::<u64>(), expected_answers(&trial.requests));
    let columns = [
        slices.place.len(),
        slices.answers.len(),
        slices.length_us.len(),
        slices.server_cpu_us.len(),
    ];
    let number = slices.sub_round.len();
    if columns.iter().any(|length| *length != number) {
        return Some(format!("a column of its {number} slices has another length"));
    }
    (sum != all).then(|| format!("its slices have {sum} answers, and it has {all}"))
}

/// Quantiles rise, and the mean is between the ends: each is a median over slices, the mean of medians may be a few percent outside.
fn latencies(_: &Record, _: &Scenario, trial: &Trial) -> Option<String> {
    const ROOM: f64 = 1.25;
    let Latency { min, mean, max, .. } = trial.latency_ms?;
    let [min_first, _, quantiles @ ..]: LatencyFigures = trial.latency_ms?.into();
    let rise = std::iter::once(min_first).chain(quantiles).is_sorted();
    let between = min <= mean * ROOM && mean <= max * ROOM;
    (!(rise && between)).then(|| format!("latencies from {min} to {max} ms with a mean of {mean} ms are out of order"))
}

/// The peak is at least what was there afterwards.
fn memory(_: &Record, _: &Scenario, trial: &Trial) -> Option<String> {
    let memory = trial.rss_bytes?;
    (memory.peak < memory.after).then(|| {
        format!(
            "{} bytes of memory at most, and {} after the load",
            memory.peak, memory.after
        )
    })
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
