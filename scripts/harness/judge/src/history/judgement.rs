//! From a past to its story.

use jiff::SignedDuration;

use super::bystanders::{Reference, Whose, moved};
use super::causes::{Cause, Lockfiles, Step, differences};
use super::common_mode::{Fit, Residual, fit, fit_alone};
use super::divisive::{ChangePoint, Settings, change_points};
use super::past::{Fact, Kind, Past, Series};
use super::story::{Change, Common, Direction, Drift, Mark, MarkKind, SCHEMA_VERSION, Segment, State, Story, Theirs};
use super::suspicion::suspicious;
use crate::rounding::{COMPARED, significant};
use crate::stats::median;
use record::SubjectId;

/// What is a change of one app: half of the runs of a year are looked at together, and in simulated histories these find what they
/// should and cry wolf as seldom as docs/history.md says.
pub const SETTINGS: Settings = Settings {
    window: 50,
    p: 1e-4,
    smallest: 0.03,
    rho: 0.0,
};
/// What is a change of a count: it repeats to 0.02 % for most apps, and a server that does half a percent more than ever does more.
const COUNTED: f64 = 0.005;
/// Some apps' counts repeat to 1 % only: a change is larger than so many of their own standard deviations.
const COUNTED_SPREADS: f64 = 3.0;
/// Smallest distance of the last run from the level that is suspected; of a count, so many times what a change of it must have.
const SUSPECTED: f64 = 0.05;
/// A normal distribution's standard deviation ÷ the median distance of two values that follow each other.
const OF_NEIGHBOURS: f64 = 1.0484;
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
pub fn judge(past: &Past, lockfiles: &dyn Lockfiles) -> Story {
    let machines = machines(past);
    let rustc = Fact {
        kind: Kind::Rustc,
        name: "rustc".to_owned(),
    };
    let toolchains = past.runs.iter().map(|run| run.surroundings.get(&rustc).cloned());
    let toolchains = numbers(toolchains.map(Option::unwrap_or_default));
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
        let judged = Judged::of(series, &machines, &toolchains);
        let anchor = judged.reference.as_ref();
        let anchor = anchor.and_then(|row| Reference::of(row, judged.fit.rho));
        for (subject, row) in series.rows.keys().zip(&judged.fit.rows) {
            story.judged += usize::from(!row.values.is_empty());
            let of = Of {
                past,
                series,
                subject,
                row,
                rows: &judged.fit.rows,
                anchor: anchor.as_ref(),
                relative_to: judged.relative_to.as_deref(),
                rho: judged.fit.rho,
            };
            story.changes.extend(of.changes(lockfiles));
            story.drifts.extend(of.drift());
        }
        let theirs = judged.steps();
        for (index, step) in theirs.iter().enumerate() {
            let stands = index + 1 == theirs.len();
            story
                .common
                .extend(judged.theirs(past, series, step, stands, lockfiles));
        }
        if !series.is_counted() {
            let common = &judged.fit.common;
            let left = common.iter().enumerate().map(|(run, common)| {
                let theirs = theirs.iter().filter(|step| step.run <= run).map(|step| step.size);
                Some((*common)? - theirs.sum::<f64>())
            });
            let left: Vec<Option<f64>> = left.collect();
            story
                .common
                .extend(common_of_machine(past, series, &machines, &left, lockfiles));
        }
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

/// One series, split into what is shared and what is left.
struct Judged {
    /// Without the reference.
    fit: Fit,
    /// What is left of the reference.
    reference: Option<Residual>,
    /// The one server that all is relative to, where there are only two.
    relative_to: Option<String>,
}

/// A step of most apps against the reference.
struct TheirStep {
    /// First run of it.
    run: usize,
    /// Of the apps, a difference of logarithms.
    size: f64,
    /// The change of the reference, which is the other way round.
    point: ChangePoint,
    before: Vec<usize>,
    after: Vec<usize>,
}

impl Judged {
    fn of(series: &Series, machines: &[usize], toolchains: &[usize]) -> Self {
        let mut rows: Vec<Vec<Option<f64>>> = series.rows.values().map(|row| logarithms(row)).collect();
        let alone = |fit| Self {
            fit,
            reference: None,
            relative_to: None,
        };
        if series.is_counted() {
            // No machine is in it, and nothing that all runs share but the compiler.
            return alone(fit_alone(&rows, toolchains, counted));
        }
        let has_reference = series.reference.iter().any(Option::is_some);
        if has_reference {
            rows.push(logarithms(&series.reference));
        }
        if let [one, other] = rows.as_slice() {
            let less = |(one, other): (&Option<f64>, &Option<f64>)| Some((*one)? - (*other)?);
            let between: Vec<Option<f64>> = one.iter().zip(other).map(less).collect();
            let other = series.rows.keys().nth(1).map(SubjectId::label);
            return Self {
                relative_to: Some(other.unwrap_or_else(|| "reference".to_owned())),
                ..alone(fit_alone(&[between], machines, |_| SETTINGS))
            };
        }
        let mut fit = fit(&rows, machines, SETTINGS);
        let reference = if has_reference { fit.rows.pop() } else { None };
        Self {
            fit,
            reference,
            relative_to: None,
        }
    }

    fn steps(&self) -> Vec<TheirStep> {
        let Some(row) = &self.reference else {
            return Vec::new();
        };
        let step = |point: &ChangePoint| TheirStep {
            run: row.runs[point.at],
            size: -point.size(),
            point: *point,
            before: row.runs[point.at - point.before.count..point.at].to_vec(),
            after: row.runs[point.at..point.at + point.after.count].to_vec(),
        };
        row.points.iter().map(step).collect()
    }

    /// Tells a step of the apps; `None` where none of them was touched, so that it is none of theirs.
    fn theirs(
        &self,
        past: &Past,
        series: &Series,
        step: &TheirStep,
        stands: bool,
        lockfiles: &dyn Lockfiles,
    ) -> Option<Common> {
        let (before, after) = (*step.before.last()?, step.run);
        let around = around(&step.before, &step.after);
        let touched: Vec<Option<bool>> = series.rows.keys().map(|app| past.is_touched(app, &around)).collect();
        let mut causes = past.shared_causes(before, after, lockfiles);
        let is_known = touched.iter().any(Option::is_some);
        if is_known && !touched.contains(&Some(true)) && causes.is_empty() {
            return None;
        }
        // Those who moved with the others, and not with the reference.
        let shares = |row: &Residual| {
            let moved = moved(row, &step.before, &step.after);
            moved.is_some_and(|moved| (step.size + moved) * step.size.signum() > step.size.abs() / 2.0)
        };
        let mine = series.rows.keys().zip(&self.fit.rows).zip(&touched);
        let apps = mine.filter(|((_, row), touched)| **touched != Some(false) && shares(row));
        let apps = apps.map(|((subject, _), _)| subject.label()).collect();
        if causes.is_empty() {
            causes.push(nothing_known(past, after));
        }
        let (low, high) = step.point.interval();
        Some(Common {
            scenario: series.scenario.clone(),
            metric: series.metric.clone(),
            run: past.runs[after].id.clone(),
            started_at: past.runs[after].at,
            size: share(step.size),
            reference: Some(0.0),
            theirs: Some(Theirs {
                apps,
                low: share(-high),
                high: share(-low),
                p: significant(step.point.p, COMPARED),
                runs_before: step.point.before.count,
                runs_after: step.point.after.count,
                verdict: direction(series, step.size),
                stands,
            }),
            causes,
        })
    }
}

/// Smallest change of an app's counts, by how they spread: from run to run, so that a change in them does not count as spread.
fn counted(row: &[Option<f64>]) -> Settings {
    let values: Vec<f64> = row.iter().flatten().copied().collect();
    let steps: Vec<f64> = values.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
    let spread = OF_NEIGHBOURS * median(&steps).unwrap_or(0.0);
    Settings {
        smallest: COUNTED.max(COUNTED_SPREADS * spread),
        ..SETTINGS
    }
}

/// The runs around a change, in which what made it may have come.
fn around(before: &[usize], after: &[usize]) -> Vec<usize> {
    let earlier = &before[before.len().saturating_sub(2)..];
    let later = &after[..after.len().min(2)];
    [earlier, later].concat()
}

/// One app in one series.
struct Of<'a> {
    past: &'a Past,
    series: &'a Series,
    subject: &'a SubjectId,
    row: &'a Residual,
    /// All of the series, this one among them.
    rows: &'a [Residual],
    anchor: Option<&'a Reference<'a>>,
    relative_to: Option<&'a str>,
    rho: f64,
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
        let mut changes: Vec<Change> = confirmed.flatten().collect();
        let smallest = if self.series.is_counted() {
            2.0 * counted(&logarithms(&self.series.rows[self.subject])).smallest
        } else {
            SUSPECTED
        };
        if let Some(size) = suspicious(self.row, smallest) {
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
            changes.extend(self.change(self.row.values.len() - 1, sure, lockfiles));
        }
        changes
    }

    /// Whose a change is.
    fn whose(&self, size: f64, before: &[usize], after: &[usize]) -> Whose {
        if self.series.is_counted() || self.relative_to.is_some() {
            return Whose::Own;
        }
        let around = around(before, after);
        let others = self.series.rows.keys().filter(|subject| *subject != self.subject);
        let touched: Vec<bool> = others
            .filter_map(|subject| self.past.is_touched(subject, &around))
            .collect();
        let most = touched.iter().filter(|touched| **touched).count() * 2 > touched.len();
        let by_builds = match self.past.is_touched(self.subject, &around) {
            Some(true) if !most && !touched.is_empty() => Some(Whose::Own),
            Some(false) if most => Some(Whose::Others),
            _ => None,
        };
        let parted =
            |row: &&Residual| moved(row, before, after).is_some_and(|moved| moved * size.signum() > size.abs() / 2.0);
        let is_alone = self.rows.iter().filter(parted).count() <= 1;
        let by_reference = self
            .anchor
            .and_then(|anchor| anchor.whose(size, before, after, is_alone));
        match (by_builds, by_reference) {
            (Some(Whose::Own), _) | (None, None) => Whose::Own,
            (_, Some(clear @ (Whose::Own | Whose::Others))) => clear,
            (Some(by_builds), _) => by_builds,
            (None, Some(unclear)) => unclear,
        }
    }

    /// `None` where it was the others who changed.
    fn change(&self, at: usize, mut sure: Sure, lockfiles: &dyn Lockfiles) -> Option<Change> {
        let runs = &self.past.runs;
        let old = &self.row.runs[at - sure.before..at];
        let new = &self.row.runs[at..at + sure.after];
        let verdict = match self.whose(sure.size, old, new) {
            Whose::Own => self.direction(sure.size),
            Whose::Others => return None,
            Whose::Unclear => {
                sure.state = State::Suspected;
                Direction::Change
            }
        };
        let (before, after) = (self.row.runs[at - 1], self.row.runs[at]);
        let beside: Vec<Step> = [at.wrapping_sub(2), at]
            .into_iter()
            .filter_map(|place| Some((*self.row.runs.get(place)?, *self.row.runs.get(place + 1)?)))
            .map(|(before, after)| self.step(before, after))
            .collect();
        let confirmed = sure.state == State::Confirmed;
        Some(Change {
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
            verdict,
            state: sure.state,
            confirmed_by: confirmed.then(|| runs[self.row.runs[at + 1]].id.clone()),
            stands: sure.stands,
            relative_to: self.relative_to.map(ToOwned::to_owned),
            causes: self.past.causes(self.step(before, after), &beside, lockfiles),
        })
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
        let moved = ChangePoint::between(&ends, (0, ENDS, ends.len()), self.rho);
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

    /// Between two apps nobody knows which of them moved.
    fn direction(&self, size: f64) -> Direction {
        if self.relative_to.is_some() && self.series.rows.len() == 2 {
            return Direction::Change;
        }
        direction(self.series, size)
    }
}

