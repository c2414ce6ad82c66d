//! Which runs are sessions of one kind, and what they say about an interval that holds in another one ([`stats::Repeats`]).

use std::collections::BTreeMap;
use std::rc::Rc;

use model::scenario::Scenario;
use model::{AppRecord, Environment, Metric, Record, Trial};
use stats::Repeats;

use super::{standing, steadiness, usable_by_app};

/// Most sessions that say how much they differ: three months of a weekly series.
pub const MOST_SESSIONS: usize = 12;

/// Of `others`, of which nothing is read but their heads, those that are comparable with `record`, of its profile: the nearest
/// [`MOST_SESSIONS`] in time, before it or after, the oldest first. Of a week's five profiles, one is.
pub fn nearest<T: AsRef<Record>>(record: &Record, others: impl IntoIterator<Item = T>) -> Vec<T> {
    let others = others.into_iter().filter(|other| other.as_ref().id != record.id);
    let is_session = |other: &T| other.as_ref().profile == record.profile && is_same_kind(record, other.as_ref());
    let mut others: Vec<T> = others.filter(is_session).collect();
    let started_at = |other: &T| other.as_ref().started_at;
    others.sort_by_key(|other| started_at(other).duration_since(record.started_at).abs());
    others.truncate(MOST_SESSIONS);
    others.sort_by_key(started_at);
    others
}

/// A run as a session of others: the levels of its apps, which are all that they need of its trials.
#[derive(Debug)]
pub struct Session {
    apps: Vec<AppRecord>,
    /// Each scenario with, by metric, a level for each app; none where no ranks are claimed.
    scenarios: Vec<(Scenario, Levels)>,
}

/// Logarithms, in the order of the record's `apps`.
type Levels = BTreeMap<Metric, Vec<Option<f64>>>;

impl Session {
    /// Of this run.
    pub fn of(record: &Record) -> Self {
        let unranked = steadiness::unranked(&record.apps, &record.scenarios, &record.trials);
        let levels = |scenario: &Scenario| {
            if unranked.iter().any(|unsteady| unsteady.scenario.id == scenario.id) {
                return Levels::new();
            }
            let of_scenario = record.trials.iter().filter(|trial| trial.scenario == scenario.id);
            let of_scenario: Vec<&Trial> = of_scenario.collect();
            let trials = usable_by_app(&record.apps, &of_scenario);
            let metrics = Metric::ALL.into_iter();
            metrics
                .filter_map(|metric| Some((metric, standing::levels(&trials, metric)?)))
                .collect()
        };
        let scenarios = record.scenarios.iter();
        Self {
            apps: record.apps.clone(),
            scenarios: scenarios.map(|scenario| (scenario.clone(), levels(scenario))).collect(),
        }
    }
}

/// Sessions of one kind.
#[derive(Debug, Clone, Default)]
pub struct Sessions(Vec<Rc<Session>>);

impl FromIterator<Rc<Session>> for Sessions {
    fn from_iter<T: IntoIterator<Item = Rc<Session>>>(sessions: T) -> Self {
        Self(sessions.into_iter().collect())
    }
}

impl Sessions {
    /// The [`nearest`] of these records.
    pub fn of<'a>(record: &Record, records: impl IntoIterator<Item = &'a Record>) -> Self {
        let sessions = nearest(record, records).into_iter();
        sessions.map(|session| Rc::new(Session::of(session))).collect()
    }

    /// What they and this session, whose levels are `own`, say of `apps` in a scenario; `None` if they are too few.
    pub(crate) fn repeats(
        &self,
        scenario: &Scenario,
        metric: Metric,
        apps: &[AppRecord],
        own: Vec<Option<f64>>,
    ) -> Option<Repeats> {
        let mut rows: Vec<Vec<Option<f64>>> = vec![Vec::new(); apps.len()];
        for session in &self.0 {
            let mut scenarios = session.scenarios.iter();
            let Some((_, levels)) = scenarios
                .find(|(other, _)| other.id == scenario.id)
                .filter(|(other, _)| are_alike(scenario, other))
            else {
                continue;
            };
            let levels = levels.get(&metric);
            for (row, app) in rows.iter_mut().zip(apps) {
                row.push(levels.and_then(|levels| levels[place(&session.apps, app)?]));
            }
        }
        for (row, level) in rows.iter_mut().zip(own) {
            row.push(level);
        }
        Repeats::new(rows)
    }
}

/// The same version of an app among those of another session.
pub(crate) fn place(apps: &[AppRecord], app: &AppRecord) -> Option<usize> {
    apps.iter().position(|other| {
        (&other.id, &other.variant, &other.framework_version) == (&app.id, &app.variant, &app.framework_version)
    })
}

/// Whether two scenarios are alike. Texts and the length of a round do not move a ratio.
fn are_alike(one: &Scenario, other: &Scenario) -> bool {
    let essence = |scenario: &Scenario| Scenario {
        title: String::new(),
        stands_for: None,
        seconds: 1.0,
        ..scenario.clone()
    };
    essence(one) == essence(other)
}

