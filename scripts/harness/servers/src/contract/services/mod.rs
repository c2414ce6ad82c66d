//! Checks the answers of servers with service features.

mod coded;
mod files;
mod pieces;
mod upload;
mod websocket;

use std::collections::BTreeSet;

use anyhow::anyhow;
use rand::Rng;
use serde_json::{Value, json};

use crate::contract::client::Client;
use crate::contract::input::Input;
use crate::contract::malformed::still_there;
use crate::contract::{Backend, Proof, Violation};
use crate::service_input::{self, Claims};
use crate::workload::AUTHORIZATION;
use model::Service;

/// Paths that one proof requests.
const PATHS: usize = 20;
/// Above `MAX_BODY_BYTES` of `apps/services/contract`, which is 256 KiB.
const TOO_LARGE: usize = 300_000;
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
        Service::Gzip => |client, input| coded::coded(client, input, "gzip"),
        Service::Brotli => |client, input| coded::coded(client, input, "br"),
        Service::Zstd => |client, input| coded::coded(client, input, "zstd"),
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

/// What the server offers; these proofs are for servers that offer something.
fn services(client: &Client) -> Result<&ServicesToProve, Violation> {
    match client.backend() {
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
    let ask = |bearer: String| client.get_with("/auth", &[(AUTHORIZATION, bearer)]);
    let claims = Claims::new(&mut input.rng);
    ask(claims.bearer())?.expect_json(200, &claims.json())?;
    let ended = Claims {
        exp: ENDED,
        ..claims.clone()
    };
    let other_key = input.rng.next_u64().to_string();
    let forged = claims.signed(&json!({ "alg": "HS256", "typ": "JWT" }), other_key.as_bytes());
    let (own, other) = (claims.bearer(), Claims::new(&mut input.rng).bearer());
    // The signature of one token under the claims of another.
    let swapped = own.rsplit_once('.').zip(other.rsplit_once('.'));
    let swapped = swapped.map(|((claims, _), (_, signature))| format!("{claims}.{signature}"));
    for wrong in [
        ended.bearer(),
        forged,
        swapped.unwrap_or_default(),
        claims.unsigned(),
        own.replace("Bearer ", "Basic "),
        "Bearer".into(),
    ] {
        ask(wrong)?.expect_words(401)?;
    }
    client.get("/auth")?.expect_words(401)
}

/// Refuses what stands in the place of a seed and is none.
fn no_seed(client: &Client, folder: &str) -> Result<(), Violation> {
    for wrong in ["x", "-1", "4294967296"] {
        client.get(&format!("{folder}{wrong}"))?.expect_refusal()?;
    }
    Ok(())
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
    for (wrong, fields) in WRONG_ORDERS {
        let mut order = order.clone();
        for (place, value) in *wrong {
            let value = value.replace("LONG", &"x".repeat(4001));
            if let Some(field) = order.pointer_mut(&place.replace('#', &line.to_string())) {
                *field = serde_json::from_str(&value).unwrap_or_default();
            }
        }
        let fields: Vec<String> = fields
            .iter()
            .map(|field| field.replace('#', &line.to_string()))
            .collect();
        let answer = client.post("/validate", &order.to_string())?;
        answer.expect_json(422, &json!({ "fields": fields }))?;
    }
    Ok(())
}

/// Values that are wrong in an order, by JSON pointers, and the fields that an answer must name; `#` is the number of a line.
type WrongOrder = (&'static [(&'static str, &'static str)], &'static [&'static str]);

const WRONG_ORDERS: &[WrongOrder] = &[
    (&[("/lines/#/quantity", "0")], &["lines[#].quantity"]),
    (&[("/lines/#/cents", "1000001")], &["lines[#].cents"]),
    (&[("/lines/#/article", r#""1234567""#)], &["lines[#].article"]),
    (&[("/lines/#/title", r#""""#)], &["lines[#].title"]),
    (
        &[("/customer/name", r#""""#), ("/customer/email", r#""nobody""#)],
        &["customer.email", "customer.name"],
    ),
    (&[("/lines", "[]")], &["lines"]),
    (
        &[("/note", r#""LONG""#), ("/lines/#/quantity", "1001")],
        &["lines[#].quantity", "note"],
    ),
];

fn document(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    let of_load = input.body_of_load().map(str::to_owned);
    let document = of_load.unwrap_or_else(|| service_input::document(&mut input.rng));
    let expected = service_input::known_fields(&document).unwrap_or_default();
    client.post("/json", &document)?.expect_json(200, &expected)
}

/// Paths with bodies in JSON that the server offers.
fn json_paths(client: &Client) -> Result<impl Iterator<Item = &'static str>, Violation> {
    let offers = &services(client)?.offers;
    let all = [(Service::Validate, "/validate"), (Service::Json, "/json")];
    let offered = all.into_iter().filter(|(service, _)| offers.contains(service));
    Ok(offered.map(|(_, path)| path))
}

fn unknown(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    let path = format!("/no-such-{:08x}", input.rng.next_u32());
    client.get(&path)?.expect_status(404)?;
    json_paths(client)?.try_for_each(|path| client.get(path)?.expect_refusal())
}

fn bodies(client: &Client, input: &mut Input<'_>) -> Result<(), Violation> {
    for path in json_paths(client)? {
        for body in ["{\"customer\":", "{}", "[]", "", "{\"title\":1,\"items\":[]}"] {
            client.post(path, body)?.expect_refusal()?;
        }
        let large = format!("{{\"title\":\"{}\"}}", "a".repeat(TOO_LARGE));
        client.post(path, &large)?.expect_words(413)?;
        still_there(client, input)?;
    }
    Ok(())
}
