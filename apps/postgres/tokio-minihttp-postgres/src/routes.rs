//! The contract by hand: one `match`.

use bytes::Bytes;
use http::{
    Method, Request, StatusCode,
    header::{CONTENT_TYPE, HeaderValue},
};
use postgres_contract::{Count, CountQuery, Deadpool, NotCreated, Store as _, page, with_one_more};
use tokio_minihttp_app::answer::{Answer, Refusal, json, text};

pub async fn answer(request: Request<Bytes>, store: Deadpool) -> Answer {
    route(&request, &store).await.unwrap_or_else(Answer::from)
}

async fn route(request: &Request<Bytes>, store: &Deadpool) -> Result<Answer, Refusal> {
    match (request.method(), request.uri().path()) {
        (&Method::GET, "/") => Ok(text(StatusCode::OK, postgres_contract::GREETING)),
        (&Method::GET, "/db") => json(&store.world().await.map_err(failed)?),
        (&Method::GET, "/queries") => json(&store.worlds(count(request)?).await.map_err(failed)?),
        (&Method::GET, "/fortunes") => fortunes(store).await,
        (&Method::POST, "/orders") => {
            let order = serde_json::from_slice(request.body()).map_err(|error| Refusal::new(400, error))?;
            json(&store.create_order(&order).await.map_err(|error| match error {
                NotCreated::Conflict => Refusal::new(409, error),
                NotCreated::Failed(error) => failed(error),
            })?)
        }
        (&Method::GET, path) if path.starts_with("/orders/") => order(path, store).await,
        (&Method::POST, "/updates") => json(&store.update_worlds(count(request)?).await.map_err(failed)?),
        (_, "/" | "/db" | "/queries" | "/fortunes" | "/orders" | "/updates") => {
            Err(Refusal::new(405, "not with this method"))
        }
        _ => Err(Refusal::new(404, "no such path")),
    }
}

fn count(request: &Request<Bytes>) -> Result<Count, Refusal> {
    let query = serde_urlencoded::from_str::<CountQuery>(request.uri().query().unwrap_or_default());
    query.map(|query| query.n).map_err(|error| Refusal::new(400, error))
}

async fn fortunes(store: &Deadpool) -> Result<Answer, Refusal> {
    let fortunes = with_one_more(store.fortunes().await.map_err(failed)?);
    let mut answer = text(StatusCode::OK, page(&fortunes).map_err(failed)?);
    let html = HeaderValue::from_static("text/html; charset=utf-8");
    answer.headers_mut().insert(CONTENT_TYPE, html);
    Ok(answer)
}

async fn order(path: &str, store: &Deadpool) -> Result<Answer, Refusal> {
    let id = path.trim_start_matches("/orders/").parse();
    let id = id.map_err(|_| Refusal::new(404, "an order has a number"))?;
    let found = store.order(id).await.map_err(failed)?;
    json(&found.ok_or_else(|| Refusal::new(404, "no such order"))?)
}

fn failed(error: impl std::error::Error) -> Refusal {
    Refusal::new(500, error)
}
