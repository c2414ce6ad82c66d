//! The server that the guide writes, for what its clients notice.

use std::{convert::Infallible, env, error::Error, time::Duration};

use dropshot::{
    ApiDescription, Body, ConfigDropshot, HttpError, HttpResponseOk, HttpResponseUpdatedNoContent, Path, Query,
    RequestContext, ServerBuilder, TypedBody, UntypedBody, endpoint,
};
use futures_util::stream;
use http::{Response, StatusCode, header::CONTENT_TYPE};
use http_body_util::StreamBody;
use hyper::body::{Bytes, Frame};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use slog::{Discard, Logger, o};
use tokio::time;

type Answer = Result<Response<Body>, HttpError>;

#[derive(Deserialize, JsonSchema)]
struct Search {
    q: String,
}

#[derive(Deserialize, JsonSchema)]
struct Part {
    x: String,
}

#[derive(Deserialize, Serialize, JsonSchema)]
struct Person {
    name: String,
}

/// What is not JSON is a response by hand, as in the example `index`.
fn text(text: impl Into<Bytes>) -> Answer {
    let answer = Response::builder().header(CONTENT_TYPE, "text/plain");
    Ok(answer.body(Body::with_content(text))?)
}

#[endpoint { method = GET, path = "/hello" }]
async fn hello(_: RequestContext<()>) -> Answer {
    text("Hello, World!")
}

#[endpoint { method = GET, path = "/slow" }]
async fn slow(_: RequestContext<()>) -> Answer {
    time::sleep(Duration::from_secs(1)).await;
    text("slow")
}

#[endpoint { method = GET, path = "/stream" }]
async fn streamed(_: RequestContext<()>) -> Answer {
    let chunks = ["a", "b", "c"].map(|chunk| Ok::<_, Infallible>(Frame::data(Bytes::from(chunk))));
    Ok(Response::new(Body::wrap(StreamBody::new(stream::iter(chunks)))))
}

#[endpoint { method = GET, path = "/query" }]
async fn query(_: RequestContext<()>, search: Query<Search>) -> Answer {
    text(search.into_inner().q)
}

#[endpoint { method = GET, path = "/p/{x}" }]
async fn path(_: RequestContext<()>, part: Path<Part>) -> Answer {
    text(part.into_inner().x)
}

#[endpoint { method = GET, path = "/no-content" }]
async fn no_content(_: RequestContext<()>) -> Result<HttpResponseUpdatedNoContent, HttpError> {
    Ok(HttpResponseUpdatedNoContent())
}

#[endpoint { method = GET, path = "/not-modified" }]
async fn not_modified(_: RequestContext<()>) -> Answer {
    Ok(Response::builder()
        .status(StatusCode::NOT_MODIFIED)
        .body(Body::empty())?)
}

#[endpoint { method = POST, path = "/json" }]
async fn json(_: RequestContext<()>, person: TypedBody<Person>) -> Result<HttpResponseOk<Person>, HttpError> {
    Ok(HttpResponseOk(person.into_inner()))
}

#[endpoint { method = POST, path = "/form", content_type = "application/x-www-form-urlencoded" }]
async fn form(_: RequestContext<()>, person: TypedBody<Person>) -> Answer {
    text(person.into_inner().name)
}

#[endpoint { method = POST, path = "/bytes" }]
async fn bytes(_: RequestContext<()>, body: UntypedBody) -> Answer {
    text(body.as_bytes().len().to_string())
}

#[endpoint { method = POST, path = "/unread" }]
async fn unread(_: RequestContext<()>) -> Answer {
    text("ok")
}

#[endpoint { method = GET, path = "/panic" }]
async fn panics(_: RequestContext<()>) -> Answer {
    panic!("asked to")
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut api = ApiDescription::new();
    api.register(hello)?;
    api.register(slow)?;
    api.register(streamed)?;
    api.register(query)?;
    api.register(path)?;
    api.register(no_content)?;
    api.register(not_modified)?;
    api.register(json)?;
    api.register(form)?;
    api.register(bytes)?;
    api.register(unread)?;
    api.register(panics)?;
    let config = ConfigDropshot {
        bind_address: env::var("ADDR")?.parse()?,
        ..ConfigDropshot::default()
    };
    let log = Logger::root(Discard, o!());
    Ok(ServerBuilder::new(api, (), log).config(config).start()?.await?)
}
