//! A probe's order: exchanges of a few apps at a time, behaviours that only wait side by side, and what is timed one after the
//! other, with the machine for itself.

use std::sync::Arc;
use std::time::Instant;

use record::probe::{Engine, ProbeCase, ProbeOutcome, Probed};
use record::scenario::Protocol;
use record::{Role, Tier, Verdict};

use super::behaviour::h2spec;
use super::case::{Case, Course};
use super::progress::Done;
use super::{Attempt, Target};
use crate::build::{Binary, BuiltApp};
use crate::catalog::{App, Catalog};
use crate::database::Database;
use crate::failure::Failure;
use crate::interrupt::{self, Interrupted};
use crate::machine::cpus::Split;
use crate::parallel_map::parallel_map;
use crate::progress::Progress;

/// Exchanges of one server that are made side by side.
pub const EXCHANGES_BESIDE: [(); 8] = [(); 8];
/// Apps whose exchanges are made side by side.
const APPS_BESIDE: [(); 2] = [(); 2];
/// Behaviours that are made side by side, each on a server of its own. They hardly use a cpu.
const BEHAVIOURS_BESIDE: [(); 8] = [(); 8];
/// Fresh servers on which a failure must happen each time.
pub const CONFIRMED_BY: usize = 3;
/// The same for exchanges of a server of which another flickers: three failures are no rarity where every second attempt fails.
const DOUBTED_BY: usize = 10;

/// What all cases have shown.
#[derive(Debug, Default)]
pub struct Report {
    /// The cases that were made, those of suites each by itself.
    pub cases: Vec<ProbeCase>,
    /// In the order of apps and cases.
    pub results: Vec<Probed>,
    /// What could not be probed.
    pub skipped: Vec<Skipped>,
}

/// A server, or a case on it, that could not be probed: no result, and no fault of the framework.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// Id of the app.
    pub app: String,
    /// Name of the variant.
    pub variant: String,
    /// Id of the case; `None` if no case could be probed.
    pub case: Option<String>,
    /// Why.
    pub reason: String,
}

/// What all apps of a probe share.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// Protocols over which cases are made, where they are the case's and the app's.
    pub protocols: &'a [Protocol],
    /// The cpus.
    pub split: &'a Split,
    /// The database of those that have one behind them.
    pub database: Option<&'a Arc<Database>>,
}

impl<'a> Context<'a> {
    fn target(self, subject: &BuiltApp, binary: &'a Binary, protocol: Protocol) -> Target<'a> {
        Target {
            program: &binary.program,
            split: self.split,
            protocol,
            connections: subject.connections,
            database: self.database.filter(|_| subject.app.stack.is_some()),
        }
    }
}

/// One case on one server, or all of a suite.
struct Task<'a> {
    subject: &'a BuiltApp,
    target: Target<'a>,
    case: &'a Case,
}

/// A case, what came of it, and in how many ms.
type CaseResult = (ProbeCase, Attempt, f64);