/// Whether two runs were made on the same kind of machine and built alike.
pub fn is_same_kind(one: &Record, other: &Record) -> bool {
    fn kind(environment: &Environment) -> impl PartialEq + '_ {
        let cpus = (environment.server_cpus.len(), environment.generator_cpus.len());
        (
            environment.cpu_model.as_str(),
            environment.logical_cpus,
            cpus,
            environment.load_machines.len(),
            environment.server_cpu_quota.is_some(),
        )
    }
    // Records older than the field do not say which cpu of the name it was.
    let cpus = one.environment.cpu.as_ref().zip(other.environment.cpu.as_ref());
    cpus.is_none_or(|(one, other)| one == other)
        && one.lane == other.lane
        && one.harness.cargo_profile == other.harness.cargo_profile
        && kind(&one.environment) == kind(&other.environment)
}

#[cfg(test)]
pub(crate) mod tests {
    use jiff::ToSpan;

    use super::*;
    use crate::analysis;
    use model::Ratio;

    const METRIC: Metric = Metric::ServerCpuUsPerRequest;

    /// Sessions a day apart, the oldest first, in each of which some apps took more CPU time by a factor.
    pub fn days(factors: &[&[(&str, f64)]]) -> Vec<Record> {
        let day = |(day, factors): (i64, &&[(&str, f64)])| {
            let mut record = samples::sensible();
            record.started_at = record.started_at.saturating_add((24 * day).hours()).unwrap();
            record.id = format!("{}-1", record.started_at.strftime("%Y%m%dT%H%M%SZ"));
            let factors: BTreeMap<&str, f64> = factors.iter().copied().collect();
            for trial in &mut record.trials {
                let factor = factors.get(trial.app.as_str()).unwrap_or(&1.0);
                trial.server_cpu_us_per_request = trial.server_cpu_us_per_request.map(|cpu| cpu * factor);
            }
            record.summary = analysis::summary(&record.apps, &record.scenarios, &record.trials);
            record
        };
        (0..).zip(factors).map(day).collect()
    }

    fn ratio(record: &Record, others: &[Record]) -> Ratio {
        let cells = analysis::summary_among(record, &Sessions::of(record, others));
        let cell = cells
            .into_iter()
            .find(|cell| cell.app == "axum" && cell.scenario == "plaintext")
            .unwrap();
        cell.metrics[&METRIC].ratio.clone().unwrap()
    }

    pub const MOVING: [&[(&str, f64)]; 4] = [&[("axum", 1.05)], &[("axum", 0.96)], &[("axum", 1.02)], &[]];

    #[test]
    fn from_four_sessions_on_an_interval_covers_another_one() {
        let days = days(&MOVING);
        let within = ratio(&days[3], &[]);
        assert_eq!((within.sessions, ratio(&days[1], &days[..1]).sessions), (None, None));
        let wide = ratio(&days[3], &days[..3]);
        assert_eq!((wide.sessions, wide.estimate), (Some(4), within.estimate));
        let (wide, within) = (wide.interval.unwrap(), within.interval.unwrap());
        assert!(
            wide.low < 0.97 * within.low && wide.high > 1.03 * within.high,
            "{wide:?} {within:?}"
        );
        for day in &days[..3] {
            let there = ratio(day, &[]).estimate;
            assert!(wide.low <= there && there <= wide.high, "{there}: {wide:?}");
        }
    }

    #[test]
    fn sessions_of_another_kind_say_nothing() {
        let changes: [fn(&mut Record); 6] = [
            |other| other.environment.cpu_model = "another".into(),
            |other| other.environment.cpu = Some(model::Cpu::default()),
            |other| other.harness.cargo_profile = model::FIRST_LOOK.into(),
            |other| other.scenarios[0].connections = 7,
            |other| {
                for app in &mut other.apps {
                    app.framework_version = "0.0.1".into();
                }
            },
            |other| other.trials.retain(|trial| trial.round <= 4),
        ];
        for (number, change) in changes.into_iter().enumerate() {
            let mut days = days(&MOVING);
            days[..3].iter_mut().for_each(change);
            days[3].environment.cpu = Some(model::Cpu {
                family: Some("25".into()),
                ..model::Cpu::default()
            });
            assert_eq!(ratio(&days[3], &days[..3]).sessions, None, "change {number}");
        }
        let mut week = days(&MOVING);
        let mut others = days(&[[].as_slice(); MOST_SESSIONS]);
        for (number, other) in others.iter_mut().enumerate() {
            other.id = format!("{}-other{number}", other.id);
            other.started_at = week[3].started_at;
            other.profile = "another".into();
        }
        let newest = week.pop().unwrap();
        others.extend(week);
        assert_eq!(
            ratio(&newest, &others).sessions,
            Some(4),
            "other profiles' runs crowd nobody out"
        );
        let mut reworded = days(&MOVING);
        reworded[0].scenarios[0].title = "Other words".into();
        assert_eq!(ratio(&reworded[3], &reworded[..3]).sessions, Some(4));
    }

    /// A small difference proves nothing where sessions differ by more.
    #[test]
    fn ranks_are_for_another_session_too() {
        let still = days(&[&[], &[], &[], &[]]);
        let moving = days(&[&[("axum", 1.3)], &[("axum", 0.8)], &[("axum", 1.2)], &[]]);
        let ranks = |days: &[Record]| {
            let cells = analysis::summary_among(&days[3], &Sessions::of(&days[3], &days[..3]));
            let cell = cells
                .into_iter()
                .find(|cell| cell.app == "axum" && cell.scenario == "plaintext")
                .unwrap();
            let rank = cell.metrics[&METRIC].rank.unwrap();
            rank.worst - rank.best
        };
        assert!(ranks(&still) < ranks(&moving), "{} {}", ranks(&still), ranks(&moving));
    }
}
