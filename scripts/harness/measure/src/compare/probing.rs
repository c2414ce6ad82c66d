//! Puts the quick cases of `bench probe` to both sides of each app.

use analyze::compare::probing::{ProbedPair, ProbedSide, ProbedSides, Probing};
use model::Role;
use model::probe::ProbeOutcome;
use model::scenario::Protocol;

use super::candidate::Candidate;
use crate::probe::{Attempt, CONFIRMED_BY, Case, EXCHANGES_AT_ONCE, Target, confirm, exchanges};
use crate::progress::Progress;
use machine::cpus::Split;
use machine::interrupt::Interrupted;
use machine::parallel_map::parallel_map;
use machine::program::Program;
use servers::failure::Failure;

/// Both sides are probed at once: nothing is timed.
const SIDES_AT_ONCE: [(); 2] = [(); 2];

/// Why the reference is not probed, and whatever else is there to be measured against.
const NO_FRAMEWORK: &str = "it is no framework";

/// Probes all apps, one after the other.
pub fn probe(subjects: &[Candidate], split: &Split, progress: &dyn Progress) -> Result<Probing, Interrupted> {
    let cases = Case::quick();
    let mut apps = Vec::new();
    for subject in subjects {
        progress.doing(&subject.app);
        let (not_probed, results) = if subject.role == Role::Framework {
            match pair(subject, &cases, split) {
                Ok(results) => (None, results),
                Err(failure) => (Some(failure.into_verdict()?.1), Vec::new()),
            }
        } else {
            (Some(NO_FRAMEWORK.to_owned()), Vec::new())
        };
        apps.push(ProbedPair {
            app: subject.app.clone(),
            variant: subject.variant.clone(),
            not_probed,
            results,
        });
        progress.step();
    }
    let is_reported = |case: &Case| {
        let mut results = apps.iter().flat_map(|app| &app.results);
        results.any(|sides| sides.case == case.about.id)
    };
    let made = u32::try_from(cases.len()).unwrap_or(u32::MAX);
    let reported = cases.into_iter().filter(is_reported).map(|case| case.about);
    Ok(Probing {
        made,
        cases: reported.collect(),
        apps,
    })
}

/// The cases that did not pass on both sides of an app, or not in the same way.
fn pair(subject: &Candidate, cases: &[Case], split: &Split) -> Result<Vec<ProbedSides>, Failure> {
    let target = |program| Target {
        program,
        split,
        protocol: Protocol::Http1,
        connections: None,
        database: None,
        services: None,
        ordinary: "/",
    };
    let cases: Vec<&Case> = cases.iter().collect();
    let programs: [(&str, &Program); 2] = [("base: ", &subject.base[0]), ("head: ", &subject.head[0])];
    let sides = parallel_map(&SIDES_AT_ONCE, &programs, |(), (name, program)| {
        on_side(name, exchanges(&target(program), &cases))
    })?;
    let [bases, heads] = sides.try_into().expect("a result for each side");
    let both = cases.into_iter().zip(bases.into_iter().zip(heads));
    let mut unlike: Vec<_> = both.map(|(case, (base, head))| (case, base, head)).collect();
    unlike.retain(|(_, base, head)| !is_same(base, head));
    let confirmed = parallel_map(&EXCHANGES_AT_ONCE, &unlike, |(), (case, base, head)| {
        let (mut base, mut head) = (base.clone(), head.clone());
        // What both sides fail decides nothing, and is not confirmed.
        if passed(&base) && passed(&head) {
            for _ in 1..CONFIRMED_BY {
                let again = on_side("base: ", case.attempt(&target(&subject.base[0])))?;
                let of_head = on_side("head: ", case.attempt(&target(&subject.head[0])))?;
                if again.got != base.got || of_head.got != head.got {
                    head = base.clone(); // it varies on a side
                    break;
                }
            }
        } else if passed(&base) {
            head = on_side("head: ", confirm(case, &target(&subject.head[0])))?
                .swap_remove(0)
                .1;
        } else if passed(&head) {
            base = on_side("base: ", confirm(case, &target(&subject.base[0])))?
                .swap_remove(0)
                .1;
        }
        Ok::<_, Failure>((base, head))
    })?;
    let mut results = Vec::new();
    for ((case, ..), (mut base, mut head)) in unlike.into_iter().zip(confirmed) {
        // Head must not fail because of other work at the same time, nor base pass by luck.
        for _ in 0..CONFIRMED_BY {
            if !is_broken(&base, &head) {
                break;
            }
            let again = on_side("head: ", case.attempt(&target(&subject.head[0])))?;
            if passed(&again) {
                head.outcome = ProbeOutcome::Flaky;
                break;
            }
            let again = on_side("base: ", case.attempt(&target(&subject.base[0])))?;
            if !passed(&again) {
                base = Attempt {
                    outcome: ProbeOutcome::Flaky,
                    ..again
                };
            }
        }
        if is_same(&base, &head) {
            continue; // one failed only at the same time as others
        }
        let keeps_bytes = is_broken(&base, &head);
        results.push(ProbedSides {
            case: case.about.id.clone(),
            base: side(base, keeps_bytes),
            head: side(head, keeps_bytes),
        });
    }
    Ok(results)
}

fn passed(attempt: &Attempt) -> bool {
    attempt.outcome == ProbeOutcome::Passed
}

/// Whether both did the same that is allowed.
fn is_same(base: &Attempt, head: &Attempt) -> bool {
    passed(base) && passed(head) && base.got == head.got
}

fn is_broken(base: &Attempt, head: &Attempt) -> bool {
    passed(base) && head.outcome == ProbeOutcome::Failed
}

/// A failure, prefixed with its side.
fn on_side<T>(side: &str, made: Result<T, Failure>) -> Result<T, Failure> {
    made.map_err(|failure| failure.prefixed(side))
}

fn side(attempt: Attempt, keeps_bytes: bool) -> ProbedSide {
    ProbedSide {
        outcome: attempt.outcome,
        got: attempt.got,
        received: if keeps_bytes { attempt.received } else { String::new() },
    }
}
