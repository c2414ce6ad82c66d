//! A witness of the load: the prover asks its question while the generator drives the server.
//!
//! What is proven before and after a load says nothing of the answers in it, of which the generator reads status and size. Here one more
//! connection opens at moments that the server cannot foresee, sends what looks like another request of the load, and checks every
//! byte of the answer.

use std::thread;
use std::time::{Duration, Instant};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::trial;
use crate::contract::{self, Symptom};
use crate::failure::Failure;
use crate::generator::{Generator, Load};
use crate::server::Server;
use record::scenario::Scenario;
use record::{EXPECTED, Verdict};

/// How long an answer may take after the end of the load: it waits with those of all other connections.
const PATIENCE: Duration = Duration::from_secs(30);
/// Proofs in one load. More would be a load of their own where requests are slow.
const PROOFS: usize = 3;
/// Time that the generator needs until its connections are open, by which a load begins and ends later than its process.
const GENERATOR_START: Duration = Duration::from_millis(15);
/// Share of the load, from its beginning, in which the proofs are made.
const LATEST: f64 = 0.7;

/// Drives one load as [`trial::drive`] does, and proves the request of `scenario` meanwhile. The answers to that count as answers of
/// the load, for the server has worked for them.
pub fn drive(
    generator: &Generator,
    scenario: &Scenario,
    seconds: f64,
    server: &mut Server,
    seed: u64,
) -> Result<Load, Failure> {
    let patience = PATIENCE + Duration::from_secs_f64(seconds);
    let client = server.client()?.with_patience(patience);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut moments = [(); PROOFS].map(|()| {
        let share = f64::from(rng.next_u32()) / f64::from(u32::MAX);
        GENERATOR_START + Duration::from_secs_f64(seconds * LATEST * share)
    });
    moments.sort_unstable();
    let (load, witness) = thread::scope(|scope| {
        let witness = scope.spawn(move || {
            let began = Instant::now();
            let mut proven = Ok(Ok(()));
            for moment in moments {
                thread::sleep(moment.saturating_sub(began.elapsed()));
                proven = contract::prove_request(scenario, &client, rng.next_u64());
                if !matches!(proven, Ok(Ok(()))) {
                    break;
                }
            }
            (proven, client.answered())
        });
        let load = trial::drive(generator, scenario, seconds, server);
        (load, witness.join())
    });
    let mut load = load?;
    let Ok((proven, answered)) = witness else {
        let reason = "the witness of the load panicked".to_owned();
        return Err(Failure::Verdict(Verdict::EnvironmentFailed, reason));
    };
    match proven? {
        Ok(()) => {}
        // A server that leaves requests unanswered has a verdict for that.
        Err(violation) if violation.symptom == Symptom::Silence && !load.errors.is_empty() => {}
        Err(violation) => return Err(server.failure_from(&violation).prefixed("under load, ")),
    }
    *load.requests.entry(EXPECTED.to_owned()).or_default() += answered;
    Ok(load)
}
