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
mod refusals;
mod services;
mod steady;

pub use crate::shared_files::Certificate;
pub use client::Client;
pub use services::ServicesToProve;
pub use steady::Steady;

use std::sync::Arc;

use input::Input;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use refusals::{Refused, still_there};

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

/// One demand on a server.
#[derive(Clone, Copy)]
enum Proof {
    Answers(Answers),
    Refuses(&'static Refused),
}

impl Proof {
    fn of(self, client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
        match self {
            Self::Answers(answers) => answers(client, input),
            Self::Refuses(refused) => refusals::refuses(refused, client, input),
        }
    }
}

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
        if let Err(violation) = proof.of(client, &mut input) {
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
pub fn prove_under_load(workload: &Workload<'_>, client: &Client, seed: u64) -> Proven {
    let proofs = of_scenario(workload.scenario);
    prove(client, Input::new(seed, Some(workload)), proofs.into_iter())
}

fn of_scenario(scenario: &Scenario) -> Option<Proof> {
    if let Some(served) = scenario.service {
        return Some(Proof::Answers(services::proof_of(served.kind)));
    }
    let path = scenario.path.split('?').next().unwrap_or_default();
    let proofs = match scenario.database {
        Some(_) => database::PROOFS,
        None => endpoints::PROOFS,
    };
    // `/orders/` stands for all paths under it.
    let is_its = |proven: &str| path == proven || proven.len() > 1 && proven.ends_with('/') && path.starts_with(proven);
    let proof = proofs.iter().find(|(proven, _)| is_its(proven));
    proof.map(|(_, answers)| Proof::Answers(*answers))
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
        answer.expect_status(200).map(|()| answer.body.len())
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

/// All proofs of the part of the contract that a server keeps.
fn proofs(client: &Client) -> Vec<Proof> {
    let backend = client.backend();
    let all = |proofs: &[(&str, Answers)]| proofs.iter().map(|(_, answers)| *answers).collect();
    let mut answers: Vec<Answers> = match backend {
        Backend::Nothing => all(endpoints::PROOFS),
        Backend::Database(_) => all(database::PROOFS),
        Backend::Services(services) => services.offers.iter().copied().map(services::proof_of).collect(),
    };
    answers.push(still_there);
    let refused = refusals::of(backend).map(Proof::Refuses);
    answers.into_iter().map(Proof::Answers).chain(refused).collect()
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
