//! Two apps of a run against each other, by the rounds that they shared: narrower than the quotient of their ratios to the reference.

use std::cmp::Ordering;

use model::scenario::{LoadModel, Scenario};
use model::{AppRecord, Metric, OwnWork, Ratio, Record, Role, Summary};
use serde::Serialize;
use stats::holm;

use crate::analysis::{self, Sessions, Standing, controls};
use crate::forecast::members;

const METRIC: Metric = Metric::ServerCpuUsPerRequest;
/// What a server with a database or services behind it appends to the name of its framework.
const SUFFIXES: [&str; 2] = ["postgres", "services"];

/// The figure by which apps are compared under a load.
pub fn about(load: LoadModel) -> Metric {
    match load {
        LoadModel::Closed => METRIC,
        other => Metric::headline(other),
    }
}

/// CPU time per request of two apps in one scenario.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairFinding {
    /// Name of the scenario.
    pub scenario: String,
    /// What the scenario is about, for people.
    #[serde(skip)]
    pub has_database: bool,
    /// Base and app, as they are called in the record.
    pub apps: [String; 2],
    /// Their median CPU time per request, in microseconds.
    pub cpu_us: [f64; 2],
    /// The app's CPU time ÷ the base's.
    pub ratio: Ratio,
    /// What each does itself.
    pub own_work: [Option<OwnWork>; 2],
    /// Whether the run distinguishes them.
    pub told_apart: bool,
}

/// The direct comparisons of a run.
#[derive(Debug)]
pub struct Direct<'a> {
    /// The run.
    pub record: &'a Record,
    metric: Metric,
    standings: Vec<(&'a Scenario, Standing)>,
}

impl<'a> Direct<'a> {
    /// Of a run with what `others`, sessions of its kind, say. Scenarios in which it claims no ranks are left out, and so are searches for
    /// the highest rate, in which each server does other work.
    pub fn new(record: &'a Record, others: &Sessions) -> Self {
        Self::by(METRIC, record, others)
    }

    /// The same by the figure that scenarios of another load are about: only in these.
    pub fn by(metric: Metric, record: &'a Record, others: &Sessions) -> Self {
        let steady = |scenario: &'a Scenario| {
            let standing = analysis::standing(record, &scenario.id, metric, others)?;
            Some((scenario, standing))
        };
        let alike = |scenario: &&Scenario| match metric {
            METRIC => !matches!(scenario.load, LoadModel::Capacity { .. }),
            other => about(scenario.load) == other,
        };
        let scenarios = record.scenarios.iter().filter(alike);
        Self {
            record,
            metric,
            standings: scenarios
                .filter(|_| controls::hold(record))
                .filter_map(steady)
                .collect(),
        }
    }

    /// Whether it claims ranks in any scenario.
    pub fn claims_ranks(&self) -> bool {
        !self.standings.is_empty()
    }

    /// The app of this name, or else what stands in its place with a database or services behind it.
    pub fn app(&self, name: &str) -> Option<&'a AppRecord> {
        let called = self.record.apps.iter().filter(|app| is_called(app, name));
        called.min_by_key(|app| app.label() != name)
    }

    /// `app` against `base` in every scenario in which both have figures that count. Both are ids, or labels such as `axum (tuned)`; `axum`
    /// also means what stands in its place with a database or services behind it, such as `axum-postgres`.
    ///
    /// # Errors
    /// With the name that no app of the run has.
    pub fn pair(&self, base: &str, app: &str) -> Result<Vec<PairFinding>, String> {
        if let Some(name) = [base, app].into_iter().find(|name| self.app(name).is_none()) {
            return Err(name.to_owned());
        }
        let places = |scenario: &Scenario| Some([self.place(base, scenario)?, self.place(app, scenario)?]);
        let findings = self.verdicts(places).into_iter().filter_map(|(scenario, told_apart)| {
            self.compared(&scenario.id, places(scenario)?, told_apart != Ordering::Equal)
        });
        Ok(findings.collect())
    }

    /// Whether two apps are told apart, and whether the second has the larger figure, in every scenario in which `places` has both and their
    /// figures count. Holm's procedure over these scenarios decides: all that is said of the pair holds together with 95 %.
    pub fn verdicts(&self, places: impl Fn(&Scenario) -> Option<[usize; 2]>) -> Vec<(&'a Scenario, Ordering)> {
        let found = self.standings.iter().filter_map(|(scenario, standing)| {
            let [base, app] = places(scenario)?;
            let counts = |place: usize| self.figure(&self.record.apps[place], scenario).is_some();
            let difference = standing.difference(app, base).filter(|_| counts(base) && counts(app))?;
            let p_value = difference.p_value(standing.least()).unwrap_or(1.0);
            Some(((*scenario, difference.estimate.total_cmp(&0.0)), p_value))
        });
        let (found, p_values): (Vec<_>, Vec<f64>) = found.unzip();
        let apart = holm(&p_values, p_values.len());
        let told = |((scenario, direction), apart)| (scenario, if apart { direction } else { Ordering::Equal });
        found.into_iter().zip(apart).map(told).collect()
    }

    /// Two apps, named by their places in the record's `apps`, in one scenario; `None` if one of them has no figure that counts there. They
    /// are distinguished among all pairs of the apps that they are ranked with, or by their own interval if they are not ranked together.
    pub fn finding(&self, scenario: &str, base: usize, app: usize) -> Option<PairFinding> {
        let (scenario, standing) = self.standings.iter().find(|(known, _)| known.id == scenario)?;
        let [base_app, other] = [base, app].map(|place| &self.record.apps[place]);
        let together = base_app.tier == other.tier && [base_app, other].iter().all(|app| app.role == Role::Framework);
        let group = if together {
            members(self.record, &scenario.id, other.tier)
        } else {
            vec![base, app]
        };
        let pairs = standing.pairs(&group);
        let is_better = |one, other| pairs.better(other, false).any(|better| better == one);
        let told_apart = is_better(base, app) || is_better(app, base);
        self.compared(&scenario.id, [base, app], told_apart)
    }

    fn compared(&self, scenario: &str, [base, app]: [usize; 2], told_apart: bool) -> Option<PairFinding> {
        let (scenario, standing) = self.standings.iter().find(|(known, _)| known.id == scenario)?;
        let apps = [base, app].map(|place| &self.record.apps[place]);
        let [of_base, of_app] = apps.map(|app| self.figure(app, scenario));
        Some(PairFinding {
            scenario: scenario.id.clone(),
            has_database: scenario.database.is_some(),
            apps: apps.map(AppRecord::label),
            cpu_us: [of_base?.median, of_app?.median],
            own_work: [of_base?.own_work, of_app?.own_work],
            ratio: standing.ratio(app, base)?,
            told_apart,
        })
    }

    fn figure(&self, app: &AppRecord, scenario: &Scenario) -> Option<&Summary> {
        self.record.trusted(app, &scenario.id, self.metric)
    }

    /// Who is called so and has a figure in this scenario; the exact name before what stands in its place.
    fn place(&self, name: &str, scenario: &Scenario) -> Option<usize> {
        let apps = self.record.apps.iter().enumerate();
        let measured = apps.filter(|(_, app)| is_called(app, name) && self.figure(app, scenario).is_some());
        let found = measured.min_by_key(|(_, app)| app.label() != name);
        found.map(|(place, _)| place)
    }
}

