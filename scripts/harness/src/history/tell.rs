//! From a past to its story.

use jiff::SignedDuration;

use super::causes::{Cause, Lockfiles, Step, differences};
use super::common_mode::{Fit, Residual, fit};
use super::divisive::{ChangePoint, Settings, change_points};
use super::past::{Kind, Past, Series};
use super::story::{Change, Common, Direction, Drift, Mark, MarkKind, SCHEMA_VERSION, Segment, State, Story};
use super::suspicion::suspicious;
use crate::compact::{COMPARED, significant};
use crate::plan::SubjectId;

/// What is a change of one app: half of the runs of a year are looked at together, and in simulated histories these find what they
/// should and cry wolf as seldom as docs/history.md says.
pub const SETTINGS: Settings = Settings {
    window: 50,
    p: 1e-4,
    smallest: 0.03,
};
/// What is a change of all apps at once. The machine's own noise is larger.
const COMMON: Settings = Settings {
    smallest: 0.05,
    ..SETTINGS
};
/// How far back drift looks.
const YEAR: SignedDuration = SignedDuration::from_hours(24 * 365);
/// Runs at either end of a year that are compared.
const ENDS: usize = 8;

/// Tells the past.
pub fn tell(past: &Past, lockfiles: &dyn Lockfiles) -> Story {
    let machines = machines(past);
    let mut story = Story {
        schema_version: SCHEMA_VERSION,
        lane: past.lane.clone(),
        profile: past.profile.clone(),
        runs: past.runs.len(),
        judged: 0,
        segments: segments(past),
        marks: marks(past),
        changes: Vec::new(),
        common: Vec::new(),
        drifts: Vec::new(),
    };
    for series in &past.series {
        let rows: Vec<Vec<Option<f64>>> = series.rows.values().map(|row| logarithms(row)).collect();
        let fit = fit(&rows, &machines, SETTINGS);
        for (subject, row) in series.rows.keys().zip(&fit.rows) {
            story.judged += usize::from(!row.values.is_empty());
            let of = Of {
                past,
                series,
                subject,
                row,
            };
            story.changes.extend(of.changes(lockfiles));
            story.drifts.extend(of.drift());
        }
        story.common.extend(common(past, series, &machines, &fit, lockfiles));
    }
    story.changes.sort_by(|one, other| {
        (other.started_at, one.p)
            .partial_cmp(&(one.started_at, other.p))
            .expect("p is a number")
    });
    story.common.sort_by_key(|common| std::cmp::Reverse(common.started_at));
    story
        .drifts
        .sort_by(|one, other| other.size.abs().total_cmp(&one.size.abs()));
    story
}

/// One app in one series.
struct Of<'a> {
    past: &'a Past,
    series: &'a Series,
    subject: &'a SubjectId,
    row: &'a Residual,
}

impl<'a> Of<'a> {
    fn changes(&self, lockfiles: &dyn Lockfiles) -> Vec<Change> {
        let points = &self.row.points;
        let confirmed = points.iter().enumerate().map(|(index, point)| {
            let (low, high) = point.interval();
            let sure = Sure {
                size: point.size(),
                low,
                high,
                p: point.p,
                before: point.before.count,
                after: point.after.count,
                state: State::Confirmed,
                stands: index + 1 == points.len(),
            };
            self.change(point.at, sure, lockfiles)
        });
        let mut changes: Vec<Change> = confirmed.collect();
        if let Some(size) = suspicious(self.row) {
            let sure = Sure {
                size,
                low: size,
                high: size,
                p: 1.0,
                before: points.last().map_or(self.row.values.len(), |point| point.after.count) - 1,
                after: 1,
                state: State::Suspected,
                stands: true,
            };
            changes.push(self.change(self.row.values.len() - 1, sure, lockfiles));
        }
        changes
    }

    fn change(&self, at: usize, sure: Sure, lockfiles: &dyn Lockfiles) -> Change {
        let runs = &self.past.runs;
        let (before, after) = (self.row.runs[at - 1], self.row.runs[at]);
        let beside: Vec<Step> = [at.wrapping_sub(2), at]
            .into_iter()
            .filter_map(|place| Some((*self.row.runs.get(place)?, *self.row.runs.get(place + 1)?)))
            .map(|(before, after)| self.step(before, after))
            .collect();
        let confirmed = sure.state == State::Confirmed;
        Change {
            app: self.subject.app.clone(),
            variant: self.subject.variant.clone(),
            scenario: self.series.scenario.clone(),
            metric: self.series.metric.clone(),
            run: runs[after].id.clone(),
            started_at: runs[after].at,
            previous_run: runs[before].id.clone(),
            size: share(sure.size),
            low: share(sure.low),
            high: share(sure.high),
            p: significant(sure.p, COMPARED),
            runs_before: sure.before,
            runs_after: sure.after,
            verdict: self.direction(sure.size),
            state: sure.state,
            confirmed_by: confirmed.then(|| runs[self.row.runs[at + 1]].id.clone()),
            stands: sure.stands,
            causes: self.past.causes(self.step(before, after), &beside, lockfiles),
        }
    }

