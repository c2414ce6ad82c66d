//! What is said of simulated timelines.

use std::collections::BTreeSet;

use jiff::SignedDuration;
use model::SubjectId;

use super::super::simulate::{Script, counts, history};
use super::super::{
    Change, Direction, Ending, Facts, HistoryReport, Kind, Lockfiles, NoLockfiles, Run, State, Timeline,
};
use super::judge;
use crate::compare::outcome::Dependency;

/// A change of the first of these apps: first week, new ÷ old, and how many of them.
fn changed(weeks: usize, apps: usize, change: (usize, f64, usize)) -> Script {
    Script {
        change: Some(change),
        ..Script::quiet(weeks, apps)
    }
}

/// Forty weeks of seven apps, in which the first became 20 % slower in week 30.
fn timeline() -> Timeline {
    history(changed(40, 7, (30, 1.2, 1)), 12)
}

fn judged(timeline: &Timeline) -> HistoryReport {
    judge(timeline, &NoLockfiles)
}

fn only(report: &HistoryReport) -> &Change {
    let [change] = report.changes.as_slice() else {
        panic!("{:?}", report.changes)
    };
    change
}

fn since(runs: &mut [Run], week: usize, change: impl Fn(&mut Run, bool)) {
    for (number, run) in runs.iter_mut().enumerate() {
        change(run, number >= week);
    }
}

fn age(new: bool) -> String {
    if new { "new" } else { "old" }.to_owned()
}

/// Another compiler from a week on.
fn compile_anew(timeline: &mut Timeline, week: usize) {
    since(&mut timeline.runs, week, |run, new| {
        let rustc = if new { "1.96" } else { "1.95" };
        run.surroundings = Facts::from([(fact(Kind::Rustc, "rustc"), rustc.to_owned())]);
    });
}

fn fact(kind: Kind, name: &str) -> (Kind, String) {
    (kind, name.to_owned())
}

fn build(run: &mut Run, fact: (Kind, String), value: &str) {
    let subject = SubjectId::new("app-00", "default");
    run.builds.entry(subject).or_default().insert(fact, value.to_owned());
}

#[test]
fn a_change_has_its_size_its_interval_and_its_runs() {
    let report = judged(&timeline());
    let change = only(&report);
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
        (change.verdict, change.state, &change.ended),
        (Direction::Regression, State::Confirmed, &None)
    );
    assert_eq!(change.causes[0].kind, Kind::Environment, "nothing was different");
    assert_eq!(report.judged, 7);
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
    let mut timeline = timeline();
    since(&mut timeline.runs, 30, |run, new| {
        run.commit = Some(age(new));
        build(run, fact(Kind::Dependency, "Cargo.lock"), if new { "22" } else { "11" });
        let kernel = if new { "6.13" } else { "6.12" };
        run.surroundings = Facts::from([(fact(Kind::Kernel, "kernel"), kernel.to_owned())]);
    });
    let report = judge(&timeline, &Tokio);
    let causes: Vec<_> = report.changes[0]
        .causes
        .iter()
        .map(|cause| (cause.kind, cause.name.as_str()))
        .collect();
    assert_eq!(causes, [(Kind::Dependency, "tokio"), (Kind::Kernel, "kernel")]);
    assert_eq!(report.changes[0].causes[0].after, "1.48.0");
    // Without the commits it is still known that something moved.
    let report = judged(&timeline);
    assert_eq!(report.changes[0].causes[0].name, "Cargo.lock");
    assert_eq!(report.marks.len(), 1, "the kernel: {:?}", report.marks);
}

#[test]
fn a_release_one_run_off_the_step_is_named_with_its_run() {
    for week in [29, 31] {
        let mut timeline = timeline();
        since(&mut timeline.runs, week, |run, new| {
            build(
                run,
                fact(Kind::Framework, "framework"),
                if new { "2.0.0" } else { "1.0.0" },
            );
        });
        let cause = &judged(&timeline).changes[0].causes[0];
        assert_eq!(
            (cause.kind, cause.run.as_str()),
            (Kind::Framework, format!("week-0{week}").as_str())
        );
    }
}

