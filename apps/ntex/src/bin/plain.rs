//! The server that the guide writes, for what its clients notice.

use std::{convert::Infallible, env, io, time::Duration};

use futures_util::stream;
use ntex::{
    time,
    util::Bytes,
    web::{
        App, HttpResponse, HttpServer, Responder, get, post,
        types::{Form, Json, Path, Query},
    },
};
use serde::{Deserialize, Serialize};

#[derive(Deserialize)]
struct Search {
    q: String,
}

#[derive(Deserialize, Serialize)]
struct Person {
    name: String,
}

#[get("/hello")]
async fn hello() -> impl Responder {
    "Hello, World!"
}

#[get("/slow")]
async fn slow() -> impl Responder {
    time::sleep(Duration::from_secs(1)).await;
    "slow"
}

#[get("/stream")]
async fn streamed() -> impl Responder {
    let chunks = ["a", "b", "c"].map(|chunk| Ok::<_, Infallible>(Bytes::from(chunk)));
    HttpResponse::Ok().streaming(stream::iter(chunks))
}

#[get("/query")]
async fn query(search: Query<Search>) -> impl Responder {
    search.into_inner().q
}

#[get("/p/{x}")]
async fn path(x: Path<String>) -> impl Responder {
    x.into_inner()
}

#[get("/no-content")]
async fn no_content() -> impl Responder {
    HttpResponse::NoContent()
}

#[get("/not-modified")]
async fn not_modified() -> impl Responder {
    HttpResponse::NotModified()
}

#[post("/json")]
async fn json(person: Json<Person>) -> impl Responder {
    person
}

#[post("/form")]
async fn form(person: Form<Person>) -> impl Responder {
    person.into_inner().name
}

#[post("/bytes")]
async fn bytes(body: Bytes) -> impl Responder {
    body.len().to_string()
}

#[post("/unread")]
async fn unread() -> impl Responder {
    "ok"
}

#[get("/panic")]
async fn panics() -> &'static str {
    panic!("asked to")
}

#[ntex::main]
async fn main() -> io::Result<()> {
    HttpServer::new(async || {
        App::new()
            .service((hello, slow, streamed, query, path, no_content, not_modified))
            .service((json, form, bytes, unread, panics))
    })
    .bind(env::var("ADDR").expect("ADDR is set"))?
    .run()
    .await
}
