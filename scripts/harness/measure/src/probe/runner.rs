//! A probe's order: exchanges of a few apps at a time, behaviours that only wait side by side, and what is timed one after the
//! other, with the machine for itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use cargo_lock::Version;
use model::probe::{Engine, ProbeCase, ProbeOutcome, Probed};
use model::scenario::Protocol;
use model::{PLAIN, Role, Tier};

use super::case::Case;
use super::{Attempt, Target};
use crate::progress::Progress;
use crate::versions::compatible;
use apps::build::BuiltApp;
use apps::catalog::{App, Catalog};
use machine::affinity::pin;
use machine::cpus::Split;
use machine::interrupt::{self, Interrupted};
use machine::parallel_map::parallel_map;
use servers::database::Database;
use servers::failure::Failure;

/// Exchanges of one server that are made side by side.
pub const EXCHANGES_AT_ONCE: [(); 8] = [(); 8];
/// The kinds of tasks in their order, and how many are made side by side: behaviours, each on a server of its own, hardly use a cpu.
const KINDS: [(&str, &[()]); 4] = [
    ("servers", &[(); 2]),
    ("behaviours", &[(); 8]),
    ("timed behaviours", &[()]),
    // They wait for a minute each time, take turns at what they do in between, and measure what is each server's own.
    ("waiting behaviours", &[(); 32]),
];
/// Fresh servers on which a failure must happen each time.
pub const CONFIRMED_BY: usize = 3;
/// The same for exchanges of a server of which another flickers: three failures are no rarity where every second attempt fails.
const DOUBTED_BY: usize = 10;

/// What all cases have shown.
#[derive(Debug, Default)]
pub struct Report {
    /// The cases that were made, each of a suite by itself.
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

/// All exchanges of a server, or another case on one.
pub struct Task<'a> {
    subject: &'a BuiltApp,
    target: Target<'a>,
    cases: Vec<&'a Case>,
}

/// A case, and what came of it.
pub type CaseResult = (ProbeCase, Attempt);

impl Report {
    fn skip(&mut self, subject: &BuiltApp, case: Option<&Case>, reason: String) {
        self.skipped.push(Skipped {
            app: subject.app.id.clone(),
            variant: subject.app.variant.clone(),
            case: case.map(|case| case.about.id.clone()),
            reason,
        });
    }

    /// Why none of the cases could be put to a subject, if so.
    pub fn not_probed(&self, subject: &BuiltApp) -> Option<&str> {
        let app = &subject.app;
        let is_it = |one: &&Skipped| one.case.is_none() && one.app == app.id && one.variant == app.variant;
        self.skipped.iter().find(is_it).map(|one| one.reason.as_str())
    }

    fn add(&mut self, task: &Task<'_>, made: Vec<CaseResult>) {
        let app = &task.subject.app;
        for (case, attempt) in made {
            self.results.push(Probed {
                app: app.id.clone(),
                variant: app.variant.clone(),
                protocol: task.target.protocol,
                case: case.id.clone(),
                outcome: attempt.outcome,
                got: attempt.got,
                received: attempt.received,
                milliseconds: attempt.milliseconds.round(),
                figures: attempt.figures,
                memory: attempt.memory,
            });
            if !self.cases.iter().any(|known| known.id == case.id) {
                self.cases.push(case);
            }
        }
    }
}

/// What is to be done, over these protocols where they are the case's and the app's.
pub fn tasks<'a>(
    subjects: &'a [BuiltApp],
    cases: &'a [Case],
    protocols: &[Protocol],
    split: &'a Split,
    database: Option<&'a Arc<Database>>,
) -> Vec<Task<'a>> {
    let mut tasks = Vec::new();
    for subject in subjects {
        let Some(binary) = &subject.binary else { continue };
        let app = &subject.app;
        let mut add = |protocol, cases| {
            let target = Target {
                program: &binary.program,
                split,
                protocol,
                connections: subject.connections,
                database: database.filter(|_| app.stack.is_some()),
                services: app.services.as_ref(),
                ordinary: if app.variant == PLAIN { "/hello" } else { "/" },
            };
            tasks.push(Task { subject, target, cases });
        };
        let cases = cases.iter().filter(|case| case.is_for(app));
        let (exchanges, others): (Vec<&Case>, Vec<&Case>) = cases.partition(|case| case.is_exchange());
        let (observed, judged): (Vec<&Case>, Vec<&Case>) = exchanges.into_iter().partition(|case| case.is_observed());
        let (waits, others): (Vec<&Case>, Vec<&Case>) = others.into_iter().partition(|case| case.is_wait());
        for together in [observed, judged, waits] {
            if !together.is_empty() && protocols.contains(&Protocol::Http1) {
                add(Protocol::Http1, together);
            }
        }
        for case in others {
            let wanted = case
                .protocols
                .iter()
                .copied()
                .filter(|protocol| protocols.contains(protocol));
            let (mut spoken, others): (Vec<_>, Vec<_>) = wanted.partition(|one| app.protocols.contains(one));
            if spoken.is_empty() {
                // Where it speaks none of them, one result says so.
                spoken.extend(others.first());
            }
            for protocol in spoken {
                add(protocol, vec![case]);
            }
        }
    }
    tasks
}