#[test]
fn one_run_far_off_is_suspected_and_no_more() {
    let report = judged(&timeline().until(31));
    let change = only(&report);
    assert_eq!(
        (change.state, change.run.as_str(), change.runs_after),
        (State::Suspected, "week-030", 1)
    );
    assert_eq!(report.alarms().count(), 0);
}

#[test]
fn a_regression_alarms_while_it_is_new() {
    let timeline = timeline();
    let alarms = |runs| judged(&timeline.until(runs)).alarms().count();
    assert_eq!([30, 31, 34, 38, 39].map(alarms), [0, 0, 1, 1, 0]);
}

#[test]
fn another_machine_is_another_level_and_nobodys_fault() {
    // From week 20 on another machine, which the first app takes to badly: the change is in the machine, not in the app.
    let mut timeline = history(changed(40, 7, (20, 1.2, 1)), 5);
    since(&mut timeline.runs, 20, |run, new| run.machine = age(new));
    let report = judged(&timeline);
    assert_eq!(report.changes, []);
    assert_eq!(
        report.segments.iter().map(|segment| segment.runs).collect::<Vec<_>>(),
        [20, 20]
    );
    assert_eq!(report.marks[0].kind, Kind::Machine);
    // On one machine the same figures are a change.
    since(&mut timeline.runs, 0, |run, _| run.machine = "one".to_owned());
    assert_eq!(judged(&timeline).changes.len(), 1);
}

/// Forty weeks on one runner, and from week 20 on also on another one, an hour later, on which everything takes more; the first app by
/// `factor` more from week `from` on.
fn on_two_runners(from: usize, factor: f64) -> Timeline {
    let mut both = history(changed(40, 7, (from, factor, 1)), 12);
    let weeks = (0..both.runs.len()).flat_map(|week| [(week, false), (week, true)]);
    let weeks: Vec<(usize, bool)> = weeks.filter(|(week, is_new)| !is_new || *week >= 20).collect();
    for series in &mut both.series {
        for (number, row) in series.rows.values_mut().chain([&mut series.reference]).enumerate() {
            let response = |is_new| if is_new { 1.05 + 0.02 * (number % 4) as f64 } else { 1.0 };
            let figure = |(week, is_new): &(usize, bool)| Some(row[*week]? * response(*is_new));
            *row = weeks.iter().map(figure).collect();
        }
    }
    let run = |(week, is_new): &(usize, bool)| {
        let mut run = both.runs[*week].clone();
        run.runner = age(*is_new);
        if *is_new {
            run.id += "-new";
            run.at += SignedDuration::from_hours(1);
        }
        run
    };
    both.runs = weeks.iter().map(run).collect();
    both
}

#[test]
fn another_runner_begins_again_and_a_step_to_it_is_no_change() {
    let report = judged(&on_two_runners(50, 1.0));
    assert_eq!((report.changes, report.common), (vec![], vec![]));
    assert_eq!(report.judged, 7, "an app is one, whatever it ran on");
    let segments: Vec<_> = report
        .segments
        .iter()
        .map(|segment| (segment.runner.as_str(), segment.runs))
        .collect();
    assert_eq!(segments, [("old", 40), ("new", 20)]);
    let marks: Vec<_> = report
        .marks
        .iter()
        .map(|mark| (mark.kind, mark.before.as_str(), mark.after.as_str()))
        .collect();
    assert_eq!(
        marks,
        [(Kind::Runner, "old", "new")],
        "one mark, though they take turns"
    );
}

#[test]
fn a_step_from_one_runner_to_the_next_is_no_change_and_on_one_it_is() {
    let script = Script {
        step: Some((20, 1.6)),
        ..changed(40, 7, (20, 1.2, 1))
    };
    let mut timeline = history(script, 12);
    let one = judged(&timeline);
    assert_eq!((one.changes.len(), one.common.len()), (1, 1));
    since(&mut timeline.runs, 20, |run, new| run.runner = age(new));
    let two = judged(&timeline);
    assert_eq!((two.changes, two.common), (vec![], vec![]));
}