    fn step(&self, before: usize, after: usize) -> Step<'a> {
        Step {
            subject: self.subject,
            before,
            after,
        }
    }

    /// The last runs beside the first ones of the year that ends with them.
    fn drift(&self) -> Option<Drift> {
        let row = self.row;
        let end = self.past.runs[*row.runs.last()?].at;
        let from = row
            .runs
            .iter()
            .position(|run| end.duration_since(self.past.runs[*run].at) <= YEAR)?;
        let year = &row.values[from..];
        if year.len() < 2 * ENDS {
            return None;
        }
        let ends = [&year[..ENDS], &year[year.len() - ENDS..]].concat();
        let moved = ChangePoint::between(&ends, 0, ENDS, ends.len());
        let (low, high) = moved.interval();
        (moved.p <= SETTINGS.p && moved.size().abs() >= SETTINGS.smallest).then(|| Drift {
            app: self.subject.app.clone(),
            variant: self.subject.variant.clone(),
            scenario: self.series.scenario.clone(),
            metric: self.series.metric.clone(),
            since: self.past.runs[row.runs[from]].id.clone(),
            size: share(moved.size()),
            low: share(low),
            high: share(high),
            verdict: self.direction(moved.size()),
        })
    }

    fn direction(&self, size: f64) -> Direction {
        match self.series.more_is_better {
            None => Direction::Change,
            Some(more) if more == (size > 0.0) => Direction::Improvement,
            Some(_) => Direction::Regression,
        }
    }
}

/// A change as it was found, in logarithms.
#[derive(Clone, Copy)]
struct Sure {
    size: f64,
    low: f64,
    high: f64,
    p: f64,
    before: usize,
    after: usize,
    state: State,
    stands: bool,
}

/// Steps of the common mode, machine by machine.
fn common(past: &Past, series: &Series, machines: &[usize], fit: &Fit, lockfiles: &dyn Lockfiles) -> Vec<Common> {
    let mut found = Vec::new();
    let reference = logarithms(&series.reference);
    for machine in 0..machines.iter().max().map_or(0, |most| most + 1) {
        let of_machine = fit
            .common
            .iter()
            .enumerate()
            .filter(|(run, _)| machines[*run] == machine);
        let (runs, values): (Vec<usize>, Vec<f64>) =
            of_machine.filter_map(|(run, common)| Some((run, (*common)?))).unzip();
        for point in change_points(&values, COMMON) {
            let (before, after) = (runs[point.at - 1], runs[point.at]);
            let old = &runs[point.at - point.before.count..point.at];
            let new = &runs[point.at..point.at + point.after.count];
            let moved = mean(&reference, new)
                .zip(mean(&reference, old))
                .map(|(new, old)| new - old);
            // What the reference has too was not done by a dependency: its lockfile is frozen.
            let is_machine = moved.is_some_and(|moved| moved.abs() >= point.size().abs() / 2.0);
            let mut causes = past.shared_causes(before, after, lockfiles);
            causes.retain(|cause| !is_machine || cause.kind != Kind::Dependency);
            if causes.is_empty() {
                causes.push(Cause {
                    kind: Kind::Environment,
                    name: "nothing known".to_owned(),
                    before: String::new(),
                    after: String::new(),
                    run: past.runs[after].id.clone(),
                });
            }
            found.push(Common {
                scenario: series.scenario.clone(),
                metric: series.metric.clone(),
                run: past.runs[after].id.clone(),
                started_at: past.runs[after].at,
                size: share(point.size()),
                reference: moved.map(share),
                causes,
            });
        }
    }
    found
}

