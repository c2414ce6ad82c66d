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
use refusals::{Refused, still_there};
use scope::proof_of_scenario;

use crate::database::Role;
use crate::workload::Workload;
use machine::interrupt;
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
}

/// Whether a server proved that it keeps the contract, unless the user stopped it.
pub type Proven = Result<Result<(), Violation>, interrupt::Interrupted>;

/// Sends requests and checks the answers.
type Answers = fn(&Client, &mut Input<'_>) -> Result<(), Violation>;

/// How a demand on a server is proven.
#[derive(Clone, Copy)]
enum Proof {
    Answers(Answers),
    /// At one of its paths.
    Refuses(&'static Refused, &'static str),
    KeepsInStep(&'static Refused, &'static str),
}

impl Proof {
    fn of(self, client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
        match self {
            Self::Answers(answers) => answers(client, input),
            Self::Refuses(refused, path) => refusals::refuses(refused, path, client, input),
            Self::KeepsInStep(refused, path) => refusals::keeps_in_step(refused, path, client, input),
        }
    }
}

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
        if let Err(violation) = proof.of(client, &mut input) {
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
    prove(
        client,
        Input::new(seed, workload.as_ref()),
        of_scenario(scenario).into_iter(),
    )
}

/// Proves the requests of a load that is under way, as one more of its connections would send them. `seed` draws among them.
pub fn prove_under_load(workload: &Workload<'_>, client: &Client, seed: u64) -> Proven {
    let proofs = of_scenario(workload.scenario);
    prove(client, Input::new(seed, Some(workload)), proofs.into_iter())
}

fn of_scenario(scenario: &Scenario) -> Option<Proof> {
    if scenario.refused {
        return Some(Proof::Answers(refusals::refuses_load));
    }
    if let Some(served) = scenario.service {
        return Some(Proof::Answers(services::proof_of(served.kind)));
    }
    proof_of_scenario(scenario).map(|(_, answers)| Proof::Answers(*answers))
}

/// Size of the body that answers a request of a load, in bytes. Where answers differ in size, it is the mean of several to requests that
/// `seed` draws.
pub fn answer_size(workload: &Workload<'_>, client: &Client, seed: u64) -> Result<f64, Violation> {
    if let Some(bytes) = workload.message_bytes() {
        return Ok(bytes as f64);
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut request = || {
        let path = workload.path(&mut rng);
        let body = workload.body(&mut rng).map(|body| (workload.content_type(), body));
        let answer = client.request(workload.scenario.method.as_str(), path, &workload.headers, body)?;
        let right = if workload.scenario.refused {
            answer.expect_refusal(None, false)
        } else {
            answer.expect_status(200)
        };
        right.map(|()| answer.body.len())
    };
    let first = request()?;
    if let Some(mean) = workload.known_size() {
        return Ok(mean);
    }
    let mut sum = first;
    let times = if workload.is_varied() { ANSWERS_WEIGHED } else { 1 };
    for _ in 1..times {
        sum += request()?;
    }
    Ok(sum as f64 / f64::from(times))
}

/// Answers whose mean size is compared with the mean under load: numbers of one to five digits, whose mean is then known to half a
/// digit.
const ANSWERS_WEIGHED: u32 = 16;

fn prove(client: &Client, mut input: Input<'_>, proofs: impl Iterator<Item = Proof>) -> Proven {
    for proof in proofs {
        interrupt::check()?;
        if let Err(violation) = proof.of(client, &mut input) {
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
    let of = |proofs: &[(&'static str, Answers)]| {
        let proofs = proofs.iter();
        proofs
            .map(|(path, answers)| (Scope::Endpoint(path), *answers))
            .collect()
    };
    match backend {
        Backend::Nothing => of(endpoints::PROOFS),
        Backend::Database(_) => of(database::PROOFS),
        Backend::Services(services) => {
            let offers = services.offers.iter();
            offers
                .map(|kind| (Scope::Services(vec![*kind]), services::proof_of(*kind)))
                .collect()
        }
    }
}

/// All demands of the part of the contract that a server keeps.
fn demands(backend: &Backend) -> Vec<(Scope, Proof)> {
    let mut answers = answers(backend);
    answers.push((Scope::of_path(backend, "/"), still_there));
    let answers = answers
        .into_iter()
        .map(|(scope, answers)| (scope, Proof::Answers(answers)));
    let refused = refusals::of(backend).flat_map(|refused| {
        refused.paths().flat_map(move |path| {
            let refuses = (refused.scope(backend, path), Proof::Refuses(refused, path));
            let in_step = refused
                .is_long()
                .then_some((Scope::Server, Proof::KeepsInStep(refused, path)));
            [Some(refuses), in_step].into_iter().flatten()
        })
    });
    answers.chain(refused).collect()
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