#[test]
fn a_change_is_found_on_either_of_two_runners() {
    let report = judged(&on_two_runners(30, 1.2));
    let found: Vec<_> = report
        .changes
        .iter()
        .map(|change| (change.app.as_str(), change.run.as_str()))
        .collect();
    assert_eq!(found, [("app-00", "week-030-new"), ("app-00", "week-030")]);
}

#[test]
fn what_stood_on_a_runner_stands_for_eight_runs_on_the_next_one() {
    let stands = |later: usize| {
        let mut timeline = history(changed(42, 7, (28, 1.2, 1)), 12);
        since(&mut timeline.runs, 42 - later, |run, new| run.runner = age(new));
        let report = judged(&timeline);
        let found = report.changes.iter().find(|change| change.run == "week-028").unwrap();
        let stands = found.ended.is_none();
        assert_eq!(report.alarms().count(), usize::from(stands));
        stands
    };
    assert!(stands(8) && !stands(9));
}

#[test]
fn all_apps_at_once_are_the_machine_where_the_reference_moves_too() {
    let script = Script {
        step: Some((30, 1.6)),
        ..Script::quiet(60, 7)
    };
    let mut timeline = history(script, 3);
    compile_anew(&mut timeline, 30);
    let report = judged(&timeline);
    let common = &report.common[0];
    assert_eq!((common.run.as_str(), common.causes[0].kind), ("week-030", Kind::Rustc));
    assert!(
        common.reference.unwrap() > 0.3 && common.shared_by.is_none(),
        "{common:?}"
    );
    assert_eq!((report.changes, report.common.len()), (vec![], 1), "nobody is blamed");
}

#[test]
fn all_apps_but_the_reference_are_the_apps_and_alarm() {
    let report = judged(&history(changed(36, 7, (30, 1.2, 7)), 3));
    assert_eq!(report.changes, [], "nobody parted from the others");
    let common = &report.common[0];
    assert_eq!((common.run.as_str(), common.apps().len()), ("week-030", 7));
    assert!(common.low < 0.2 && 0.2 < common.high, "{common:?}");
    assert_eq!(common.verdict, Direction::Regression);
    assert_eq!(report.alarms().count(), 1);
}

#[test]
fn a_step_of_most_apps_is_nobodys_fault_only_where_all_is_known_and_nothing_differed() {
    let script = changed(36, 7, (30, 1.2, 7));
    let told = |kernel: Option<&str>, fact: (Kind, String), new_for: usize| {
        let mut timeline = history(script, 3);
        since(&mut timeline.runs, 30, |run, new| {
            for (app, facts) in run.builds.values_mut().enumerate() {
                let value = if new && app < new_for { "new" } else { "old" };
                facts.insert(fact.clone(), value.to_owned());
            }
            let kernel = kernel.map(|kernel| if new { kernel } else { "6.12" });
            let kernel = kernel.map(|kernel| (self::fact(Kind::Kernel, "kernel"), kernel.to_owned()));
            run.surroundings = kernel.into_iter().collect();
        });
        let report = judged(&timeline);
        let common = report.common[0].clone();
        (
            common.verdict,
            common.apps().len(),
            report.alarms().count(),
            common.causes[0].name.clone(),
        )
    };
    let lockfile = || fact(Kind::Dependency, "Cargo.lock");
    let allocator = || fact(Kind::Column, "allocator");
    let theirs = |cause: &str| (Direction::Regression, 7, 1, cause.to_owned());
    let nobodys = (Direction::Change, 7, 0, "nothing known".to_owned());
    assert_eq!(told(Some("6.12"), lockfile(), 0), nobodys);
    assert_eq!(told(Some("6.12"), lockfile(), 1), nobodys, "a release of one of them");
    assert_eq!(told(Some("6.13"), lockfile(), 0), theirs("kernel"));
    assert_eq!(
        told(None, allocator(), 0),
        theirs("nothing known"),
        "a column is not all"
    );
    assert_eq!(told(None, allocator(), 7), theirs("allocator"));
}

