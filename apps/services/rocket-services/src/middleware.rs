//! Layers that do next to nothing: each counts itself in the request's local cache. By a type that is a `Fairing`, which is what
//! Rocket has for middleware: its guide shows such a type before those made of closures.

use std::{
    convert::Infallible,
    sync::atomic::{AtomicU32, Ordering},
};

use rocket::{
    Build, Data, Request, Rocket,
    fairing::{Fairing, Info, Kind},
    request::{FromRequest, Outcome},
};

/// Layers that a request has come through. What a request caches is shared, hence the atomic.
#[derive(Debug, Default)]
pub struct Layers(pub AtomicU32);

/// The request's count, as a guard; none if nothing has counted.
#[rocket::async_trait]
impl<'r> FromRequest<'r> for &'r Layers {
    type Error = Infallible;

    async fn from_request(request: &'r Request<'_>) -> Outcome<Self, Infallible> {
        Outcome::Success(request.local_cache(Layers::default))
    }
}

/// `rocket` behind so many layers. A fairing applies to the whole application.
pub fn layered(rocket: Rocket<Build>, layers: u32) -> Rocket<Build> {
    (0..layers).fold(rocket, |rocket, _| rocket.attach(Count))
}

struct Count;

#[rocket::async_trait]
impl Fairing for Count {
    fn info(&self) -> Info {
        Info {
            name: "Count",
            kind: Kind::Request,
        }
    }

    async fn on_request(&self, request: &mut Request<'_>, _: &mut Data<'_>) {
        let Layers(count) = request.local_cache(Layers::default);
        count.fetch_add(1, Ordering::Relaxed);
    }
}
