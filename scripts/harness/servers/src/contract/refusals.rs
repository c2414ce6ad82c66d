//! Requests that must be refused (`refusals.toml`): 4xx, never 5xx or a broken connection. Afterwards the server must still answer.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use model::Service;
use model::scenario::Method;
use rand::Rng;
use serde::Deserialize;

use super::client::{Client, JSON};
use super::input::Input;
use super::{Backend, Scope, Violation};

static REFUSALS: LazyLock<BTreeMap<String, Vec<Refused>>> =
    LazyLock::new(|| toml::from_str(include_str!("refusals.toml")).expect("every proof reads it"));

/// Requests that are refused in the same way.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Refused {
    #[serde(default)]
    services: Vec<Service>,
    method: Method,
    pub paths: Vec<String>,
    #[serde(default)]
    bodies: Vec<String>,
    long: Option<usize>,
    status: Option<u16>,
    #[serde(default)]
    reason: bool,
}

/// What a server with this backend must refuse.
pub(super) fn of(backend: &Backend) -> impl Iterator<Item = &'static Refused> {
    let part = match backend {
        Backend::Nothing => "plain",
        Backend::Database(_) => "database",
        Backend::Services(_) => "services",
    };
    let is_offered = move |service: &Service| matches!(backend, Backend::Services(own) if own.offers.contains(service));
    let refused = REFUSALS[part].iter();
    refused.filter(move |row| row.services.is_empty() || row.services.iter().any(is_offered))
}

impl Refused {
    /// What the rule is about that they are refused at this path.
    pub fn scope(&self, backend: &Backend, path: &str) -> Scope {
        if self.services.is_empty() {
            Scope::of_path(backend, path)
        } else {
            Scope::Services(self.services.clone())
        }
    }

    /// Whether their bodies are too large.
    pub fn is_long(&self) -> bool {
        self.long.is_some()
    }

    /// The bodies, none of which anybody can foresee.
    fn bodies(&self, number: &str) -> Vec<String> {
        let letters = "a".repeat(self.long.unwrap_or(0));
        let bodies = self.bodies.iter();
        bodies
            .map(|body| body.replace('#', number).replace("LONG", &letters))
            .collect()
    }

    /// Sends these requests to one of their paths.
    pub fn refuses(&self, path: &str, client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
        let number = unforeseen(input);
        let path = path.replace('#', &number);
        let request = |body: Option<(&str, &str)>| {
            let answer = client.request(self.method.as_str(), &path, &[], body)?;
            answer.expect_refusal(self.status, self.reason)
        };
        let bodies = self.bodies(&number);
        if bodies.is_empty() {
            return request(None);
        }
        bodies.iter().try_for_each(|body| request(Some((JSON, body))))
    }

    /// Whatever is answered to a body that is too large, the rest of it must not be read as the next request.
    pub fn keeps_in_step(&self, path: &str, client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
        for body in self.bodies(&unforeseen(input)) {
            client.request(self.method.as_str(), path, &[], Some((JSON, &body)))?;
        }
        let answer = client.get("/")?;
        let got = format!("status {}, {}", answer.status, answer.quoted());
        answer.ensure(answer.status == 200, "status 200 after a body that is too large", got)
    }
}

/// Sends a request of a load of which each must be refused.
pub(super) fn refuses_load(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    let load = input.load.expect("its scenario has the requests");
    client.request_of(load, &mut input.rng)?.expect_refusal(None, false)
}

fn unforeseen(input: &mut Input<'_>) -> String {
    (1000 + input.rng.next_u32() % 1_000_000_000).to_string()
}

pub(super) fn still_there(client: &Client, _: &mut Input<'_>) -> Result<(), Violation> {
    client.get("/")?.expect_type(200, "text/plain").map(|_| ())
}