/// Of seven apps five become a fifth slower by a bump that touches only them.
fn touched() -> Timeline {
    let mut timeline = history(changed(40, 7, (30, 1.2, 5)), 5);
    since(&mut timeline.runs, 30, |run, new| {
        for (app, facts) in run.builds.values_mut().enumerate() {
            let lockfile = if new && app < 5 { "22" } else { "11" };
            facts.insert(fact(Kind::Dependency, "Cargo.lock"), lockfile.to_owned());
        }
    });
    timeline
}

#[test]
fn who_was_not_touched_did_not_become_better() {
    let mut timeline = touched();
    let report = judged(&timeline);
    assert_eq!(report.changes, [], "the two that stayed did nothing");
    assert_eq!(
        report.common[0].apps(),
        ["app-00", "app-01", "app-02", "app-03", "app-04"]
    );
    // Without a reference the lockfiles still know.
    timeline.series[0].reference = vec![None; 40];
    assert_eq!(judged(&timeline).changes, []);
    // With neither, all that is known is that two are not where the five are.
    since(&mut timeline.runs, 0, |run, _| run.builds.clear());
    let changes = judged(&timeline).changes;
    assert_eq!(changes.len(), 2);
    assert!(
        changes.iter().all(|change| change.verdict == Direction::Change),
        "nobody is praised"
    );
}

#[test]
fn slow_drift_is_seen_against_the_year_before() {
    let drifting = |by: f64| {
        let mut timeline = history(Script::quiet(50, 7), 8);
        for (subject, row) in &mut timeline.series[0].rows {
            for (week, figure) in row.iter_mut().enumerate().filter(|_| subject.app == "app-03") {
                *figure = figure.map(|figure| figure * (1.0 + by * week as f64));
            }
        }
        timeline
    };
    let drifts = |timeline: &Timeline| judged(timeline).drifts;
    let year = drifting(0.004);
    assert_eq!(drifts(&year)[0].app, "app-03");
    let size = drifts(&year)[0].size;
    assert!((0.1..0.25).contains(&size), "{size}");
    assert_eq!(drifts(&year.until(47)), [], "of ten months");
    // A year lies between, but the first eight are of its end, or so rare that they are of five months.
    let day = |day: i64| year.runs[0].at + SignedDuration::from_hours(24 * day);
    let alone: fn(i64) -> i64 = |run| if run == 0 { 0 } else { 333 + run };
    for at in [alone, |run| 22 * run] {
        let mut sparse = drifting(0.02).until(17);
        sparse
            .runs
            .iter_mut()
            .zip(0..)
            .for_each(|(run, number)| run.at = day(at(number)));
        assert_eq!(drifts(&sparse), []);
    }
}

#[test]
fn of_two_apps_it_is_said_what_moved_between_them_and_of_one_what_it_did() {
    let script = |apps| changed(40, apps, (20, 1.5, 1));
    let mut two = history(script(2), 1);
    two.series[0].reference = vec![None; 40];
    let report = judged(&two);
    let change = only(&report);
    assert_eq!(
        (change.app.as_str(), change.relative_to.as_deref()),
        ("app-00", Some("app-01"))
    );
    assert_eq!(
        (change.verdict, change.run.as_str()),
        (Direction::Change, "week-020"),
        "nobody knows whose it is"
    );
    let report = judged(&history(script(1), 1));
    let change = &report.changes[0];
    assert_eq!(
        (change.verdict, change.relative_to.as_deref()),
        (Direction::Regression, Some("reference"))
    );
    assert_eq!(report.judged, 1);
    // Two and the reference are three: who moved is known.
    let change = &judged(&history(script(2), 1)).changes[0];
    assert_eq!((change.app.as_str(), change.verdict), ("app-00", Direction::Regression));
}

