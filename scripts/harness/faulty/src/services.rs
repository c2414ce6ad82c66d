//! A small server of services that fulfils the contract, but for one fault: a thread for each connection.

use std::net::TcpStream;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value, json};
use sha2::Sha256;

use crate::http::{Request, Response};
use crate::{Connected, Serve, converse, files, pieces, serve_all, settings, upload};

/// What is wrong with a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fault {
    /// Nothing.
    #[default]
    None,
    /// It registers no route, and reads the answer from the path.
    GuessesRoutes,
    /// It takes tokens with the algorithm `none`.
    TakesUnsigned,
    /// It takes tokens that have ended.
    TakesEnded,
    /// A document is sent back as it came.
    EchoesDocuments,
    /// It has one layer fewer than it was set to have.
    SkipsLayers,
    /// Of several wrong fields it names the first.
    NamesFirstField,
    /// While many are connected, every order is answered with the sum of the first, every form with the receipt of the first, every
    /// listing is the first one, and every message comes back as the first one.
    KeepsAnswers,
    /// One fault in each kind of work that has no server of its own here.
    Careless,
    /// Events are sent when the last one is there.
    GathersEvents,
    /// A WebSocket ends after more messages than the contract's proof sends.
    EndsSockets,
}

const SECRET: &[u8] = b"what stands in a repository is no secret";
/// Largest body that is taken.
const LARGEST: usize = 256 << 10;

/// What it is set to do.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Routes that it registers.
    pub routes: u32,
    /// Layers of middleware before `/middleware`.
    pub layers: u32,
    /// The folder that it serves.
    pub files: PathBuf,
}

/// A server with what it remembers: the first answer of each kind.
#[derive(Default)]
pub struct Services {
    pub(crate) fault: Fault,
    pub(crate) settings: Settings,
    connected: Connected,
    first_total: OnceLock<Value>,
    pub(crate) first_receipt: OnceLock<Value>,
    pub(crate) first_listing: OnceLock<Vec<u8>>,
    pub(crate) first_message: OnceLock<Vec<u8>>,
}

/// Serves on `ADDR` until it is killed.
pub fn serve(fault: Fault) -> ! {
    settings::obey();
    let settings = Settings {
        routes: settings::number("ROUTES", 1, 1),
        layers: settings::number("LAYERS", 0, 0),
        files: std::env::var_os("FILES").unwrap_or_default().into(),
    };
    serve_all(&settings::listener(), Services::new(fault, settings))
}

impl Serve for Services {
    fn talk(&self, stream: TcpStream) -> Option<()> {
        converse(stream, &self.connected, |reader, request| {
            if pieces::answer(self, reader, request)? {
                return Some(());
            }
            reader.answer(&self.answer(request))
        })
    }
}

impl Services {
    /// A server that has seen nothing yet.
    pub fn new(fault: Fault, settings: Settings) -> Self {
        Self {
            fault,
            settings,
            ..Self::default()
        }
    }

    /// What was answered first, for one that keeps its answers and is under load.
    pub(crate) fn kept<T: Clone>(&self, first: &OnceLock<T>, answer: T) -> T {
        if self.fault == Fault::KeepsAnswers && self.connected.are_many() {
            first.get_or_init(|| answer).clone()
        } else {
            answer
        }
    }

    fn answer(&self, request: &Request) -> Response {
        let fault = self.fault;
        let largest = if request.path == "/upload" {
            upload::LARGEST
        } else {
            LARGEST
        };
        if request.body.len() > largest {
            return Response::text(413, "too large");
        }
        match (request.method.as_str(), request.path.as_str()) {
            ("GET", "/") => Response::text(200, "Hello, World!"),
            ("GET", "/middleware") => {
                let skipped = u32::from(fault == Fault::SkipsLayers);
                Response::text(200, &self.settings.layers.saturating_sub(skipped).to_string())
            }
            ("GET", "/auth") => match claims(request, fault) {
                Some(claims) => Response::json(&claims),
                None => Response::text(401, "no"),
            },
            ("POST", "/validate") => self.validated(request),
            ("POST", "/json") => document(request, fault),
            ("POST", "/upload") => upload::receipt(self, request),
            ("GET", path) if path.starts_with(files::FOLDER) => files::answer(self, request),
            ("GET", path) if path.starts_with("/listing/") => files::listing(self, request),
            (_, "/auth" | "/middleware" | "/validate" | "/json" | "/upload" | "/websocket") => {
                Response::text(405, "not so")
            }
            (_, path) => match thing(path, self.settings.routes, fault) {
                Some(found) => Response::text(200, &found),
                None => Response::text(404, "no such path"),
            },
        }
    }

