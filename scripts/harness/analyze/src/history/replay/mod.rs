//! From a timeline to its report: what was confirmed after each run, and how it is now.
//!
//! The runs are replayed one by one, and each look knows the last `LOOK` runs until then and no more. So a change that was confirmed once
//! is in every later report: a later look may refine its date and size, and may end it, but never removes it. A run that comes late, before
//! others that were told of, is replayed in its place, as if it had come in time. What is `SETTLED` is neither found nor doubted any more; its
//! size and its runs are those of one look at all runs.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::attribution::NEAR;
use super::causes::{Cause, Lockfiles, Step};
use super::report::{ALARM_RUNS, Change, End, Ending, HistoryReport, SCHEMA_VERSION, State};
use super::shift::{Found, Of, SeriesJudge};
use super::timeline::{Kind, Timeline};

/// Runs of a look: a year and a half of weekly ones. With all runs, looks would take as long as the square of their number and more, and
/// the factors of machines would be those of versions that nobody uses.
const LOOK: usize = 78;
/// A change is settled once so many runs of a look are before it: fewer do not know its old level well.
const SETTLED: usize = 39;

/// Judges the runs of a lane, each runner's by themselves: a step from one runner to another is no change.
pub fn judge(timeline: &Timeline, lockfiles: &dyn Lockfiles) -> HistoryReport {
    let mut report = HistoryReport {
        schema_version: SCHEMA_VERSION,
        lane: timeline.lane.clone(),
        profile: timeline.profile.clone(),
        runs: timeline.runs.len(),
        segments: timeline.segments(),
        marks: timeline.marks(),
        lineups: timeline.lineups(),
        ..HistoryReport::default()
    };
    let mut judged = BTreeSet::new();
    for on_runner in timeline.by_runner() {
        // Without further runs on a runner, no level of it grows old: those on the next one count instead.
        let last = on_runner.runs.last().map(|run| run.at);
        let later: Vec<_> = timeline.runs.iter().filter(|run| Some(run.at) > last).collect();
        let left = later.first().filter(|_| later.len() > ALARM_RUNS).map(|run| End {
            run: run.id.clone(),
            started_at: run.at,
            by: Ending::Runner,
            causes: Vec::new(),
        });
        let (machines, toolchains) = (on_runner.machines(), on_runner.toolchains());
        for (number, series) in on_runner.series.iter().enumerate() {
            // Counts do not depend on the machine; all that runs share is the compiler, which then stands for it.
            let on = if series.is_counted() { &toolchains } else { &machines };
            let series = &series.logarithms();
            let runs = |runs: Range<usize>| SeriesJudge::new(&on_runner, series, on, runs);
            let last = |to: usize| runs(to.saturating_sub(LOOK)..to);
            let mut found = BTreeMap::new();
            for to in 1..on.len() {
                look(&mut found, &last(to), to - 1);
            }
            let mut now = last(on.len());
            look(&mut found, &now, on.len() - 1);
            if now.first > 0 {
                now = runs(0..on.len());
                restate(&mut found, &now);
            }
            for (subject, row) in now.followed() {
                judged.insert((number, subject.clone()));
                report.drifts.extend(now.drift(subject, row));
                let suspected = now.suspicion(subject, row).map(Known::suspected);
                found.entry(Of::App(subject.clone())).or_default().extend(suspected);
            }
            for (of, known) in found {
                let changes = known.into_iter();
                let changes = changes.map(|known| known.change(&on_runner, &of, left.as_ref(), lockfiles));
                match of {
                    Of::App(_) => report.changes.extend(changes),
                    Of::Most | Of::Machine(_) => report.common.extend(changes),
                }
            }
        }
    }
    report.judged = judged.len();
    report
        .changes
        .sort_by(|one, other| other.started_at.cmp(&one.started_at).then(one.p.total_cmp(&other.p)));
    report.common.sort_by_key(|common| Reverse(common.started_at));
    report
        .drifts
        .sort_by(|one, other| other.size.abs().total_cmp(&one.size.abs()));
    report
}

/// A change, and since when it is known.
#[derive(Debug)]
struct Known {
    found: Found,
    /// The run after which it was confirmed; `None` if it is only suspected.
    confirmed_by: Option<usize>,
    /// The run after which it was no longer found.
    doubted_by: Option<usize>,
}

