//! Checks the answers of servers with service features.

mod coded;
mod files;
mod pieces;
mod upload;
mod websocket;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, anyhow};
use rand::Rng;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::contract::client::Client;
use crate::contract::input::Input;
use crate::contract::{Answers, Backend, Violation};
use crate::service_input::{self, bearer, signed, unsigned};
use crate::workload::AUTHORIZATION;
use model::Service;

/// Paths that one proof requests.
const PATHS: usize = 20;
/// A second between 2001 and now, at which a token ended.
const ENDED: u64 = 1_000_000_000;

/// What a server does, and how much it has registered.
#[derive(Debug, Clone)]
pub struct ServicesToProve {
    /// The features that it offers.
    pub offers: BTreeSet<Service>,
    /// Routes.
    pub routes: u32,
    /// Layers of middleware.
    pub layers: u32,
}

/// The proof of one kind of work.
pub(super) fn proof_of(service: Service) -> Answers {
    match service {
        Service::Routes => routes,
        Service::Middleware => middleware,
        Service::Auth => auth,
        Service::Validate => validate,
        Service::Json => document,
        Service::Upload => upload::upload,
        Service::Static => files::whole,
        Service::Revalidate => files::revalidated,
        Service::Range => files::parts,
        Service::Gzip => |client, input| coded::coded(client, input, "gzip"),
        Service::Brotli => |client, input| coded::coded(client, input, "br"),
        Service::Zstd => |client, input| coded::coded(client, input, "zstd"),
        Service::Stream => pieces::stream,
        Service::Events => pieces::events,
        Service::Websocket => websocket::websocket,
    }
}

/// What the server offers; these proofs are for servers that offer something.
fn services(client: &Client) -> Result<&ServicesToProve, Violation> {
    match &client.backend {
        Backend::Services(services) => Ok(services),
        _ => Err(anyhow!("it offers no service features").into()),
    }
}

fn routes(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    if let Some(path) = input.path_of_load() {
        return client.get(path)?.expect_text(service_input::answer_to(path));
    }
    let routes = services(client)?.routes;
    let path_of = |number| service_input::path_of(number, "x");
    // The first and the last, so that none is missing at the ends.
    for path in [0, routes.saturating_sub(1)].map(path_of) {
        client.get(&path)?.expect_text(service_input::answer_to(&path))?;
    }
    for _ in 0..PATHS {
        let path = service_input::path(routes, &mut input.rng);
        let answer = client.get(&format!("{path}?q={}", input.rng.next_u32()))?;
        answer.expect_text(service_input::answer_to(&path))?;
        // One part more is another path.
        client.get(&format!("{path}/more"))?.expect_status(404)?;
    }
    client.get(&path_of(routes))?.expect_status(404)
}

fn middleware(client: &Client, _: &mut Input<'_>) -> Result<(), Violation> {
    let layers = services(client)?.layers;
    client.get("/middleware")?.expect_text(&layers.to_string())
}

fn auth(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    if input.is_witness() {
        let fields = input.fields_of_load();
        let claims = fields.first().and_then(|(_, value)| service_input::claims_in(value));
        let answer = client.get_with("/auth", fields)?;
        return answer.expect_json(200, &claims.unwrap_or_default());
    }
    let get = |bearer: String| client.get_with("/auth", &[(AUTHORIZATION, bearer)]);
    let claims = service_input::claims(&mut input.rng);
    get(bearer(&claims))?.expect_json(200, &claims)?;
    let mut ended = claims.clone();
    ended["exp"] = ENDED.into();
    let other_key = input.rng.next_u64().to_string();
    let forged = signed(&claims, &json!({ "alg": "HS256", "typ": "JWT" }), other_key.as_bytes());
    let (own, other) = (bearer(&claims), bearer(&service_input::claims(&mut input.rng)));
    // The signature of one token under the claims of another.
    let swapped = own.rsplit_once('.').zip(other.rsplit_once('.'));
    let swapped = swapped.map(|((claims, _), (_, signature))| format!("{claims}.{signature}"));
    for wrong in [
        bearer(&ended),
        forged,
        swapped.unwrap_or_default(),
        unsigned(&claims),
        own.replace("Bearer ", "Basic "),
        "Bearer".into(),
    ] {
        get(wrong)?.expect_refusal(Some(401), true)?;
    }
    client.get("/auth")?.expect_refusal(Some(401), true)
}

fn validate(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    let total = |order: &Value| json!({ "total": service_input::total(order) });
    if let Some(body) = input.body_of_load() {
        let order: Value = serde_json::from_str(body).unwrap_or_default();
        return client.post("/validate", body)?.expect_json(200, &total(&order));
    }
    let order = service_input::order(&mut input.rng);
    client
        .post("/validate", &order.to_string())?
        .expect_json(200, &total(&order))?;
    let line = input.rng.next_u32() as usize % order["lines"].as_array().map_or(1, Vec::len);
    let WrongOrders { orders } = toml::from_str(include_str!("wrong_orders.toml")).context("wrong_orders.toml")?;
    let of_line = |text: &String| text.replace('#', &line.to_string());
    for WrongOrder { wrong, fields } in orders {
        let mut order = order.clone();
        for (place, value) in &wrong {
            if let Some(field) = order.pointer_mut(&of_line(place)) {
                *field = if value == "LONG" {
                    "x".repeat(4001).into()
                } else {
                    value.clone()
                };
            }
        }
        let fields: Vec<String> = fields.iter().map(of_line).collect();
        let answer = client.post("/validate", &order.to_string())?;
        answer.expect_json(422, &json!({ "fields": fields }))?;
    }
    Ok(())
}

#[derive(Deserialize)]
struct WrongOrders {
    orders: Vec<WrongOrder>,
}

#[derive(Deserialize)]
struct WrongOrder {
    wrong: BTreeMap<String, Value>,
    fields: Vec<String>,
}

fn document(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    let document = input.body_or(service_input::document);
    let expected = service_input::known_fields(&document).unwrap_or_default();
    client.post("/json", &document)?.expect_json(200, &expected)
}