/// Does the `tasks` of these subjects and cases.
pub fn probe(
    subjects: &[BuiltApp],
    cases: &[Case],
    mut tasks: Vec<Task<'_>>,
    progress: &dyn Progress,
) -> Result<Report, Interrupted> {
    let mut report = Report::default();
    for subject in subjects.iter().filter(|subject| subject.binary.is_none()) {
        let reason = subject.app.why_not_built().unwrap_or("it was not built");
        report.skip(subject, None, reason.to_owned());
    }
    for (number, (kind, workers)) in KINDS.into_iter().enumerate() {
        let now: Vec<Task<'_>> = tasks.extract_if(.., |task| task.kind() == number).collect();
        let (began, done, of) = (Instant::now(), AtomicUsize::new(0), now.len());
        let made = parallel_map(workers, &now, |(), task| {
            progress.doing(&format!("{} {}", task.subject.app.label(), task.cases[0].about.id));
            let made = task.run();
            progress.step();
            let done = 1 + done.fetch_add(1, Ordering::Relaxed);
            // In a log that has no bar, a line after each tenth.
            if done * 10 / of > (done - 1) * 10 / of {
                let left = began.elapsed().mul_f64((of - done) as f64 / done as f64);
                progress.left(&format!("{done} of {of} {kind} done"), left);
            }
            // Only the user's interrupt ends everything.
            Ok(match made {
                Ok(made) => Ok(made),
                Err(failure) => Err(failure.into_verdict()?.1),
            })
        })?;
        for (task, made) in now.iter().zip(made) {
            match made {
                Ok(made) => report.add(task, made),
                Err(reason) => report.skip(task.subject, task.cases.first().copied().filter(|_| number > 0), reason),
            }
        }
        tasks.retain(|task| report.not_probed(task.subject).is_none());
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

impl Task<'_> {
    /// Its place among [`KINDS`].
    fn kind(&self) -> usize {
        match self.cases[0] {
            case if case.is_exchange() => 0,
            case if case.takes_turns() || case.is_wait() => 3,
            case if case.timed => 2,
            _ => 1,
        }
    }

    /// Its cases on several fresh servers at once.
    fn observed(&self) -> Result<Vec<CaseResult>, Failure> {
        let each = parallel_map(&[(); CONFIRMED_BY], &[(); CONFIRMED_BY], |(), ()| match self.cases[0] {
            case if case.is_exchange() || case.is_wait() => exchanges(&self.target, &self.cases),
            case => Ok::<_, Failure>(vec![case.attempt(&self.target)?]),
        })?;
        let of = |number: usize| each.iter().map(|made| made[number].clone()).collect();
        let cases = self.cases.iter().enumerate();
        Ok(cases
            .map(|(number, case)| (case.about.clone(), agreed(of(number))))
            .collect())
    }

    fn run(&self) -> Result<Vec<CaseResult>, Failure> {
        let (target, case) = (&self.target, self.cases[0]);
        // The clients stay off the server's cpus; where that fails, it is only less exact.
        let _ = pin(0, &target.split.generator);
        if !self.subject.app.protocols.contains(&target.protocol) {
            let attempt = Attempt::not_applicable(format!("it does not speak {}", target.protocol.id()));
            return Ok(vec![(case.about.clone(), attempt)]);
        }
        if case.is_observed() {
            return self.observed();
        }
        if !case.is_exchange() {
            return confirm(case, target);
        }
        let first: Vec<_> = self.cases.iter().zip(exchanges(target, &self.cases)?).collect();
        let mut made = parallel_map(&EXCHANGES_AT_ONCE, &first, |(), (case, first)| match first.outcome {
            ProbeOutcome::Passed => Ok(vec![(case.about.clone(), first.clone())]),
            _ => confirm(case, target),
        })?;
        if made.iter().flatten().any(|(_, one)| one.outcome == ProbeOutcome::Flaky) {
            let doubted: Vec<_> = self.cases.iter().zip(made).collect();
            made = parallel_map(&EXCHANGES_AT_ONCE, &doubted, |(), (case, made)| {
                repeated(made.clone(), DOUBTED_BY - CONFIRMED_BY, || case.made(target))
            })?;
        }
        Ok(made.into_iter().flatten().collect())
    }
}

/// What came of a case that is only observed, on several fresh servers: what differs among them varies.
fn agreed(attempts: Vec<Attempt>) -> Attempt {
    let mut got: Vec<&str> = attempts.iter().map(|attempt| attempt.got.as_str()).collect();
    got.sort_unstable();
    got.dedup();
    let varies = (got.len() > 1).then(|| got.join("; or "));
    let mut first = attempts.into_iter().next().expect("there is more than one server");
    if let Some(got) = varies {
        (first.outcome, first.got) = (ProbeOutcome::Flaky, got);
    }
    first
}

/// What comes of each exchange, all with one server side by side: no failure of these is confirmed.
pub fn exchanges(target: &Target<'_>, cases: &[&Case]) -> Result<Vec<Attempt>, Failure> {
    let server = target.start()?;
    let address = server.address;
    parallel_map(&EXCHANGES_AT_ONCE, cases, |(), case| {
        interrupt::check()?;
        Ok(case.exchange(address).expect("only exchanges are passed on"))
    })
}

/// What comes of a case, or of each one of a suite, on fresh servers, until it is known whether it fails: it did not at first, one
/// attempt after it passed, or [`CONFIRMED_BY`] failed.
pub fn confirm(case: &Case, target: &Target<'_>) -> Result<Vec<CaseResult>, Failure> {
    interrupt::check()?;
    repeated(case.made(target)?, CONFIRMED_BY - 1, || case.made(target))
}

/// Makes cases again, up to so many times, while one has failed each time. What was wrong is shown, if anything was.
fn repeated(
    mut made: Vec<CaseResult>,
    times: usize,
    act: impl Fn() -> Result<Vec<CaseResult>, Failure>,
) -> Result<Vec<CaseResult>, Failure> {
    let failed = |attempt: &Attempt| attempt.outcome == ProbeOutcome::Failed;
    for _ in 0..times {
        if !made.iter().any(|(_, attempt)| failed(attempt)) {
            break;
        }
        interrupt::check()?;
        let again = act()?;
        for (case, attempt) in made.iter_mut().filter(|(_, attempt)| failed(attempt)) {
            match again.iter().find(|(other, _)| other.id == case.id) {
                Some((_, again)) if failed(again) => *attempt = again.clone(),
                Some(_) => attempt.outcome = ProbeOutcome::Flaky,
                None => {}
            }
        }
    }
    Ok(made)
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
        let own: Version = engine.framework_version.parse().ok()?;
        let mut versions = app.dependencies.get(&engine.framework)?.iter();
        let version = versions.find(|version| version.parse().is_ok_and(|version| compatible(&version, &own)))?;
        Some(Engine {
            app: engine.id.clone(),
            version: version.clone(),
        })
    })
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
            let act = || {
                let number = made.replace(made.get() + 1);
                Ok(vec![(case.clone(), Attempt::new(passed[number], number.to_string()))])
            };
            let results = repeated(act().unwrap(), CONFIRMED_BY - 1, act);
            let (_, attempt) = results.unwrap().swap_remove(0);
            (attempt.outcome, attempt.got, made.get())
        };
        assert_eq!(summed(&[true]), (ProbeOutcome::Passed, "0".into(), 1));
        assert_eq!(summed(&[false; 3]), (ProbeOutcome::Failed, "2".into(), 3));
        // What is shown is what was wrong.
        assert_eq!(summed(&[false, true]), (ProbeOutcome::Flaky, "0".into(), 2));
        assert_eq!(summed(&[false, false, true]), (ProbeOutcome::Flaky, "1".into(), 3));
    }

    #[test]
    fn what_fresh_servers_do_not_agree_on_varies() {
        let told = |all: [&str; 3]| {
            let one = agreed(all.map(|got| Attempt::new(true, got)).into());
            (one.outcome, one.got)
        };
        assert_eq!(told(["kept"; 3]), (ProbeOutcome::Passed, "kept".to_owned()));
        assert_eq!(
            told(["kept", "closed", "kept"]),
            (ProbeOutcome::Flaky, "closed; or kept".to_owned())
        );
    }
}
