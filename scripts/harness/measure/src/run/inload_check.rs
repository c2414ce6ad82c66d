//! In-load verification: requests are proven while the generator drives the server.
//!
//! What is proven before and after a load says nothing of the answers in it, of which the generator reads status and size. Here one more
//! connection sends another request of the load, at moments that the server cannot foresee, and checks every byte of
//! the answer.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::driver::{self, Running};
use generator::Load;
use model::{EXPECTED, REFUSED, Verdict, is_expected};
use servers::contract::Symptom;
use servers::failure::Failure;
use servers::workload::{Workload, unforeseen};

/// How long an answer may take after the end of the load: it waits with all other connections' answers.
const PATIENCE: Duration = Duration::from_secs(30);
/// Longest pause between two proofs, as a share of the load: at least one falls into it, however late the generator has opened its
/// connections.
const PAUSE: f64 = 0.5;
/// The same in seconds, by which a load may be prolonged.
const LONGEST_PAUSE: f64 = 0.25;

/// Drives one load as [`driver::drive`] does, and proves the same requests meanwhile. The answers to that count as answers of
/// the load, for the server has worked for them.
pub fn drive(workload: &Workload<'_>, seconds: f64, server: &mut dyn Running) -> Result<Load, Failure> {
    let patience = PATIENCE + Duration::from_secs_f64(seconds);
    let mut prove = server.prover(patience)?;
    let mut rng = ChaCha8Rng::seed_from_u64(unforeseen());
    let pause = (seconds * PAUSE).min(LONGEST_PAUSE);
    let is_over = AtomicBool::new(false);
    let (load, checked) = thread::scope(|scope| {
        let check = scope.spawn(|| {
            let mut answered = 0;
            loop {
                let share = f64::from(rng.next_u32()) / f64::from(u32::MAX);
                thread::sleep(Duration::from_secs_f64(pause * share));
                if is_over.load(Ordering::Relaxed) {
                    return (Ok(Ok(())), answered);
                }
                let proven;
                (proven, answered) = prove(workload, rng.next_u64());
                if !matches!(proven, Ok(Ok(()))) {
                    return (proven, answered);
                }
            }
        });
        let load = driver::drive(workload, seconds, server);
        is_over.store(true, Ordering::Relaxed);
        (load, check.join())
    });
    let mut load = load?;
    let Ok((proven, answered)) = checked else {
        let reason = "the in-load verification panicked".to_owned();
        return Err(Failure::Verdict(Verdict::EnvironmentFailed, reason));
    };
    match proven? {
        Ok(()) => {}
        // A server that leaves requests unanswered has a verdict for that.
        Err(violation) if violation.symptom == Symptom::Silence && !load.errors.is_empty() => {}
        Err(violation) => return Err(server.failure_from(&violation).prefixed("under load, ")),
    }
    // Under the status of the others, or what stands for it where they got none.
    let expected = load.requests.keys().find(|status| is_expected(status)).cloned();
    let usual = if workload.scenario.refused {
        format!("{REFUSED}4xx")
    } else {
        EXPECTED.to_owned()
    };
    let expected = expected.unwrap_or(usual);
    *load.requests.entry(expected).or_default() += answered;
    load.verifier_requests += answered;
    Ok(load)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::driver::Driver as _;
    use crate::run::fake::{Event, Loaded, World, answers, breaks, split};
    use apps::profile::Profiles;
    use machine::program::Program;
    use servers::server::Launch;

    /// A witnessed load, changed by `change`, of a server that leaves the witness without an answer if it is `silent`.
    fn driven(silent: bool, change: fn(&mut Loaded)) -> Result<Load, Failure> {
        let profiles = Profiles::built_in();
        let scenario = profiles.scenario("plaintext", profiles.profile("quick").unwrap());
        let world = World::new(move |_, event| {
            match event {
                Event::Load(loaded) => change(loaded),
                Event::Witness if silent => return breaks(Verdict::Crashed, "no answer"),
                _ => {}
            }
            Ok(())
        });
        let program = Program::at(std::path::Path::new("/dev/null")).unwrap();
        let scenario = scenario.unwrap();
        let mut server = world.start(Launch::alone(&program), &scenario, &split())?;
        drive(&Workload::of(&scenario), 0.01, &mut *server)
    }

    #[test]
    fn its_answers_are_distinguished_from_the_generators() {
        let load = driven(false, |_| {}).unwrap();
        assert!(load.verifier_requests > 0);
        assert_eq!(load.own_answers(), answers(0.01));
    }

    #[test]
    fn a_silence_is_reported_once() {
        assert!(matches!(
            driven(true, |_| {}),
            Err(Failure::Verdict(Verdict::ContractFailed, _))
        ));
        let load = driven(true, |loaded| {
            loaded.load().errors.insert("timeout".into(), 3);
        });
        assert_eq!(load.unwrap().errors["timeout"], 3);
    }
}