/// Puts `cases` to each app that was built.
pub fn probe(
    subjects: &[BuiltApp],
    cases: &[Case],
    context: Context<'_>,
    progress: &dyn Progress,
) -> Result<Report, Interrupted> {
    let mut report = Report::default();
    // Of each subject.
    let mut results: Vec<Vec<(Protocol, CaseResult)>> = Vec::new();
    let mut tasks = Vec::new();
    let exchanges: Vec<&Case> = cases.iter().filter(|case| case.is_exchange()).collect();
    let probed = parallel_map(&APPS_BESIDE, subjects, |(), subject| {
        progress.begins(&subject.app.label());
        let made = exchanges_of(subject, &exchanges, context);
        progress.step();
        or_reason(made)
    })?;
    for (subject, made) in subjects.iter().zip(probed) {
        match made {
            Ok(made) => {
                results.push(made.into_iter().map(|one| (Protocol::Http1, one)).collect());
                tasks.extend(tasks_of(subject, cases, context));
            }
            Err(reason) => {
                report.skipped.push(Skipped::of(subject, None, reason));
                results.push(Vec::new());
            }
        }
    }
    let (timed, beside): (Vec<Task<'_>>, Vec<Task<'_>>) = tasks.into_iter().partition(|task| task.case.timed);
    for (workers, kind, tasks) in [
        (&BEHAVIOURS_BESIDE[..], "behaviours", beside),
        (&BEHAVIOURS_BESIDE[..1], "timed behaviours", timed),
    ] {
        let done = Done::of(kind, tasks.len());
        let made = parallel_map(workers, &tasks, |(), task| {
            progress.doing(&format!("{} {}", task.subject.app.label(), task.case.about.id));
            let made = task.run();
            progress.step();
            if let Some((done, left)) = done.one_more() {
                progress.left(&done, left);
            }
            or_reason(made)
        })?;
        for (task, made) in tasks.iter().zip(made) {
            let app = subjects.iter().position(|subject| std::ptr::eq(subject, task.subject));
            match made {
                Ok(made) => results[app.expect("a task is of a subject")]
                    .extend(made.into_iter().map(|one| (task.target.protocol, one))),
                Err(reason) => {
                    let skipped = Skipped::of(task.subject, Some(&task.case.about), reason);
                    report.skipped.push(skipped);
                }
            }
        }
    }
    for (subject, made) in subjects.iter().zip(results) {
        for (protocol, (case, attempt, milliseconds)) in made {
            report.results.push(Probed {
                app: subject.app.id.clone(),
                variant: subject.app.variant.clone(),
                protocol,
                case: case.id.clone(),
                outcome: attempt.outcome,
                got: attempt.got,
                received: attempt.received,
                milliseconds,
                figures: attempt.figures,
            });
            if !report.cases.iter().any(|known| known.id == case.id) {
                report.cases.push(case);
            }
        }
    }
    // The order of the files; what a suite made stands where the suite does.
    report.cases.sort_by_key(|case| {
        let place = cases.iter().position(|known| known.about.id == case.id);
        (case.group, place.is_none(), place)
    });
    Ok(report)
}

/// Number of steps of [`probe`].
pub fn steps(subjects: &[BuiltApp], cases: &[Case], context: Context<'_>) -> usize {
    let tasks = subjects.iter().map(|subject| tasks_of(subject, cases, context).len());
    subjects.len() + tasks.sum::<usize>()
}

/// A failure as its reason; only the user's interrupt ends everything.
fn or_reason<T>(made: Result<T, Failure>) -> Result<Result<T, String>, Interrupted> {
    match made {
        Ok(made) => Ok(Ok(made)),
        Err(failure) => Ok(Err(failure.into_verdict()?.1)),
    }
}

/// The cases of a subject that are not exchanges.
fn tasks_of<'a>(subject: &'a BuiltApp, cases: &'a [Case], context: Context<'a>) -> Vec<Task<'a>> {
    let Some(binary) = &subject.binary else {
        return Vec::new();
    };
    let behaviours = cases
        .iter()
        .filter(|case| !case.is_exchange() && case.is_for(&subject.app));
    let tasks = behaviours.flat_map(|case| {
        let mut wanted = case.protocols.clone();
        wanted.retain(|protocol| context.protocols.contains(protocol));
        let mut made = wanted.clone();
        made.retain(|protocol| subject.app.protocols.contains(protocol));
        if made.is_empty() {
            // Where it speaks none of them, one result says so.
            made.extend(wanted.first());
        }
        made.into_iter().map(move |protocol| Task {
            subject,
            target: context.target(subject, binary, protocol),
            case,
        })
    });
    tasks.collect()
}

