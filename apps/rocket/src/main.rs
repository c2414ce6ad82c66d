//! Server under test: Rocket, set up as its guide does it.

use contract::Supports;
use rocket_app::{launch, routes, with_protocols};

fn main() {
    let settings = contract::settings_or_exit(Supports::EVERYTHING);
    let rocket = rocket::custom(with_protocols(&settings)).mount("/", routes());
    launch(&settings, rocket);
}
