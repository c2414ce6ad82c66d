//! Checks the answers of servers with service features.

mod coded;
mod files;
mod pieces;
mod upload;
mod websocket;

use std::collections::BTreeSet;

use rand::Rng;
use serde_json::{Value, json};

use crate::asked::AUTHORIZATION;
use crate::contract::client::{Answer, Client};
use crate::contract::endpoints;
use crate::contract::input::Input;
use crate::contract::malformed::{refused, still_there};
use crate::contract::{Proof, Violation};
use crate::service_input::{self, Claims};
use record::{Service, Services};

/// Paths that are asked in one proof.
const PATHS: usize = 20;
/// Above `MAX_BODY_BYTES` of `apps/services/contract`, which is 256 KiB.
const TOO_LARGE: usize = 300_000;
/// A second between 2001 and now, at which a token ended.
const ENDED: u64 = 1_000_000_000;

/// What a server does, and how much it has registered.
#[derive(Debug, Clone)]
pub struct ServicesToProve {
    offers: BTreeSet<Service>,
    routes: u32,
    layers: u32,
}

impl ServicesToProve {
    /// What a server does, and what it was told to register.
    pub fn new(services: &Services, routes: u32, layers: u32) -> Self {
        Self {
            offers: services.offers.clone(),
            routes,
            layers,
        }
    }
}

/// The proof of one kind of work.
pub(super) fn proof_of(service: Service) -> Proof {
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
        Service::Gzip => coded::gzip,
        Service::Brotli => coded::brotli,
        Service::Zstd => coded::zstd,
        Service::Stream => pieces::stream,
        Service::Events => pieces::events,
        Service::Websocket => websocket::websocket,
    }
}

/// All proofs of a server.
pub(super) fn proofs(services: &ServicesToProve) -> Vec<Proof> {
    let offered = services.offers.iter().map(|service| proof_of(*service));
    let others: [Proof; 3] = [unknown, bodies, still_there];
    offered.chain(others).collect()
}

/// What the server has registered; nothing where it is not known, which no server of services is.
fn registered(client: &Client) -> (u32, u32) {
    client
        .services()
        .map_or((1, 0), |services| (services.routes, services.layers))
}

fn offers(client: &Client, service: Service) -> bool {
    client
        .services()
        .is_some_and(|services| services.offers.contains(&service))
}

fn text(answer: &Answer, expected: &str) -> Result<(), Violation> {
    if answer.expect(200, "text/plain")? == expected.as_bytes() {
        return Ok(());
    }
    Err(answer.violation(format!("`{expected}`"), answer.quoted()))
}

fn routes(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    if let Some(path) = input.path_of_load() {
        return text(&client.get(path)?, service_input::answer_to(path));
    }
    let (routes, _) = registered(client);
    // The first and the last, so that none is missing at the ends.
    for number in [0, routes.saturating_sub(1)] {
        let parameter = if number % 3 == 2 { "/x" } else { "" };
        let path = format!("/area{}/thing{number}{parameter}", number / 10);
        text(&client.get(&path)?, service_input::answer_to(&path))?;
    }
    for _ in 0..PATHS {
        let path = service_input::path(routes, &mut input.rng);
        let answer = client.get(&format!("{path}?q={}", input.rng.next_u32()))?;
        text(&answer, service_input::answer_to(&path))?;
        // One part more is another path.
        client.get(&format!("{path}/more"))?.expect_status(404)?;
    }
    // There is one route less than this.
    let (area, number) = (routes / 10, routes);
    let parameter = if number % 3 == 2 { "/x" } else { "" };
    let beyond = client.get(&format!("/area{area}/thing{number}{parameter}"))?;
    beyond.expect_status(404)
}

fn middleware(client: &Client, _: &mut Input<'_>) -> Result<(), Violation> {
    let (_, layers) = registered(client);
    text(&client.get("/middleware")?, &layers.to_string())
}

fn auth(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    if input.is_witness() {
        let headers = input.headers_of_load();
        let claims = headers.first().and_then(|(_, value)| service_input::claims_in(value));
        return same_json(&client.get_with("/auth", headers)?, &claims.unwrap_or_default());
    }
    let ask = |bearer: String| client.get_with("/auth", &[(AUTHORIZATION, bearer)]);
    let claims = Claims::new(&mut input.rng);
    same_json(&ask(claims.bearer())?, &claims.json())?;
    let ended = Claims {
        exp: ENDED,
        ..claims.clone()
    };
    let other_key = input.rng.next_u64().to_string();
    let forged = claims.signed(&json!({ "alg": "HS256", "typ": "JWT" }), other_key.as_bytes());
    let other = Claims::new(&mut input.rng).bearer();
    // The signature of one token under the claims of another.
    let swapped = splice(&claims.bearer(), &other);
    for wrong in [
        ended.bearer(),
        forged,
        swapped,
        claims.unsigned(),
        claims.bearer().replace("Bearer ", "Basic "),
        "Bearer".into(),
    ] {
        says(&ask(wrong)?, 401)?;
    }
    says(&client.get("/auth")?, 401)
}

