//! The contract by hand: one `match`. Astra has neither routing nor JSON nor templates.

use std::fmt::Display;

use astra::{Body, Request, Response, ResponseBuilder};
use postgres_contract::{Count, CountQuery, MAX_BODY_BYTES, NotCreated, page, with_one_more};
use serde::{Serialize, de::DeserializeOwned};

use crate::store::Store;

/// Why a request is not served: the text goes to the client.
type Refusal = (u16, String);

pub fn answer(request: Request, store: &Store) -> Response {
    route(request, store)
        .unwrap_or_else(|(status, text)| with_type(status, "text/plain; charset=utf-8", text.into_bytes()))
}

fn route(request: Request, store: &Store) -> Result<Response, Refusal> {
    match (request.method().as_str(), request.uri().path()) {
        ("GET", "/") => Ok(with_type(
            200,
            "text/plain; charset=utf-8",
            postgres_contract::GREETING.into(),
        )),
        ("GET", "/db") => json(&store.world().map_err(failed)?),
        ("GET", "/queries") => json(&store.worlds(count(&request)?).map_err(failed)?),
        ("GET", "/fortunes") => {
            let fortunes = with_one_more(store.fortunes().map_err(failed)?);
            let page = page(&fortunes).map_err(failed)?;
            Ok(with_type(200, "text/html; charset=utf-8", page.into_bytes()))
        }
        ("POST", "/orders") => {
            let order = read_json(request)?;
            json(&store.create_order(&order).map_err(|error| match error {
                NotCreated::Conflict => (409, error.to_string()),
                NotCreated::Failed(error) => failed(error),
            })?)
        }
        ("GET", path) if path.starts_with("/orders/") => {
            let id = path.trim_start_matches("/orders/").parse();
            let id = id.map_err(|_| (404, "an order has a number".to_owned()))?;
            let found = store.order(id).map_err(failed)?;
            json(&found.ok_or_else(|| (404, "no such order".to_owned()))?)
        }
        ("POST", "/updates") => json(&store.update_worlds(count(&request)?).map_err(failed)?),
        (_, "/" | "/db" | "/queries" | "/fortunes" | "/orders" | "/updates") => {
            Err((405, "not with this method".to_owned()))
        }
        _ => Err((404, "no such path".to_owned())),
    }
}

fn count(request: &Request) -> Result<Count, Refusal> {
    let query = serde_urlencoded::from_str::<CountQuery>(request.uri().query().unwrap_or_default());
    query.map(|query| query.n).map_err(malformed)
}

fn read_json<T: DeserializeOwned>(request: Request) -> Result<T, Refusal> {
    let mut bytes = Vec::new();
    for chunk in request.into_body() {
        bytes.extend_from_slice(&chunk.map_err(malformed)?);
        if bytes.len() > MAX_BODY_BYTES {
            return Err((413, format!("the body is larger than {MAX_BODY_BYTES} bytes")));
        }
    }
    serde_json::from_slice(&bytes).map_err(malformed)
}

fn json(value: &impl Serialize) -> Result<Response, Refusal> {
    Ok(with_type(
        200,
        "application/json",
        serde_json::to_vec(value).map_err(failed)?,
    ))
}

fn with_type(status: u16, content_type: &'static str, bytes: Vec<u8>) -> Response {
    ResponseBuilder::new()
        .status(status)
        .header("content-type", content_type)
        .body(Body::new(bytes))
        .expect("a status and a type that are known to be good")
}

fn malformed(error: impl Display) -> Refusal {
    (400, error.to_string())
}

fn failed(error: impl Display) -> Refusal {
    (500, error.to_string())
}
