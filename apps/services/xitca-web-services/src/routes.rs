//! The contract in xitca-web's own words.

use services_contract::{Document, Listing, MAX_BODY_BYTES, Order};
use xitca_web::{
    WebContext,
    error::Error,
    handler::{Responder as _, extension::ExtensionRef, json::Json, params::Params},
    http::{StatusCode, WebResponse, header::AUTHORIZATION},
};
use xitca_web_app::Payload;

use crate::middleware::Layers;

pub async fn index() -> &'static str {
    services_contract::GREETING
}

pub async fn thing(Params(id): Params<String>) -> String {
    id
}

pub async fn layers(counted: Option<ExtensionRef<'_, Layers>>) -> String {
    counted.map_or(0, |counted| counted.0.0).to_string()
}

pub async fn auth(ctx: WebContext<'_>) -> Result<WebResponse, Error> {
    let authorization = ctx.req().headers().get(AUTHORIZATION);
    match services_contract::claims(authorization.and_then(|value| value.to_str().ok())) {
        Ok(claims) => Json(claims).respond(ctx).await,
        Err(reason) => (reason.to_string(), StatusCode::UNAUTHORIZED).respond(ctx).await,
    }
}

pub async fn validate(ctx: WebContext<'_>) -> Result<WebResponse, Error> {
    let Payload(order) = ctx.extract::<Payload<Order, MAX_BODY_BYTES>>().await?;
    match order.total() {
        Ok(total) => Json(total).respond(ctx).await,
        Err(wrong) => (Json(wrong), StatusCode::UNPROCESSABLE_ENTITY).respond(ctx).await,
    }
}

pub async fn json(Payload(document): Payload<Document, MAX_BODY_BYTES>) -> Json<Document> {
    Json(document)
}

pub async fn listing(Params(seed): Params<u32>) -> Json<Listing> {
    Json(services_contract::listing(seed))
}
