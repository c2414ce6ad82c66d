//! The server that the guide writes, for what its clients notice.
#![expect(clippy::needless_pass_by_value, reason = "a handler of Rocket owns what it is given")]

use std::{env, net::SocketAddr, time::Duration};

use rocket::{
    Config, FromForm,
    form::Form,
    get,
    http::Status,
    launch, post,
    response::stream::TextStream,
    routes,
    serde::{Deserialize, Serialize, json::Json},
    tokio::time,
};

#[derive(Deserialize, Serialize, FromForm)]
#[serde(crate = "rocket::serde")]
struct Person {
    name: String,
}

#[get("/hello")]
fn hello() -> &'static str {
    "Hello, World!"
}

#[get("/slow")]
async fn slow() -> &'static str {
    time::sleep(Duration::from_secs(1)).await;
    "slow"
}

#[get("/stream")]
fn stream() -> TextStream![&'static str] {
    TextStream! {
        for chunk in ["a", "b", "c"] {
            yield chunk;
        }
    }
}

#[get("/query?<q>")]
fn query(q: String) -> String {
    q
}

#[get("/p/<x>")]
fn path(x: String) -> String {
    x
}

#[get("/no-content")]
fn no_content() -> Status {
    Status::NoContent
}

#[get("/not-modified")]
fn not_modified() -> Status {
    Status::NotModified
}

#[post("/json", data = "<person>")]
fn json(person: Json<Person>) -> Json<Person> {
    person
}

#[post("/form", data = "<person>")]
fn form(person: Form<Person>) -> String {
    person.into_inner().name
}

#[post("/bytes", data = "<body>")]
fn bytes(body: Vec<u8>) -> String {
    body.len().to_string()
}

#[post("/unread")]
fn unread() -> &'static str {
    "ok"
}

#[get("/panic")]
fn panics() -> &'static str {
    panic!("asked to")
}

#[launch]
fn rocket() -> _ {
    let addr: SocketAddr = env::var("ADDR")
        .ok()
        .and_then(|addr| addr.parse().ok())
        .expect("ADDR is set");
    let config = Config::figment()
        .merge(("address", addr.ip()))
        .merge(("port", addr.port()));
    rocket::custom(config)
        .mount("/", routes![hello, slow, stream, query, path, no_content, not_modified])
        .mount("/", routes![json, form, bytes, unread, panics])
}