/// Whether somebody who writes `name` may mean this app.
fn is_called(app: &AppRecord, name: &str) -> bool {
    let (label, name) = (app.label(), name.to_lowercase());
    let rest = label.strip_prefix(&name).and_then(|rest| rest.strip_prefix('-'));
    label == name || rest.is_some_and(|rest| SUFFIXES.contains(&rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::tests_of_sessions::{MOVING, days};

    fn findings(record: &Record, others: &[Record], base: &str, app: &str) -> Vec<PairFinding> {
        let direct = Direct::new(record, &Sessions::of(record, others));
        direct.pair(base, app).unwrap()
    }

    /// In the sample, axum takes 6 µs where actix-web takes 5, in each round but for thousandths.
    #[test]
    fn the_direct_ratio_is_that_of_the_shared_rounds_and_turns_with_the_order() {
        let record = &days(&[&[]])[0];
        let cost = |id: &str| record.cell(id, "default", "plaintext").unwrap().metrics[&METRIC].median;
        let truth = cost("axum") / cost("actix-web");
        let [there, back] = [("actix-web", "Axum"), ("axum", "actix-web")]
            .map(|(base, app)| findings(record, &[], base, app).swap_remove(0));
        assert_eq!(there.apps, ["actix-web", "axum"]);
        assert!((there.ratio.estimate / truth - 1.0).abs() < 0.01, "{there:?}: {truth}");
        assert!((there.ratio.estimate * back.ratio.estimate - 1.0).abs() < 1e-9);
        assert!(there.told_apart && back.told_apart && there.ratio.sessions.is_none());
    }

    #[test]
    fn sessions_widen_it_and_may_leave_the_pair_open() {
        let days = days(&MOVING);
        let width = |finding: &PairFinding| {
            let interval = finding.ratio.interval.unwrap();
            interval.high / interval.low
        };
        let within = findings(&days[3], &[], "actix-web", "axum").swap_remove(0);
        let wide = findings(&days[3], &days[..3], "actix-web", "axum").swap_remove(0);
        assert_eq!(wide.ratio.sessions, Some(4));
        assert!(width(&wide) > 1.03 * width(&within), "{wide:?} {within:?}");
    }

    #[test]
    fn a_framework_stands_for_its_server_with_a_database_and_others_are_refused_by_name() {
        let mut record = days(&[&[]]).swap_remove(0);
        for app in &mut record.apps {
            if app.id == "axum" {
                app.id = "axum-postgres".into();
            }
        }
        for trial in record.trials.iter_mut().filter(|trial| trial.app == "axum") {
            trial.app = "axum-postgres".into();
        }
        record.summary = analysis::summary(&record.apps, &record.scenarios, &record.trials);
        let found = findings(&record, &[], "actix-web", "axum");
        assert_eq!(found[0].apps[1], "axum-postgres");
        let direct = Direct::new(&record, &Sessions::default());
        assert_eq!(direct.pair("actix-web", "axu"), Err("axu".to_owned()));
    }

    #[test]
    fn what_has_no_figure_that_counts_is_not_compared() {
        let mut record = days(&[&[]]).swap_remove(0);
        for cell in record.summary.iter_mut().filter(|cell| cell.app == "axum") {
            cell.metrics.clear();
        }
        assert_eq!(findings(&record, &[], "actix-web", "axum"), []);
    }
}
