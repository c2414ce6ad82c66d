//! Measures pairs until every series is decided or the time budget is spent.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::pair;
use super::pair::PairFailure;
use super::scenarios::ComparedScenarios;
use analyze::compare::decide::looks;
use analyze::compare::gates::Gates;
use analyze::compare::outcome::{Decision, Pair, Series, decide_series};
use generator::Generator;
use machine::cpus::Split;
use machine::program::Program;
use model::scenario::Scenario;
use model::{Environment, GENERATOR_BUSY, Metric, Role, Services, Trial, Verdict};
use servers::database::Database;
use stats::median;

/// Measurements that the machine may disturb before the comparison is given up.
const DISTURBED: usize = 5;
/// Seconds that a pair of an app takes on two cpus, with some left over: 14.5 were measured.
const PAIR_SECONDS: u32 = 18;
/// If the server uses less of its cpus than this in its slices, it was not the limit. Lower than [`model::SERVER_BUSY`], which is for a
/// trial, because each slice starts and ends.
const SLICES_BUSY: f64 = 0.80;

/// An app in a variant, built on both sides.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// Name of the app.
    pub app: String,
    /// Name of the variant.
    pub variant: String,
    /// What it is for.
    pub role: Role,
    /// The kinds of work of services that both sides do, if they are of that part of the contract.
    pub services: Option<Services>,
    /// Program of base.
    pub base: Program,
    /// Program of head.
    pub head: Program,
}

impl Candidate {
    fn has(&self, series: &Series) -> bool {
        (&self.app, &self.variant) == (&series.app, &series.variant)
    }
}

/// What pairs are measured with.
#[derive(Debug)]
pub struct Tools {
    /// The requests.
    pub scenarios: ComparedScenarios,
    /// The figures that are wanted.
    pub metrics: Vec<Metric>,
    /// The load generator.
    pub generator: Generator,
    /// Cpus of server and generator.
    pub split: Split,
    /// The database behind both sides, if the scenarios need one.
    pub database: Option<Arc<Database>>,
    /// The machine, with the version of valgrind if instructions are counted.
    pub environment: Environment,
    /// What a reader of the result should know.
    pub warnings: Vec<String>,
}

/// What is compared, and for how long.
#[derive(Debug)]
pub struct Campaign<'a> {
    /// Who is compared.
    pub candidates: &'a [Candidate],
    /// What it is measured with.
    pub tools: &'a Tools,
    /// The rules of the decision.
    pub gates: &'a Gates,
    /// A fixed number of pairs, instead of as many as needed.
    pub pairs: Option<u32>,
    /// Longest time in seconds; `None` for enough.
    pub time_budget: Option<f64>,
}

/// What a campaign found.
#[derive(Debug, Default)]
pub struct Found {
    /// Every series, in the order of candidates, scenarios and metrics.
    pub series: Vec<Series>,
    /// Candidates whose head failed during the campaign, by their index, with the reason.
    pub failed: BTreeMap<usize, (Verdict, String)>,
    /// Whether the time ran out before every series was decided.
    pub budget_spent: bool,
    /// Why the machine disturbed measurements, which were made again.
    pub disturbed: Vec<String>,
    /// Shares of their cpus that generator and server used in each trial, by app, variant and scenario.
    busy: BTreeMap<(String, String, String), Vec<(f64, f64)>>,
}

