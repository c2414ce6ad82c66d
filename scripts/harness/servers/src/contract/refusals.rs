//! Requests that must be refused (`refusals.toml`): 4xx, never 5xx or a broken connection. Afterwards the server must still answer.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use model::Service;
use model::scenario::Method;
use rand::Rng;
use serde::Deserialize;

use super::client::{Client, JSON};
use super::input::Input;
use super::{Backend, Violation};

static REFUSALS: LazyLock<BTreeMap<String, Vec<Refused>>> =
    LazyLock::new(|| toml::from_str(include_str!("refusals.toml")).expect("every proof reads it"));

/// Requests that are refused in the same way.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Refused {
    #[serde(default)]
    services: Vec<Service>,
    method: Method,
    paths: Vec<String>,
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

/// Sends these requests.
pub(super) fn refuses(refused: &Refused, client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    let number = (1000 + input.rng.next_u32() % 1_000_000_000).to_string();
    let filled = |text: &String| {
        let letters = "a".repeat(refused.long.unwrap_or(0));
        text.replace('#', &number).replace("LONG", &letters)
    };
    for path in refused.paths.iter().map(filled) {
        let request = |body: Option<(&str, &str)>| {
            let answer = client.request(refused.method.as_str(), &path, &[], body)?;
            answer.expect_refusal(refused.status, refused.reason)
        };
        if refused.bodies.is_empty() {
            request(None)?;
        }
        for body in refused.bodies.iter().map(filled) {
            request(Some((JSON, &body)))?;
        }
    }
    if refused.long.is_none() {
        return Ok(());
    }
    // The rest of the body must not be read as the next request.
    let answer = client.get("/")?;
    let got = format!("status {}, {}", answer.status, answer.quoted());
    answer.ensure(answer.status == 200, "status 200 after a body that is too large", got)
}

pub(super) fn still_there(client: &Client, _: &mut Input<'_>) -> Result<(), Violation> {
    client.get("/")?.expect_type(200, "text/plain").map(|_| ())
}
