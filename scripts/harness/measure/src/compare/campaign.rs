//! Measures pairs until every series is decided or the time budget is spent.

use std::time::{Duration, Instant};

use super::candidate::Candidate;
use super::pair::PairFailure;
use super::schedule::Schedule;
use super::setup::Setup;
use crate::progress::Progress;
use analyze::compare::decide::{all_looks, looks};
use analyze::compare::explanation::Explanation;
use analyze::compare::outcome::{Comparison, Decision, Pair, Series, Status, decide_series};
use generator::Generator;
use model::scenario::Scenario;
use model::{GENERATOR_BUSY, Metric, Trial};
use stats::median;

/// Measurements that the machine may disturb before the comparison is given up.
const DISTURBED: usize = 5;
/// Seconds that a pair of an app takes on two cpus, with some left over: 14.5 were measured.
pub const PAIR_SECONDS: u32 = 18;
/// Pairs between two lines on how far it is.
const BETWEEN_WORDS: u32 = 5;
/// If the server uses less of its cpus than this in its slices, it was not the limit. Lower than [`model::SERVER_BUSY`], which is for a
/// trial, because each slice starts and ends.
const SLICES_BUSY: f64 = 0.80;

/// A comparison that is being made.
pub struct Campaign<'a> {
    /// Who is compared.
    pub candidates: &'a [Candidate],
    /// What it is measured by.
    pub setup: &'a Setup<'a>,
    /// The load generator; `None` where nothing is driven.
    pub generator: Option<Generator>,
    /// Longest time in seconds; `None` for enough.
    pub time_budget: Option<f64>,
    /// Receives the progress.
    pub progress: &'a dyn Progress,
    /// What is found, by its gates and number of pairs.
    pub comparison: &'a mut Comparison,
    /// Why the machine disturbed measurements, which were made again.
    pub disturbed: Vec<String>,
}