impl Campaign<'_> {
    /// Measures all pairs. Before each one, `tell` gets the app, the number of pairs made, and the number at the next look.
    pub fn run(&self, mut tell: impl FnMut(&str, u32, u32)) -> Result<Found, PairFailure> {
        let began = Instant::now();
        let mut found = Found {
            series: self.series(),
            ..Found::default()
        };
        let looks = self
            .pairs
            .map_or_else(|| looks(found.series.len(), self.gates).to_vec(), |pairs| vec![pairs]);
        let budget = budget(self.time_budget, self.candidates.len(), looks[0]);
        let mut made = 0;
        'looks: for look in looks {
            while made < look && found.series.iter().any(Series::is_open) {
                for (index, candidate) in self.candidates.iter().enumerate() {
                    if began.elapsed() >= budget {
                        found.budget_spent = true;
                        break 'looks;
                    }
                    if !found
                        .series
                        .iter()
                        .any(|series| candidate.has(series) && series.is_open())
                    {
                        continue;
                    }
                    tell(&candidate.app, made, look);
                    match self.pair(candidate, made, &mut found) {
                        Err(PairFailure::Head(verdict, reason)) => {
                            // That decides it, so it is not measured any more.
                            found.series.retain(|series| !candidate.has(series));
                            found.failed.insert(index, (verdict, reason));
                        }
                        measured => measured?,
                    }
                }
                made += 1;
            }
            self.look(&mut found);
            if !found.series.iter().any(Series::is_open) {
                return Ok(found);
            }
        }
        if found.budget_spent {
            // The time, not the data, chose this look, and it replaces one that is no longer made.
            self.look(&mut found);
            found.budget_spent = found.series.iter().any(Series::is_open);
        }
        Ok(found)
    }

    /// Every series, without pairs.
    fn series(&self) -> Vec<Series> {
        let mut all = Vec::new();
        for candidate in self.candidates {
            let scenarios = self.tools.scenarios.scenarios.iter().enumerate();
            for (index, scenario) in scenarios {
                if !scenario.is_offered_by(candidate.services.as_ref()) {
                    continue;
                }
                for metric in &self.tools.metrics {
                    let can_count =
                        *metric != Metric::InstructionsPerRequest || self.tools.environment.valgrind.is_some();
                    if can_count && self.tools.scenarios.measures(index, *metric) {
                        all.push(Series::new(&candidate.app, &candidate.variant, &scenario.id, *metric));
                    }
                }
            }
        }
        all
    }

    /// Measures one pair in every open series of one candidate.
    fn pair(&self, candidate: &Candidate, number: u32, found: &mut Found) -> Result<(), PairFailure> {
        let Tools { generator, split, .. } = self.tools;
        let database = self.tools.database.as_ref();
        let open = |series: &[Series], scenario: &Scenario, counted: bool| {
            series.iter().any(|series| {
                let is_count = series.metric == Metric::InstructionsPerRequest;
                candidate.has(series) && series.scenario == scenario.id && series.is_open() && is_count == counted
            })
        };
        let scenarios = &self.tools.scenarios.scenarios;
        for scenario in scenarios {
            if open(&found.series, scenario, false) {
                let trials = made_again(&mut found.disturbed, || {
                    pair::drive(candidate, database, scenario, generator, split, number)
                })?;
                found.add(candidate, scenario, &trials);
            }
        }
        let counted: Vec<&Scenario> = scenarios
            .iter()
            .filter(|scenario| open(&found.series, scenario, true))
            .collect();
        if counted.is_empty() {
            return Ok(());
        }
        let sides = made_again(&mut found.disturbed, || {
            pair::count(candidate, database, split, &counted, number)
        })?;
        for (place, scenario) in counted.into_iter().enumerate() {
            let trials = sides.each_ref().map(|counts| Trial {
                instructions_per_request: Some(counts[place]),
                ..Trial::default()
            });
            found.add(candidate, scenario, &trials);
        }
        Ok(())
    }

    fn look(&self, found: &mut Found) {
        for series in &mut found.series {
            if series.metric == Metric::GoodputRps {
                let key = (series.app.clone(), series.variant.clone(), series.scenario.clone());
                let busy = found.busy.get(&key).map_or(&[][..], Vec::as_slice);
                let of = |which: fn(&(f64, f64)) -> f64| median(&busy.iter().map(which).collect::<Vec<_>>());
                series.reason = if of(|busy| busy.0).unwrap_or(0.0) > GENERATOR_BUSY {
                    Some("the load generator was the limit".into())
                } else if of(|busy| busy.1).unwrap_or(1.0) < SLICES_BUSY {
                    Some("the server was not the limit".into())
                } else {
                    None
                };
                series.judged = series.reason.is_none();
            }
        }
        decide_series(&mut found.series, self.gates, self.pairs);
    }
}

impl Found {
    /// Adds what the trials of base and head say of a scenario to its open series.
    fn add(&mut self, candidate: &Candidate, scenario: &Scenario, [base, head]: &[Trial; 2]) {
        let mean = |share: fn(&Trial) -> Option<f64>| {
            let shares: Vec<f64> = [base, head].into_iter().filter_map(share).collect();
            (!shares.is_empty()).then(|| shares.iter().sum::<f64>() / 2.0)
        };
        let busy = mean(|trial| trial.generator_cpu_share).zip(mean(|trial| trial.server_cpu_share));
        let key = (candidate.app.clone(), candidate.variant.clone(), scenario.id.clone());
        self.busy.entry(key).or_default().extend(busy);
        for series in &mut self.series {
            let is_its =
                candidate.has(series) && series.scenario == scenario.id && series.decision == Decision::Inconclusive;
            let values = series.metric.value(base).zip(series.metric.value(head));
            if let (true, Some((base, head))) = (is_its, values)
                && (head / base).ln().is_finite()
            {
                series.pairs.push(Pair { base, head });
            }
        }
    }
}

/// Time enough for the first look at all subjects, after `pairs` pairs each: before it, nothing can be named.
fn budget(wanted: Option<f64>, subjects: usize, pairs: u32) -> Duration {
    const LEAST: Duration = Duration::from_mins(10);
    let each = Duration::from_secs(u64::from(PAIR_SECONDS) * u64::from(pairs));
    let all = each.saturating_mul(u32::try_from(subjects).unwrap_or(u32::MAX));
    wanted.map_or(LEAST.max(all), Duration::from_secs_f64)
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
