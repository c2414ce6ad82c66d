//! The contract: what every server must answer. It is proven with random input before each load and after it.
//!
//! [`prove_all`] proves all of it, once for each app; [`prove_request`] proves the one request that a trial is about to send;
//! [`violations`] lists all rules that are broken, with the scenarios that they touch ([`Scope`]). Demands that need a new server, such as its
//! shutdown and its workers, are in [`crate::check`].

mod client;
mod database;
mod endpoints;
mod half_closed;
mod input;
mod refusals;
mod scope;
mod services;
mod steady;
mod streams;

pub use crate::shared_files::Certificate;
pub use client::Client;
pub use scope::{Breach, Scope};
pub use services::ServicesToProve;
pub use steady::Steady;

use std::sync::Arc;

use input::Input;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use refusals::still_there;
use scope::proof_of_scenario;

use crate::database::Role;
use crate::workload::Workload;
use machine::interrupt;
use model::Service;
use model::scenario::Scenario;

/// An answer that is not the expected one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{request}: expected {expected}, got {got}")]
pub struct Violation {
    /// The request: `GET /hello`.
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
    /// The harness could not tell: the database is gone, say.
    Unjudged,
}

impl Symptom {
    /// The symptom of an unexpected status.
    pub fn from_status(status: u16) -> Self {
        if status >= 500 { Self::ServerError } else { Self::Wrong }
    }
}

impl Violation {
    /// A demand that an answering server does not meet.
    pub fn wrong(request: impl Into<String>, expected: impl Into<String>, got: impl Into<String>) -> Self {
        Self {
            request: request.into(),
            expected: expected.into(),
            got: got.into(),
            symptom: Symptom::Wrong,
        }
    }

    /// The same where no answer came.
    pub fn silence(request: impl Into<String>, expected: impl Into<String>, got: impl Into<String>) -> Self {
        Self {
            symptom: Symptom::Silence,
            ..Self::wrong(request, expected, got)
        }
    }
}

/// A proof that failed for want of a database, or by whatever else of the harness, says nothing about the server.
impl From<anyhow::Error> for Violation {
    fn from(error: anyhow::Error) -> Self {
        Self {
            symptom: Symptom::Unjudged,
            ..Self::wrong(
                "a look behind the server",
                "the harness to see it",
                format!("{error:#}"),
            )
        }
    }
}

/// What stands behind a server, by the part of the contract that it keeps.
#[derive(Debug, Clone, Default)]
pub enum Backend {
    /// Nothing: it answers plainly.
    #[default]
    Nothing,
    /// A database, in which it has a role.
    Database(Arc<Role>),
    /// The service features that it offers.
    Services(ServicesToProve),
}

impl Backend {
    /// The server's role in the database, if there is one.
    pub fn role(&self) -> Option<&Arc<Role>> {
        match self {
            Self::Database(role) => Some(role),
            Self::Nothing | Self::Services(_) => None,
        }
    }

    /// The proofs of the endpoints that every such server has, by path.
    fn endpoints(&self) -> &'static [(&'static str, Answers)] {
        match self {
            Self::Nothing => endpoints::PROOFS,
            Self::Database(_) => database::PROOFS,
            Self::Services(_) => &[],
        }
    }
}

/// Whether a server proved that it keeps the contract, unless the user stopped it.
pub type Proven = Result<Result<(), Violation>, interrupt::Interrupted>;

