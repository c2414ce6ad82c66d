//! The contract in ntex's own words.

use contract::{CpuQuery, Hello, Payload, TIMED};
use ntex::{
    http::StatusCode,
    time::sleep,
    web::{
        self, Error, Responder,
        error::InternalError,
        types::{Json, Query},
    },
};

pub fn configure(config: &mut web::ServiceConfig) {
    config
        .service(index)
        .service(hello)
        .service(heavy)
        .service(cpu)
        .service(ram)
        .service(simple)
        .service(timed)
        .service(bcrypt)
        .service(bcrypt_inline);
}

#[web::get("/")]
async fn index() -> impl Responder {
    contract::GREETING
}

#[web::get("/hello")]
async fn hello() -> impl Responder {
    Json(Hello::new())
}

#[web::get("/heavy")]
async fn heavy() -> impl Responder {
    Json(contract::heavy())
}

#[web::get("/cpu")]
async fn cpu(query: Query<CpuQuery>) -> impl Responder {
    Json(contract::fib(query.n))
}

#[web::get("/ram")]
async fn ram() -> impl Responder {
    Json(contract::ram())
}

#[web::post("/test/simple")]
async fn simple(payload: Json<Payload>) -> impl Responder {
    Json(contract::greet(&payload))
}

#[web::post("/test/timed")]
async fn timed(payload: Json<Payload>) -> impl Responder {
    sleep(TIMED).await;
    Json(contract::greet(&payload))
}

#[web::post("/test/bcrypt")]
async fn bcrypt(payload: Json<Payload>) -> Result<impl Responder, Error> {
    let hash = web::block(move || contract::bcrypt(&payload)).await?;
    Ok(Json(hash))
}

#[web::post("/test/bcrypt-inline")]
async fn bcrypt_inline(payload: Json<Payload>) -> Result<impl Responder, Error> {
    let hash =
        contract::bcrypt(&payload).map_err(|error| InternalError::new(error, StatusCode::INTERNAL_SERVER_ERROR))?;
    Ok(Json(hash))
}

/// Its own answer to an unknown path has no body. A wrong method comes here as well.
pub async fn not_found() -> impl Responder {
    ("no such path, or not with this method", StatusCode::NOT_FOUND)
}