fn mean(values: &[Option<f64>], runs: &[usize]) -> Option<f64> {
    let values: Vec<f64> = runs.iter().filter_map(|run| values[*run]).collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Which machine each run was made on: numbers in the order in which they came.
fn machines(past: &Past) -> Vec<usize> {
    let mut known: Vec<&str> = Vec::new();
    let mut numbers = Vec::new();
    for run in &past.runs {
        let place = known.iter().position(|name| *name == run.machine);
        numbers.push(place.unwrap_or_else(|| {
            known.push(&run.machine);
            known.len() - 1
        }));
    }
    numbers
}

fn segments(past: &Past) -> Vec<Segment> {
    let mut segments: Vec<Segment> = Vec::new();
    for run in &past.runs {
        match segments.iter_mut().find(|segment| segment.machine == run.machine) {
            Some(segment) => segment.runs += 1,
            None => segments.push(Segment {
                machine: run.machine.clone(),
                run: run.id.clone(),
                started_at: run.at,
                runs: 1,
            }),
        }
    }
    segments
}

/// What is not what it was in the run before.
fn marks(past: &Past) -> Vec<Mark> {
    let mut marks = Vec::new();
    for pair in past.runs.windows(2) {
        let [before, after] = pair else { continue };
        let mark = |kind, app: Option<&str>, old: &str, new: &str| Mark {
            run: after.id.clone(),
            started_at: after.at,
            kind,
            app: app.map(ToOwned::to_owned),
            before: old.to_owned(),
            after: new.to_owned(),
        };
        if before.machine != after.machine {
            marks.push(mark(MarkKind::Machine, None, &before.machine, &after.machine));
        }
        let shared = differences(&before.surroundings, &after.surroundings, &after.id);
        marks.extend(
            shared
                .iter()
                .filter_map(|cause| Some(mark(MarkKind::of(cause.kind)?, None, &cause.before, &cause.after))),
        );
        for (subject, facts) in &after.builds {
            let Some(old) = before.builds.get(subject) else {
                continue;
            };
            let moved = differences(old, facts, &after.id).into_iter();
            let moved = moved.filter(|cause| cause.kind == Kind::Framework);
            marks.extend(moved.map(|cause| mark(MarkKind::Release, Some(&subject.app), &cause.before, &cause.after)));
        }
    }
    marks.dedup(); // variants share a release
    marks
}

fn logarithms(row: &[Option<f64>]) -> Vec<Option<f64>> {
    row.iter().map(|figure| figure.map(f64::ln)).collect()
}

/// A difference of logarithms as new ÷ old − 1.
fn share(logarithm: f64) -> f64 {
    significant(logarithm.exp_m1(), COMPARED)
}

#[cfg(test)]
mod tests {
    use super::super::causes::NoLockfiles;
    use super::super::past::{Fact, Facts, Run};
    use super::super::simulate::{Script, history};
    use super::*;
    use crate::compare::outcome::Dependency;

    /// Forty weeks of seven apps, in which the first became 20 % dearer in week 30.
    fn past() -> Past {
        let script = Script {
            change: Some((30, 1.2)),
            ..Script::of(40, 7)
        };
        history(script, 11)
    }

    fn since(runs: &mut [Run], week: usize, change: impl Fn(&mut Run, bool)) {
        for (number, run) in runs.iter_mut().enumerate() {
            change(run, number >= week);
        }
    }

    fn fact(kind: Kind, name: &str) -> Fact {
        Fact {
            kind,
            name: name.to_owned(),
        }
    }

    fn build(run: &mut Run, fact: Fact, value: &str) {
        let subject = SubjectId::of("app-00", "default");
        run.builds.entry(subject).or_default().insert(fact, value.to_owned());
    }

    #[test]
    fn a_change_has_its_size_its_interval_and_its_runs() {
        let story = tell(&past(), &NoLockfiles);
        let [change] = story.changes.as_slice() else {
            panic!("{:?}", story.changes)
        };
        assert_eq!((change.app.as_str(), change.run.as_str()), ("app-00", "week-030"));
        assert_eq!(
            (change.previous_run.as_str(), change.confirmed_by.as_deref()),
            ("week-029", Some("week-031"))
        );
        assert!(
            change.low < 0.2 && 0.2 < change.high && change.high - change.low < 0.1,
            "{change:?}"
        );
        assert_eq!((change.runs_before, change.runs_after), (30, 10));
        assert_eq!(
            (change.verdict, change.state, change.stands),
            (Direction::Regression, State::Confirmed, true)
        );
        assert_eq!(change.causes[0].kind, Kind::Environment, "nothing was different");
        assert_eq!(story.judged, 7);
    }

    #[derive(Debug)]
    struct Tokio;

    impl Lockfiles for Tokio {
        fn moved(&self, before: &str, after: &str, app: &str) -> Option<Vec<Dependency>> {
            let moved = Dependency {
                name: "tokio".into(),
                before: vec!["1.47.0".into()],
                after: vec!["1.48.0".into()],
            };
            (app == "app-00" && (before, after) == ("old", "new")).then(|| vec![moved])
        }
    }

    #[test]
    fn the_bump_in_the_lockfile_at_the_step_is_named() {
        let mut past = past();
        since(&mut past.runs, 30, |run, new| {
            run.commit = Some(if new { "new" } else { "old" }.to_owned());
            build(run, fact(Kind::Dependency, "Cargo.lock"), if new { "22" } else { "11" });
            let kernel = if new { "6.13" } else { "6.12" };
            run.surroundings = Facts::from([(fact(Kind::Kernel, "kernel"), kernel.to_owned())]);
        });
        let story = tell(&past, &Tokio);
        let causes: Vec<_> = story.changes[0]
            .causes
            .iter()
            .map(|cause| (cause.kind, cause.name.as_str()))
            .collect();
        assert_eq!(causes, [(Kind::Dependency, "tokio"), (Kind::Kernel, "kernel")]);
        assert_eq!(story.changes[0].causes[0].after, "1.48.0");
        // Without the commits it is still known that something moved.
        let story = tell(&past, &NoLockfiles);
        assert_eq!(story.changes[0].causes[0].name, "Cargo.lock");
        assert_eq!(story.marks.len(), 1, "the kernel: {:?}", story.marks);
    }

    #[test]
    fn a_release_one_run_beside_the_step_is_named_with_its_run() {
        for week in [29, 31] {
            let mut past = past();
            since(&mut past.runs, week, |run, new| {
                build(
                    run,
                    fact(Kind::Framework, "framework"),
                    if new { "2.0.0" } else { "1.0.0" },
                );
            });
            let cause = &tell(&past, &NoLockfiles).changes[0].causes[0];
            assert_eq!(
                (cause.kind, cause.run.as_str()),
                (Kind::Framework, format!("week-0{week}").as_str())
            );
        }
    }

    #[test]
    fn one_run_far_off_is_suspected_and_no_more() {
        let story = tell(&past().until(31), &NoLockfiles);
        let [change] = story.changes.as_slice() else {
            panic!("{:?}", story.changes)
        };
        assert_eq!(
            (change.state, change.run.as_str(), change.runs_after),
            (State::Suspected, "week-030", 1)
        );
        assert_eq!(story.alarms().count(), 0);
    }

    #[test]
    fn a_regression_alarms_while_it_is_new() {
        let past = past();
        let alarms = |runs| tell(&past.until(runs), &NoLockfiles).alarms().count();
        assert_eq!([30, 31, 34, 38, 39].map(alarms), [0, 0, 1, 1, 0]);
    }

    #[test]
    fn another_machine_is_another_level_and_nobodys_fault() {
        // From week 20 on another machine, which the first app takes to badly: the change is in the machine, not in the app.
        let script = Script {
            change: Some((20, 1.2)),
            ..Script::of(40, 7)
        };
        let mut past = history(script, 5);
        since(&mut past.runs, 20, |run, new| {
            run.machine = if new { "new" } else { "old" }.to_owned();
        });
        let story = tell(&past, &NoLockfiles);
        assert_eq!(story.changes, []);
        assert_eq!(
            story.segments.iter().map(|segment| segment.runs).collect::<Vec<_>>(),
            [20, 20]
        );
        assert_eq!(story.marks[0].kind, MarkKind::Machine);
        // On one machine the same figures are a change.
        since(&mut past.runs, 0, |run, _| run.machine = "one".to_owned());
        assert_eq!(tell(&past, &NoLockfiles).changes.len(), 1);
    }

    #[test]
    fn all_apps_at_once_are_a_toolchain_where_the_reference_stays_and_the_machine_where_it_moves() {
        let script = Script {
            step: Some((30, 1.6)),
            ..Script::of(60, 7)
        };
        let mut past = history(script, 3);
        since(&mut past.runs, 30, |run, new| {
            let rustc = if new { "1.96" } else { "1.95" };
            run.surroundings = Facts::from([(fact(Kind::Rustc, "rustc"), rustc.to_owned())]);
        });
        let first = past.series[0].rows.values().next().unwrap().clone();
        past.series[0].reference.clone_from(&first);
        let common = &tell(&past, &NoLockfiles).common[0];
        assert_eq!((common.run.as_str(), common.causes[0].kind), ("week-030", Kind::Rustc));
        assert!(common.reference.unwrap() > 0.3, "{common:?}");
        past.series[0].reference = vec![Some(1.0); 60];
        let common = &tell(&past, &NoLockfiles).common[0];
        assert!(common.reference.unwrap().abs() < 0.01, "{common:?}");
    }

    #[test]
    fn slow_drift_is_seen_beside_the_year_before() {
        let script = Script::of(50, 7);
        let mut past = history(script, 8);
        for (subject, row) in &mut past.series[0].rows {
            for (week, figure) in row.iter_mut().enumerate().filter(|_| subject.app == "app-03") {
                *figure = figure.map(|figure| figure * (1.0 + 0.004 * week as f64));
            }
        }
        let drifts = tell(&past, &NoLockfiles).drifts;
        assert_eq!(drifts[0].app, "app-03");
        assert!((0.1..0.25).contains(&drifts[0].size), "{drifts:?}");
    }

    #[test]
    fn two_apps_judge_nobody() {
        let script = Script {
            change: Some((20, 2.0)),
            ..Script::of(40, 2)
        };
        let story = tell(&history(script, 1), &NoLockfiles);
        assert_eq!((story.judged, story.changes.len()), (0, 0));
    }
}
