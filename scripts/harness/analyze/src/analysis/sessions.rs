//! Which runs are sessions of one kind, and what they say about an interval that holds in another one ([`stats::Repeats`]).

use std::collections::BTreeMap;
use std::rc::Rc;

use jiff::{SignedDuration, Timestamp};
use model::scenario::Scenario;
use model::{AppRecord, Metric, Record};
use stats::Repeats;

use super::{controls, standing, steadiness, usable_by_app};

/// Most sessions that say how much they differ: three months of a weekly series.
pub const MOST_SESSIONS: usize = 12;

/// How long after another session one is of another day.
const NEXT_DAY: SignedDuration = SignedDuration::from_hours(12);

/// Profiles that measure the same for different lengths of time.
const ALIKE: [&str; 2] = ["quick", "weekly"];

/// Of `others`, of which nothing is read but their heads, those that are comparable with `record`, of its profile or one like it: the nearest
/// [`MOST_SESSIONS`] in time, before it or after, the oldest first. Of a week's five profiles, one is.
pub fn nearest<T: AsRef<Record>>(record: &Record, others: impl IntoIterator<Item = T>) -> Vec<T> {
    let others = others.into_iter().filter(|other| other.as_ref().id != record.id);
    let is_session = |other: &T| is_same_work(record, other.as_ref()) && is_same_kind(record, other.as_ref());
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
    started_at: Timestamp,
    apps: Vec<AppRecord>,
    /// Each scenario with, by metric, a level for each app; none where no ranks are claimed.
    scenarios: Vec<(Scenario, Levels)>,
    controls: Vec<controls::Found>,
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
            let trials = usable_by_app(&record.apps, &record.trials_of(&scenario.id));
            let metrics = Metric::ALL.into_iter();
            metrics
                .filter_map(|metric| Some((metric, standing::levels(&trials, metric)?)))
                .collect()
        };
        let scenarios = record.scenarios.iter();
        Self {
            started_at: record.started_at,
            apps: record.apps.clone(),
            scenarios: scenarios.map(|scenario| (scenario.clone(), levels(scenario))).collect(),
            controls: controls::found(record),
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

    /// What each found of its controls.
    pub(super) fn controls(&self) -> impl Iterator<Item = &[controls::Found]> {
        self.0.iter().map(|session| &*session.controls)
    }

    /// What they and this session, which began at `at` and in which the levels of `apps` are `own`, say of a scenario; `None` if they are too
    /// few. With it, the number of days on which they were.
    pub(crate) fn repeats(
        &self,
        scenario: &Scenario,
        metric: Metric,
        apps: &[AppRecord],
        own: Vec<Option<f64>>,
        at: Timestamp,
    ) -> Option<(Repeats, u32)> {
        let mut rows: Vec<Vec<Option<f64>>> = own.into_iter().map(|level| vec![level]).collect();
        let mut began = vec![at];
        for session in &self.0 {
            let mut scenarios = session.scenarios.iter();
            let Some((_, levels)) = scenarios.find(|(other, _)| other.id == scenario.id && are_alike(scenario, other))
            else {
                continue;
            };
            began.push(session.started_at);
            let levels = levels.get(&metric);
            for (row, app) in rows.iter_mut().zip(apps) {
                row.push(levels.and_then(|levels| levels[place(&session.apps, app, is_same_program)?]));
            }
        }
        Some((Repeats::new(rows)?, days(began)))
    }
}

/// On how many days so many sessions began.
fn days(mut began: Vec<Timestamp>) -> u32 {
    began.sort();
    began.dedup_by(|at, last| at.duration_since(*last) < NEXT_DAY);
    u32::try_from(began.len()).unwrap_or(u32::MAX)
}

/// An app among those of another session.
pub(crate) fn place(apps: &[AppRecord], app: &AppRecord, is_it: fn(&AppRecord, &AppRecord) -> bool) -> Option<usize> {
    apps.iter().position(|other| is_it(app, other))
}

