//! Whether two load generators measure the same on the same servers: a pure function of a record in which scenarios were
//! driven by oha and by another generator, in turns.
//!
//! No two generators send the same bytes: their headers differ, and so does the number of requests that they write before they
//! read answers. So small differences are tolerated: [`TOLERANCE`]. A generator that drops the requests in flight at its
//! deadline may count that many answers too few; they are added to the tolerance.

use serde::Serialize;

use crate::{analysis, variations};
use model::scenario::{Dimension, GeneratorKind, Scenario};
use model::{AppRecord, Interval, Metric, Ratio, Record, Trial, Verdict, expected_answers};

/// Share by which two generators may differ and still agree.
pub const TOLERANCE: f64 = 0.05;
/// Share of the requests that may be dropped at the deadline.
const MOST_DROPPED: f64 = 0.05;

/// The result for an app in a scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Agreement {
    /// The whole interval of the ratio lies within the tolerance around 1.
    Agree,
    /// The whole interval lies outside, on one side; or the server failed with one generator and not with the other.
    Differ,
    /// There is no figure to compare, or its interval crosses an end of the tolerance.
    CannotTell,
}

/// The comparison for one app in one scenario.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Check {
    /// Name of the app.
    pub app: String,
    /// Name of the variant.
    pub variant: String,
    /// Name of the scenario, as oha drives it.
    pub scenario: String,
    /// The other generator.
    pub with: GeneratorKind,
    /// Whether they agree.
    pub agreement: Agreement,
    /// The metric that is compared: goodput where the server was the limit with both, else CPU time per request, which does not
    /// depend on the limit; `None` if there is neither.
    pub metric: Option<Metric>,
    /// The other's figure ÷ oha's, paired within the rounds.
    pub ratio: Option<Ratio>,
    /// Share by which they may differ and still agree.
    pub tolerance: f64,
    /// Why they do not agree, in words; empty where they do.
    pub reason: String,
}

/// Every app in every scenario that was driven by oha and by another generator.
pub fn cross_check(record: &Record) -> Vec<Check> {
    let each = record
        .apps
        .iter()
        .flat_map(|app| pairs(record).map(move |pair| (app, pair)));
    let spoken = each.filter(|(app, (ours, _))| app.protocols.contains(&ours.protocol));
    spoken
        .map(|(app, (ours, theirs))| check(record, app, ours, theirs))
        .collect()
}

/// Scenarios that differ in nothing but the generator: oha's first.
fn pairs(record: &Record) -> impl Iterator<Item = (&Scenario, &Scenario)> {
    record.scenarios.iter().filter_map(|theirs| {
        let varies = theirs.varies.as_ref()?;
        let ours = record.scenario(&varies.like)?;
        let is_pair = varies.by == Dimension::Generator && ours.generator == GeneratorKind::Oha;
        is_pair.then_some((ours, theirs))
    })
}

fn check(record: &Record, app: &AppRecord, ours: &Scenario, theirs: &Scenario) -> Check {
    let mut check = Check {
        app: app.id.clone(),
        variant: app.variant.clone(),
        scenario: ours.id.clone(),
        with: theirs.generator,
        agreement: Agreement::CannotTell,
        metric: None,
        ratio: None,
        tolerance: TOLERANCE,
        reason: String::new(),
    };
    (check.agreement, check.reason) = judge(record, app, ours, theirs, &mut check);
    check
}