fn direction(series: &Series, size: f64) -> Direction {
    match series.more_is_better {
        None => Direction::Change,
        Some(more) if more == (size > 0.0) => Direction::Improvement,
        Some(_) => Direction::Regression,
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

/// Steps of the common mode without those of the apps, machine by machine.
fn common_of_machine(
    past: &Past,
    series: &Series,
    machines: &[usize],
    common: &[Option<f64>],
    lockfiles: &dyn Lockfiles,
) -> Vec<Common> {
    let mut found = Vec::new();
    let reference = logarithms(&series.reference);
    for machine in 0..machines.iter().max().map_or(0, |most| most + 1) {
        let of_machine = common.iter().enumerate().filter(|(run, _)| machines[*run] == machine);
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
                causes.push(nothing_known(past, after));
            }
            found.push(Common {
                scenario: series.scenario.clone(),
                metric: series.metric.clone(),
                run: past.runs[after].id.clone(),
                started_at: past.runs[after].at,
                size: share(point.size()),
                reference: moved.map(share),
                theirs: None,
                causes,
            });
        }
    }
    found
}

fn nothing_known(past: &Past, run: usize) -> Cause {
    Cause {
        kind: Kind::Environment,
        name: "nothing known".to_owned(),
        before: String::new(),
        after: String::new(),
        run: past.runs[run].id.clone(),
    }
}