#[test]
fn one_percent_more_instructions_are_confirmed_by_the_next_run_on_machines_that_take_turns() {
    let timeline = counts(changed(14, 8, (12, 1.01, 1)), 5);
    assert!(timeline.runs.windows(2).all(|runs| runs[0].machine != runs[1].machine));
    assert_eq!(
        judged(&timeline.until(13)).alarms().count(),
        0,
        "one run confirms nothing"
    );
    let report = judged(&timeline);
    let change = only(&report);
    assert_eq!((change.app.as_str(), change.run.as_str()), ("app-00", "week-012"));
    assert_eq!(
        (change.state, change.verdict),
        (State::Confirmed, Direction::Regression)
    );
    assert!((0.009..0.011).contains(&change.size), "{change:?}");
    assert_eq!(report.alarms().count(), 1);
}

#[test]
fn another_compiler_is_another_level_of_counts_and_nobodys_fault() {
    let mut timeline = counts(changed(40, 8, (20, 1.03, 8)), 5);
    assert_eq!(judged(&timeline).changes.len(), 8);
    compile_anew(&mut timeline, 20);
    assert_eq!(judged(&timeline).changes, []);
}

/// Requests per second of two apps in 23 weekly runs that another project published and never looked at
/// (github.com/analisaperlengkapan/actix-axum-benchmark, branches `benchmark-results-1` to `-23`, `light`). Some weeks are on a faster host.
const WEEKS: [[f64; 23]; 2] = [
    [
        124_655.0, 126_766.0, 124_329.0, 127_560.0, 128_830.0, 126_921.0, 126_132.0, 113_874.0, 118_456.0, 179_208.0,
        117_844.0, 120_121.0, 114_359.0, 177_706.0, 119_156.0, 106_316.0, 107_698.0, 111_156.0, 107_954.0, 171_042.0,
        119_740.0, 121_535.0, 114_996.0,
    ],
    [
        108_812.0, 110_405.0, 110_005.0, 109_245.0, 109_705.0, 110_123.0, 107_679.0, 96_949.0, 95_712.0, 145_908.0,
        96_090.0, 96_774.0, 95_327.0, 141_584.0, 94_955.0, 94_077.0, 94_682.0, 94_920.0, 95_004.0, 141_457.0, 94_890.0,
        96_573.0, 92_866.0,
    ],
];

#[test]
fn three_steps_between_two_apps_in_real_weeks_are_found_and_kept() {
    let mut timeline = history(Script::quiet(23, 2), 0);
    let series = &mut timeline.series[0];
    series.reference = vec![None; 23];
    for (row, figures) in series.rows.values_mut().zip(WEEKS) {
        *row = figures.map(Some).to_vec();
    }
    let mut steps = judged(&timeline).changes;
    steps.reverse();
    let found: Vec<String> = steps
        .iter()
        .map(|step| format!("{} {:+.0} %", step.run, step.size * 100.0))
        .collect();
    assert_eq!(found, ["week-008 +7 %", "week-015 -7 %", "week-019 +9 %"]);
    let ended: Vec<_> = steps
        .iter()
        .map(|step| step.ended.as_ref().map(|end| (end.run.as_str(), end.by)))
        .collect();
    assert_eq!(
        ended,
        [
            Some(("week-015", Ending::Change)),
            Some(("week-019", Ending::Change)),
            None
        ]
    );
}

/// Seven apps, of which the first becomes a fifth slower in week 20 by a bump, which another takes back in week 28.
fn mended() -> Timeline {
    let script = Script {
        phases: &[(8, 1.0), (1, 0.0)],
        ..changed(60, 7, (20, 1.2, 1))
    };
    let mut timeline = history(script, 3);
    for (week, run) in timeline.runs.iter_mut().enumerate() {
        let version = ["1.0.0", "1.1.0", "1.1.1"][usize::from(week >= 20) + usize::from(week >= 28)];
        build(run, fact(Kind::Framework, "framework"), version);
    }
    timeline
}

