//! The course of a probe: exchanges of a few apps at a time, behaviours that only wait side by side, and what is timed one after the
//! other, with the machine for itself.

use std::sync::Arc;
use std::time::Instant;

use record::probe::{Engine, ProbeCase, ProbeOutcome, Probed};
use record::scenario::Protocol;
use record::{Role, Tier, Verdict};

use super::case::{Case, Course};
use super::tally::Tally;
use super::{Attempt, Place};
use crate::build::{Binary, BuiltApp};
use crate::catalog::{App, Catalog};
use crate::database::Database;
use crate::failure::Failure;
use crate::interrupt;
use crate::interrupt::Interrupted;
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
pub struct Told {
    /// The cases that were made, those of suites each by itself.
    pub cases: Vec<ProbeCase>,
    /// In the order of apps and cases.
    pub results: Vec<Probed>,
    /// What could not be probed.
    pub unprobed: Vec<Unprobed>,
}

/// A server, or a case on it, that could not be probed: no result, and no fault of the framework.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unprobed {
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
pub struct Setting<'a> {
    /// Protocols over which cases are made, where they are the case's and the app's.
    pub protocols: &'a [Protocol],
    /// The cpus.
    pub split: &'a Split,
    /// The database of those that have one behind them.
    pub database: Option<&'a Arc<Database>>,
}

impl<'a> Setting<'a> {
    fn place(self, subject: &BuiltApp, binary: &'a Binary, protocol: Protocol) -> Place<'a> {
        Place {
            program: &binary.program,
            split: self.split,
            protocol,
            connections: subject.connections,
            database: self.database.filter(|_| subject.app.stack.is_some()),
        }
    }
}

/// One case on one server.
struct Task<'a> {
    subject: &'a BuiltApp,
    place: Place<'a>,
    case: &'a Case,
}

/// What a task has shown: one case, or those of a suite.
type Shown = Vec<(ProbeCase, Probed)>;

/// Puts `cases` to each app that was built.
pub fn probe(
    subjects: &[BuiltApp],
    cases: &[Case],
    setting: Setting<'_>,
    progress: &dyn Progress,
) -> Result<Told, Interrupted> {
    let mut told = Told::default();
    let mut shown: Vec<Vec<Shown>> = Vec::new();
    let mut tasks = Vec::new();
    let exchanges: Vec<&Case> = cases.iter().filter(|case| case.is_exchange()).collect();
    let probed = parallel_map(&APPS_BESIDE, subjects, |(), subject| {
        progress.begins(&subject.app.label());
        let made = exchanges_of(subject, &exchanges, setting);
        progress.step();
        or_reason(made)
    })?;
    for (subject, made) in subjects.iter().zip(probed) {
        match made {
            Ok(results) => shown.push(vec![results]),
            Err(reason) => {
                told.unprobed.push(Unprobed::of(subject, None, reason));
                shown.push(Vec::new());
                continue;
            }
        }
        tasks.extend(tasks_of(subject, cases, setting));
    }
    let (timed, beside): (Vec<Task<'_>>, Vec<Task<'_>>) = tasks.into_iter().partition(|task| task.case.timed);
    for (workers, kind, tasks) in [
        (&BEHAVIOURS_BESIDE[..], "behaviours", beside),
        (&BEHAVIOURS_BESIDE[..1], "timed behaviours", timed),
    ] {
        let tally = Tally::of(kind, tasks.len());
        let made = parallel_map(workers, &tasks, |(), task| {
            progress.doing(&format!("{} {}", task.subject.app.label(), task.case.about.id));
            let made = task.run();
            progress.step();
            if let Some((done, left)) = tally.one_more() {
                progress.left(&done, left);
            }
            or_reason(made)
        })?;
        for (task, made) in tasks.iter().zip(made) {
            let app = subjects.iter().position(|subject| std::ptr::eq(subject, task.subject));
            match made {
                Ok(results) => shown[app.expect("a task is of a subject")].push(results),
                Err(reason) => {
                    let unprobed = Unprobed::of(task.subject, Some(&task.case.about), reason);
                    told.unprobed.push(unprobed);
                }
            }
        }
    }
    let mut results: Vec<(ProbeCase, Probed)> = Vec::new();
    for of_app in shown {
        results.extend(of_app.into_iter().flatten());
    }
    for (case, _) in &results {
        if !told.cases.iter().any(|known| known.id == case.id) {
            told.cases.push(case.clone());
        }
    }
    // The order of the files; what a suite made stands where the suite does.
    told.cases.sort_by_key(|case| {
        let place = cases.iter().position(|known| known.about.id == case.id);
        (case.group, place.is_none(), place)
    });
    told.results = results.into_iter().map(|(_, probed)| probed).collect();
    Ok(told)
}

