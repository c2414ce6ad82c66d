//! The contract in Gotham's own words. Askama is one of the engines of its examples.

use std::{panic::AssertUnwindSafe, sync::Arc};

use gotham::{
    handler::{HandlerError, MapHandlerError as _},
    helpers::http::Body,
    http::StatusCode,
    http_body_util::{BodyExt as _, Limited},
    middleware::state::StateMiddleware,
    mime::{self, Mime},
    pipeline::{single_middleware, single_pipeline},
    prelude::*,
    router::{Router, builder::build_router},
    state::State,
};
use postgres_contract::{Count, Deadpool, MAX_BODY_BYTES, NewOrder, NotCreated, Store as _, page, with_one_more};
use serde::{Deserialize, Serialize};

type Answer = (Mime, Vec<u8>);

pub fn router(store: Deadpool) -> Router {
    let shared = Shared(Arc::new(AssertUnwindSafe(store)));
    let (chain, pipelines) = single_pipeline(single_middleware(StateMiddleware::new(shared)));
    build_router(chain, pipelines, |route| {
        route.get("/").to(index);
        route.get("/db").to_async_borrowing(db);
        route
            .get("/queries")
            .with_query_string_extractor::<CountQuery>()
            .to_async_borrowing(queries);
        route.get("/fortunes").to_async_borrowing(fortunes);
        route.post("/orders").to_async_borrowing(create_order);
        route
            .get("/orders/:id")
            .with_path_extractor::<OrderPath>()
            .to_async_borrowing(order);
        route
            .post("/updates")
            .with_query_string_extractor::<CountQuery>()
            .to_async_borrowing(updates);
    })
}

/// Gotham catches panics, and wants to hear that what is shared bears that: a pool does.
#[derive(Clone, StateData)]
struct Shared(Arc<AssertUnwindSafe<Deadpool>>);

/// `postgres_contract::CountQuery`, with what Gotham wants of a type that it extracts.
#[derive(Deserialize, StateData, StaticResponseExtender)]
struct CountQuery {
    #[serde(default)]
    n: Count,
}

#[derive(Deserialize, StateData, StaticResponseExtender)]
struct OrderPath {
    id: i32,
}

fn store(state: &State) -> Deadpool {
    Deadpool::clone(&Shared::borrow_from(state).0)
}

fn json(value: &impl Serialize) -> Result<Answer, HandlerError> {
    Ok((mime::APPLICATION_JSON, serde_json::to_vec(value)?))
}

fn index(state: State) -> (State, &'static str) {
    (state, postgres_contract::GREETING)
}

async fn db(state: &mut State) -> Result<Answer, HandlerError> {
    json(&store(state).world().await?)
}

async fn queries(state: &mut State) -> Result<Answer, HandlerError> {
    let query = CountQuery::take_from(state);
    json(&store(state).worlds(query.n).await?)
}

async fn fortunes(state: &mut State) -> Result<Answer, HandlerError> {
    let fortunes = with_one_more(store(state).fortunes().await?);
    Ok((mime::TEXT_HTML_UTF_8, page(&fortunes)?.into_bytes()))
}

async fn create_order(state: &mut State) -> Result<Answer, HandlerError> {
    let body = Limited::new(Body::take_from(state), MAX_BODY_BYTES);
    let body = body.collect().await;
    let body =
        body.map_err(|error| HandlerError::from(gotham::anyhow::anyhow!(error)).with_status(StatusCode::BAD_REQUEST))?;
    let order: NewOrder = serde_json::from_slice(&body.to_bytes()).map_err_with_status(StatusCode::BAD_REQUEST)?;
    let created = store(state).create_order(&order).await.map_err(|error| match error {
        NotCreated::Conflict => HandlerError::from(error).with_status(StatusCode::CONFLICT),
        NotCreated::Failed(error) => error.into(),
    });
    json(&created?)
}

async fn order(state: &mut State) -> Result<Answer, HandlerError> {
    let path = OrderPath::take_from(state);
    let found = store(state).order(path.id).await?;
    let missing = || HandlerError::from(gotham::anyhow::anyhow!("no such order")).with_status(StatusCode::NOT_FOUND);
    json(&found.ok_or_else(missing)?)
}

async fn updates(state: &mut State) -> Result<Answer, HandlerError> {
    let query = CountQuery::take_from(state);
    json(&store(state).update_worlds(query.n).await?)
}