/// All exchanges on one server, and those that failed again on servers of their own.
fn exchanges_of(subject: &BuiltApp, cases: &[&Case], context: Context<'_>) -> Result<Vec<CaseResult>, Failure> {
    let Some(binary) = &subject.binary else {
        let reason = subject.app.why_not_built().unwrap_or("it was not built").to_owned();
        return Err(Failure::Verdict(Verdict::BuildFailed, reason));
    };
    let cases: Vec<&Case> = cases.iter().copied().filter(|case| case.is_for(&subject.app)).collect();
    if cases.is_empty() || !context.protocols.contains(&Protocol::Http1) {
        return Ok(Vec::new());
    }
    let target = context.target(subject, binary, Protocol::Http1);
    let first: Vec<_> = cases.iter().zip(exchanges(&target, &cases)?).collect();
    let made = parallel_map(&EXCHANGES_BESIDE, &first, |(), (case, first)| {
        if first.0.outcome == ProbeOutcome::Passed {
            Ok(first.clone())
        } else {
            confirm(case, &target)
        }
    })?;
    let is_doubtful = made.iter().any(|(made, _)| made.outcome == ProbeOutcome::Flaky);
    let made: Vec<_> = cases.iter().zip(made).collect();
    parallel_map(&EXCHANGES_BESIDE, &made, |(), (case, (made, milliseconds))| {
        let mut made = made.clone();
        let again = CONFIRMED_BY..DOUBTED_BY;
        if is_doubtful && made.outcome == ProbeOutcome::Failed {
            for _ in again {
                interrupt::check()?;
                if case.attempt(&target)?.outcome != ProbeOutcome::Failed {
                    made.outcome = ProbeOutcome::Flaky;
                    break;
                }
            }
        }
        Ok((case.about.clone(), made, *milliseconds))
    })
}

/// What comes of each exchange, and in how many ms, all with one server side by side: no failure of these is confirmed.
pub fn exchanges(target: &Target<'_>, cases: &[&Case]) -> Result<Vec<(Attempt, f64)>, Failure> {
    let server = target.start()?;
    let address = server.address();
    parallel_map(&EXCHANGES_BESIDE, cases, |(), case| {
        interrupt::check()?;
        let began = Instant::now();
        let attempt = case.exchange(address).expect("only exchanges are passed on");
        Ok((attempt, began.elapsed().as_secs_f64() * 1e3))
    })
}

/// What comes of a case on fresh servers, until it is known whether it fails, and in how many ms.
pub fn confirm(case: &Case, target: &Target<'_>) -> Result<(Attempt, f64), Failure> {
    let made = confirmed(|| Ok(vec![(case.about.clone(), case.attempt(target)?)]))?;
    let (_, attempt, milliseconds) = made.into_iter().next().expect("the case was made");
    Ok((attempt, milliseconds))
}

impl Task<'_> {
    fn run(&self) -> Result<Vec<CaseResult>, Failure> {
        let protocol = self.target.protocol;
        let about = &self.case.about;
        if !self.subject.app.protocols.contains(&protocol) {
            let attempt = Attempt::not_applicable(format!("it does not speak {}", protocol.id()));
            return Ok(vec![(about.clone(), attempt, 0.0)]);
        }
        match &self.case.course {
            Course::H2spec(only) => confirmed(|| h2spec::suite(&self.target, only)),
            _ => confirm(self.case, &self.target).map(|(attempt, ms)| vec![(about.clone(), attempt, ms)]),
        }
    }
}