/// Takes in what is found after a run.
fn look(known: &mut BTreeMap<Of, Vec<Known>>, series: &SeriesJudge, run: usize) {
    let is_open = |at: usize, distance: usize| series.first == 0 || at >= series.first + SETTLED + distance;
    for (of, found) in series.changes() {
        let known = known.entry(of).or_default();
        known.retain(|known| known.confirmed_by.is_some()); // a suspicion lasts for one look
        let mut unseen: Vec<&mut Known> = known.iter_mut().collect();
        let mut new = Vec::new();
        for found in found.into_iter().filter(|found| is_open(found.at(), 0)) {
            match same(&unseen, &found) {
                Some(place) => unseen.swap_remove(place).refine(found),
                None => new.push(Known {
                    confirmed_by: (found.change.state == State::Confirmed).then_some(run),
                    ..Known::suspected(found)
                }),
            }
        }
        for unseen in unseen.into_iter().filter(|known| is_open(known.found.at(), NEAR)) {
            unseen.doubted_by.get_or_insert(run);
        }
        known.extend(new);
    }
}

/// Takes size, runs and end of what is known from a look at all runs. Whether it is a change is not judged again.
fn restate(known: &mut BTreeMap<Of, Vec<Known>>, series: &SeriesJudge) {
    for (of, found) in series.changes() {
        let mut unseen: Vec<&mut Known> = known.get_mut(&of).into_iter().flatten().collect();
        for found in found {
            if let Some(place) = same(&unseen, &found) {
                unseen.swap_remove(place).restate(found);
            }
        }
    }
}

/// The place of the change that was found again: noise puts it a little earlier or later.
fn same(known: &[&mut Known], found: &Found) -> Option<usize> {
    let distance = |place: &usize| known[*place].found.at().abs_diff(found.at());
    let is_same =
        |place: &usize| distance(place) <= NEAR && (known[*place].found.change.size > 0.0) == (found.change.size > 0.0);
    (0..known.len()).filter(is_same).min_by_key(distance)
}

impl Known {
    fn suspected(found: Found) -> Self {
        Self {
            found,
            confirmed_by: None,
            doubted_by: None,
        }
    }

    /// What a later look says of it. What was confirmed stays so.
    fn refine(&mut self, found: Found) {
        let verdict = found.change.verdict;
        let is_confirmed = found.change.state == State::Confirmed;
        self.restate(found);
        if is_confirmed {
            self.found.change.verdict = verdict;
        }
        self.doubted_by = None;
    }

    /// What another look says of it, but for who changed, and how certain that is.
    fn restate(&mut self, found: Found) {
        let Change { verdict, state, .. } = self.found.change;
        self.found = found;
        (self.found.change.verdict, self.found.change.state) = (verdict, state);
    }

    /// With its causes and its end.
    fn change(self, timeline: &Timeline, of: &Of, left: Option<&End>, lockfiles: &dyn Lockfiles) -> Change {
        let Found {
            change,
            around,
            before,
            end,
        } = self.found;
        let (old, new) = around.split_at(before);
        let neighbours = [old, new].into_iter().filter(|runs| runs.len() == 2);
        let neighbours: Vec<Step> = neighbours.map(|runs| (runs[0], runs[1])).collect();
        let step = (old[old.len() - 1], new[0]);
        let causes = |step, neighbours: &[Step]| causes(timeline, of, &change, step, neighbours, lockfiles);
        let ended = end.map(|end| (end.1, Ending::Change, causes(end, &[])));
        let ended = ended.or(self.doubted_by.map(|run| (run, Ending::Doubt, Vec::new())));
        let ended = ended.map(|(run, by, causes)| End {
            run: timeline.runs[run].id.clone(),
            started_at: timeline.runs[run].at,
            by,
            causes,
        });
        Change {
            confirmed_by: self.confirmed_by.map(|run| timeline.runs[run].id.clone()),
            ended: ended.or_else(|| left.cloned()),
            causes: causes(step, &neighbours),
            ..change
        }
    }
}

/// What may have caused a step. Never empty.
fn causes(
    timeline: &Timeline,
    of: &Of,
    change: &Change,
    step: Step,
    neighbours: &[Step],
    lockfiles: &dyn Lockfiles,
) -> Vec<Cause> {
    if let Of::App(subject) = of {
        return timeline.causes(subject, step, neighbours, lockfiles);
    }
    let mut found = timeline.shared_causes(step, lockfiles);
    // A step that the reference shares was not caused by what only apps have: its lockfile is frozen.
    let logarithm = |share: f64| share.ln_1p().abs();
    let is_machine = change
        .reference
        .is_some_and(|moved| logarithm(moved) >= logarithm(change.size) / 2.0);
    found.retain(|cause| !is_machine || cause.kind >= Kind::Column);
    if found.is_empty() {
        found.push(timeline.nothing_known(step.1));
    }
    found
}

#[cfg(test)]
mod tests;