/// An answer with this status, which says something.
fn says(answer: &Answer, status: u16) -> Result<(), Violation> {
    if answer.status == status && !answer.body.is_empty() {
        return Ok(());
    }
    Err(answer.violation(
        format!("status {status} with a body"),
        format!("status {}, {}", answer.status, answer.quoted()),
    ))
}

/// What stands in the place of a seed and is none is refused.
fn no_seed(client: &Client, folder: &str) -> Result<(), Violation> {
    for wrong in ["x", "-1", "4294967296"] {
        refused(&client.get(&format!("{folder}{wrong}"))?)?;
    }
    Ok(())
}

/// Head and claims of `one` with the signature of `other`.
fn splice(one: &str, other: &str) -> String {
    let cut = |token: &str| {
        token
            .rsplit_once('.')
            .map(|(text, signature)| (text.to_owned(), signature.to_owned()))
    };
    let text = cut(one).map(|(text, _)| text).unwrap_or_default();
    let signature = cut(other).map(|(_, signature)| signature).unwrap_or_default();
    format!("{text}.{signature}")
}

fn validate(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    if let Some(body) = input.body_of_load() {
        let order: Value = serde_json::from_str(body).unwrap_or_default();
        return same_json(&client.post("/validate", body)?, &total(&order));
    }
    let order = service_input::order(&mut input.rng);
    same_json(&client.post("/validate", &order.to_string())?, &total(&order))?;
    let line = input.rng.next_u32() as usize % order["lines"].as_array().map_or(1, Vec::len);
    for (change, fields) in wrong_orders(line) {
        let mut order = order.clone();
        change(&mut order);
        let answer = client.post("/validate", &order.to_string())?;
        let told = answer.expect(422, "application/json")?;
        let expected = json!({ "fields": fields });
        if serde_json::from_slice::<Value>(told).ok() != Some(expected.clone()) {
            return Err(answer.violation(format!("`{expected}`"), answer.quoted()));
        }
    }
    Ok(())
}

type Change = Box<dyn Fn(&mut Value)>;

/// What is made wrong in an order, and the fields that an answer must name.
fn wrong_orders(line: usize) -> Vec<(Change, Vec<String>)> {
    let of_line = |field: &str| format!("lines[{line}].{field}");
    let set = |field: &'static str, value: Value| -> Change {
        Box::new(move |order| order["lines"][line][field] = value.clone())
    };
    vec![
        (set("quantity", json!(0)), vec![of_line("quantity")]),
        (set("cents", json!(1_000_001)), vec![of_line("cents")]),
        (set("article", json!("1234567")), vec![of_line("article")]),
        (set("title", json!("")), vec![of_line("title")]),
        (
            Box::new(|order| order["customer"] = json!({ "name": "", "email": "nobody" })),
            vec!["customer.email".into(), "customer.name".into()],
        ),
        (Box::new(|order| order["lines"] = json!([])), vec!["lines".into()]),
        (
            Box::new(move |order| {
                order["note"] = "x".repeat(4001).into();
                order["lines"][line]["quantity"] = json!(1001);
            }),
            vec![of_line("quantity"), "note".into()],
        ),
    ]
}

fn total(order: &Value) -> Value {
    json!({ "total": service_input::total(order) })
}

fn document(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    let of_load = input.body_of_load().map(str::to_owned);
    let document = of_load.unwrap_or_else(|| service_input::document(&mut input.rng));
    let expected = service_input::known_fields(&document).unwrap_or_default();
    same_json(&client.post("/json", &document)?, &expected)
}

/// An answer that is this JSON, whatever the order of its fields.
fn same_json(answer: &Answer, expected: &Value) -> Result<(), Violation> {
    let answered: Value = endpoints::json(answer)?;
    if answered == *expected {
        return Ok(());
    }
    let expected: String = expected.to_string().chars().take(120).collect();
    Err(answer.violation(format!("`{expected}`"), answer.quoted()))
}

fn unknown(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    let path = format!("/no-such-{:08x}", input.rng.next_u32());
    client.get(&path)?.expect_status(404)?;
    for (service, path) in [(Service::Validate, "/validate"), (Service::Json, "/json")] {
        if offers(client, service) {
            refused(&client.get(path)?)?;
        }
    }
    Ok(())
}

fn bodies(client: &Client, _: &mut Input<'_>) -> Result<(), Violation> {
    for (service, path) in [(Service::Validate, "/validate"), (Service::Json, "/json")] {
        if !offers(client, service) {
            continue;
        }
        for body in ["{\"customer\":", "{}", "[]", "", "{\"title\":1,\"items\":[]}"] {
            refused(&client.post(path, body)?)?;
        }
        let answer = client.post(path, &format!("{{\"title\":\"{}\"}}", "a".repeat(TOO_LARGE)))?;
        says(&answer, 413)?;
        still_there(client, &mut Input::new(0, None))?;
    }
    Ok(())
}