/// Makes cases together, and again while it is not known what came of each: it did not fail at first, one attempt after it passed, or
/// [`CONFIRMED_BY`] failed.
fn confirmed(act: impl Fn() -> Result<Vec<(ProbeCase, Attempt)>, Failure>) -> Result<Vec<CaseResult>, Failure> {
    let mut all: Vec<(ProbeCase, Vec<(Attempt, f64)>)> = Vec::new();
    let failed = |(attempt, _): &(Attempt, f64)| attempt.outcome == ProbeOutcome::Failed;
    for number in 0..CONFIRMED_BY {
        if number > 0 && !all.iter().any(|(_, attempts)| attempts.iter().all(failed)) {
            break;
        }
        interrupt::check()?;
        let began = Instant::now();
        let made = act()?;
        let milliseconds = began.elapsed().as_secs_f64() * 1e3 / made.len().max(1) as f64;
        for (case, attempt) in made {
            let known = all.iter_mut().find(|(known, _)| known.id == case.id);
            match known {
                None if number == 0 => all.push((case, vec![(attempt, milliseconds)])),
                Some((_, attempts)) if attempts.iter().all(failed) => attempts.push((attempt, milliseconds)),
                _ => {}
            }
        }
    }
    let summed = all.into_iter().map(|(case, mut attempts)| {
        // What was wrong is shown, if anything was.
        let shown = attempts.iter().rposition(failed).unwrap_or(attempts.len() - 1);
        let is_flaky = !attempts.iter().all(failed) && failed(&attempts[shown]);
        let (mut attempt, milliseconds) = attempts.swap_remove(shown);
        if is_flaky {
            attempt.outcome = ProbeOutcome::Flaky;
        }
        (case, attempt, milliseconds)
    });
    Ok(summed.collect())
}

impl Skipped {
    fn of(subject: &BuiltApp, case: Option<&ProbeCase>, reason: String) -> Self {
        Self {
            app: subject.app.id.clone(),
            variant: subject.app.variant.clone(),
            case: case.map(|case| case.id.clone()),
            reason,
        }
    }
}

/// The engine below an app, if another app of the catalogue is that engine by itself, in a version that cargo holds to be compatible.
/// Such an app is named after its crate: `tokio-minihttp` is none, because tokio speaks no HTTP.
pub fn engine(app: &App, catalog: &Catalog) -> Option<Engine> {
    let is_engine = |other: &&App| {
        other.tier == Tier::Engine
            && other.role == Role::Framework
            && other.id == other.framework.replace('_', "-")
            && other.id != app.id
    };
    catalog.apps.iter().filter(is_engine).find_map(|engine| {
        let mut versions = app.dependencies.get(&engine.framework)?.iter();
        let version = versions.find(|version| compatible(version, &engine.framework_version))?;
        Some(Engine {
            app: engine.id.clone(),
            version: version.clone(),
        })
    })
}

/// Whether two versions have the same first part that is not zero.
fn compatible(a: &str, b: &str) -> bool {
    let head = |version: &str| -> Vec<String> {
        let mut head = Vec::new();
        for part in version.split('.') {
            head.push(part.to_owned());
            if part != "0" {
                break;
            }
        }
        head
    };
    head(a) == head(b)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn a_fault_is_what_happens_each_time() {
        let case = Case::built_in().swap_remove(0).about;
        let summed = |passed: &[bool]| {
            let made = Cell::new(0);
            let results = confirmed(|| {
                let number = made.replace(made.get() + 1);
                Ok(vec![(case.clone(), Attempt::new(passed[number], number.to_string()))])
            });
            let (_, attempt, _) = results.unwrap().swap_remove(0);
            (attempt.outcome, attempt.got, made.get())
        };
        assert_eq!(summed(&[true]), (ProbeOutcome::Passed, "0".into(), 1));
        assert_eq!(summed(&[false; 3]), (ProbeOutcome::Failed, "2".into(), 3));
        // What is shown is what was wrong.
        assert_eq!(summed(&[false, true]), (ProbeOutcome::Flaky, "0".into(), 2));
        assert_eq!(summed(&[false, false, true]), (ProbeOutcome::Flaky, "1".into(), 3));
    }

    #[test]
    fn versions_are_compatible_as_cargo_says() {
        for (a, b, are) in [
            ("1.2.3", "1.9.0", true),
            ("0.14.2", "0.14.32", true),
            ("0.14.2", "1.0.0", false),
            ("0.0.3", "0.0.4", false),
        ] {
            assert_eq!(compatible(a, b), are, "{a} {b}");
        }
    }
}
