//! The contract in Tide's own words.

use async_std::task;
use contract::{CpuQuery, Hello, Payload, TIMED};
use tide::{Body, Error, Request, Response, Result, Server, StatusCode, http::mime, utils::After};

use crate::body_limit::BodyLimit;

pub fn app() -> Server<()> {
    let mut app = tide::new();
    app.with(After(with_body));
    app.at("/").get(index);
    app.at("/hello").get(hello);
    app.at("/heavy").get(heavy);
    app.at("/cpu").get(cpu);
    app.at("/ram").get(ram);
    // The limit stands where a body is read, so that the others do not pay for it.
    let mut with_bodies = app.at("/test");
    with_bodies.with(BodyLimit);
    with_bodies.at("/simple").post(simple);
    with_bodies.at("/timed").post(timed);
    with_bodies.at("/bcrypt").post(bcrypt);
    with_bodies.at("/bcrypt-inline").post(bcrypt_inline);
    app
}

async fn index(_: Request<()>) -> Result<&'static str> {
    Ok(contract::GREETING)
}

async fn hello(_: Request<()>) -> Result<Body> {
    Body::from_json(&Hello::new())
}

async fn heavy(_: Request<()>) -> Result<Body> {
    Body::from_json(&contract::heavy())
}

async fn cpu(request: Request<()>) -> Result<Body> {
    let query: CpuQuery = request.query()?;
    Body::from_json(&contract::fib(query.n))
}

async fn ram(_: Request<()>) -> Result<Body> {
    Body::from_json(&contract::ram())
}

async fn simple(mut request: Request<()>) -> Result<Body> {
    let payload = payload(&mut request).await?;
    Body::from_json(&contract::greet(&payload))
}

async fn timed(mut request: Request<()>) -> Result<Body> {
    let payload = payload(&mut request).await?;
    task::sleep(TIMED).await;
    Body::from_json(&contract::greet(&payload))
}

async fn bcrypt(mut request: Request<()>) -> Result<Body> {
    let payload = payload(&mut request).await?;
    let hash = task::spawn_blocking(move || contract::bcrypt(&payload)).await?;
    Body::from_json(&hash)
}

async fn bcrypt_inline(mut request: Request<()>) -> Result<Body> {
    let payload = payload(&mut request).await?;
    Body::from_json(&contract::bcrypt(&payload)?)
}

/// Tide reads any body as JSON, whatever type it is said to have.
async fn payload(request: &mut Request<()>) -> Result<Payload> {
    let is_json = request
        .content_type()
        .is_some_and(|of_body| of_body.essence() == mime::JSON.essence());
    if !is_json {
        let text = "want content-type: application/json";
        return Err(Error::from_str(StatusCode::UnsupportedMediaType, text));
    }
    request.body_json().await
}

/// Tide's own answers to what goes wrong have no body.
async fn with_body(mut response: Response) -> Result {
    if response.is_empty() == Some(true) && response.status().is_client_error() {
        let text = response
            .error()
            .map_or_else(|| response.status().canonical_reason().to_owned(), ToString::to_string);
        response.set_body(text);
    }
    Ok(response)
}
