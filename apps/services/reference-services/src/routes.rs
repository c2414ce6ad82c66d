//! The contract by hand.

use std::convert::Infallible;
use std::pin::Pin;

use hyper::{
    Method, Request, StatusCode,
    body::Incoming,
    header::{ALLOW, HeaderValue},
};
use matchit::{InsertError, Router};

use crate::{
    Server,
    document::Document,
    exchange::{Answer, Refusal, discard, json, read_json, text},
    files, listing,
    order::Order,
    pieces, upload,
};

/// The routes that are registered, with their numbers.
pub struct Routes(Router<u32>);

impl Routes {
    /// So many, of which every third ends in a parameter.
    pub fn new(count: u32) -> Result<Self, InsertError> {
        let mut router = Router::new();
        for number in 0..count {
            let parameter = if number % 3 == 2 { "/{id}" } else { "" };
            router.insert(format!("/area{}/thing{number}{parameter}", number / 10), number)?;
        }
        Ok(Self(router))
    }

    /// The parameter that stands in a path, or the number of its route.
    fn find(&self, path: &str) -> Option<String> {
        let found = self.0.at(path).ok()?;
        let parameter = found.params.get("id").map(str::to_owned);
        Some(parameter.unwrap_or_else(|| found.value.to_string()))
    }
}

/// Layers that a request has come through.
#[derive(Clone, Copy, Default)]
struct Layers(u32);

type Outcome<'a> = Pin<Box<dyn Future<Output = Result<Answer, Refusal>> + Send + 'a>>;

pub async fn answer(request: Request<Incoming>, server: &Server) -> Result<Answer, Infallible> {
    Ok(behind(server.layers, request, server)
        .await
        .unwrap_or_else(Answer::from))
}

/// The request behind so many more layers, each of which counts itself.
fn behind(layers: u32, mut request: Request<Incoming>, server: &Server) -> Outcome<'_> {
    if layers == 0 {
        return Box::pin(route(request, server));
    }
    request.extensions_mut().get_or_insert_default::<Layers>().0 += 1;
    Box::pin(async move { behind(layers - 1, request, server).await })
}

async fn route(request: Request<Incoming>, server: &Server) -> Result<Answer, Refusal> {
    if let (&Method::GET, "/websocket") = (request.method(), request.uri().path()) {
        return pieces::websocket(request);
    }
    let (head, body) = request.into_parts();
    match (&head.method, head.uri.path()) {
        (&Method::GET, "/") => Ok(text(StatusCode::OK, "Hello, World!")),
        (&Method::GET, "/middleware") => {
            let layers = head.extensions.get::<Layers>().copied().unwrap_or_default();
            Ok(text(StatusCode::OK, layers.0.to_string()))
        }
        (&Method::GET, "/auth") => json(StatusCode::OK, &server.checker.claims(&head.headers)?),
        (&Method::POST, "/validate") => {
            let order: Order = read_json(&head.headers, body).await?;
            match order.total() {
                Ok(total) => json(StatusCode::OK, &total),
                Err(wrong) => json(StatusCode::UNPROCESSABLE_ENTITY, &wrong),
            }
        }
        (&Method::POST, "/json") => {
            let document: Document = read_json(&head.headers, body).await?;
            json(StatusCode::OK, &document)
        }
        (&Method::POST, "/upload") => json(StatusCode::OK, &upload::receive(&head.headers, body).await?),
        (method, path) => {
            discard(body).await;
            if method == Method::GET
                && let Some((folder, last)) = path.strip_prefix('/').and_then(|path| path.split_once('/'))
            {
                match folder {
                    "static" => return files::serve(&server.files, last, &head.headers).await,
                    "listing" => return listing::answer(seed(last)?, &head.headers),
                    "stream" => return Ok(pieces::stream(seed(last)?)),
                    "events" => return Ok(pieces::events(seed(last)?)),
                    _ => {}
                }
            }
            let found = server.routes.find(path).filter(|_| method == Method::GET);
            match found {
                Some(found) => Ok(text(StatusCode::OK, found)),
                None => unserved(path),
            }
        }
    }
}

fn seed(text: &str) -> Result<u32, Refusal> {
    let wanted = "want a whole number below 2^32";
    text.parse().map_err(|_| Refusal::new(StatusCode::BAD_REQUEST, wanted))
}

/// A path that is known, but not with this method; or one that is not known.
fn unserved(path: &str) -> Result<Answer, Refusal> {
    let allowed = match path {
        "/" | "/middleware" | "/auth" | "/websocket" => "GET",
        "/validate" | "/json" | "/upload" => "POST",
        _ => return Err(Refusal::new(StatusCode::NOT_FOUND, "no such path")),
    };
    let mut answer = text(StatusCode::METHOD_NOT_ALLOWED, "not with this method");
    answer.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
    Ok(answer)
}
