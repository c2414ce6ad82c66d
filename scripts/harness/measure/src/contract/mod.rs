//! The contract: what every server must answer. It is proven with random input before each load and after it.
//!
//! [`prove_all`] proves all of it, once for each app; [`prove_request`] proves the one request that a trial is about to send;
//! [`violations`] lists all of them, for the author of the app. Demands that need a new server, such as its shutdown and its
//! workers, are in [`crate::check`].

mod client;
mod endpoints;
mod half_closed;
mod malformed;
mod steady;
mod wire;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

pub use client::Client;
pub use steady::Steady;
pub use wire::Certificate;

use crate::interrupt;
use record::scenario::{Method, Scenario};

/// An answer that is not the expected one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{request}: expected {expected}, got {got}")]
pub struct Violation {
    /// What was asked: `GET /hello`.
    pub request: String,
    /// What the contract demands.
    pub expected: String,
    /// What the server answered.
    pub got: String,
    /// What it says about the state of the server.
    pub symptom: Symptom,
}

/// What a violation says about the state of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Symptom {
    /// No answer at all; the server may be dead.
    Silence,
    /// A status 5xx: its stderr may say why.
    ServerError,
    /// Another wrong answer.
    Wrong,
}

impl Symptom {
    /// The symptom of an unexpected status.
    fn from_status(status: u16) -> Self {
        if status >= 500 { Self::ServerError } else { Self::Wrong }
    }
}

/// Whether a server proved that it keeps the contract, unless the user stopped it.
pub type Proven = Result<Result<(), Violation>, interrupt::Interrupted>;

/// Sends requests and checks the answers.
type Proof = fn(&Client, &mut ChaCha8Rng) -> Result<(), Violation>;

/// Proves the whole contract, with random input from `seed`.
pub fn prove_all(client: &Client, seed: u64) -> Proven {
    prove(client, seed, proofs())
}

/// Every violation of the contract, each once. Stops after a missing answer, because each further request would wait as long
/// for a server that may be dead.
pub fn violations(client: &Client, seed: u64) -> Result<Vec<Violation>, interrupt::Interrupted> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut violations = Vec::new();
    for proof in proofs() {
        interrupt::check()?;
        if let Err(violation) = proof(client, &mut rng) {
            let is_last = violation.symptom == Symptom::Silence;
            // Several proofs send the same request.
            if !violations.contains(&violation) {
                violations.push(violation);
            }
            if is_last {
                break;
            }
        }
    }
    Ok(violations)
}

/// Proves the request of one scenario, with random input from `seed`.
pub fn prove_request(scenario: &Scenario, client: &Client, seed: u64) -> Proven {
    let path = scenario.path.split('?').next().unwrap_or_default();
    let proofs = endpoints::PROOFS.iter().filter(|(proven, _)| *proven == path);
    prove(client, seed, proofs.map(|(_, proof)| *proof))
}

/// Size of the body that answers the very request that `scenario` sends, in bytes.
pub fn answer_size(scenario: &Scenario, client: &Client) -> Result<usize, Violation> {
    let answer = match scenario.method {
        Method::Get => client.get(&scenario.path)?,
        Method::Post => client.post(&scenario.path, scenario.body.as_deref().unwrap_or_default())?,
    };
    answer.expect_status(200)?;
    Ok(answer.body.len())
}

fn prove(client: &Client, seed: u64, proofs: impl Iterator<Item = Proof>) -> Proven {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    for proof in proofs {
        interrupt::check()?;
        if let Err(violation) = proof(client, &mut rng) {
            return Ok(Err(violation));
        }
    }
    Ok(Ok(()))
}

fn proofs() -> impl Iterator<Item = Proof> {
    let endpoints = endpoints::PROOFS.iter().map(|(_, proof)| proof);
    endpoints.chain(malformed::PROOFS).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Profiles;

    #[test]
    fn the_request_of_every_scenario_is_proven() {
        let profiles = Profiles::built_in();
        for name in profiles.scenario_names() {
            let quick = profiles.profile("quick").unwrap();
            let scenario = profiles.scenario(name, quick).unwrap();
            let path = scenario.path.split('?').next().unwrap();
            assert!(endpoints::PROOFS.iter().any(|(proven, _)| *proven == path), "{name}");
        }
    }
}
