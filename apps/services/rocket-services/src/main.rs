//! Server under test: Rocket with service features.

mod middleware;
mod pieces;
mod routes;
mod upload;
mod websocket;

use rocket::{
    data::{Limits, ToByteUnit as _},
    fs::{FileServer, Options},
};
use rocket_app::{config, launch};
use services_contract::{MAX_BODY_BYTES, MAX_UPLOAD_BYTES, settings_or_exit};

fn main() {
    let settings = settings_or_exit();
    let limits = Limits::default()
        .limit("json", MAX_BODY_BYTES.bytes())
        .limit("data-form", MAX_UPLOAD_BYTES.bytes());
    // Without this option, the folder has to be there, even for a run in which no file is requested.
    let files = FileServer::new(&settings.files, Options::default() | Options::Missing);
    let rocket = rocket::custom(config(&settings.server, limits))
        .mount("/", routes::routes(settings.routes))
        .mount("/static", files);
    launch(&settings.server, middleware::layered(rocket, settings.layers));
}