/// Whether two apps are the same version of a framework.
pub(crate) fn is_same_version(one: &AppRecord, other: &AppRecord) -> bool {
    (&one.id, &one.variant, &one.framework_version) == (&other.id, &other.variant, &other.framework_version)
}

/// Whether they have the same dependencies, too: a figure is a mean over sessions of one program.
fn is_same_program(one: &AppRecord, other: &AppRecord) -> bool {
    is_same_version(one, other) && one.lockfile_hash == other.lockfile_hash
}

/// Whether two scenarios are alike. Texts, and the lengths of a round and of what warms it up, do not move a ratio.
fn are_alike(one: &Scenario, other: &Scenario) -> bool {
    let essence = |scenario: &Scenario| Scenario {
        title: String::new(),
        stands_for: None,
        seconds: 1.0,
        warmup_seconds: 1.0,
        ..scenario.clone()
    };
    essence(one) == essence(other)
}

/// Whether two runs are of one profile, or of two that measure the same.
pub fn is_same_work(one: &Record, other: &Record) -> bool {
    one.profile == other.profile || [one, other].iter().all(|record| ALIKE.contains(&&*record.profile))
}

/// Whether two runs were made on the same kind of machine and built alike. A cpu of which a record says no more than its name, as old ones do,
/// is like others of which no more is known.
pub fn is_same_kind(one: &Record, other: &Record) -> bool {
    fn kind(record: &Record) -> impl PartialEq + '_ {
        let environment = &record.environment;
        let cpu = environment
            .cpu
            .as_ref()
            .map(|cpu| (&cpu.vendor, &cpu.family, &cpu.model));
        let cpus = (environment.server_cpus.len(), environment.generator_cpus.len());
        let machine = (&*environment.cpu_model, cpu, environment.logical_cpus, cpus);
        let quota = environment.server_cpu_quota.map(f64::to_bits);
        (
            machine,
            quota,
            environment.load_machines.len(),
            record.lane,
            &*record.harness.cargo_profile,
        )
    }
    kind(one) == kind(other)
}

#[cfg(test)]
pub(crate) mod tests {
    use jiff::ToSpan;

    use super::*;
    use crate::analysis;
    use model::{Ratio, Summary};

    const METRIC: Metric = Metric::ServerCpuUsPerRequest;

    /// Sessions a day apart, the oldest first, in each of which some apps took more CPU time by a factor.
    pub fn days(factors: &[&[(&str, f64)]]) -> Vec<Record> {
        let day = |(day, factors): (i64, &&[(&str, f64)])| {
            let mut record = samples::sensible();
            record.started_at = record.started_at.saturating_add((24 * day).hours()).unwrap();
            record.id = format!("{}-1", record.started_at.strftime("%Y%m%dT%H%M%SZ"));
            let factors: BTreeMap<&str, f64> = factors.iter().copied().collect();
            for trial in &mut record.trials {
                trial.started_at = record.started_at;
                let factor = factors.get(trial.app.as_str()).unwrap_or(&1.0);
                trial.server_cpu_us_per_request = trial.server_cpu_us_per_request.map(|cpu| cpu * factor);
            }
            record.summary = analysis::summary(&record.apps, &record.scenarios, &record.trials);
            record
        };
        (0..).zip(factors).map(day).collect()
    }

    /// Of axum.
    fn summary(record: &Record, others: &[Record]) -> Summary {
        let cells = analysis::summary_among(record, &Sessions::of(record, others));
        let mut cells = cells.into_iter().filter(|cell| cell.scenario == "plaintext");
        let mut cell = cells.find(|cell| cell.app == "axum").unwrap();
        cell.metrics.remove(&METRIC).unwrap()
    }

    fn ratio(record: &Record, others: &[Record]) -> Ratio {
        summary(record, others).ratio.unwrap()
    }

