//! The contract in Gotham's own words.

use std::panic::RefUnwindSafe;

use gotham::{
    handler::{FilePathExtractor, HandlerError},
    http::{
        StatusCode,
        header::{AUTHORIZATION, HeaderMap},
    },
    mime::{APPLICATION_JSON, Mime, TEXT_PLAIN_UTF_8},
    pipeline::PipelineHandleChain,
    prelude::*,
    router::{builder::RouterBuilder, route::matcher::ContentTypeHeaderRouteMatcher},
    state::State,
};
use gotham_app::{name_status, read_limited};
use serde::{Deserialize, Serialize};
use services_contract::{Document, MAX_BODY_BYTES, Order, Settings};

use crate::{
    files::Files,
    middleware::Layers,
    pieces::{SeedPath, stream},
    websocket::websocket,
};

type Answer = (StatusCode, Mime, Vec<u8>);

/// What Gotham, or a handler below, refuses a request with. Its own answers have no body.
const REFUSALS: [StatusCode; 5] = [
    StatusCode::BAD_REQUEST,
    StatusCode::NOT_FOUND,
    StatusCode::METHOD_NOT_ALLOWED,
    StatusCode::PAYLOAD_TOO_LARGE,
    StatusCode::UNSUPPORTED_MEDIA_TYPE,
];

pub fn draw<C, P>(route: &mut RouterBuilder<'_, C, P>, settings: &Settings)
where
    C: PipelineHandleChain<P> + Copy + Send + Sync + 'static,
    P: RefUnwindSafe + Send + Sync + 'static,
{
    let takes_json = ContentTypeHeaderRouteMatcher::new(vec![APPLICATION_JSON]);
    route.get("/").to(index);
    route.get("/auth").to(auth);
    route
        .post("/validate")
        .add_route_matcher(takes_json.clone())
        .to_async_borrowing(validate);
    route
        .post("/json")
        .add_route_matcher(takes_json)
        .to_async_borrowing(json);
    route.get("/middleware").to(layers);
    route.get("/stream/:seed").with_path_extractor::<SeedPath>().to(stream);
    route.get("/websocket").to(websocket);
    route
        .get("/static/*")
        .with_path_extractor::<FilePathExtractor>()
        .to_new_handler(Files::new(&settings.files));
    for registered in services_contract::routes(settings.routes) {
        let (path, number) = (registered.path(":id"), registered.number);
        if registered.has_parameter() {
            route.get(&path).with_path_extractor::<ThingPath>().to(thing);
        } else {
            route.get(&path).to(move |state: State| (state, number.to_string()));
        }
    }
    for status in REFUSALS {
        route.add_response_extender(status, name_status);
    }
}

#[derive(Deserialize, StateData, StaticResponseExtender)]
struct ThingPath {
    id: String,
}

fn index(state: State) -> (State, &'static str) {
    (state, services_contract::GREETING)
}

fn thing(mut state: State) -> (State, String) {
    let ThingPath { id } = ThingPath::take_from(&mut state);
    (state, id)
}

fn layers(state: State) -> (State, String) {
    let counted = Layers::try_borrow_from(&state);
    let count = counted.map_or(0, |Layers(count)| *count);
    (state, count.to_string())
}

fn auth(state: State) -> (State, Result<Answer, HandlerError>) {
    let authorization = HeaderMap::borrow_from(&state).get(AUTHORIZATION);
    let authorization = authorization.and_then(|value| value.to_str().ok());
    let answer = match services_contract::claims(authorization) {
        Ok(claims) => answer(StatusCode::OK, &claims),
        Err(reason) => Ok((StatusCode::UNAUTHORIZED, TEXT_PLAIN_UTF_8, reason.to_string().into())),
    };
    (state, answer)
}

async fn validate(state: &mut State) -> Result<Answer, HandlerError> {
    match read_limited::<Order>(state, MAX_BODY_BYTES).await?.total() {
        Ok(total) => answer(StatusCode::OK, &total),
        Err(wrong) => answer(StatusCode::UNPROCESSABLE_ENTITY, &wrong),
    }
}

async fn json(state: &mut State) -> Result<Answer, HandlerError> {
    answer(StatusCode::OK, &read_limited::<Document>(state, MAX_BODY_BYTES).await?)
}

fn answer(status: StatusCode, value: &impl Serialize) -> Result<Answer, HandlerError> {
    Ok((status, APPLICATION_JSON, serde_json::to_vec(value)?))
}