#[test]
fn a_regression_that_was_mended_ends_and_is_never_withdrawn() {
    let timeline = mended();
    for runs in 22..=60 {
        let report = judged(&timeline.until(runs));
        let worse: Vec<_> = report
            .changes
            .iter()
            .filter(|change| change.verdict == Direction::Regression && change.state == State::Confirmed)
            .collect();
        let [change] = worse.as_slice() else {
            panic!("after {runs} runs: {worse:?}")
        };
        assert_eq!(
            (change.app.as_str(), change.run.as_str(), change.confirmed_by.as_deref()),
            ("app-00", "week-020", Some("week-021"))
        );
        assert_eq!(change.ended.is_some(), runs >= 30, "after {runs} runs");
        if let Some(end) = &change.ended {
            assert_eq!(
                (end.run.as_str(), end.by, end.causes[0].after.as_str()),
                ("week-028", Ending::Change, "1.1.1")
            );
            assert_eq!(change.runs_after, 8);
        }
    }
}

#[test]
fn a_date_that_is_refined_is_no_news_and_an_end_is() {
    let timeline = mended();
    let news = |runs: usize| {
        let [now, before] = [runs, runs - 1].map(|runs| judged(&timeline.until(runs)));
        now.without(&before)
            .changes
            .into_iter()
            .filter(|change| change.state == State::Confirmed)
            .count()
    };
    assert_eq!(
        (22..=60).map(news).collect::<Vec<usize>>()[..9],
        [1, 0, 0, 0, 0, 0, 0, 0, 2]
    );
}

#[test]
fn drift_of_all_others_is_no_praise() {
    let script = changed(50, 17, (25, 1.1, 15));
    for reference in [true, false] {
        let report = judged(&history(Script { reference, ..script }, 8));
        let better = report.changes.iter().chain(&report.drifts);
        assert_eq!(
            better.filter(|change| change.verdict == Direction::Improvement).count(),
            0
        );
    }
}

/// Of 240 weeks, in which the first of five apps becomes a fifth slower and faster again every forty: each change that was confirmed,
/// and the week after which it was.
fn of_years() -> Timeline {
    let script = Script {
        phases: &[(40, 1.0), (40, 0.0), (40, 1.0), (40, 0.0), (1, 1.0)],
        ..changed(240, 5, (40, 1.2, 1))
    };
    history(script, 4)
}

fn known(timeline: &Timeline) -> BTreeSet<(String, Option<String>)> {
    let confirmed = judged(timeline).changes.into_iter();
    let confirmed = confirmed.filter(|change| change.state == State::Confirmed);
    confirmed.map(|change| (change.app, change.confirmed_by)).collect()
}

#[test]
fn what_stood_years_ago_still_stands_with_all_its_runs() {
    let timeline = of_years();
    let report = judged(&timeline);
    let steps: Vec<_> = report
        .changes
        .iter()
        .filter(|change| change.app == "app-00")
        .map(|change| {
            let ended = change.ended.as_ref().map(|end| (end.run.as_str(), end.by));
            (change.run.as_str(), change.runs_before, change.runs_after, ended)
        })
        .collect();
    let ended = |run| Some((run, Ending::Change));
    assert_eq!(
        steps,
        [
            ("week-200", 40, 40, None),
            ("week-160", 40, 40, ended("week-200")),
            ("week-120", 40, 40, ended("week-160")),
            ("week-080", 40, 40, ended("week-120")),
            ("week-040", 40, 40, ended("week-080")),
        ]
    );
    let reports = [90, 140, 190, 240].map(|runs| known(&timeline.until(runs)));
    assert!(
        reports.windows(2).all(|pair| pair[0].is_subset(&pair[1])),
        "{reports:?}"
    );
}

/// So that a run costs the same after ten years.
#[test]
fn a_look_knows_a_year_and_a_half_and_no_more() {
    let timeline = of_years();
    let mut other = timeline.clone();
    for row in other.series[0].rows.values_mut() {
        row[..50].fill(None);
    }
    let late = |timeline: &Timeline| {
        let known = known(timeline).into_iter();
        let late = known.filter(|(_, by)| by.as_deref() >= Some("week-128"));
        late.collect::<Vec<_>>()
    };
    assert_eq!(late(&other), late(&timeline));
    assert!(late(&timeline).len() >= 2);
}
