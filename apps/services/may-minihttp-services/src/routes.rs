//! The contract by hand: one `match`, as in the examples of `may_minihttp`.

use std::io;

use may_minihttp::{HttpService, Request, Response};
use may_minihttp_app::{Refusal, field, json, read, read_json, text};
use services_contract::{Claims, Document, MAX_BODY_BYTES, Order};

#[derive(Clone)]
pub struct Service;

impl HttpService for Service {
    fn call(&mut self, request: Request, response: &mut Response) -> io::Result<()> {
        // The engine sends a body whatever the method: HEAD is answered with nothing.
        let is_head = request.method() == "HEAD";
        if let Err(refusal) = route(request, response) {
            refusal.send(response);
        }
        if is_head {
            response.body("");
        }
        Ok(())
    }
}

fn route(request: Request<'_, '_, '_>, response: &mut Response<'_>) -> Result<(), Refusal> {
    let target = request.path();
    let path = target.split_once('?').map_or(target, |(path, _)| path);
    match (request.method(), path) {
        ("POST", "/validate") => match read_json::<Order>(request, MAX_BODY_BYTES)?.total() {
            Ok(total) => json(response, &total),
            Err(wrong) => {
                response.status_code(422, "Unprocessable Entity");
                json(response, &wrong)
            }
        },
        ("POST", "/json") => json(response, &read_json::<Document>(request, MAX_BODY_BYTES)?),
        ("GET", "/") => read(request, MAX_BODY_BYTES).map(|_| text(response, services_contract::GREETING)),
        ("GET", "/auth") => {
            let claims = auth(&request);
            read(request, MAX_BODY_BYTES)?;
            json(response, &claims?)
        }
        (_, "/" | "/auth" | "/validate" | "/json") => {
            read(request, MAX_BODY_BYTES).and_then(|_| Err(Refusal::method()))
        }
        _ => read(request, MAX_BODY_BYTES).and_then(|_| Err(Refusal::not_found())),
    }
}

fn auth(request: &Request<'_, '_, '_>) -> Result<Claims, Refusal> {
    let authorization = field(request, "authorization").next();
    let authorization = authorization.and_then(|value| str::from_utf8(value).ok());
    services_contract::claims(authorization).map_err(Refusal::unauthorized)
}
