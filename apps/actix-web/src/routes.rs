//! The contract in Actix Web's own words.

use actix_web::{Responder, error::ErrorInternalServerError, get, http::StatusCode, post, rt::time::sleep, web};
use contract::{CpuQuery, Hello, Payload, TIMED};

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
        .service(bcrypt_inline)
        // Its own answer to an unknown path has no body. A wrong method comes here as well.
        .default_service(web::to(not_found));
}

#[get("/")]
async fn index() -> impl Responder {
    contract::GREETING
}

#[get("/hello")]
async fn hello() -> impl Responder {
    web::Json(Hello::new())
}

#[get("/heavy")]
async fn heavy() -> impl Responder {
    web::Json(contract::heavy())
}

#[get("/cpu")]
async fn cpu(query: web::Query<CpuQuery>) -> impl Responder {
    web::Json(contract::fib(query.n))
}

#[get("/ram")]
async fn ram() -> impl Responder {
    web::Json(contract::ram())
}

#[post("/test/simple")]
async fn simple(payload: web::Json<Payload>) -> impl Responder {
    web::Json(contract::greet(&payload))
}

#[post("/test/timed")]
async fn timed(payload: web::Json<Payload>) -> impl Responder {
    sleep(TIMED).await;
    web::Json(contract::greet(&payload))
}

#[post("/test/bcrypt")]
async fn bcrypt(payload: web::Json<Payload>) -> actix_web::Result<impl Responder> {
    let hash = web::block(move || contract::bcrypt(&payload))
        .await?
        .map_err(ErrorInternalServerError)?;
    Ok(web::Json(hash))
}

#[post("/test/bcrypt-inline")]
async fn bcrypt_inline(payload: web::Json<Payload>) -> actix_web::Result<impl Responder> {
    Ok(web::Json(contract::bcrypt(&payload).map_err(ErrorInternalServerError)?))
}

async fn not_found() -> impl Responder {
    ("no such path, or not with this method", StatusCode::NOT_FOUND)
}
