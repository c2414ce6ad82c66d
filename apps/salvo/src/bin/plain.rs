//! The server that the guide writes, for what its clients notice.

use std::{convert::Infallible, env, time::Duration};

use futures_util::stream;
use salvo::{
    extract::{FormBody, JsonBody, PathParam},
    http::ParseError,
    prelude::*,
};
use serde::{Deserialize, Serialize};
use tokio::time;

#[derive(Deserialize)]
struct Search {
    q: String,
}

#[derive(Deserialize, Serialize)]
struct Person {
    name: String,
}

#[handler]
async fn hello() -> &'static str {
    "Hello, World!"
}

#[handler]
async fn slow() -> &'static str {
    time::sleep(Duration::from_secs(1)).await;
    "slow"
}

#[handler]
async fn streamed(res: &mut Response) {
    res.stream(stream::iter(["a", "b", "c"].map(Ok::<_, Infallible>)));
}

#[handler]
async fn query(req: &mut Request) -> Result<String, ParseError> {
    let search: Search = req.parse_queries()?;
    Ok(search.q)
}

#[handler]
async fn path(x: PathParam<String>) -> String {
    x.into_inner()
}

#[handler]
async fn no_content() -> StatusCode {
    StatusCode::NO_CONTENT
}

#[handler]
async fn not_modified() -> StatusCode {
    StatusCode::NOT_MODIFIED
}

#[handler]
async fn json(person: JsonBody<Person>) -> Json<Person> {
    Json(person.into_inner())
}

#[handler]
async fn form(person: FormBody<Person>) -> String {
    person.into_inner().name
}

#[handler]
async fn bytes(req: &mut Request) -> Result<String, ParseError> {
    let body = req.payload().await?;
    Ok(body.len().to_string())
}

#[handler]
async fn unread() -> &'static str {
    "ok"
}

#[handler]
async fn panics() -> &'static str {
    panic!("asked to")
}

#[tokio::main]
async fn main() {
    let router = Router::new()
        .push(Router::with_path("hello").get(hello))
        .push(Router::with_path("slow").get(slow))
        .push(Router::with_path("stream").get(streamed))
        .push(Router::with_path("query").get(query))
        .push(Router::with_path("p/{x}").get(path))
        .push(Router::with_path("no-content").get(no_content))
        .push(Router::with_path("not-modified").get(not_modified))
        .push(Router::with_path("json").post(json))
        .push(Router::with_path("form").post(form))
        .push(Router::with_path("bytes").post(bytes))
        .push(Router::with_path("unread").post(unread))
        .push(Router::with_path("panic").get(panics));
    let acceptor = TcpListener::new(env::var("ADDR").expect("ADDR is set")).bind().await;
    Server::new(acceptor).serve(router).await;
}
