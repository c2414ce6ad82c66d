//! The circumstances of a lane's runs: machines, segments of one machine, and marks beside the figures.

use super::causes::differences;
use super::past::{Kind, Past};
use super::story::{Mark, MarkKind, Segment};

/// Which machine each run was made on.
pub(super) fn machines(past: &Past) -> Vec<usize> {
    numbers(past.runs.iter().map(|run| run.machine.clone()))
}

/// A number for each name, in order of appearance.
pub(super) fn numbers(names: impl Iterator<Item = String>) -> Vec<usize> {
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

pub(super) fn segments(past: &Past) -> Vec<Segment> {
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

/// What differs from the run before: the last one on the same runner, so that two runners that are measured side by side make no
/// mark each week.
pub(super) fn marks(past: &Past) -> Vec<Mark> {
    let mut marks = Vec::new();
    for (run, after) in past.runs.iter().enumerate().skip(1) {
        let mut earlier = past.runs[..run].iter().rev();
        let on_the_same = earlier.find(|before| before.runner == after.runner);
        let before = on_the_same.unwrap_or(&past.runs[run - 1]);
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
        marks.extend(shared.iter().filter_map(|cause| {
            Some(mark(
                MarkKind::from_kind(cause.kind)?,
                None,
                &cause.before,
                &cause.after,
            ))
        }));
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
