//! A probe's order: exchanges of a few apps at a time, behaviours that only wait side by side, and what is timed one after the
//! other, with the machine for itself.

use std::sync::Arc;
use std::time::Instant;

use model::probe::{Engine, ProbeCase, ProbeOutcome, Probed};
use model::scenario::Protocol;
use model::{Role, Tier, Verdict};

use super::behaviour::h2spec;
use super::case::{Case, Course};
use super::progress::Done;
use super::{Attempt, Target};
use crate::progress::Progress;
use apps::build::{Binary, BuiltApp};
use apps::catalog::{App, Catalog};
use machine::affinity::pin;
use machine::cpus::Split;
use machine::interrupt::{self, Interrupted};
use machine::parallel_map::parallel_map;
use servers::database::Database;
use servers::failure::Failure;

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

impl Report {
    /// What a subject made of its exchanges, or of a case.
    fn add(
        &mut self,
        subject: &BuiltApp,
        protocol: Protocol,
        case: Option<&Case>,
        made: Result<Vec<CaseResult>, String>,
    ) {
        let (app, variant) = (&subject.app.id, &subject.app.variant);
        if let Err(reason) = &made {
            self.skipped.push(Skipped {
                app: app.clone(),
                variant: variant.clone(),
                case: case.map(|case| case.about.id.clone()),
                reason: reason.clone(),
            });
        }
        for (case, attempt, milliseconds) in made.into_iter().flatten() {
            self.results.push(Probed {
                app: app.clone(),
                variant: variant.clone(),
                protocol,
                case: case.id.clone(),
                outcome: attempt.outcome,
                got: attempt.got,
                received: attempt.received,
                milliseconds,
                figures: attempt.figures,
            });
            if !self.cases.iter().any(|known| known.id == case.id) {
                self.cases.push(case);
            }
        }
    }
}

/// Puts `cases` to each app that was built.
pub fn probe(
    subjects: &[BuiltApp],
    cases: &[Case],
    context: Context<'_>,
    progress: &dyn Progress,
) -> Result<Report, Interrupted> {
    let (mut report, mut tasks) = (Report::default(), Vec::new());
    let exchanges: Vec<&Case> = cases.iter().filter(|case| case.is_exchange()).collect();
    let made = parallel_map(&APPS_BESIDE, subjects, |(), subject| {
        progress.begins(&subject.app.label());
        let made = exchanges_of(subject, &exchanges, context);
        progress.step();
        or_reason(made)
    })?;
    for (subject, made) in subjects.iter().zip(made) {
        if made.is_ok() {
            tasks.extend(tasks_of(subject, cases, context));
        }
        report.add(subject, Protocol::Http1, None, made);
    }
    let (timed, beside): (Vec<Task<'_>>, Vec<Task<'_>>) = tasks.into_iter().partition(|task| task.case.timed);
    for (workers, kind, tasks) in [
        (&BEHAVIOURS_BESIDE[..], "behaviours", beside),
        (&BEHAVIOURS_BESIDE[..1], "timed behaviours", timed),
    ] {
        let done = Done::of(kind, tasks.len());
        let made = parallel_map(workers, &tasks, |(), task| {
            // The clients stay off the server's cpus; where that fails, it is only less exact.
            let _ = pin(0, &context.split.generator);
            progress.doing(&format!("{} {}", task.subject.app.label(), task.case.about.id));
            let made = task.run();
            progress.step();
            if let Some((done, left)) = done.one_more() {
                progress.left(&done, left);
            }
            or_reason(made)
        })?;
        for (task, made) in tasks.iter().zip(made) {
            report.add(task.subject, task.target.protocol, Some(task.case), made);
        }
    }
    report.results.sort_by_key(|one| {
        let is_it = |subject: &BuiltApp| subject.app.id == one.app && subject.app.variant == one.variant;
        subjects.iter().position(is_it)
    });
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
        let wanted = case.protocols.iter().copied();
        let wanted = wanted.filter(|protocol| context.protocols.contains(protocol));
        let (mut made, others): (Vec<_>, Vec<_>) = wanted.partition(|one| subject.app.protocols.contains(one));
        if made.is_empty() {
            // Where it speaks none of them, one result says so.
            made.extend(others.first());
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
        let again = if is_doubtful { CONFIRMED_BY..DOUBTED_BY } else { 0..0 };
        for _ in again {
            interrupt::check()?;
            if made.outcome == ProbeOutcome::Failed && case.attempt(&target)?.outcome != ProbeOutcome::Failed {
                made.outcome = ProbeOutcome::Flaky;
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
/// [`CONFIRMED_BY`] failed. What was wrong is shown, if anything was.
fn confirmed(act: impl Fn() -> Result<Vec<(ProbeCase, Attempt)>, Failure>) -> Result<Vec<CaseResult>, Failure> {
    let failed = |(_, attempt, _): &CaseResult| attempt.outcome == ProbeOutcome::Failed;
    let mut all: Vec<CaseResult> = Vec::new();
    for number in 0..CONFIRMED_BY {
        if number > 0 && !all.iter().any(failed) {
            break;
        }
        interrupt::check()?;
        let began = Instant::now();
        let made = act()?;
        let milliseconds = began.elapsed().as_secs_f64() * 1e3 / made.len().max(1) as f64;
        for (case, attempt) in made {
            let known = all.iter_mut().find(|(known, ..)| known.id == case.id);
            let made = (case, attempt, milliseconds);
            match known {
                None if number == 0 => all.push(made),
                Some(known) if failed(known) && failed(&made) => *known = made,
                Some(known) if failed(known) => known.1.outcome = ProbeOutcome::Flaky,
                _ => {}
            }
        }
    }
    Ok(all)
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
    fn head(version: &str) -> impl Iterator<Item = &str> {
        let zeros = version.split('.').take_while(|part| *part == "0").count();
        version.split('.').take(zeros + 1)
    }
    head(a).eq(head(b))
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