    pub const MOVING: [&[(&str, f64)]; 4] = [&[("axum", 1.05)], &[("axum", 0.96)], &[("axum", 1.02)], &[]];

    #[test]
    fn from_four_sessions_on_an_interval_covers_another_one() {
        let days = days(&MOVING);
        let within = ratio(&days[3], &[]);
        assert_eq!((within.sessions, ratio(&days[1], &days[..1]).sessions), (None, None));
        let wide = ratio(&days[3], &days[..3]);
        assert_eq!((wide.sessions, wide.days), (Some(4), Some(4)));
        let mean = days.iter().map(|day| ratio(day, &[]).estimate.ln()).sum::<f64>() / 4.0;
        assert!((wide.estimate.ln() - mean).abs() < 1e-9, "{wide:?}");
        let (wide, within) = (wide.interval.unwrap(), within.interval.unwrap());
        assert!(
            wide.low < 0.97 * within.low && wide.high > 1.03 * within.high,
            "{wide:?} {within:?}"
        );
        for day in &days[..3] {
            assert!(wide.contains(ratio(day, &[]).estimate), "{wide:?}");
        }
    }

    #[test]
    fn sessions_of_another_kind_say_nothing() {
        let changes: [fn(&mut Record); 8] = [
            |other| other.environment.cpu_model = "another".into(),
            |other| other.environment.cpu = None,
            |other| other.environment.cpu.as_mut().unwrap().model = Some("17".into()),
            |other| other.environment.server_cpu_quota = Some(0.25),
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
            for day in &mut days {
                day.environment.cpu = Some(model::Cpu {
                    family: Some("25".into()),
                    ..model::Cpu::default()
                });
            }
            days[..3].iter_mut().for_each(change);
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
        let mut alike = days(&MOVING);
        alike[0].profile = "quick".into();
        alike[0].scenarios[0].title = "Other words".into();
        (alike[0].scenarios[0].warmup_seconds, alike[0].scenarios[0].seconds) = (0.7, 7.0);
        assert_eq!(ratio(&alike[3], &alike[..3]).sessions, Some(4));
    }

    /// A mean is of one program: what another one cost, such as that with a newer crate, is not in it.
    #[test]
    fn an_app_with_other_dependencies_has_sessions_of_its_own() {
        let mut days = days(&[&[("axum", 2.0)], &[("axum", 2.1)], &[("axum", 2.05)], &[], &[]]);
        let apps = days[..3].iter_mut().flat_map(|day| &mut day.apps);
        apps.filter(|app| app.id == "axum")
            .for_each(|app| app.lockfile_hash = "another".into());
        let found = ratio(&days[4], &days[..4]);
        assert_eq!((found.sessions, found.days), (Some(2), Some(5)));
        assert!(
            (found.estimate / ratio(&days[4], &[]).estimate - 1.0).abs() < 0.001,
            "{found:?}"
        );
    }

    #[test]
    fn sessions_of_one_evening_are_no_days() {
        let mut days = days(&MOVING);
        for (day, record) in days.iter_mut().enumerate() {
            let at = record
                .started_at
                .checked_sub((21 * i64::try_from(day).unwrap()).hours())
                .unwrap();
            record.trials.iter_mut().for_each(|trial| trial.started_at = at);
            record.started_at = at;
        }
        assert_eq!(ratio(&days[3], &days[..3]).days, Some(1));
    }

    /// A small difference proves nothing where sessions differ by more.
    #[test]
    fn ranks_are_for_another_session_too() {
        let still = days(&[&[], &[], &[], &[]]);
        let moving = days(&[&[("axum", 1.3)], &[("axum", 0.8)], &[("axum", 1.2)], &[]]);
        let ranks = |days: &[Record]| {
            let rank = summary(&days[3], &days[..3]).rank.unwrap();
            rank.worst - rank.best
        };
        assert!(ranks(&still) < ranks(&moving), "{} {}", ranks(&still), ranks(&moving));
    }
}
