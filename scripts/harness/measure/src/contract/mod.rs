//! The contract: what every server must answer. It is proven with random input before each load and after it.
//!
//! [`prove_all`] proves all of it, once for each app; [`prove_request`] proves the one request that a trial is about to send;
//! [`violations`] lists all of them, for the author of the app. Demands that need a new server, such as its shutdown and its
//! workers, are in [`crate::check`].

mod client;
mod database;
mod endpoints;
mod half_closed;
mod input;
mod malformed;
mod services;
mod steady;
mod steady_socket;
mod wire;

pub use client::Client;
pub use services::ServicesToProve;
pub use steady::Steady;
pub use wire::Certificate;

use input::Input;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::asked::Asked;
use crate::interrupt;
use crate::service_input;
use record::Service;
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
    /// The harness could not tell: the database is gone.
    Unjudged,
}

impl Symptom {
    /// The symptom of an unexpected status.
    fn from_status(status: u16) -> Self {
        if status >= 500 { Self::ServerError } else { Self::Wrong }
    }
}

impl Violation {
    /// A request that could not be judged, because the harness could not ask the database.
    fn unjudged(request: impl Into<String>, reason: impl std::fmt::Display) -> Self {
        Self {
            request: request.into(),
            expected: "the database to tell whether the answer is true".into(),
            got: reason.to_string(),
            symptom: Symptom::Unjudged,
        }
    }
}

/// Whether a server proved that it keeps the contract, unless the user stopped it.
pub type Proven = Result<Result<(), Violation>, interrupt::Interrupted>;

/// Sends requests and checks the answers.
type Proof = fn(&Client, &mut Input<'_>) -> Result<(), Violation>;

/// Proves the whole contract, with random input from `seed`.
pub fn prove_all(client: &Client, seed: u64) -> Proven {
    prove(client, Input::new(seed, None), proofs(client).into_iter())
}

/// Every violation of the contract, each once. Stops after a missing answer, because each further request would wait as long
/// for a server that may be dead.
pub fn violations(client: &Client, seed: u64) -> Result<Vec<Violation>, interrupt::Interrupted> {
    let mut input = Input::new(seed, None);
    let mut violations = Vec::new();
    for proof in proofs(client) {
        interrupt::check()?;
        if let Err(violation) = proof(client, &mut input) {
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
    prove(client, Input::new(seed, None), of_scenario(scenario).into_iter())
}

/// Proves the requests of a load that is under way, as one more of its connections would send them. `seed` draws among them.
pub fn prove_beside(asked: &Asked<'_>, client: &Client, seed: u64) -> Proven {
    let proofs = of_scenario(asked.scenario());
    prove(client, Input::new(seed, Some(asked)), proofs.into_iter())
}

fn of_scenario(scenario: &Scenario) -> Option<Proof> {
    if let Some(served) = scenario.service {
        return Some(services::proof_of(served.kind));
    }
    let path = scenario.path.split('?').next().unwrap_or_default();
    of_path(scenario.database.is_some(), path)
}

/// The proof of a path of the contract with or without a database.
fn of_path(with_database: bool, path: &str) -> Option<Proof> {
    if with_database {
        return database::proof_of(path);
    }
    let mut proofs = endpoints::PROOFS.iter();
    proofs.find(|(proven, _)| *proven == path).map(|(_, proof)| *proof)
}

/// Size of the body that answers a request of a load, in bytes. Where answers differ in size, it is the mean of several to requests that
/// `seed` draws.
pub fn answer_size(asked: &Asked<'_>, client: &Client, seed: u64) -> Result<f64, Violation> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    if let Some(bytes) = asked.message_bytes() {
        return Ok(bytes as f64);
    }
    if let Some(bytes) = known_size(asked) {
        // Where answers have few bytes, the mean of some would differ too much from that of all.
        client.get(asked.path(&mut rng))?.expect_status(200)?;
        return Ok(bytes);
    }
    let times = if asked.is_varied() { ANSWERS_WEIGHED } else { 1 };
    let mut sum = 0;
    for _ in 0..times {
        let path = asked.path(&mut rng);
        let answer = match asked.scenario().method {
            Method::Get => client.get_with(path, asked.headers())?,
            Method::Post => match asked.body(&mut rng) {
                Some(body) => client.post_as(&asked.content_type(), path, body)?,
                None => client.post_nothing(path)?,
            },
        };
        answer.expect_status(200)?;
        sum += answer.body.len();
    }
    Ok(sum as f64 / f64::from(times))
}

/// The mean size of the answers to a load of routes, which follow from the paths.
fn known_size(asked: &Asked<'_>) -> Option<f64> {
    asked
        .scenario()
        .service
        .filter(|served| served.kind == Service::Routes)?;
    let sizes = asked.paths().iter().map(|path| service_input::answer_to(path).len());
    Some(sizes.sum::<usize>() as f64 / asked.paths().len() as f64)
}

/// Answers whose mean size is compared with the mean under load: numbers of one to five digits, whose mean is then known to half a
/// digit.
const ANSWERS_WEIGHED: u32 = 16;

fn prove(client: &Client, mut input: Input<'_>, proofs: impl Iterator<Item = Proof>) -> Proven {
    for proof in proofs {
        interrupt::check()?;
        if let Err(violation) = proof(client, &mut input) {
            return Ok(Err(violation));
        }
    }
    Ok(Ok(()))
}

/// All proofs of the part of the contract that a server keeps.
fn proofs(client: &Client) -> Vec<Proof> {
    if client.database().is_some() {
        return database::proofs().collect();
    }
    if let Some(services) = client.services() {
        return services::proofs(services);
    }
    let endpoints = endpoints::PROOFS.iter().map(|(_, proof)| proof);
    endpoints.chain(malformed::PROOFS).copied().collect()
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
            assert!(of_scenario(&scenario).is_some(), "{name}");
        }
    }
}