/// Number of steps of [`probe`].
pub fn steps(subjects: &[BuiltApp], cases: &[Case], setting: Setting<'_>) -> usize {
    let tasks = subjects.iter().map(|subject| tasks_of(subject, cases, setting).len());
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
fn tasks_of<'a>(subject: &'a BuiltApp, cases: &'a [Case], setting: Setting<'a>) -> Vec<Task<'a>> {
    let Some(binary) = &subject.binary else {
        return Vec::new();
    };
    let behaviours = cases
        .iter()
        .filter(|case| !case.is_exchange() && case.is_for(&subject.app));
    let tasks = behaviours.flat_map(|case| {
        let wanted = case
            .protocols
            .iter()
            .filter(|protocol| setting.protocols.contains(protocol));
        let wanted: Vec<Protocol> = wanted.copied().collect();
        let spoken = wanted
            .iter()
            .filter(|protocol| subject.app.protocols.contains(protocol));
        let spoken: Vec<Protocol> = spoken.copied().collect();
        // Where it speaks none of them, one result says so.
        let made = if spoken.is_empty() {
            wanted.into_iter().take(1).collect()
        } else {
            spoken
        };
        made.into_iter().map(move |protocol| Task {
            subject,
            place: setting.place(subject, binary, protocol),
            case,
        })
    });
    tasks.collect()
}

/// All exchanges on one server, and those that failed again on servers of their own.
fn exchanges_of(subject: &BuiltApp, cases: &[&Case], setting: Setting<'_>) -> Result<Shown, Failure> {
    let Some(binary) = &subject.binary else {
        let reason = subject.app.why_not_built().unwrap_or("it was not built").to_owned();
        return Err(Failure::Verdict(Verdict::BuildFailed, reason));
    };
    let protocol = Protocol::Http1;
    let cases: Vec<&Case> = cases.iter().copied().filter(|case| case.is_for(&subject.app)).collect();
    if cases.is_empty() || !setting.protocols.contains(&protocol) {
        return Ok(Vec::new());
    }
    let place = setting.place(subject, binary, protocol);
    let first: Vec<_> = cases.iter().zip(exchanges(&place, &cases)?).collect();
    let made = parallel_map(&EXCHANGES_BESIDE, &first, |(), (case, first)| {
        if first.0.outcome == ProbeOutcome::Passed {
            Ok(first.clone())
        } else {
            exchange_again(&place, case)
        }
    })?;
    let is_doubtful = made.iter().any(|(made, _)| made.outcome == ProbeOutcome::Flickered);
    let made: Vec<_> = cases.iter().zip(made).collect();
    parallel_map(&EXCHANGES_BESIDE, &made, |(), (case, (made, milliseconds))| {
        let mut made = made.clone();
        if is_doubtful && made.outcome == ProbeOutcome::Failed && !fails_still(&place, case)? {
            made.outcome = ProbeOutcome::Flickered;
        }
        let probed = probed(subject, protocol, &case.about, (made, *milliseconds));
        Ok((case.about.clone(), probed))
    })
}

/// Whether an exchange fails as often again as is asked of a server that is in doubt.
fn fails_still(place: &Place<'_>, case: &Case) -> Result<bool, Failure> {
    for _ in CONFIRMED_BY..DOUBTED_BY {
        interrupt::check()?;
        if exchange_alone(place, case)?.outcome != ProbeOutcome::Failed {
            return Ok(false);
        }
    }
    Ok(true)
}

/// What comes of each exchange, and in how many ms, all with one server side by side: no failure of these is confirmed.
pub fn exchanges(place: &Place<'_>, cases: &[&Case]) -> Result<Vec<(Attempt, f64)>, Failure> {
    let server = place.start()?;
    let address = server.address();
    parallel_map(&EXCHANGES_BESIDE, cases, |(), case| {
        interrupt::check()?;
        let began = Instant::now();
        let attempt = exchange(case).put_to(address, case.about.level);
        Ok((attempt, began.elapsed().as_secs_f64() * 1e3))
    })
}

/// What comes of an exchange on fresh servers, until it is known whether it fails, and in how many ms.
pub fn exchange_again(place: &Place<'_>, case: &Case) -> Result<(Attempt, f64), Failure> {
    Ok(summed(confirmed(|| exchange_alone(place, case))?))
}

/// An exchange with a fresh server, which must answer an ordinary request afterwards.
pub fn exchange_alone(place: &Place<'_>, case: &Case) -> Result<Attempt, Failure> {
    let mut server = place.start()?;
    let attempt = exchange(case).put_to(server.address(), case.about.level);
    Ok(attempt.and_still_answers(&mut server))
}

fn exchange(case: &Case) -> &super::exchange::Exchange {
    match &case.course {
        Course::Exchange(exchange) => exchange,
        Course::Behaviour(_) | Course::Suite(..) => unreachable!("only exchanges are passed on"),
    }
}

