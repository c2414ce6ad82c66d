//! The server that the guide writes, for what its clients notice.
#![expect(clippy::result_large_err, reason = "what a handler of nickel returns")]

#[macro_use]
extern crate nickel;

use std::{env, error::Error, io::Read, thread, time::Duration};

use nickel::{FormBody, HttpRouter, JsonBody, Nickel, QueryString, status::StatusCode};
use serde::{Deserialize, Serialize};

#[derive(Deserialize, Serialize)]
struct Person {
    name: String,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut server = Nickel::new();
    server.get("/hello", middleware!("Hello, World!"));
    server.get(
        "/slow",
        middleware! {
            thread::sleep(Duration::from_secs(1));
            "slow"
        },
    );
    server.get("/stream", middleware!(&["a", "b", "c"][..]));
    server.get(
        "/query",
        middleware! { |request|
            request.query().get("q").map(ToOwned::to_owned).ok_or((StatusCode::BadRequest, "no q"))
        },
    );
    server.get(
        "/p/:x",
        middleware! { |request|
            request.param("x").unwrap_or_default().to_owned()
        },
    );
    server.get("/no-content", middleware!(StatusCode::NoContent));
    server.get("/not-modified", middleware!(StatusCode::NotModified));
    server.post(
        "/json",
        middleware! { |request, response|
            let person = try_with!(response, {
                request.json_as::<Person>().map_err(|error| (StatusCode::BadRequest, error))
            });
            serde_json::to_value(person).map_err(|error| (StatusCode::InternalServerError, error))
        },
    );
    server.post(
        "/form",
        middleware! { |request, response|
            let form = try_with!(response, request.form_body());
            form.get("name").map(ToOwned::to_owned).ok_or((StatusCode::BadRequest, "no name"))
        },
    );
    server.post(
        "/bytes",
        middleware! { |request, response|
            let mut body = Vec::new();
            try_with!(response, {
                request.origin.read_to_end(&mut body).map_err(|error| (StatusCode::BadRequest, error))
            });
            body.len().to_string()
        },
    );
    server.post("/unread", middleware!("ok"));
    server.get("/panic", middleware!(panics()));
    let addr = env::var("ADDR")?;
    server.listen(addr.as_str()).map_err(|error| error.to_string())?;
    Ok(())
}

fn panics() -> &'static str {
    panic!("asked to")
}
