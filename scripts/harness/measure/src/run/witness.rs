//! A witness of the load: the prover asks its question while the generator drives the server.
//!
//! What is proven before and after a load says nothing of the answers in it, of which the generator reads status and size. Here one more
//! connection sends another request of the load, at moments that the server cannot foresee, and checks every byte of
//! the answer.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::trial;
use crate::asked::{Asked, unforeseen};
use crate::contract::{self, Symptom};
use crate::failure::Failure;
use crate::generator::{Generator, Load};
use crate::server::Server;
use record::{EXPECTED, Verdict};

/// How long an answer may take after the end of the load: it waits with those of all other connections.
const PATIENCE: Duration = Duration::from_secs(30);
/// Longest pause between two proofs, as a share of the load: at least one falls into it, however late the generator has opened its
/// connections.
const PAUSE: f64 = 0.5;
/// The same in seconds, by which a load may be prolonged.
const LONGEST_PAUSE: f64 = 0.25;

/// Drives one load as [`trial::drive`] does, and proves the same requests meanwhile. The answers to that count as answers of
/// the load, for the server has worked for them.
pub fn drive(generator: &Generator, asked: &Asked<'_>, seconds: f64, server: &mut Server) -> Result<Load, Failure> {
    let patience = PATIENCE + Duration::from_secs_f64(seconds);
    let client = server.client()?.with_patience(patience);
    let mut rng = ChaCha8Rng::seed_from_u64(unforeseen());
    let pause = (seconds * PAUSE).min(LONGEST_PAUSE);
    let is_over = AtomicBool::new(false);
    let (load, witness) = thread::scope(|scope| {
        let witness = scope.spawn(|| {
            let client = client;
            loop {
                let share = f64::from(rng.next_u32()) / f64::from(u32::MAX);
                thread::sleep(Duration::from_secs_f64(pause * share));
                if is_over.load(Ordering::Relaxed) {
                    return (Ok(Ok(())), client.answered());
                }
                let proven = contract::prove_beside(asked, &client, rng.next_u64());
                if !matches!(proven, Ok(Ok(()))) {
                    return (proven, client.answered());
                }
            }
        });
        let load = trial::drive(generator, asked, seconds, server);
        is_over.store(true, Ordering::Relaxed);
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
    load.beside += answered;
    Ok(load)
}
