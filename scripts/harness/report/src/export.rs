//! What github-action-benchmark reads: one figure for each app and scenario, with its interval as the range.
//!
//! Only trusted figures with an interval are exported: a chart is just a line, and its readers cannot see that a point was never
//! valid. What is left out is listed with the reason.
//!
//! The action's page (1.22.0) draws `name`, `range` and `extra` on a canvas, as text and line by line, never as HTML. Its comments
//! put the name between backticks in a table; a name consists of ids, which contain neither backticks nor bars.

use serde::Serialize;

use crate::figure::{interval, value};
use crate::labels::{count, version};
use analyze::rounding::significant;
use model::escape::{NAME, SENTENCE, clean};
use model::scenario::{LoadModel, Scenario};
use model::{AppRecord, Cell, Metric, Record, Role, Verdict};

/// Digits of a figure: more than any interval justifies, and few enough to read in the chart.
const DIGITS: usize = 6;
/// Digits of a range.
const RANGE_DIGITS: usize = 3;

/// What is exported: one suite of charts each, because the direction is a property of the suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Measure {
    /// Expected answers per second; bigger is better
    Throughput,
    /// Median latency in ms; smaller is better
    Latency,
    /// Server CPU time per expected answer in µs; smaller is better
    Cpu,
}

/// One figure, as the action reads it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Bench {
    /// `axum · plaintext`; the same from run to run.
    pub name: String,
    /// Unit of value and range.
    pub unit: &'static str,
    /// Median over the trials.
    pub value: f64,
    /// Half the width of the 95 % interval, `± 4580`.
    pub range: String,
    /// Details, line by line.
    pub extra: String,
}

/// What is exported of a run, and what is not.
#[derive(Debug, Clone, PartialEq)]
pub struct Export {
    /// The figures, in the record's order.
    pub benches: Vec<Bench>,
    /// What was left out: name and reason.
    pub left_out: Vec<(String, String)>,
}

impl Measure {
    /// The metric of a record.
    pub fn metric(self) -> Metric {
        match self {
            Self::Throughput => Metric::GoodputRps,
            Self::Latency => Metric::LatencyP50Ms,
            Self::Cpu => Metric::ServerCpuUsPerRequest,
        }
    }

    fn note(self, scenario: &Scenario) -> &'static str {
        match (self, scenario.load) {
            (Self::Throughput, _) => "expected answers per second",
            (Self::Latency, LoadModel::Closed) => {
                "median latency in a closed loop: how long the queue was, not how fast the server is"
            }
            (Self::Latency, LoadModel::Open { .. }) => "median latency at a fixed rate",
            (Self::Latency, LoadModel::Capacity { .. }) => "median latency at the highest rate that was sustained",
            (Self::Cpu, _) => "CPU time of the server per expected answer",
        }
    }
}

/// The figures of a record for github-action-benchmark. The ceiling is left out: it measures the load generator.
pub fn github_action_benchmark(record: &Record, measure: Measure) -> Export {
    let (mut benches, mut left_out) = (Vec::new(), Vec::new());
    for cell in &record.summary {
        let app = record.app(&cell.app, &cell.variant);
        let app = app.filter(|app| app.role != Role::Ceiling);
        let Some((app, scenario)) = app.zip(record.scenario(&cell.scenario)) else {
            continue;
        };
        match bench(record, app, scenario, cell, measure) {
            Ok(bench) => benches.push(bench),
            Err(reason) => left_out.push((name(cell), reason)),
        }
    }
    Export { benches, left_out }
}

