//! The server that the guide writes, for what its clients notice.

use std::{convert::Infallible, env, time::Duration};

use futures_util::{TryStreamExt, stream};
use serde::{Deserialize, Serialize};
use silent::{
    extractor::{Form, Json, Path, Query},
    prelude::{Request, Response, Result, Route, Server, StatusCode, stream_body},
};
use tokio::time;

#[derive(Deserialize)]
struct Search {
    q: String,
}

#[derive(Deserialize, Serialize)]
struct Person {
    name: String,
}

async fn hello(_: Request) -> Result<&'static str> {
    Ok("Hello, World!")
}

async fn slow(_: Request) -> Result<&'static str> {
    time::sleep(Duration::from_secs(1)).await;
    Ok("slow")
}

async fn streamed(_: Request) -> Result<Response> {
    let body = stream_body(stream::iter(["a", "b", "c"].map(Ok::<_, Infallible>)));
    Ok(Response::empty().with_body(body))
}

async fn query(Query(search): Query<Search>) -> Result<String> {
    Ok(search.q)
}

async fn path(Path(x): Path<String>) -> Result<String> {
    Ok(x)
}

async fn no_content(_: Request) -> Result<Response> {
    Ok(Response::empty().with_status(StatusCode::NO_CONTENT))
}

async fn not_modified(_: Request) -> Result<Response> {
    Ok(Response::empty().with_status(StatusCode::NOT_MODIFIED))
}

async fn json(Json(person): Json<Person>) -> Result<Person> {
    Ok(person)
}

async fn form(Form(person): Form<Person>) -> Result<String> {
    Ok(person.name)
}

async fn bytes(mut request: Request) -> Result<String> {
    let chunks = request.take_body();
    let length = chunks
        .try_fold(0, async |length, chunk| Ok(length + chunk.len()))
        .await?;
    Ok(length.to_string())
}

async fn unread(_: Request) -> Result<&'static str> {
    Ok("ok")
}

async fn panics(_: Request) -> Result<&'static str> {
    panic!("asked to")
}

fn main() {
    let route = Route::new_root()
        .append(Route::new("hello").get(hello))
        .append(Route::new("slow").get(slow))
        .append(Route::new("stream").get(streamed))
        .append(Route::new("query").get(query))
        .append(Route::new("p/<x>").get(path))
        .append(Route::new("no-content").get(no_content))
        .append(Route::new("not-modified").get(not_modified))
        .append(Route::new("json").post(json))
        .append(Route::new("form").post(form))
        .append(Route::new("bytes").post(bytes))
        .append(Route::new("unread").post(unread))
        .append(Route::new("panic").get(panics));
    let addr = env::var("ADDR")
        .ok()
        .and_then(|addr| addr.parse().ok())
        .expect("ADDR is set");
    Server::new().bind(addr).run(route);
}
