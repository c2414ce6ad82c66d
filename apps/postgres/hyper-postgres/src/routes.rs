//! The contract by hand: one `match`, as in hyper's guide.

use std::convert::Infallible;

use hyper::{
    Method, Request, StatusCode,
    body::Incoming,
    header::{ALLOW, CONTENT_TYPE, HeaderValue},
};
use hyper_app::exchange::{Answer, Refusal, discard, json, read_json, text};
use postgres_contract::{Count, CountQuery, Deadpool, NotCreated, Store as _, page, with_one_more};

pub async fn answer(request: Request<Incoming>, store: &Deadpool) -> Result<Answer, Infallible> {
    Ok(route(request, store).await.unwrap_or_else(Answer::from))
}

async fn route(request: Request<Incoming>, store: &Deadpool) -> Result<Answer, Refusal> {
    let (head, body) = request.into_parts();
    let path = head.uri.path();
    match (&head.method, path) {
        (&Method::GET, "/") => Ok(text(StatusCode::OK, postgres_contract::GREETING)),
        (&Method::GET, "/db") => json(&store.world().await.map_err(Refusal::internal)?),
        (&Method::GET, "/queries") => {
            let worlds = store.worlds(count(head.uri.query())?).await;
            json(&worlds.map_err(Refusal::internal)?)
        }
        (&Method::GET, "/fortunes") => fortunes(store).await,
        (&Method::POST, "/orders") => {
            let order = read_json(&head.headers, body).await?;
            json(&store.create_order(&order).await.map_err(|error| match error {
                NotCreated::Conflict => Refusal::new(StatusCode::CONFLICT, error),
                NotCreated::Failed(error) => Refusal::internal(error),
            })?)
        }
        (&Method::GET, path) if path.starts_with("/orders/") => order(path, store).await,
        (&Method::POST, "/updates") => {
            discard(body).await;
            let worlds = store.update_worlds(count(head.uri.query())?).await;
            json(&worlds.map_err(Refusal::internal)?)
        }
        (_, path) => {
            discard(body).await;
            unserved(path)
        }
    }
}

fn count(query: Option<&str>) -> Result<Count, Refusal> {
    let query = serde_urlencoded::from_str::<CountQuery>(query.unwrap_or_default());
    query
        .map(|query| query.n)
        .map_err(|error| Refusal::new(StatusCode::BAD_REQUEST, error))
}

async fn fortunes(store: &Deadpool) -> Result<Answer, Refusal> {
    let fortunes = with_one_more(store.fortunes().await.map_err(Refusal::internal)?);
    let mut answer = text(StatusCode::OK, page(&fortunes).map_err(Refusal::internal)?);
    let html = HeaderValue::from_static("text/html; charset=utf-8");
    answer.headers_mut().insert(CONTENT_TYPE, html);
    Ok(answer)
}

async fn order(path: &str, store: &Deadpool) -> Result<Answer, Refusal> {
    let id = path.trim_start_matches("/orders/").parse();
    let id = id.map_err(|_| Refusal::new(StatusCode::NOT_FOUND, "an order has a number"))?;
    let found = store.order(id).await.map_err(Refusal::internal)?;
    json(&found.ok_or_else(|| Refusal::new(StatusCode::NOT_FOUND, "no such order"))?)
}

/// A path that is known, but not with this method; or one that is not known.
fn unserved(path: &str) -> Result<Answer, Refusal> {
    let allowed = match path {
        "/" | "/db" | "/queries" | "/fortunes" => "GET",
        "/orders" | "/updates" => "POST",
        _ => return Err(Refusal::new(StatusCode::NOT_FOUND, "no such path")),
    };
    let mut answer = text(StatusCode::METHOD_NOT_ALLOWED, "not with this method");
    answer.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
    Ok(answer)
}
