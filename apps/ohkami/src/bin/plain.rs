//! The server that the guide writes, for what its clients notice.

use std::{env, io, time::Duration};

use ohkami::{
    Ohkami, Request, Route,
    claw::{Json, Path, Query, content::UrlEncoded, status},
    serde::{Deserialize, Serialize},
};
use tokio::{runtime::Runtime, time};

#[derive(Deserialize)]
struct Search {
    q: String,
}

#[derive(Deserialize, Serialize)]
struct Person {
    name: String,
}

// No GET /stream: Ohkami's only body of unknown length is made of server-sent events.
fn main() -> io::Result<()> {
    let app = Ohkami::new((
        "/hello".GET(async || "Hello, World!"),
        "/slow".GET(slow),
        "/query".GET(query),
        "/p/:x".GET(path),
        "/no-content".GET(async || status::NoContent),
        "/not-modified".GET(async || status::NotModified),
        "/json".POST(json),
        "/form".POST(form),
        "/bytes".POST(bytes),
        "/unread".POST(async || "ok"),
        "/panic".GET(panics),
    ));
    // What `#[tokio::main]` expands to.
    Runtime::new()?.block_on(app.howl(env::var("ADDR").expect("ADDR is set")));
    Ok(())
}

async fn slow() -> &'static str {
    time::sleep(Duration::from_secs(1)).await;
    "slow"
}

async fn query(Query(search): Query<Search>) -> String {
    search.q
}

async fn path(Path(x): Path<String>) -> String {
    x
}

async fn json(Json(person): Json<Person>) -> Json<Person> {
    Json(person)
}

async fn form(UrlEncoded(person): UrlEncoded<Person>) -> String {
    person.name
}

async fn bytes(request: &Request) -> String {
    request.payload().map_or(0, <[u8]>::len).to_string()
}

async fn panics() -> &'static str {
    panic!("asked to")
}