/// Sends requests and checks the answers.
type Answers = fn(&Client, &mut Input<'_>) -> Result<(), Violation>;

/// How a demand on a server is proven.
type Proof = Box<dyn Fn(&Client, &mut Input<'_>) -> Result<(), Violation>>;

/// Proves the whole contract, with random input from `seed`.
pub fn prove_all(client: &Client, seed: u64) -> Proven {
    let proofs = demands(&client.backend).into_iter().map(|(_, proof)| proof);
    prove(client, Input::new(seed, None), proofs)
}

/// Every violation of the contract, each once. What has left a request without an answer is sent no further one, because each would wait as
/// long: the endpoint, or the server, if it then answers nothing else.
pub fn violations(client: &Client, seed: u64) -> Result<Vec<Breach>, interrupt::Interrupted> {
    let mut input = Input::new(seed, None);
    let mut breaches = Vec::new();
    for (scope, proof) in demands(&client.backend) {
        interrupt::check()?;
        let is_silent = |breach: &Breach| breach.scope == scope && breach.violation.symptom == Symptom::Silence;
        if breaches.iter().any(is_silent) {
            continue;
        }
        if let Err(violation) = proof(client, &mut input) {
            let is_last = violation.symptom == Symptom::Silence && client.get("/").is_err();
            let is_of_all = is_last || violation.symptom == Symptom::Unjudged;
            let scope = if is_of_all { Scope::Server } else { scope };
            let breach = Breach { scope, violation };
            // Several proofs send the same request.
            if !breaches.contains(&breach) {
                breaches.push(breach);
            }
            if is_last {
                break;
            }
        }
    }
    Ok(breaches)
}

/// Proves the request of one scenario, with random input from `seed`.
pub fn prove_request(scenario: &Scenario, client: &Client, seed: u64) -> Proven {
    let workload = scenario.refused.then(|| Workload::of(scenario));
    prove(client, Input::new(seed, workload.as_ref()), of_scenario(scenario))
}

/// Proves the requests of a load that is under way, as one more of its connections would send them. `seed` draws among them.
pub fn prove_under_load(workload: &Workload<'_>, client: &Client, seed: u64) -> Proven {
    prove(client, Input::new(seed, Some(workload)), of_scenario(workload.scenario))
}

fn of_scenario(scenario: &Scenario) -> Option<Answers> {
    if scenario.refused {
        return Some(refusals::refuses_load);
    }
    if let Some(served) = scenario.service {
        return Some(services::proof_of(served.kind));
    }
    proof_of_scenario(scenario).map(|(_, answers)| *answers)
}

/// Size of the body that answers a request of a load, in bytes. Where answers differ in size, it is the mean of several to requests that
/// `seed` draws.
pub fn answer_size(workload: &Workload<'_>, client: &Client, seed: u64) -> Result<f64, Violation> {
    if let Some(bytes) = workload.message_bytes() {
        return Ok(bytes as f64);
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut request = || {
        let answer = client.request_of(workload, &mut rng)?;
        let right = if workload.scenario.refused {
            answer.expect_refusal(None, false)
        } else {
            answer.expect_status(200)
        };
        right.map(|()| answer.body.len())
    };
    let mut sum = request()?;
    if let Some(mean) = workload.known_size() {
        return Ok(mean);
    }
    let times = if workload.is_varied() { ANSWERS_WEIGHED } else { 1 };
    for _ in 1..times {
        sum += request()?;
    }
    Ok(sum as f64 / f64::from(times))
}

/// Answers whose mean size is compared with the mean under load: numbers of one to five digits, whose mean is then known to half a
/// digit.
const ANSWERS_WEIGHED: u32 = 16;

fn prove<P>(client: &Client, mut input: Input<'_>, proofs: impl IntoIterator<Item = P>) -> Proven
where
    P: Fn(&Client, &mut Input<'_>) -> Result<(), Violation>,
{
    for proof in proofs {
        interrupt::check()?;
        if let Err(violation) = proof(client, &mut input) {
            return Ok(Err(violation));
        }
    }
    Ok(Ok(()))
}

/// What a server with this backend answers, each once.
pub(crate) fn offered(backend: &Backend) -> Vec<Scope> {
    let mut offered: Vec<Scope> = answers(backend).into_iter().map(|(scope, _)| scope).collect();
    offered.dedup();
    offered
}

/// The same with their proofs, of which an endpoint may have several.
fn answers(backend: &Backend) -> Vec<(Scope, Answers)> {
    if let Backend::Services(services) = backend {
        let of = |kind: &Service| (Scope::Services(vec![*kind]), services::proof_of(*kind));
        return services.offers.iter().map(of).collect();
    }
    let endpoints = backend.endpoints().iter();
    endpoints
        .map(|(path, answers)| (Scope::Endpoint(path), *answers))
        .collect()
}

/// All demands of the part of the contract that a server keeps.
fn demands(backend: &Backend) -> Vec<(Scope, Proof)> {
    let mut demands: Vec<(Scope, Proof)> = Vec::new();
    for (scope, answers) in answers(backend) {
        demands.push((scope, Box::new(answers)));
    }
    demands.push((Scope::of_path(backend, "/"), Box::new(still_there)));
    for refused in refusals::of(backend) {
        for path in &refused.paths {
            let refuses = move |client: &Client, input: &mut Input<'_>| refused.refuses(path, client, input);
            demands.push((refused.scope(backend, path), Box::new(refuses)));
            if refused.is_long() {
                let in_step = move |client: &Client, input: &mut Input<'_>| refused.keeps_in_step(path, client, input);
                demands.push((Scope::Server, Box::new(in_step)));
            }
        }
    }
    demands
}

#[cfg(test)]
mod tests {
    use super::*;
    use apps::profile::Profiles;

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