impl<'a> Campaign<'a> {
    /// Measures all pairs.
    pub fn run(&mut self) -> Result<(), PairFailure> {
        let began = Instant::now();
        self.comparison.series = self.series();
        let Comparison {
            series, gates, pairs, ..
        } = &*self.comparison;
        let metrics = || series.iter().map(|series| series.metric);
        let first = metrics().map(|metric| looks(metric, series.len(), gates, *pairs)[0]);
        let budget = budget(self.time_budget, self.candidates.len(), first.max().unwrap_or(0));
        let looks = all_looks(metrics(), gates, *pairs);
        let mut made = 0;
        'looks: for look in looks {
            while made < look && self.is_open(|_| true) {
                if made.is_multiple_of(BETWEEN_WORDS) {
                    self.progress.passed(&format!("{made} pairs of {look} made"));
                }
                for candidate in self.candidates {
                    if began.elapsed() >= budget {
                        self.comparison.budget_spent = true;
                        break 'looks;
                    }
                    if self.is_open(|series| candidate.has(series)) {
                        let pair = format!("{} · pair {} of {look}", candidate.app, made + 1);
                        self.progress.doing(&pair);
                        self.pair(candidate, made)?;
                    }
                }
                made += 1;
            }
            self.look();
        }
        // If the time, and not the data, chose this look, it replaces one that is no longer made.
        self.look();
        self.comparison.budget_spent &= self.is_open(|_| true);
        self.explain()
    }

    /// Says of each candidate whose instructions a decision names where they went.
    fn explain(&mut self) -> Result<(), PairFailure> {
        for candidate in self.candidates {
            let Some(scenario) = self.to_explain(candidate) else {
                continue;
            };
            self.progress
                .doing(&format!("{} · profiles of {}", candidate.app, scenario.id));
            let sides = self.setup.sides(candidate);
            match made_again(&mut self.disturbed, || sides.profiles(scenario)) {
                Ok(profiles) => {
                    let of = Explanation::new(&candidate.app, &candidate.variant, &scenario.id, profiles);
                    self.comparison.explanations.push(of);
                }
                Err(interrupted @ PairFailure::Interrupted(_)) => return Err(interrupted),
                Err(failure) => {
                    let warning = format!("which functions of {} changed is not known: {failure}", candidate.app);
                    self.comparison.warnings.push(warning);
                }
            }
        }
        Ok(())
    }

    /// The scenario whose instructions moved most of those that a decision names, first for the worse.
    fn to_explain(&self, candidate: &Candidate) -> Option<&'a Scenario> {
        let series = self.comparison.series.iter().filter(|series| {
            let is_count = series.metric == Metric::InstructionsPerRequest;
            candidate.has(series) && is_count && series.decision.names_a_change()
        });
        let size = |series: &Series| series.change.unwrap_or_default().abs();
        let most = series.max_by(|one, other| {
            let decisions = one.decision.cmp(&other.decision);
            decisions.then_with(|| size(one).total_cmp(&size(other)))
        })?;
        let mut scenarios = self.setup.scenarios.scenarios.iter();
        scenarios.find(|scenario| scenario.id == most.scenario)
    }

    /// Every series, without pairs.
    fn series(&self) -> Vec<Series> {
        let mut all = Vec::new();
        for candidate in self.candidates {
            let scenarios = self.setup.scenarios.scenarios.iter().enumerate();
            for (index, scenario) in scenarios.filter(|(_, one)| one.is_offered_by(candidate.services.as_ref())) {
                let metrics = self.setup.metrics.iter();
                let measured = metrics.filter(|metric| self.setup.scenarios.measures(index, **metric));
                all.extend(
                    measured.map(|metric| Series::new(&candidate.app, &candidate.variant, &scenario.id, *metric)),
                );
            }
        }
        all
    }

    /// Whether some of these series need more pairs.
    fn is_open(&self, which: impl Fn(&Series) -> bool) -> bool {
        let mut series = self.comparison.series.iter();
        series.any(|series| series.is_open() && which(series))
    }

    /// Measures a pair of a candidate. A head that fails is decided by that, and not measured any more.
    fn pair(&mut self, candidate: &Candidate, number: u32) -> Result<(), PairFailure> {
        let (verdict, reason) = match self.measure(candidate, number) {
            Err(PairFailure::Head(verdict, reason)) => (verdict, reason),
            measured => return measured,
        };
        self.comparison.series.retain(|series| !candidate.has(series));
        self.comparison.others.retain(|series| !candidate.has(series));
        if let Some(app) = self.comparison.apps.iter_mut().find(|app| candidate.is(app)) {
            (app.status, app.reason) = (verdict.into(), Some(reason));
        }
        Ok(())
    }

    /// Measures one pair in every open series of a candidate.
    fn measure(&mut self, candidate: &Candidate, number: u32) -> Result<(), PairFailure> {
        let setup = self.setup;
        let sides = setup.sides(candidate);
        let seed = self.comparison.seed.unwrap_or_default();
        let schedule = |drives: &str| Schedule::new(seed, &candidate.app, &candidate.variant, drives);
        for scenario in &setup.scenarios.scenarios {
            if let Some(generator) = &self.generator
                && self.is_wanted(candidate, scenario, false)
            {
                let schedule = schedule(&scenario.id);
                let trials = made_again(&mut self.disturbed, || {
                    sides.drive(scenario, generator, &schedule, number)
                })?;
                self.add(candidate, scenario, &trials);
            }
        }
        let has_count = |scenario: &&Scenario| {
            let mut series = self.comparison.series.iter();
            series.any(|series| {
                let is_count = series.metric == Metric::InstructionsPerRequest;
                candidate.has(series) && series.scenario == scenario.id && is_count
            })
        };
        let mut counted: Vec<&Scenario> = setup.scenarios.scenarios.iter().filter(has_count).collect();
        counted.truncate(up_to_last(&counted, |scenario| {
            self.is_wanted(candidate, scenario, true)
        }));
        if counted.is_empty() {
            return Ok(());
        }
        let is_swapped = schedule("instructions").is_head_first(number);
        let counting = made_again(&mut self.disturbed, || sides.count(&counted, is_swapped));
        match counting {
            Err(failure @ (PairFailure::Base(_) | PairFailure::Head(..))) => {
                self.leave_uncounted(candidate, &failure.to_string());
            }
            counting => {
                for (scenario, trials) in counted.into_iter().zip(&counting?) {
                    self.add(candidate, scenario, trials);
                }
            }
        }
        Ok(())
    }

    /// Leaves out the instructions of a candidate whose requests valgrind cannot count, though it answers them without: its other series
    /// stand.
    fn leave_uncounted(&mut self, candidate: &Candidate, reason: &str) {
        let is_count = |series: &Series| candidate.has(series) && series.metric == Metric::InstructionsPerRequest;
        self.comparison.series.retain(|series| !is_count(series));
        let has_others = self.comparison.series.iter().any(|series| candidate.has(series));
        if let Some(app) = self.comparison.apps.iter_mut().find(|app| candidate.is(app)) {
            app.status = if has_others {
                Status::Measured
            } else {
                Status::NotMeasured
            };
            app.reason = Some(format!("instructions not counted: {reason}"));
        }
    }

    /// Whether a candidate's series of a scenario, those that are `counted` or the others, need another pair.
    fn is_wanted(&self, candidate: &Candidate, scenario: &Scenario, counted: bool) -> bool {
        self.is_open(|series| {
            let is_count = series.metric == Metric::InstructionsPerRequest;
            candidate.has(series) && series.scenario == scenario.id && is_count == counted
        })
    }

    /// Adds what the trials of base and head say of a scenario to its undecided series, and to what is not judged.
    fn add(&mut self, candidate: &Candidate, scenario: &Scenario, trials: &[Trial; 2]) {
        let mean = |share: fn(&Trial) -> Option<f64>| {
            let shares: Vec<f64> = trials.iter().filter_map(share).collect();
            stats::mean(&shares)
        };
        let busy = mean(|trial| trial.generator_cpu_share).zip(mean(|trial| trial.server_cpu_share));
        let series = self.comparison.series.iter_mut();
        for series in series.filter(|series| candidate.has(series) && series.scenario == scenario.id) {
            series.busy.extend(busy);
            if let (Decision::Inconclusive, Some(pair)) = (series.decision, pair_of(series.metric, trials)) {
                series.pairs.push(pair);
            }
        }
        let ungated = Metric::ALL.into_iter();
        let ungated = ungated.filter(|metric| !self.comparison.gates.minimum_effect.contains_key(metric));
        for (metric, pair) in ungated.filter_map(|metric| Some((metric, pair_of(metric, trials)?))) {
            let others = &mut self.comparison.others;
            let is_it = |one: &Series| candidate.has(one) && one.scenario == scenario.id && one.metric == metric;
            let at = others.iter().position(is_it).unwrap_or_else(|| {
                others.push(Series {
                    judged: false,
                    ..Series::new(&candidate.app, &candidate.variant, &scenario.id, metric)
                });
                others.len() - 1
            });
            others[at].pairs.push(pair);
        }
    }

    fn look(&mut self) {
        let series = self.comparison.series.iter_mut();
        for series in series.filter(|series| series.metric == Metric::GoodputRps) {
            let of = |which: fn(&(f64, f64)) -> f64| median(&series.busy.iter().map(which).collect::<Vec<_>>());
            let limit = if of(|busy| busy.0).unwrap_or(0.0) > GENERATOR_BUSY {
                Some("the load generator was the limit".to_owned())
            } else {
                let waits = of(|busy| busy.1).unwrap_or(1.0) < SLICES_BUSY;
                waits.then(|| "the server was not the limit".to_owned())
            };
            (series.judged, series.reason) = (limit.is_none(), limit);
        }
        decide_series(
            &mut self.comparison.series,
            &self.comparison.gates,
            self.comparison.pairs,
        );
    }
}

