//! Server under test: Rocket with PostgreSQL.

mod routes;

use postgres_contract::{Deadpool, MAX_BODY_BYTES, settings_or_exit};
use rocket::data::{Limits, ToByteUnit as _};
use rocket_app::{config, launch};

fn main() {
    let settings = settings_or_exit();
    let limits = Limits::default().limit("json", MAX_BODY_BYTES.bytes());
    let rocket = rocket::custom(config(&settings.server, limits))
        .manage(Deadpool::or_exit(&settings))
        .mount("/", routes::routes());
    launch(&settings.server, rocket);
}
