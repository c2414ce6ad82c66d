//! The server that the guide writes, for what its clients notice.

use std::{convert::Infallible, env, net::SocketAddr, time::Duration};

use futures_util::stream;
use serde::{Deserialize, Serialize};
use tokio::{runtime::Runtime, time};
use warp::{Filter, http::StatusCode, hyper::body::Bytes, path, reply};

#[derive(Deserialize)]
struct Search {
    q: String,
}

#[derive(Deserialize, Serialize)]
struct Person {
    name: String,
}

fn main() -> std::io::Result<()> {
    let hello = path!("hello").and(warp::get()).map(|| "Hello, World!");
    let slow = path!("slow").and(warp::get()).then(async || {
        time::sleep(Duration::from_secs(1)).await;
        "slow"
    });
    let stream = path!("stream")
        .and(warp::get())
        .map(|| reply::stream(stream::iter(["a", "b", "c"].map(Ok::<_, Infallible>))));
    let query = path!("query")
        .and(warp::get())
        .and(warp::query())
        .map(|search: Search| search.q);
    let path = path!("p" / String).and(warp::get()).map(|x: String| x);
    let no_content = path!("no-content").and(warp::get()).map(|| StatusCode::NO_CONTENT);
    let not_modified = path!("not-modified").and(warp::get()).map(|| StatusCode::NOT_MODIFIED);
    let json = path!("json")
        .and(warp::post())
        .and(warp::body::json())
        .map(|person: Person| reply::json(&person));
    let form = path!("form")
        .and(warp::post())
        .and(warp::body::form())
        .map(|person: Person| person.name);
    let bytes = path!("bytes")
        .and(warp::post())
        .and(warp::body::bytes())
        .map(|body: Bytes| body.len().to_string());
    let unread = path!("unread").and(warp::post()).map(|| "ok");
    let panics = path!("panic")
        .and(warp::get())
        .map(|| -> &'static str { panic!("asked to") });
    let gets = hello
        .or(slow)
        .or(stream)
        .or(query)
        .or(path)
        .or(no_content)
        .or(not_modified)
        .or(panics);
    let routes = gets.or(json).or(form).or(bytes).or(unread);
    let addr: SocketAddr = env::var("ADDR")
        .ok()
        .and_then(|addr| addr.parse().ok())
        .expect("ADDR is set");
    // What `#[tokio::main]` expands to.
    Runtime::new()?.block_on(warp::serve(routes).run(addr));
    Ok(())
}