/// A metric of both trials, if they have a ratio.
fn pair_of(metric: Metric, [base, head]: &[Trial; 2]) -> Option<Pair> {
    let (base, head) = (metric.value(base)?, metric.value(head)?);
    (head / base).ln().is_finite().then_some(Pair { base, head })
}

/// Time enough for the first look at all subjects, after `pairs` pairs each: before it, nothing can be named.
fn budget(wanted: Option<f64>, subjects: usize, pairs: u32) -> Duration {
    const LEAST: Duration = Duration::from_mins(10);
    let each = Duration::from_secs(u64::from(PAIR_SECONDS) * u64::from(pairs));
    let all = each.saturating_mul(u32::try_from(subjects).unwrap_or(u32::MAX));
    wanted.map_or(LEAST.max(all), Duration::from_secs_f64)
}

/// How many of the scenarios that one server is counted by: up to the last that is wanted. Those before it move its count, in axum that of `hello` by
/// 4 %, so that pairs with and without them would be no sample of one thing.
fn up_to_last<T>(counted: &[T], is_wanted: impl Fn(&T) -> bool) -> usize {
    counted.iter().rposition(is_wanted).map_or(0, |last| last + 1)
}

/// Makes a measurement, and makes it again if head fails, once: one missing answer is not a regression yet. If the machine disturbs it, it
/// says nothing of either side, and is made again until that has happened [`DISTURBED`] times in all.
fn made_again<T>(
    disturbed: &mut Vec<String>,
    mut measure: impl FnMut() -> Result<T, PairFailure>,
) -> Result<T, PairFailure> {
    let mut head_failed = false;
    loop {
        match measure() {
            Err(PairFailure::Head(..)) if !head_failed => head_failed = true,
            Err(PairFailure::Machine(reason)) if disturbed.len() < DISTURBED => disturbed.push(reason),
            other => return other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_decided_is_counted_as_long_as_something_after_it_is_not() {
        let counted = |open: &[&str]| up_to_last(&["plaintext", "hello", "heavy"], |scenario| open.contains(scenario));
        assert_eq!(counted(&["hello"]), 2);
        assert_eq!(counted(&["plaintext", "heavy"]), 3);
        assert_eq!(counted(&[]), 0);
    }
    use model::Verdict;

    #[test]
    fn a_budget_grows_with_the_apps_unless_it_is_named() {
        let minutes = Duration::from_mins;
        assert_eq!(budget(None, 1, 14), minutes(10));
        assert_eq!(budget(None, 5, 20), minutes(30));
        assert_eq!(budget(Some(60.0), 5, 20), minutes(1));
    }

    fn machine() -> PairFailure {
        PairFailure::Machine("vgdb failed".to_owned())
    }

    fn head() -> PairFailure {
        PairFailure::Head(Verdict::Crashed, "exit status 1".to_owned())
    }

    /// What comes of measurements that fail one after another, and then do not, and how many of them the machine disturbed.
    fn made(failures: Vec<PairFailure>) -> (Result<(), PairFailure>, usize) {
        let mut disturbed = Vec::new();
        let mut failures = failures.into_iter();
        let made = made_again(&mut disturbed, || failures.next().map_or(Ok(()), Err));
        (made, disturbed.len())
    }

    #[test]
    fn what_the_machine_disturbs_is_made_again() {
        assert!(matches!(made(vec![machine(), head(), machine()]), (Ok(()), 2)));
        let always = (0..=DISTURBED).map(|_| machine()).collect();
        assert!(matches!(made(always), (Err(PairFailure::Machine(_)), DISTURBED)));
    }

    #[test]
    fn head_fails_if_it_fails_twice_and_base_at_once() {
        assert!(matches!(made(vec![head()]), (Ok(()), 0)));
        assert!(matches!(
            made(vec![head(), machine(), head()]),
            (Err(PairFailure::Head(..)), 1)
        ));
        let base = PairFailure::Base("exit status 1".to_owned());
        assert!(matches!(made(vec![base]), (Err(PairFailure::Base(_)), 0)));
    }
}
