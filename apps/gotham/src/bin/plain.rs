//! The server that the guide writes, for what its clients notice.

use std::{env, io, time::Duration};

use futures_util::stream;
use gotham::{
    bytes::Bytes,
    handler::{HandlerError, MapHandlerError},
    helpers::http::{Body, response::create_empty_response},
    http::{Response, StatusCode},
    http_body_util::{BodyExt, StreamBody},
    hyper::body::Frame,
    mime::{self, Mime},
    prelude::*,
    router::builder::build_simple_router,
    state::State,
};
use serde::{Deserialize, Serialize};
use tokio::time;

#[derive(Deserialize, StateData, StaticResponseExtender)]
struct Search {
    q: String,
}

#[derive(Deserialize, StateData, StaticResponseExtender)]
struct Part {
    x: String,
}

#[derive(Deserialize, Serialize)]
struct Person {
    name: String,
}

// No POST /form: Gotham has nothing that reads one.
fn main() -> Result<(), gotham::StartError> {
    let router = build_simple_router(|route| {
        route.get("/hello").to(|state: State| (state, "Hello, World!"));
        route.get("/slow").to_async_borrowing(slow);
        route.get("/stream").to(streamed);
        route.get("/query").with_query_string_extractor::<Search>().to(query);
        route.get("/p/:x").with_path_extractor::<Part>().to(path);
        route.get("/no-content").to(no_content);
        route.get("/not-modified").to(not_modified);
        route.post("/json").to_async_borrowing(json);
        route.post("/bytes").to_async_borrowing(bytes);
        route.post("/unread").to(|state: State| (state, "ok"));
        route.get("/panic").to(panics);
    });
    gotham::start(env::var("ADDR").expect("ADDR is set"), router)
}

async fn slow(_: &mut State) -> Result<&'static str, HandlerError> {
    time::sleep(Duration::from_secs(1)).await;
    Ok("slow")
}

fn streamed(state: State) -> (State, Response<Body>) {
    let chunks = ["a", "b", "c"].map(|chunk| Ok::<_, io::Error>(Frame::data(Bytes::from(chunk))));
    (state, Response::new(Body::new(StreamBody::new(stream::iter(chunks)))))
}

fn query(mut state: State) -> (State, String) {
    let search = Search::take_from(&mut state);
    (state, search.q)
}

fn path(mut state: State) -> (State, String) {
    let part = Part::take_from(&mut state);
    (state, part.x)
}

fn no_content(state: State) -> (State, Response<Body>) {
    let response = create_empty_response(&state, StatusCode::NO_CONTENT);
    (state, response)
}

fn not_modified(state: State) -> (State, Response<Body>) {
    let response = create_empty_response(&state, StatusCode::NOT_MODIFIED);
    (state, response)
}

async fn json(state: &mut State) -> Result<(Mime, Vec<u8>), HandlerError> {
    let body = Body::take_from(state).collect().await?.to_bytes();
    let person: Person = serde_json::from_slice(&body).map_err_with_status(StatusCode::BAD_REQUEST)?;
    Ok((mime::APPLICATION_JSON, serde_json::to_vec(&person)?))
}

async fn bytes(state: &mut State) -> Result<String, HandlerError> {
    let body = Body::take_from(state).collect().await?.to_bytes();
    Ok(body.len().to_string())
}

fn panics(_: State) -> (State, &'static str) {
    panic!("asked to")
}