fn mean(values: &[Option<f64>], runs: &[usize]) -> Option<f64> {
    let values: Vec<f64> = runs.iter().filter_map(|run| values[*run]).collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Which machine each run was made on.
pub(super) fn machines(past: &Past) -> Vec<usize> {
    numbers(past.runs.iter().map(|run| run.machine.clone()))
}

/// A number for each name, in the order in which they come.
fn numbers(names: impl Iterator<Item = String>) -> Vec<usize> {
    let mut known: Vec<String> = Vec::new();
    let number = |name: String| {
        let place = known.iter().position(|known| *known == name);
        place.unwrap_or_else(|| {
            known.push(name);
            known.len() - 1
        })
    };
    names.map(number).collect()
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

pub(super) fn logarithms(row: &[Option<f64>]) -> Vec<Option<f64>> {
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
    use super::super::simulate::{Script, counts, history};
    use super::*;
    use crate::compare::outcome::Dependency;

    /// Forty weeks of seven apps, in which the first became 20 % dearer in week 30.
    fn past() -> Past {
        let script = Script {
            change: Some((30, 1.2, 1)),
            ..Script::of(40, 7)
        };
        history(script, 12)
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
        let story = judge(&past(), &NoLockfiles);
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
        let story = judge(&past, &Tokio);
        let causes: Vec<_> = story.changes[0]
            .causes
            .iter()
            .map(|cause| (cause.kind, cause.name.as_str()))
            .collect();
        assert_eq!(causes, [(Kind::Dependency, "tokio"), (Kind::Kernel, "kernel")]);
        assert_eq!(story.changes[0].causes[0].after, "1.48.0");
        // Without the commits it is still known that something moved.
        let story = judge(&past, &NoLockfiles);
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
            let cause = &judge(&past, &NoLockfiles).changes[0].causes[0];
            assert_eq!(
                (cause.kind, cause.run.as_str()),
                (Kind::Framework, format!("week-0{week}").as_str())
            );
        }
    }

    #[test]
    fn one_run_far_off_is_suspected_and_no_more() {
        let story = judge(&past().until(31), &NoLockfiles);
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
        let alarms = |runs| judge(&past.until(runs), &NoLockfiles).alarms().count();
        assert_eq!([30, 31, 34, 38, 39].map(alarms), [0, 0, 1, 1, 0]);
    }

    #[test]
    fn another_machine_is_another_level_and_nobodys_fault() {
        // From week 20 on another machine, which the first app takes to badly: the change is in the machine, not in the app.
        let script = Script {
            change: Some((20, 1.2, 1)),
            ..Script::of(40, 7)
        };
        let mut past = history(script, 5);
        since(&mut past.runs, 20, |run, new| {
            run.machine = if new { "new" } else { "old" }.to_owned();
        });
        let story = judge(&past, &NoLockfiles);
        assert_eq!(story.changes, []);
        assert_eq!(
            story.segments.iter().map(|segment| segment.runs).collect::<Vec<_>>(),
            [20, 20]
        );
        assert_eq!(story.marks[0].kind, MarkKind::Machine);
        // On one machine the same figures are a change.
        since(&mut past.runs, 0, |run, _| run.machine = "one".to_owned());
        assert_eq!(judge(&past, &NoLockfiles).changes.len(), 1);
    }

    #[test]
    fn all_apps_at_once_are_the_machine_where_the_reference_moves_too() {
        let script = Script {
            step: Some((30, 1.6)),
            ..Script::of(60, 7)
        };
        let mut past = history(script, 3);
        since(&mut past.runs, 30, |run, new| {
            let rustc = if new { "1.96" } else { "1.95" };
            run.surroundings = Facts::from([(fact(Kind::Rustc, "rustc"), rustc.to_owned())]);
        });
        let story = judge(&past, &NoLockfiles);
        let common = &story.common[0];
        assert_eq!((common.run.as_str(), common.causes[0].kind), ("week-030", Kind::Rustc));
        assert!(common.reference.unwrap() > 0.3 && common.theirs.is_none(), "{common:?}");
        assert_eq!(story.shared_alarms().count(), 0);
    }

    #[test]
    fn all_apps_but_the_reference_are_the_apps_and_alarm() {
        let script = Script {
            change: Some((30, 1.2, 7)),
            ..Script::of(36, 7)
        };
        let story = judge(&history(script, 3), &NoLockfiles);
        assert_eq!(story.changes, [], "nobody parted from the others");
        let common = &story.common[0];
        let theirs = common.theirs.as_ref().unwrap();
        assert_eq!((common.run.as_str(), theirs.apps.len()), ("week-030", 7));
        assert!(theirs.low < 0.2 && 0.2 < theirs.high, "{common:?}");
        assert_eq!(theirs.verdict, Direction::Regression);
        assert_eq!(story.shared_alarms().count(), 1);
    }

    /// Of seven apps five become a fifth dearer by a bump that touches only them.
    fn touched() -> Past {
        let script = Script {
            change: Some((30, 1.2, 5)),
            ..Script::of(40, 7)
        };
        let mut past = history(script, 4);
        since(&mut past.runs, 30, |run, new| {
            for app in 0..7 {
                let lockfile = if new && app < 5 { "22" } else { "11" };
                let facts = run
                    .builds
                    .entry(SubjectId::of(&format!("app-{app:02}"), "default"))
                    .or_default();
                facts.insert(fact(Kind::Dependency, "Cargo.lock"), lockfile.to_owned());
            }
        });
        past
    }

    #[test]
    fn who_was_not_touched_did_not_become_better() {
        let mut past = touched();
        let story = judge(&past, &NoLockfiles);
        assert_eq!(story.changes, [], "the two that stayed did nothing");
        let theirs = story.common[0].theirs.as_ref().unwrap();
        assert_eq!(theirs.apps, ["app-00", "app-01", "app-02", "app-03", "app-04"]);
        // Without a reference the lockfiles still know.
        past.series[0].reference = vec![None; 40];
        assert_eq!(judge(&past, &NoLockfiles).changes, []);
        // With neither, all that is known is that two are not where the five are.
        since(&mut past.runs, 0, |run, _| run.builds.clear());
        assert_eq!(judge(&past, &NoLockfiles).changes.len(), 2);
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
        let drifts = judge(&past, &NoLockfiles).drifts;
        assert_eq!(drifts[0].app, "app-03");
        assert!((0.1..0.25).contains(&drifts[0].size), "{drifts:?}");
    }

    #[test]
    fn of_two_apps_it_is_said_what_moved_between_them_and_of_one_what_it_did() {
        let script = |apps| Script {
            change: Some((20, 1.5, 1)),
            ..Script::of(40, apps)
        };
        let mut two = history(script(2), 1);
        two.series[0].reference = vec![None; 40];
        let story = judge(&two, &NoLockfiles);
        let [change] = story.changes.as_slice() else {
            panic!("{:?}", story.changes)
        };
        assert_eq!(
            (change.app.as_str(), change.relative_to.as_deref()),
            ("app-00", Some("app-01"))
        );
        assert_eq!(
            (change.verdict, change.run.as_str()),
            (Direction::Change, "week-020"),
            "nobody knows whose it is"
        );
        let story = judge(&history(script(1), 1), &NoLockfiles);
        let change = &story.changes[0];
        assert_eq!(
            (change.verdict, change.relative_to.as_deref()),
            (Direction::Regression, Some("reference"))
        );
        assert_eq!(story.judged, 1);
        // Two and the reference are three: who moved is known.
        let change = &judge(&history(script(2), 1), &NoLockfiles).changes[0];
        assert_eq!((change.app.as_str(), change.verdict), ("app-00", Direction::Regression));
    }

    #[test]
    fn one_percent_more_instructions_are_confirmed_by_the_next_run_on_machines_that_take_turns() {
        let script = Script {
            change: Some((12, 1.01, 1)),
            ..Script::of(14, 8)
        };
        let past = counts(script, 5);
        assert!(past.runs.windows(2).all(|runs| runs[0].machine != runs[1].machine));
        assert_eq!(
            judge(&past.until(13), &NoLockfiles).alarms().count(),
            0,
            "one run confirms nothing"
        );
        let story = judge(&past, &NoLockfiles);
        let [change] = story.changes.as_slice() else {
            panic!("{:?}", story.changes)
        };
        assert_eq!((change.app.as_str(), change.run.as_str()), ("app-00", "week-012"));
        assert_eq!(
            (change.state, change.verdict),
            (State::Confirmed, Direction::Regression)
        );
        assert!((0.009..0.011).contains(&change.size), "{change:?}");
        assert_eq!(story.alarms().count(), 1);
    }

    #[test]
    fn another_compiler_is_another_level_of_counts_and_nobodys_fault() {
        let script = Script {
            change: Some((20, 1.03, 8)),
            ..Script::of(40, 8)
        };
        let mut past = counts(script, 5);
        assert_eq!(judge(&past, &NoLockfiles).changes.len(), 8);
        since(&mut past.runs, 20, |run, new| {
            let rustc = if new { "1.96" } else { "1.95" };
            run.surroundings = Facts::from([(fact(Kind::Rustc, "rustc"), rustc.to_owned())]);
        });
        assert_eq!(judge(&past, &NoLockfiles).changes, []);
    }
}