impl Task<'_> {
    fn run(&self) -> Result<Shown, Failure> {
        let (subject, protocol) = (self.subject, self.place.protocol);
        let one = |attempts| {
            vec![(
                self.case.about.clone(),
                probed(subject, protocol, &self.case.about, summed(attempts)),
            )]
        };
        if !subject.app.protocols.contains(&protocol) {
            let attempt = Attempt::not_applicable(format!("it does not speak {}", protocol.id()));
            return Ok(one(vec![(attempt, 0.0)]));
        }
        match &self.case.course {
            Course::Exchange(_) => unreachable!("exchanges are no tasks"),
            Course::Behaviour(act) => Ok(one(confirmed(|| act(&self.place))?)),
            Course::Suite(suite, only) => self.suite(*suite, only),
        }
    }

    /// All cases of a suite; it is made again, whole, if one of them failed.
    fn suite(&self, suite: super::behaviour::Suite, only: &[String]) -> Result<Shown, Failure> {
        let began = Instant::now();
        let first = suite(&self.place, only)?;
        let milliseconds = began.elapsed().as_secs_f64() * 1e3 / first.len().max(1) as f64;
        let mut all: Vec<(ProbeCase, Vec<(Attempt, f64)>)> = first
            .into_iter()
            .map(|(case, attempt)| (case, vec![(attempt, milliseconds)]))
            .collect();
        for _ in 1..CONFIRMED_BY {
            if all.iter().all(|(_, attempts)| is_settled(attempts)) {
                break;
            }
            interrupt::check()?;
            for (case, attempt) in suite(&self.place, only)? {
                if let Some((_, attempts)) = all.iter_mut().find(|(known, _)| known.id == case.id)
                    && !is_settled(attempts)
                {
                    attempts.push((attempt, milliseconds));
                }
            }
        }
        let shown = all.into_iter().map(|(case, attempts)| {
            let probed = probed(self.subject, self.place.protocol, &case, summed(attempts));
            (case, probed)
        });
        Ok(shown.collect())
    }
}

/// Whether it is known what came of the case: the first attempt did not fail, one after it passed, or all that are made failed.
fn is_settled(attempts: &[(Attempt, f64)]) -> bool {
    let failed = |(attempt, _): &(Attempt, f64)| attempt.outcome == ProbeOutcome::Failed;
    !attempts.is_empty() && (!attempts.iter().all(failed) || attempts.len() >= CONFIRMED_BY)
}

/// Attempts, in ms each, until it is known what came of the case.
fn confirmed(act: impl Fn() -> Result<Attempt, Failure>) -> Result<Vec<(Attempt, f64)>, Failure> {
    let mut attempts = Vec::new();
    while !is_settled(&attempts) {
        interrupt::check()?;
        let began = Instant::now();
        let attempt = act()?;
        attempts.push((attempt, began.elapsed().as_secs_f64() * 1e3));
    }
    Ok(attempts)
}

/// What came of all attempts, with what was wrong if anything was, else with the last one.
fn summed(mut attempts: Vec<(Attempt, f64)>) -> (Attempt, f64) {
    let failed = |(attempt, _): &(Attempt, f64)| attempt.outcome == ProbeOutcome::Failed;
    let failures = attempts.iter().filter(|one| failed(one)).count();
    let outcome = match failures {
        0 => attempts
            .last()
            .map_or(ProbeOutcome::NotApplicable, |(attempt, _)| attempt.outcome),
        all if all == attempts.len() => ProbeOutcome::Failed,
        _ => ProbeOutcome::Flickered,
    };
    let shown = attempts.iter().rposition(failed).unwrap_or(attempts.len() - 1);
    let (shown, milliseconds) = attempts.swap_remove(shown);
    (Attempt { outcome, ..shown }, milliseconds)
}

/// The result of a case.
fn probed(subject: &BuiltApp, protocol: Protocol, case: &ProbeCase, (made, milliseconds): (Attempt, f64)) -> Probed {
    Probed {
        app: subject.app.id.clone(),
        variant: subject.app.variant.clone(),
        protocol,
        case: case.id.clone(),
        outcome: made.outcome,
        got: made.got,
        received: made.received,
        milliseconds,
        figures: made.figures,
    }
}

impl Unprobed {
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
    use record::sample;

    #[test]
    fn a_fault_is_what_happens_each_time() {
        let app = sample::record().apps.swap_remove(0);
        let subject = BuiltApp {
            app,
            binary: None,
            connections: None,
        };
        let case = Case::built_in().swap_remove(0).about;
        let summed = |passed: &[bool]| {
            let made = Cell::new(0);
            let attempts = confirmed(|| {
                let number = made.replace(made.get() + 1);
                Ok(Attempt::new(passed[number], number.to_string()))
            });
            let probed = probed(&subject, Protocol::Http1, &case, summed(attempts.unwrap()));
            (probed.outcome, probed.got, made.get())
        };
        assert_eq!(summed(&[true]), (ProbeOutcome::Passed, "0".into(), 1));
        assert_eq!(summed(&[false; 3]), (ProbeOutcome::Failed, "2".into(), 3));
        // What is shown is what was wrong.
        assert_eq!(summed(&[false, true]), (ProbeOutcome::Flickered, "0".into(), 2));
        assert_eq!(summed(&[false, false, true]), (ProbeOutcome::Flickered, "1".into(), 3));
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