/// Whether they agree, or why not. Adds the figures that decided it to `check`.
fn judge(
    record: &Record,
    app: &AppRecord,
    ours: &Scenario,
    theirs: &Scenario,
    check: &mut Check,
) -> (Agreement, String) {
    let cannot_tell = |reason: String| (Agreement::CannotTell, reason);
    let with = theirs.generator.program();
    let cell = |scenario: &Scenario| record.cell(&app.id, &app.variant, &scenario.id);
    let (Some(our_cell), Some(their_cell)) = (cell(ours), cell(theirs)) else {
        return cannot_tell("it was not measured with both".into());
    };
    let cells = [our_cell, their_cell];
    if let Some(disturbed) = cells
        .into_iter()
        .find(|cell| cell.verdict == Verdict::EnvironmentFailed)
    {
        return cannot_tell(format!(
            "it could not be measured with both: {}",
            disturbed.reasons.join("; ")
        ));
    }
    let failures = cells.map(|cell| {
        let fails = matches!(cell.verdict, Verdict::ContractFailed | Verdict::Crashed);
        fails.then(|| cell.reasons.join("; "))
    });
    let [our_failure, their_failure] = failures
        .each_ref()
        .map(|failure| failure.as_deref().unwrap_or("nothing is wrong"));
    if failures[0].is_some() != failures[1].is_some() {
        return (
            Agreement::Differ,
            format!("with oha: {our_failure}; with {with}: {their_failure}"),
        );
    }
    let trusted = |metric: &Metric| cells.iter().all(|cell| cell.trusted(*metric).is_some());
    let Some(metric) = [Metric::GoodputRps, Metric::ServerCpuUsPerRequest]
        .into_iter()
        .find(trusted)
    else {
        let worse = if their_cell.verdict > our_cell.verdict {
            their_cell
        } else {
            our_cell
        };
        return cannot_tell(format!("no figure is trusted: {}", worse.reasons.join("; ")));
    };
    let dropped = dropped(theirs, &analysis::usable(app, &record.trials_of(&theirs.id)));
    check.metric = Some(metric);
    check.tolerance += dropped;
    check.ratio = variations::ratio(record, app, metric, &theirs.id, &ours.id);
    match check.ratio.as_ref().and_then(|ratio| ratio.interval) {
        None => cannot_tell(format!(
            "{} rounds have a figure of both, and an interval needs {}: use more --rounds",
            variations::pairs(record, app, metric, &theirs.id, &ours.id).len(),
            stats::MIN_FOR_INTERVAL
        )),
        Some(_) if dropped > MOST_DROPPED => cannot_tell(format!(
            "{with} drops the requests in flight at its deadline, here {:.0} % of all: use a longer --duration",
            dropped * 100.0
        )),
        Some(interval) => agreement(interval, check.tolerance),
    }
}

/// Tests equivalence: that no difference was found is no agreement. With an interval of 95 % this is two
/// one-sided tests of 2.5 % each (D. J. Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 15, 1987).
fn agreement(interval: Interval, tolerance: f64) -> (Agreement, String) {
    let (lowest, highest) = (1.0 / (1.0 + tolerance), 1.0 + tolerance);
    if interval.low >= lowest && interval.high <= highest {
        (Agreement::Agree, String::new())
    } else if interval.low > highest || interval.high < lowest {
        let beyond = format!("beyond the {:.0} % that generators may differ by", tolerance * 100.0);
        (Agreement::Differ, beyond)
    } else {
        let across = format!(
            "the interval crosses the limit of {:.0} % that generators may differ by: use more --rounds",
            tolerance * 100.0
        );
        (Agreement::CannotTell, across)
    }
}