/// The figure, or the reason why it is left out.
fn bench(
    record: &Record,
    app: &AppRecord,
    scenario: &Scenario,
    cell: &Cell,
    measure: Measure,
) -> Result<Bench, String> {
    let (metric, verdict) = (measure.metric(), cell.verdict.name());
    let summary = cell.metrics.get(&metric);
    if cell.verdict.is_failure() || summary.is_some_and(|summary| !summary.trusted) {
        let reason = cell.reasons.first().map(|reason| clean(reason, SENTENCE));
        let reason = reason.unwrap_or(cell.verdict.what_happened().to_owned());
        return Err(format!("{verdict}: {reason}"));
    }
    let summary = summary.ok_or("it was not measured")?;
    let trials = count(summary.trials as usize, "trial");
    let few = || format!("{trials} are too few for an interval");
    let ends = summary.interval.ok_or_else(few)?;
    let half = significant((ends.high - ends.low) / 2.0, RANGE_DIGITS);
    let holds = match cell.verdict {
        Verdict::Valid => String::new(),
        other => format!(": {}; this figure is valid all the same", other.what_happened()),
    };
    let (median, interval) = (value(metric, summary.median), interval(metric, ends));
    let lines = [
        format!("{verdict}{holds}"),
        measure.note(scenario).to_owned(),
        format!("median {median}, 95 % interval {interval}, {trials}"),
        format!("{} {}", clean(&app.framework, NAME), version(&app.framework_version)),
        machine(record),
        format!("run {}", record.id),
    ];
    Ok(Bench {
        name: name(cell),
        unit: metric.unit(),
        value: significant(summary.median, DIGITS),
        range: format!("± {half}"),
        extra: lines.join("\n"),
    })
}

/// A name of ids, because display names and versions change, and would begin a new chart.
fn name(cell: &Cell) -> String {
    format!("{} · {}", model::label(&cell.app, &cell.variant), cell.scenario)
}

fn machine(record: &Record) -> String {
    let machine = &record.environment;
    let cpus = count(machine.logical_cpus as usize, "logical cpu");
    let (cpu, rustc) = (clean(&machine.cpu_model, 2 * NAME), clean(&machine.rustc, 2 * NAME));
    let (lane, oha) = (record.lane.name(), clean(&machine.oha, NAME));
    format!("{lane} on {cpu}, {cpus}; {rustc}; oha {oha}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exported(measure: Measure) -> Export {
        github_action_benchmark(&samples::record(), measure)
    }

    #[test]
    fn throughput_is_what_the_action_reads() {
        let export = exported(Measure::Throughput);
        insta::assert_snapshot!(serde_json::to_string_pretty(&export.benches).unwrap());
        insta::assert_debug_snapshot!(export.left_out);
    }

    #[test]
    fn latency_says_when_it_is_the_length_of_the_queue() {
        let export = exported(Measure::Latency);
        let extra = |name: &str| &export.benches.iter().find(|bench| bench.name == name).unwrap().extra;
        assert!(extra("axum · json").contains("how long the queue was"));
        assert!(extra("axum · cpu-open").contains("at a fixed rate"));
        insta::assert_snapshot!(serde_json::to_string_pretty(&export.benches[0]).unwrap());
    }

    #[test]
    fn what_holds_under_its_verdict_is_exported_and_the_ceiling_never() {
        let cpu = exported(Measure::Cpu).benches;
        let bound = cpu.iter().find(|bench| bench.name == "axum (tuned) · plaintext");
        let extra = &bound.unwrap().extra;
        assert!(
            extra.starts_with("client-bound: the load generator was the limit"),
            "{extra}"
        );
        for measure in [Measure::Throughput, Measure::Latency, Measure::Cpu] {
            let Export { benches, left_out } = exported(measure);
            let exported: Vec<String> = benches.into_iter().map(|bench| bench.name).collect();
            assert!(exported.iter().any(|name| name == "reference · plaintext"));
            let mut all = exported.iter().chain(left_out.iter().map(|(name, _)| name));
            assert!(all.all(|name| !name.contains("ceiling")));
        }
    }

    #[test]
    fn a_figure_without_an_interval_is_left_out() {
        let mut record = samples::record();
        for cell in &mut record.summary {
            for summary in cell.metrics.values_mut() {
                (summary.interval, summary.trials) = (None, 3);
            }
        }
        let export = github_action_benchmark(&record, Measure::Throughput);
        assert!(export.benches.is_empty());
        let expected = (
            "actix-web · plaintext".to_owned(),
            "3 trials are too few for an interval".to_owned(),
        );
        assert_eq!(export.left_out[0], expected);
    }
}