    fn validated(&self, request: &Request) -> Response {
        let order: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        let (Some(lines), Some(note), Some(customer)) =
            (order["lines"].as_array(), order["note"].as_str(), order.get("customer"))
        else {
            return Response::text(400, "no order");
        };
        let length = |value: &Value| value.as_str().map_or(0, |text| text.chars().count());
        let number = |value: &Value| value.as_u64().unwrap_or(0);
        let mut wrong = Vec::new();
        let mut check = |right: bool, field: String| wrong.extend((!right).then_some(field));
        check((1..=100).contains(&length(&customer["name"])), "customer.name".into());
        check(
            customer["email"].as_str().is_some_and(|email| email.contains('@')),
            "customer.email".into(),
        );
        check((1..=100).contains(&lines.len()), "lines".into());
        check(note.len() <= 4000, "note".into());
        for (at, line) in lines.iter().enumerate() {
            check(length(&line["article"]) == 8, format!("lines[{at}].article"));
            check((1..=80).contains(&length(&line["title"])), format!("lines[{at}].title"));
            check(
                (1..=1000).contains(&number(&line["quantity"])),
                format!("lines[{at}].quantity"),
            );
            check(
                (1..=1_000_000).contains(&number(&line["cents"])),
                format!("lines[{at}].cents"),
            );
        }
        wrong.sort();
        if self.fault == Fault::NamesFirstField {
            wrong.truncate(1);
        }
        if !wrong.is_empty() {
            return Response::new(422, "application/json", json!({ "fields": wrong }).to_string().into());
        }
        let total: u64 = lines
            .iter()
            .map(|line| number(&line["quantity"]) * number(&line["cents"]))
            .sum();
        let total = self.kept(&self.first_total, json!({ "total": total }));
        Response::json(&total)
    }
}

fn thing(path: &str, routes: u32, fault: Fault) -> Option<String> {
    let mut parts = path.strip_prefix("/area")?.split('/');
    let area: u32 = parts.next()?.parse().ok()?;
    let number: u32 = parts.next()?.strip_prefix("thing")?.parse().ok()?;
    let parameter = parts.next();
    let is_registered = number < routes && area == number / 10 && parameter.is_some() == (number % 3 == 2);
    let is_right = is_registered && parts.next().is_none();
    (is_right || fault == Fault::GuessesRoutes).then(|| parameter.map_or(number.to_string(), String::from))
}

fn claims(request: &Request, fault: Fault) -> Option<Value> {
    let token = request.field("authorization").strip_prefix("Bearer ")?;
    let (text, signature) = token.rsplit_once('.')?;
    let (head, payload) = text.split_once('.')?;
    let read = |part: &str| serde_json::from_slice::<Value>(&URL_SAFE_NO_PAD.decode(part).ok()?).ok();
    let (head, claims) = (read(head)?, read(payload)?);
    let mut mac = Hmac::<Sha256>::new_from_slice(SECRET).ok()?;
    mac.update(text.as_bytes());
    let is_signed = head["alg"] == "HS256" && mac.verify_slice(&URL_SAFE_NO_PAD.decode(signature).ok()?).is_ok();
    let is_unsigned = head["alg"] == "none" && fault == Fault::TakesUnsigned;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_secs();
    let lasts = claims["exp"].as_u64()? > now || fault == Fault::TakesEnded;
    ((is_signed || is_unsigned) && lasts).then_some(claims)
}

fn document(request: &Request, fault: Fault) -> Response {
    let document: Option<Value> = serde_json::from_slice(&request.body).ok();
    let Some(mut document) = document.filter(|value| value["title"].is_string() && value["items"].is_array()) else {
        return Response::text(400, "no document");
    };
    if fault == Fault::EchoesDocuments {
        return Response::new(200, "application/json", request.body.clone());
    }
    if let Some(fields) = document.as_object_mut() {
        fields.remove("extra");
    }
    for item in document["items"].as_array_mut().into_iter().flatten() {
        if let Some(fields) = item.as_object_mut() {
            fields.remove("unknown");
        }
    }
    Response::json(&document)
}