/// Largest share of its requests that a generator drops at the deadline.
fn dropped(scenario: &Scenario, trials: &[&Trial]) -> f64 {
    if !scenario.generator.drops_the_last() || scenario.requests.is_some() {
        return 0.0;
    }
    let answers: u64 = trials.iter().map(|trial| expected_answers(&trial.requests)).sum();
    if answers == 0 {
        return 0.0;
    }
    f64::from(scenario.in_flight()) * trials.len() as f64 / answers as f64
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use model::scenario::Varies;

    /// Goodput of each round, with oha and with wrk, and the verdict of each trial.
    fn record(ours: &[f64], theirs: &[f64], verdict: Verdict, their_verdict: Verdict) -> Record {
        let mut record = samples::record();
        record.apps.truncate(1);
        let app = &record.apps[0];
        let like = record.scenarios[0].clone();
        let wrk = Scenario {
            id: format!("{}-wrk", like.id),
            generator: GeneratorKind::Wrk,
            varies: Some(Varies {
                like: like.id.clone(),
                by: Dimension::Generator,
            }),
            ..like.clone()
        };
        let template = record.trials[0].clone();
        let trial = |scenario: &str, round: u32, goodput: f64, verdict: Verdict| Trial {
            app: app.id.clone(),
            variant: app.variant.clone(),
            scenario: scenario.to_owned(),
            round,
            attempt: 1,
            verdict,
            reasons: vec!["it was so".into()],
            requests: BTreeMap::from([("200".into(), format!("{goodput:.0}").parse().unwrap())]),
            goodput_rps: Some(goodput),
            server_cpu_us_per_request: Some(1e6 / goodput),
            ..template.clone()
        };
        let of = |scenario: &str, values: &[f64], verdict| -> Vec<Trial> {
            let trials = (1..).zip(values);
            trials
                .map(|(round, goodput)| trial(scenario, round, *goodput, verdict))
                .collect()
        };
        record.trials = [of(&like.id, ours, verdict), of(&wrk.id, theirs, their_verdict)].concat();
        record.scenarios = vec![like, wrk];
        record.summary = analysis::summary(&record.apps, &record.scenarios, &record.trials);
        record
    }

    fn only(ours: &[f64], theirs: &[f64], verdict: Verdict, their_verdict: Verdict) -> Check {
        let mut checks = cross_check(&record(ours, theirs, verdict, their_verdict));
        assert_eq!(checks.len(), 1, "{checks:?}");
        checks.remove(0)
    }

    const STEADY: [f64; 5] = [50_000.0, 50_100.0, 49_900.0, 50_200.0, 49_800.0];

    fn times(factor: f64) -> [f64; 5] {
        STEADY.map(|value| value * factor)
    }

    #[test]
    fn what_is_within_the_tolerance_agrees_and_what_is_beyond_it_differs() {
        for (factor, agreement) in [
            (1.0, Agreement::Agree),
            (1.04, Agreement::Agree),
            (0.96, Agreement::Agree),
            (1.08, Agreement::Differ),
            (0.92, Agreement::Differ),
        ] {
            let check = only(&STEADY, &times(factor), Verdict::Valid, Verdict::Valid);
            assert_eq!(
                (check.agreement, check.metric),
                (agreement, Some(Metric::GoodputRps)),
                "{factor}"
            );
            assert!((check.ratio.unwrap().estimate - factor).abs() < 1e-9);
            assert_eq!(check.reason.is_empty(), agreement == Agreement::Agree);
        }
    }

    /// The machine halves its speed while the run goes on: the pairs do not mind.
    #[test]
    fn pairs_are_of_the_same_round() {
        let drift = [1.0, 0.9, 0.8, 0.7, 0.6].map(|speed| speed * 50_000.0);
        let check = only(&drift, &drift.map(|value| value * 1.2), Verdict::Valid, Verdict::Valid);
        assert_eq!(check.agreement, Agreement::Differ);
        assert!((check.ratio.unwrap().interval.unwrap().low - 1.2).abs() < 1e-9);
    }

    #[test]
    fn a_load_that_the_machine_could_not_make_says_nothing_of_the_other() {
        for (verdict, their_verdict) in [
            (Verdict::ContractFailed, Verdict::EnvironmentFailed),
            (Verdict::EnvironmentFailed, Verdict::Crashed),
        ] {
            let check = only(&STEADY, &STEADY, verdict, their_verdict);
            assert_eq!(check.agreement, Agreement::CannotTell);
            assert_eq!(check.reason, "it could not be measured with both: it was so");
        }
    }

    #[test]
    fn where_a_generator_is_the_limit_cpu_time_is_compared() {
        let check = only(&STEADY, &times(1.3), Verdict::Valid, Verdict::ClientBound);
        assert_eq!(check.metric, Some(Metric::ServerCpuUsPerRequest));
        assert_eq!(check.agreement, Agreement::Differ, "{check:?}");
    }

    #[test]
    fn what_is_undecided_says_why() {
        let few = only(&STEADY[..3], &STEADY[..3], Verdict::Valid, Verdict::Valid);
        assert_eq!(few.agreement, Agreement::CannotTell);
        assert_eq!(
            few.reason,
            "3 rounds have a figure of both, and an interval needs 5: use more --rounds"
        );

        let wide = [60_000.0, 40_000.0, 50_000.0, 35_000.0, 65_000.0];
        let wide = only(&STEADY, &wide, Verdict::ClientBound, Verdict::ClientBound);
        assert_eq!(
            (wide.agreement, wide.reason.contains("more --rounds")),
            (Agreement::CannotTell, true)
        );

        let slow = STEADY.map(|value| value / 100.0);
        let slow = only(&slow, &slow, Verdict::Valid, Verdict::Valid);
        assert_eq!(slow.agreement, Agreement::CannotTell);
        assert!(
            slow.reason.contains("in flight at its deadline, here 13 % of all"),
            "{slow:?}"
        );

        let disturbed = only(&STEADY, &STEADY, Verdict::Valid, Verdict::EnvironmentFailed);
        assert_eq!((disturbed.agreement, disturbed.metric), (Agreement::CannotTell, None));
        let both = only(&STEADY, &STEADY, Verdict::Crashed, Verdict::Crashed);
        assert_eq!(both.agreement, Agreement::CannotTell);
    }

    #[test]
    fn a_server_that_fails_with_one_of_them_differs() {
        let check = only(&STEADY, &STEADY, Verdict::Valid, Verdict::ContractFailed);
        assert_eq!(check.agreement, Agreement::Differ);
        assert_eq!(check.reason, "with oha: nothing is wrong; with wrk: it was so");
    }

    #[test]
    fn a_record_of_one_generator_has_nothing_to_check() {
        assert!(cross_check(&samples::record()).is_empty());
    }
}
